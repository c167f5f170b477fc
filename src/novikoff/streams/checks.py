"""The checks that generators share."""

from numbers import Integral, Real


def at_least(name: str, value: int, least: int) -> None:
    """Raise ``ValueError`` unless a count is an integer and large enough."""
    if not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}")


def within(name: str, value: float, low: float, high: float) -> None:
    """Raise ``ValueError`` unless ``low <= value < high``."""
    if not isinstance(value, Real) or not low <= value < high:
        raise ValueError(f"{name} must lie in [{low:g}, {high:g}), got {value!r}")

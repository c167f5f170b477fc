"""What the bounds refuse."""

from typing import Any

import numpy as np

# By how much a condition may be missed that lengths of computed rows are held to.
ROUNDING = 1e-9


def positive(**values: Any) -> None:
    """``ValueError`` names the value that is not above 0."""
    for name, value in values.items():
        if not np.all(np.asarray(value) > 0):
            raise ValueError(f"{name} must be positive, got {float(np.min(value))!r}")


def not_negative(**values: Any) -> None:
    """``ValueError`` names the value that is below 0."""
    for name, value in values.items():
        if not np.all(np.asarray(value) >= 0):
            raise ValueError(f"{name} must not be negative, got {float(np.min(value))!r}")

"""Methods that look for a feasible point: one a file.

``METHODS`` is the list. Every method is called as ``method(oracle, dim, *, x0=None,
max_updates=None, callback=None, random_state=None, ...)`` and returns an ``Outcome``.
"""

from collections.abc import Callable
from typing import Any

from novikoff.feasibility.outcome import Outcome
from novikoff.feasibility.run import Oracle
from novikoff.feasibility.solvers.deterministic_rescaled_perceptron import (
    deterministic_rescaled_perceptron,
)
from novikoff.feasibility.solvers.dilated_perceptron import dilated_perceptron
from novikoff.feasibility.solvers.ellipsoid import ellipsoid
from novikoff.feasibility.solvers.margin_perceptron import margin_perceptron
from novikoff.feasibility.solvers.modified_perceptron import modified_perceptron
from novikoff.feasibility.solvers.perceptron import perceptron
from novikoff.feasibility.solvers.rescaling_perceptron import rescaling_perceptron
from novikoff.feasibility.solvers.smooth_perceptron import smooth_perceptron

METHODS: dict[str, Callable[..., Outcome]] = {
    "perceptron": perceptron,
    "margin_perceptron": margin_perceptron,
    "dilated_perceptron": dilated_perceptron,
    "ellipsoid": ellipsoid,
    "modified_perceptron": modified_perceptron,
    "rescaling_perceptron": rescaling_perceptron,
    "deterministic_rescaled_perceptron": deterministic_rescaled_perceptron,
    "smooth_perceptron": smooth_perceptron,
}


def find_method(name: str) -> Callable[..., Outcome]:
    """Return the solver of this name; hyphens may stand for underscores."""
    key = name.replace("-", "_") if isinstance(name, str) else name
    if key not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}; got {name!r}")
    return METHODS[key]


def solve(oracle: Oracle, dim: int, method: str = "ellipsoid", **options: Any) -> Outcome:
    """Find a feasible point by the method of this name.

    Parameters
    ----------
    oracle : callable
        The set, see :mod:`novikoff.feasibility.oracles`.
    dim : int
        Length of x.
    method : str
        The name of a solver. The default ends on every set, with the margin ``rho`` (1e-6) below
        which it gives up.
    **options
        The solver's own, and ``x0``, ``max_updates``, ``callback``, ``random_state``.

    Returns
    -------
    Outcome

    Examples
    --------
    >>> from novikoff.feasibility import Halfspaces, solve
    >>> solve(Halfspaces([[1.0, 0.0], [-0.8, 0.6]]), 2, method="perceptron").status
    'feasible'
    """
    return find_method(method)(oracle, dim, **options)


__all__ = [
    "METHODS",
    "deterministic_rescaled_perceptron",
    "dilated_perceptron",
    "ellipsoid",
    "find_method",
    "margin_perceptron",
    "modified_perceptron",
    "perceptron",
    "rescaling_perceptron",
    "smooth_perceptron",
    "solve",
]

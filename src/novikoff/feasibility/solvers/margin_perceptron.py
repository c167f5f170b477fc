"""The perceptron with margins, or tau-perceptron (P3 section 6.7, after Li et al. 2002).

    while some a in A has a.x <= tau:    x <- x + a / |a|

It ends deeper inside the feasible set than the perceptron. A set of unit vectors of margin rho is
solved in at most (1 + 2 tau) / rho^2 updates, and then a.x > tau for every a.
Cost of an update: one question at level tau, O(n).
Departures from the paper: none; tau is measured in the scale of the oracle's vectors.
"""

import math

import numpy as np

from novikoff.feasibility.outcome import Callback, Outcome
from novikoff.feasibility.run import Oracle, Run, Seed, Start, check_open_interval, method
from novikoff.feasibility.solvers.perceptron import add_counterexamples


@method
def margin_perceptron(
    oracle: Oracle,
    dim: int,
    *,
    tau: float = 1.0,
    normalize: bool = True,
    rho: float | None = None,
    x0: Start = None,
    max_updates: int | None = None,
    callback: Callback | None = None,
    random_state: Seed = None,
) -> Outcome:
    """Find a feasible point with a.x > tau for every a, by the perceptron with margins.

    Parameters
    ----------
    oracle : callable
        ``oracle(x, level=...)`` returns a vector a with a.x <= level, or None.
    dim : int
        Length of x.
    tau : float >= 0
        The level that a.x must exceed; a larger one takes more updates and ends farther inside.
    normalize : bool
        Divide each counterexample by its length.
    rho : float in (0, 1), optional
        Stop with ``"unseparable"`` once no set of this margin could have led so far.
    x0, max_updates, callback, random_state
        As for :func:`perceptron`.

    Returns
    -------
    Outcome

    Examples
    --------
    >>> from novikoff.feasibility import Halfspaces, margin_perceptron
    >>> rows = Halfspaces([[1.0, 0.0], [-0.8, 0.6]])
    >>> outcome = margin_perceptron(rows, 2, tau=1.0)
    >>> outcome.status, (rows.rows @ outcome.x).min() > 1.0
    ('feasible', np.True_)
    """
    if not (isinstance(tau, int | float | np.number) and 0.0 <= tau < math.inf):
        raise ValueError(f"tau must be a finite number >= 0, got {tau!r}")
    if rho is not None:
        check_open_interval("rho", rho, 0.0, 1.0)
    run = Run(
        "margin_perceptron",
        oracle,
        dim,
        x0=x0,
        max_updates=max_updates,
        callback=callback,
        levels=True,
    )
    return add_counterexamples(run, tau, normalize, rho)

"""The normalised perceptron (P3 Algorithm 1).

    while some a in A has a.x <= 0:    x <- x + a / |a|

A set of margin rho is solved in at most 1 / rho^2 updates (P3 Theorem 2.7).
Cost of an update: one question, O(n).
Departures from the paper: a start point other than 0, and `rho`, which turns the proof of the
theorem into a test: with step lengths s_k, any set of margin rho keeps
rho sum s_k <= |x_0| + |x_t|.
"""

import numpy as np

from novikoff.feasibility.outcome import Callback, Outcome, Status
from novikoff.feasibility.run import (
    TAME,
    Oracle,
    Run,
    Seed,
    Start,
    check_open_interval,
    length,
    method,
    unit,
)

EPS = float(np.finfo(np.float64).eps)


def add_counterexamples(run: Run, level: float, normalize: bool, rho: float | None) -> Outcome:
    """The run of an additive perceptron: x <- x + a (/ |a|) while some a has a.x <= level."""
    x = run.start
    origin = run.state.get("origin", length(x))
    travelled = run.state.get("travelled", 0.0)
    status: Status = "feasible"
    while (a := run.ask(x, level)) is not None:
        norm = length(a)
        if norm == 0.0 or (rho is not None and _too_far(run, rho, travelled, origin + length(x))):
            status = "unseparable"
            break
        if run.over:
            status = "limit"
            break
        if normalize:
            x += a / norm if 1.0 / TAME < norm < TAME else unit(a)
            travelled += 1.0
        else:
            x += a
            travelled += norm
        run.updated(x)
    return run.end(x, status, origin=origin, travelled=travelled)


def _too_far(run: Run, rho: float, travelled: float, reached: float) -> bool:
    """Whether rho travelled > reached, by more than the rounding of so many additions."""
    rounding = (run.n_updates + run.dim + 4) * EPS * (travelled + reached)
    return rho * travelled > reached + rounding


@method
def perceptron(
    oracle: Oracle,
    dim: int,
    *,
    normalize: bool = True,
    rho: float | None = None,
    x0: Start = None,
    max_updates: int | None = None,
    callback: Callback | None = None,
    random_state: Seed = None,
) -> Outcome:
    """Find a feasible point by the normalised perceptron algorithm.

    Parameters
    ----------
    oracle : callable
        ``oracle(x)`` returns a vector a with a.x <= 0, or None.
    dim : int
        Length of x.
    normalize : bool
        Divide each counterexample by its length. Without it the updates are as long as the
        oracle's vectors.
    rho : float in (0, 1), optional
        Stop with ``"unseparable"`` once no set of this margin could have led so far: after at
        most 1 / rho^2 updates from 0. Without it an empty set is never recognised; give
        `max_updates` then.
    x0 : array or Outcome, optional
        Start point (default 0), or an outcome of this method to go on with.
    max_updates : int, optional
        Most updates in this call; None: no limit.
    callback : callable, optional
        Called with an :class:`Event` after each update; a true answer stops the run.
    random_state : None
        Unused; every solver takes it.

    Returns
    -------
    Outcome

    Examples
    --------
    >>> from novikoff.feasibility import Halfspaces, perceptron
    >>> outcome = perceptron(Halfspaces([[1.0, 0.0], [-0.8, 0.6]]), 2)
    >>> outcome.status, outcome.n_updates, outcome.x.round(3)
    ('feasible', 2, array([0.2, 0.6]))
    """
    if rho is not None:
        check_open_interval("rho", rho, 0.0, 1.0)
    run = Run("perceptron", oracle, dim, x0=x0, max_updates=max_updates, callback=callback)
    return add_counterexamples(run, 0.0, normalize, rho)

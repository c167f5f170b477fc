"""The perceptron with space dilation (P3 section 2.7, after Shor 1970).

With B the inverse of the dilation so far and b = B'a, on a counterexample a

    x <- x + eta B b / |b|
    B <- B (I + (1 / lambda - 1) b b' / |b|^2),    lambda > 1

Cost of an update: one question, O(n^2). No bound is known.
Departures from the paper, which gives no rule for lambda and the step: lambda is
sqrt((n + 1) / (n - 1)), the ellipsoid algorithm's (2 where n = 1), and the step is constant; its
size, without effect from x = 0, is 1 + |x_0|: the steps only shrink, and shorter ones would never
come back from afar. A fixed lambda such as 2 makes B degenerate: a run in which B
vanishes, or no longer moves x, ends with ``"limit"``.
"""

import math

import numpy as np

from novikoff.feasibility.outcome import Callback, Outcome, Status
from novikoff.feasibility.run import Oracle, Run, Seed, Start, length, method, tame
from novikoff.feasibility.solvers.dilation import contract, pull_back

VANISHED = 1e-290  # of B'a relative to a: below it B has too few digits left


@method
def dilated_perceptron(
    oracle: Oracle,
    dim: int,
    *,
    lam: float | None = None,
    x0: Start = None,
    max_updates: int | None = None,
    callback: Callback | None = None,
    random_state: Seed = None,
) -> Outcome:
    """Find a feasible point by the perceptron with space dilation.

    Parameters
    ----------
    oracle : callable
        ``oracle(x)`` returns a vector a with a.x <= 0, or None.
    dim : int
        Length of x.
    lam : float > 1, optional
        The dilation coefficient; default ``sqrt((dim + 1) / (dim - 1))``. A larger one forgets
        what was learnt faster.
    x0, max_updates, callback, random_state
        As for :func:`perceptron`. No bound ends a run on an empty set: give `max_updates`.

    Returns
    -------
    Outcome

    Examples
    --------
    >>> from novikoff.feasibility import Halfspaces, dilated_perceptron
    >>> dilated_perceptron(Halfspaces([[1.0, 0.0], [-0.999, 0.01]]), 2).status
    'feasible'
    """
    run = Run("dilated_perceptron", oracle, dim, x0=x0, max_updates=max_updates, callback=callback)
    if lam is None:
        lam = math.sqrt((run.dim + 1) / (run.dim - 1)) if run.dim > 1 else 2.0
    if not (isinstance(lam, int | float | np.number) and 1.0 < lam < math.inf):
        raise ValueError(f"lam must be a finite number > 1, got {lam!r}")
    x = run.start
    eta = run.state.get("eta", 1.0 + length(x))
    B = np.array(run.state.get("B", np.eye(run.dim)))
    status: Status = "feasible"
    while (a := run.ask(x)) is not None:
        a = tame(a)
        b = pull_back(B, a)
        norm = length(b)
        vanished = norm <= VANISHED * length(a)
        if run.over or vanished or not norm < math.inf:
            status = "limit" if a.any() else "unseparable"
            break
        b /= norm
        step = B @ b
        moved = x + eta * step
        if np.array_equal(moved, x):  # the steps only shrink: nothing will come of waiting
            status = "limit"
            break
        x = moved
        contract(B, step, b, 1.0 / lam)
        run.updated(x)
    return run.end(x, status, B=B, eta=eta)

"""The ellipsoid algorithm (P3 Algorithm 2).

The ellipsoid {x + r B u : |u| <= 1} contains the part of the feasible cone inside the unit ball.
On a counterexample a, with b = B'a / |B'a|, the half a.z >= a.x of it is enclosed in the smallest
ellipsoid:

    x <- x + r / (n + 1) B b
    r <- r n / sqrt(n^2 - 1),    B <- B (I + (sqrt((n - 1) / (n + 1)) - 1) b b')

and the n-th root of its volume, relative to the unit ball's, falls by the same factor each time.
``constants="rounding-safe"`` takes r <- r sqrt(2 n^2 + 3) / (n sqrt 2) and leaves the axis along b
at n / (n + 1) of what it was, so that the other axes grow a little more than they must.

Cost of an update: one question, O(n^2). A set of margin rho takes at most
2 n^2 ln((1 + rho) / rho) + 1 updates, about twice as many with the rounding-safe constants.
Departures from the paper: footnote 9's step factor is printed n times too small (the run never
ends); a set of margin rho holds a ball of radius rho / (1 + rho), not rho; n = 1, where the paper
divides by zero, is bisection; from a start point x_0 the first ball has radius 1 + |x_0|.
"""

import math

import numpy as np

from novikoff.feasibility.outcome import Callback, Outcome, Status
from novikoff.feasibility.run import (
    Oracle,
    Run,
    Seed,
    Start,
    check_open_interval,
    length,
    method,
    tame,
)
from novikoff.feasibility.solvers.dilation import contract, pull_back

CONSTANTS = ("printed", "rounding-safe")


def factors(n: int, constants: str) -> tuple[float, float]:
    """Factors of an update: of r, and of B along b."""
    if n == 1:
        return 1.0, 0.5
    along = n / (n + 1)  # of the semi-axis along b, whatever the constants
    if constants == "printed":
        return n / math.sqrt(n * n - 1), math.sqrt((n - 1) / (n + 1))
    across = math.sqrt(2 * n * n + 3) / (n * math.sqrt(2))
    return across, along / across


@method
def ellipsoid(
    oracle: Oracle,
    dim: int,
    *,
    rho: float = 1e-6,
    constants: str = "printed",
    x0: Start = None,
    max_updates: int | None = None,
    callback: Callback | None = None,
    random_state: Seed = None,
) -> Outcome:
    """Find a feasible point by the ellipsoid algorithm, or exclude sets of margin rho.

    Parameters
    ----------
    oracle : callable
        ``oracle(x)`` returns a vector a with a.x <= 0, or None.
    dim : int
        Length of x, n.
    rho : float in (0, 1)
        Stop with ``"unseparable"`` when the volume left is too small for any set of this margin.
    constants : {"printed", "rounding-safe"}
        The exact constants, or slightly larger ellipsoids that allow for rounding errors.
    x0, max_updates, callback, random_state
        As for :func:`perceptron`.

    Returns
    -------
    Outcome

    Examples
    --------
    >>> from novikoff.feasibility import Halfspaces, ellipsoid
    >>> ellipsoid(Halfspaces([[1.0, 0.0], [-0.999, 0.01]]), 2).status
    'feasible'
    >>> ellipsoid(Halfspaces([[1.0, 0.0], [-1.0, 0.0]]), 2, rho=1e-3).status
    'unseparable'
    """
    check_open_interval("rho", rho, 0.0, 1.0)
    if constants not in CONSTANTS:
        raise ValueError(f"constants must be one of {', '.join(CONSTANTS)}; got {constants!r}")
    run = Run("ellipsoid", oracle, dim, x0=x0, max_updates=max_updates, callback=callback)
    n = run.dim
    x = run.start
    r = run.state.get("r", 1.0 + length(x))
    B = np.array(run.state.get("B", np.eye(n)))
    # Of the volume: its n-th root relative to the unit ball's, as a logarithm.
    log_size = run.state.get("log_size", math.log(r))
    grow, shrink = factors(n, constants)
    log_factor = math.log(grow) + math.log(shrink) / n
    log_least = math.log(rho) - math.log1p(rho)
    status: Status = "feasible"
    while (a := run.ask(x)) is not None:
        b = pull_back(B, tame(a))
        norm = length(b)
        if log_size < log_least or not a.any():
            status = "unseparable"
            break
        if run.over or not 0.0 < norm < math.inf:
            status = "limit"
            break
        b /= norm
        step = B @ b
        x += r / (n + 1) * step
        contract(B, step, b, shrink)
        r *= grow
        log_size += log_factor
        run.updated(x)
    return run.end(x, status, B=B, r=r, log_size=log_size)

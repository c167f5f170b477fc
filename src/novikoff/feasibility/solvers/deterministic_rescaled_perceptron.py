"""A deterministic rescaled perceptron (Pena and Soheili 2016; the idea goes back to Barr 2007).

In the space of y, where x = D y and D = I at first: on a counterexample a, with b = D'a / |D'a|,

    y <- y + b,    w_c <- w_c + b,

c one of 2n classes, the position and sign of b's largest entry. Every feasible unit vector z has
0 <= b.z, hence 0 <= w_c.z <= y.z <= |y|: once |y| <= |w_c| / sqrt(6 n) for a class, the feasible
cone is thin along d = w_c / |w_c|, and the space is stretched there:

    D <- D (I - d d'/2),    y <- 0,    w <- 0.

Stretching by 2 while |z + (d.z) d|^2 <= 1 + 1/(2n) multiplies the volume of the cone in the unit
ball by at least 2 / (1 + 1/(2n))^(n/2) > 3/2; this happens after at most 24 n^4 updates, and no
more often than n ln((1 + rho) / rho) / ln(3/2) times when the margin is rho. It is thus
O(n^5 ln(1/rho)) updates without chance and with questions at level 0 only.

Cost of an update: one question; O(n) before the first rescaling, O(n^2) after it.
Departures from the paper: written from its idea, with our own constants, proved above; the space
is rescaled as soon as the certificate holds, not after a fixed number of updates.
"""

import functools
import math
from typing import Any

import numpy as np

from novikoff.feasibility.outcome import Callback, Outcome, Status, Vector
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


@method
def deterministic_rescaled_perceptron(
    oracle: Oracle,
    dim: int,
    *,
    rho: float = 1e-6,
    x0: Start = None,
    max_updates: int | None = None,
    callback: Callback | None = None,
    random_state: Seed = None,
) -> Outcome:
    """Find a feasible point by the deterministic rescaled perceptron.

    Parameters
    ----------
    oracle : callable
        ``oracle(x)`` returns a vector a with a.x <= 0, or None.
    dim : int
        Length of x, n.
    rho : float in (0, 1)
        Stop with ``"unseparable"`` after more rescalings than a set of this margin allows.
    x0, max_updates, callback, random_state
        As for :func:`perceptron`.

    Returns
    -------
    Outcome

    Examples
    --------
    >>> from novikoff.feasibility import Halfspaces, deterministic_rescaled_perceptron
    >>> rows = Halfspaces([[1.0, 0.0], [-1.0, 1e-4]])  # margin 5e-5
    >>> outcome = deterministic_rescaled_perceptron(rows, 2)
    >>> outcome.status, outcome.n_rescalings > 0
    ('feasible', True)
    """
    check_open_interval("rho", rho, 0.0, 1.0)
    run = Run(
        "deterministic_rescaled_perceptron",
        oracle,
        dim,
        x0=x0,
        max_updates=max_updates,
        callback=callback,
    )
    n = run.dim
    most = n * (math.log1p(rho) - math.log(rho)) / _log_growth(n)
    D: Any = run.state.get("D")
    y: Vector = run.state["y"].copy() if "y" in run.state else run.start
    # A start point may point away from the cone: the bound |y| then carries its length as well.
    origin = run.state.get("origin", length(y))
    W = run.state["W"].copy() if "W" in run.state else np.zeros((2 * n, n))
    squares: Vector = run.state["squares"].copy() if "squares" in run.state else np.zeros(2 * n)

    def to_input(y: Vector, D: Any) -> Vector:
        return y.copy() if D is None else np.asarray(D @ y)

    run.to_input = functools.partial(to_input, D=D)
    status: Status = "feasible"
    while (a := run.ask(to_input(y, D))) is not None:
        a = tame(a)
        b = a if D is None else a @ D
        norm = length(b)
        if not a.any() or run.n_rescalings > most:
            status = "unseparable"
            break
        if run.over or not 0.0 < norm < math.inf:
            status = "limit"
            break
        b = b / norm
        y += b
        entry = int(np.abs(b).argmax())
        c = entry if b[entry] > 0.0 else n + entry
        squares[c] += 2.0 * W[c].dot(b) + 1.0
        W[c] += b
        run.updated(y)
        thickest = int(squares.argmax())
        if math.sqrt(6.0 * n) * (length(y) + origin) <= math.sqrt(squares[thickest]):
            d = W[thickest] / length(W[thickest])
            D = np.eye(n) - 0.5 * np.outer(d, d) if D is None else D - 0.5 * np.outer(D @ d, d)
            run.to_input = functools.partial(to_input, D=D)
            run.n_rescalings += 1
            y, origin = np.zeros(n), 0.0
            W[:] = 0.0
            squares[:] = 0.0
    return run.end(to_input(y, D), status, D=D, y=y, W=W, squares=squares, origin=origin)


def _log_growth(n: int) -> float:
    """Logarithm of the factor by which a rescaling multiplies the volume, at least."""
    return math.log(2.0) - n / 2.0 * math.log1p(1.0 / (2.0 * n))

"""A proven lower bound of a semidefinite program's objective.

Any positive semidefinite Y with tr(F_i Y) = c_i for i = 1, ..., m proves

    c.x = tr((sum x_i F_i) Y) >= tr(F_0 Y)    for every feasible x.

Y comes from a feasible x by the Newton step dx of  c.x / mu - ln det F(x):  with S = F(x)^{-1},

    Y = mu (S - S F(dx) S)

meets the equations exactly and is positive definite when the Newton decrement is below 1. Where it
is not, x is first moved towards the centre (damped steps); then mu shrinks, until the gap, about
n mu, is what was asked for. Whatever led to it, Y is checked by a Cholesky factorisation of its
own, and what its equations miss by rounding is taken off the bound.

Cost of a step: n^3 and, for the m x m matrix tr(F_i S F_j S), m products of nonzeros with S.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from novikoff.feasibility.oracles.cholesky import minor_counterexample
from novikoff.feasibility.outcome import Vector
from novikoff.feasibility.program import SemidefiniteProgram

STEPS = 200
MISSED = 1e-9  # relative, of an equation: more than this is not rounding
SHRINK = 0.1  # of mu, once x is close to the centre


class DualBound(NamedTuple):
    """A number that no feasible point's objective lies below, and how far the optimum may be."""

    value: float
    gap: float


def dual_bound(program: SemidefiniteProgram, x: Vector, gap: float) -> DualBound:
    """Prove a lower bound of the objective; it is -inf where no proof was found.

    Parameters
    ----------
    program : SemidefiniteProgram
        What is minimised.
    x : ndarray
        A strictly feasible point.
    gap : float
        How close to the optimum is close enough.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.feasibility import maxcut_program
    >>> from novikoff.feasibility.dual import dual_bound
    >>> triangle = maxcut_program([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    >>> bound = dual_bound(triangle, np.ones(3), 0.01)
    >>> 2.24 < bound.value <= 2.25, bound.gap <= 0.01
    (True, True)
    """
    traces = _Traces(program)
    x = x.copy()
    best, left, mu = -math.inf, math.inf, 0.0
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            S = _inverse(program.slack(x))
            if S is None:
                break
            g, M = traces.first(S), traces.second(S)
            solve = _solver(M)
            if solve is None:
                break
            if mu == 0.0:
                mu = _first_mu(program.c, g, solve)
            dx = -solve(program.c / mu - g)
            decrement = math.sqrt(max(0.0, -float(dx @ (program.c / mu - g))))
            if not math.isfinite(decrement):
                break
            if decrement < 1.0:
                D = traces.combine(dx)
                best = max(best, _value(traces, mu * (S - S @ D @ S), x))
                left = program.objective(x) - best
                if left <= gap:
                    break
            if decrement < 0.5:
                mu *= SHRINK
            x = x + dx / (1.0 + decrement)
    return DualBound(best, left)


class _Traces:
    """tr(F_i S) and tr(F_i S F_j S) for the program's F_1, ..., F_m."""

    def __init__(self, program: SemidefiniteProgram) -> None:
        self.program = program
        n = program.size
        self.flat: Any = sparse.vstack([F.reshape((1, n * n)) for F in program.matrices[1:]])
        self.flat = sparse.csr_array(self.flat)
        self.sizes = np.asarray(abs(self.flat).sum(axis=1)).ravel()
        # One nonzero per F_i, on the diagonal, as in MAXCUT: tr(F_i S F_j S) = f_i f_j S_ij^2.
        coordinates = sparse.coo_array(self.flat)
        self.single: tuple[Any, Vector] | None = None
        if np.array_equal(np.sort(coordinates.row), np.arange(program.dim)):
            order = np.argsort(coordinates.row)
            i, j = np.divmod(coordinates.col[order], n)
            if (i == j).all():
                self.single = i, coordinates.data[order]

    def first(self, S: NDArray[np.float64]) -> Vector:
        return np.asarray(self.flat @ S.ravel())

    def second(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.single is not None:
            where, f = self.single
            return np.asarray(np.outer(f, f) * S[np.ix_(where, where)] ** 2)
        rows = [self.flat @ (S @ (F @ S)).ravel() for F in self.program.matrices[1:]]
        M = np.array(rows)
        return 0.5 * (M + M.T)

    def combine(self, dx: Vector) -> NDArray[np.float64]:
        n = self.program.size
        return np.asarray((dx @ self.flat).reshape(n, n))


def _inverse(F: NDArray[np.float64]) -> NDArray[np.float64] | None:
    try:
        S: NDArray[np.float64] = cho_solve(cho_factor(F), np.eye(len(F)))
    except (np.linalg.LinAlgError, ValueError):
        return None
    return 0.5 * (S + S.T)


def _solver(M: NDArray[np.float64]) -> Callable[[Vector], Vector] | None:
    """b -> M^{-1} b, or the shortest solution where F_1, ..., F_m are linearly dependent."""
    if not np.isfinite(M).all():
        return None
    try:
        factor = cho_factor(M)
    except np.linalg.LinAlgError:
        pass
    else:
        return lambda b: np.asarray(cho_solve(factor, b))
    values, vectors = np.linalg.eigh(M)
    kept = values > len(M) * np.finfo(float).eps * values[-1]
    values, vectors = values[kept], vectors[:, kept]
    return lambda b: np.asarray(vectors @ ((vectors.T @ b) / values))


def _first_mu(c: Vector, g: Vector, solve: Callable[[Vector], Vector]) -> float:
    """The mu whose centre x is closest to, in the norm of the Newton step."""
    Mc = solve(c)
    inverse = float(Mc @ g) / float(Mc @ c) if c.any() else 0.0
    return 1.0 / inverse if inverse > 0.0 else 1.0


def _value(traces: _Traces, Y: NDArray[np.float64], x: Vector) -> float:
    """tr(F_0 Y) less what rounding may have added, or -inf when Y is not definite."""
    if not np.isfinite(Y).all() or minor_counterexample(np.array(Y, order="F")) is not None:
        return -math.inf
    program = traces.program
    missed = np.abs(program.c - traces.first(Y))
    # Equations that have no solution (an objective that falls along a line) are met by none.
    if not (missed <= MISSED * (np.abs(program.c) + traces.sizes * np.abs(Y).max())).all():
        return -math.inf
    # Points near x, where the optimum is looked for, may be this much larger than x.
    rounding = float(missed @ (1.0 + 10.0 * np.abs(x)))
    return float((program.matrices[0] * Y).sum()) - rounding

"""Counterexamples to positive definiteness from a Cholesky factorisation that fails.

Both functions look for a unit vector v with v'Av <= 0 and return None when A is positive
definite.

``minor_counterexample`` (blocked, LAPACK): potrf stops at the first leading minor A_k that is not
positive. With A_{k-1} = R'R and r the k-th column above the diagonal,

    v = (-A_{k-1}^{-1} r, 1, 0, ..., 0),    v'Av = a_kk - r'A_{k-1}^{-1} r <= 0.

``pivoted_counterexample`` (P3 Algorithm 7): at each step the largest residual diagonal is
eliminated, until one is negative; the same back-substitution gives v.

Cost: n^3/3, the second in n products of a vector and a matrix.
Departures from the paper: Algorithm 7 as printed calls [[0, 1], [1, 0]] positive semidefinite;
when all residual diagonals are zero the residual off-diagonals are looked at, and
v = e_i - sign e_k there. It certifies semidefinite; strict feasibility needs definite, so a
residual that is zero altogether gives its null vector, v'Av = 0. v has unit length, as section 6.3
assumes.
"""

from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf

from novikoff.feasibility.outcome import Vector
from novikoff.feasibility.run import unit

# v's last entry: 1, or so much less that a division by a vanishing pivot stays finite.
TAILS = (1.0, 2.0**-500, 2.0**-1000)


def minor_counterexample(A: Any) -> Vector | None:
    """Return a unit v with v'Av <= 0 from the first minor that is not positive, or None.

    A is given with both triangles; the upper one of an array in Fortran order is overwritten.
    """
    if not np.isfinite(A).all():
        raise ValueError("a matrix with NaN or infinity is neither definite nor indefinite")
    # Only the upper triangle is overwritten: the lower one still holds A.
    factor, info = dpotrf(A, lower=0, clean=0, overwrite_a=1)
    # potrf itself answers "success" to NaN: nothing that is not a number may pass as definite.
    if info == 0 and np.isfinite(factor.diagonal()).all():
        return None
    k = info - 1 if info > 0 else len(A) - 1
    v = np.zeros(len(A))
    for tail in TAILS:
        v[k] = tail
        if k:
            half = solve_triangular(factor[:k, :k], tail * A[k, :k], trans=1, check_finite=False)
            v[:k] = -solve_triangular(factor[:k, :k], half, check_finite=False)
        if np.isfinite(v).all():
            break
    return unit(v)


@np.errstate(over="ignore", invalid="ignore")  # what overflows is negative: a counterexample
def pivoted_counterexample(A: Any) -> Vector | None:
    """Return a unit v with v'Av <= 0 by Algorithm 7, or None when A is positive definite."""
    n = len(A)
    order = np.arange(n)
    d = A.diagonal().copy()
    R = np.zeros((n, n))
    for j in range(n):
        least = int(d.argmin())
        if not d[least] >= 0.0:
            _swap(order, d, R, j, least)
            return _back_substitute(R, order, j, {j: 1.0})
        largest = int(d.argmax())
        if not d[largest] > 0.0:
            return _zero_residual(A, R, order, j)
        _swap(order, d, R, j, largest)
        R[j, j] = np.sqrt(d[j])
        d[j] = 0.0
        if j + 1 < n:
            rest = R[j, j + 1 :]
            rest[:] = A[order[j], order[j + 1 :]]
            rest -= R[:j, j] @ R[:j, j + 1 :]
            rest /= R[j, j]
            d[j + 1 :] -= rest * rest
    return None


def _swap(order: Any, d: Vector, R: Any, filled: int, j: int) -> None:
    i = filled
    if i != j:
        order[[i, j]] = order[[j, i]]
        d[[i, j]] = d[[j, i]]
        R[:filled, [i, j]] = R[:filled, [j, i]]


def _zero_residual(A: Any, R: Any, order: Any, j: int) -> Vector:
    """A cut where every residual diagonal is zero: an off-diagonal, or the null vector."""
    left = order[j:]
    residual = A[np.ix_(left, left)] - R[:j, j:].T @ R[:j, j:]
    np.fill_diagonal(residual, 0.0)
    # Below the rounding of the residual it counts as zero.
    rounding = len(A) * np.finfo(float).eps * np.abs(A.diagonal()).max(initial=0.0)
    i, k = divmod(int(np.abs(residual).argmax()), len(left))
    if abs(residual[i, k]) <= rounding:
        return _back_substitute(R, order, j, {j: 1.0})
    return _back_substitute(R, order, j, {j + i: 1.0, j + k: -np.sign(residual[i, k])})


def _back_substitute(R: Any, order: Any, j: int, tail: dict[int, float]) -> Vector:
    """The v whose part from j on is `tail` and whose first j equations R v = 0 hold."""
    v = np.zeros(len(R))
    for factor in TAILS:
        for index, value in tail.items():
            v[index] = factor * value
        if j:
            v[:j] = solve_triangular(R[:j, :j], -(R[:j, j:] @ v[j:]), check_finite=False)
        if np.isfinite(v).all():
            break
    result = np.empty_like(v)
    result[order] = v
    return unit(result)

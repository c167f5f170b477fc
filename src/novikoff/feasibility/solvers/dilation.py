"""The rank-one work of space dilation: B <- B (I + (factor - 1) b b')."""

from typing import Any

import numpy as np
from scipy.linalg.blas import dger

from novikoff.feasibility.outcome import Vector

FEW = 8  # nonzeros of a counterexample up to which B'a is taken row by row


def pull_back(B: Any, a: Vector) -> Vector:
    """B'a; a counterexample of a sparse program has a handful of nonzeros."""
    where = a.nonzero()[0]
    if len(where) <= FEW:
        return np.asarray(a[where] @ B[where])
    return np.asarray(a @ B)


def contract(B: Any, step: Vector, b: Vector, factor: float) -> None:
    """B <- B + (factor - 1) step b' with step = B b, in place."""
    # B is kept in C order, so that its rows lie together; BLAS is handed the transpose.
    dger(factor - 1.0, b, step, a=B.T, overwrite_a=1)

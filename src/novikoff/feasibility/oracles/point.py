"""The point that an oracle is asked about."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg.blas import ddot

from novikoff.feasibility.outcome import Vector
from novikoff.feasibility.run import TAME, length

LEAST, MOST = TAME**-2, TAME**2  # of squares


def point(x: ArrayLike, level: float, dim: int, size: float = 1.0) -> tuple[Vector, float]:
    """Return x as a vector, scaled with the level where its products could over- or underflow.

    The question a.x <= level is the same for (s x, s level), s > 0; `size` is that of the largest
    entries x is multiplied with.
    """
    vector = vector_of(x)
    if vector.shape != (dim,):
        raise ValueError(f"x must have shape ({dim},), got {vector.shape}")
    square = ddot(vector, vector)  # of BLAS: no warning where it overflows, and faster
    if LEAST < square < MOST and LEAST < square * size * size < MOST and level == level:
        return vector, level  # one pass: neither NaN nor anything near the ends
    if not np.isfinite(vector).all() or level != level:
        raise ValueError("x and level must be finite, got NaN or infinity")
    one = _exponent(length(vector)) + _exponent(size)
    return np.ldexp(vector, -one), float(np.ldexp(level, -one))


def _exponent(size: float) -> int:
    """The power of two just above the size; 0 for 0 and for what is beyond the range."""
    return int(np.frexp(size)[1])


def vector_of(x: ArrayLike) -> Vector:
    """Return x as float64, or say what it should have been."""
    try:
        return np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"x must be a vector of numbers, got {x!r}") from None


def scaled(x: Vector) -> Vector:
    """x times a power of two, its largest entry in [1/2, 1); exact but for entries that vanish."""
    return np.asarray(np.ldexp(x, -int(np.frexp(np.abs(x).max())[1])))

"""The point that an oracle is asked about."""

import numpy as np
from numpy.typing import ArrayLike

from novikoff.feasibility.outcome import Vector
from novikoff.feasibility.run import length

# Sums of a few such numbers and their products with numbers up to 1e150 stay finite.
TAME = 1e150


def point(x: ArrayLike, level: float, dim: int) -> tuple[Vector, float]:
    """Return x as a vector, scaled down with the level where its products could overflow.

    The question a.x <= level is the same for (s x, s level), s > 0.
    """
    vector = np.asarray(x, dtype=np.float64)
    if vector.shape != (dim,):
        raise ValueError(f"x must have shape ({dim},), got {vector.shape}")
    if length(vector) < TAME and level == level:
        return vector, level  # one pass: neither NaN nor anything large
    largest = max(vector.max(), -vector.min())
    if not largest < np.inf or level != level:
        raise ValueError("x and level must be finite, got NaN or infinity")
    if largest > TAME:
        return vector / largest, level / largest
    return vector, level

"""The separation ratio of distances that are already computed, with a hard or a soft margin.

The soft margin of ``interior_point`` has a closed form once the distances q are known: r + C sum_+
xi is least when r is the (1/C)-th largest q of the positives, and is then the mean of the 1/C
largest; s - C sum_- xi likewise is the mean of the 1/C smallest q of the negatives. So the program
maximises

    1 + t = (mean of the 1/C smallest q outside) / (mean of the 1/C largest q inside),

and C >= 1 is the hard margin: the smallest over the largest.
"""

import numpy as np

INTERIOR = 1e-8  # part of a class left out of its average, where that takes all


def penalties(C: float, positive: np.ndarray) -> tuple[float, float]:
    """Return (C_+, C_-), both infinite for the hard margin.

    A class with fewer than 1/C points cannot be averaged over 1/C points (the program would be
    unbounded): it is averaged over all it has, but for so little that no digit of the result sees
    it and the dual keeps an interior.
    """
    if C >= 1:
        return np.inf, np.inf
    counts = np.count_nonzero(positive), np.count_nonzero(~positive)
    return max(C, (1.0 + INTERIOR) / counts[0]), max(C, (1.0 + INTERIOR) / counts[1])


def tail_sizes(C: tuple[float, float]) -> tuple[float, float]:
    """Return over how many points each class's average goes: 1/C, at least one."""
    return max(1.0, 1.0 / C[0]), max(1.0, 1.0 / C[1])


def tail(q: np.ndarray, size: float) -> tuple[float, float]:
    """Return the ``size``-th largest number (rounded up) and the mean of the ``size`` largest.

    Where ``size`` is not whole, the last number counts in part. A whole size leaves the radius a
    range in the program; the end nearer to the extreme point is taken, so that a size of 1 gives
    the hard margin's.
    """
    whole = int(np.ceil(size - 1e-9))
    largest = -np.partition(-q, whole - 1)[:whole]
    last = largest[-1]
    return float(last), float(last + (largest - last).sum() / size)


def tail_ratio(inside: np.ndarray, outside: np.ndarray, C: tuple[float, float]) -> float:
    """Return 1 + t."""
    a, b = tail_sizes(C)
    return -tail(-outside, b)[1] / tail(inside, a)[1]

"""Conjugate gradients for systems whose condition number is known and small."""

from collections.abc import Callable

import numpy as np

# Relative size of the residual at which the iteration ends, and a bound on its steps that is never
# met where the condition number is below a thousand.
PRECISION, MOST_STEPS = 1e-14, 2000


def conjugate_gradients(
    times: Callable[[np.ndarray], np.ndarray], b: np.ndarray, x: np.ndarray
) -> np.ndarray:
    """Solve A x = b for a positive definite A, from a first guess; ``times(p)`` is A p.

    It ends when the residual is ``PRECISION`` of b, or no longer halves in eight steps: then it is
    rounding.
    """
    x = x.copy()
    r = b - times(x)
    p = r.copy()
    square = float(r @ r)
    goal = PRECISION**2 * float(b @ b)
    best, since = square, 0
    for _ in range(MOST_STEPS):
        if square <= goal or since == 8:
            break
        q = times(p)
        curvature = float(p @ q)
        if curvature <= 0.0:
            break
        step = square / curvature
        x += step * p
        r -= step * q
        new = float(r @ r)
        since = 0 if new < 0.25 * best else since + 1
        best = min(best, new)
        p *= new / square
        p += r
        square = new
    return x

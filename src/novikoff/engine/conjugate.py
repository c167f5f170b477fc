"""Conjugate gradients for systems whose condition number is known and small."""

from collections.abc import Callable

import numpy as np

# Relative size of the residual at which the iteration ends, and a bound on its steps that is met
# only where the condition number is above ten thousand.
PRECISION, MOST_STEPS = 1e-14, 2000


def conjugate_gradients(
    times: Callable[[np.ndarray], np.ndarray], b: np.ndarray, x: np.ndarray
) -> np.ndarray:
    """Solve A x = b for a positive definite A, from a first guess; ``times(p)`` is A p.

    The residual that is carried along goes to zero whatever rounding does to the true one, so that
    the iteration always ends.
    """
    # In units of b, a power of 2: no square over- or underflows, and no bit changes.
    unit = np.ldexp(1.0, int(np.frexp(np.abs(b).max(initial=0.0))[1]) - 1)
    b, x = b / unit, x / unit
    r = b - times(x)
    p = r.copy()
    square = float(r @ r)
    goal = PRECISION**2 * float(b @ b)
    for _ in range(MOST_STEPS):
        if square <= goal:
            break
        q = times(p)
        curvature = float(p @ q)
        if curvature <= 0.0:
            break
        step = square / curvature
        x += step * p
        r -= step * q
        new = float(r @ r)
        p *= new / square
        p += r
        square = new
    return unit * x

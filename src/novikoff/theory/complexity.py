"""How many counterexamples learning needs, and where the perceptron beats the ellipsoid (P3)."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import lambertw


class LearningComplexity(NamedTuple):
    """A lower bound without its constant, and the regime it comes from."""

    value: float
    regime: int


def _dimension(n, least=1):
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < least:
        raise ValueError(f"n must be an integer >= {least}, got {n!r}")
    return int(n)


def learning_complexity(n, rho):
    """Return the lower bound on the number of counterexamples of P3 Theorem 5.9.

    Up to a constant, n ln(2 + 1/rho) where rho <= 1/n (regime 1), n where 1/n < rho < 1/sqrt n
    (regime 2), 1/rho^2 where rho >= 1/sqrt n (regime 3; the perceptron attains it).

    Parameters
    ----------
    n : int
        Dimension.
    rho : float in (0, 1]
        Margin.

    Returns
    -------
    LearningComplexity
        ``value`` and ``regime``.

    Examples
    --------
    >>> from novikoff.theory import learning_complexity
    >>> learning_complexity(100, 0.25)
    LearningComplexity(value=16.0, regime=3)
    >>> learning_complexity(100, 0.05)
    LearningComplexity(value=100.0, regime=2)
    >>> learning_complexity(100, 0.001).regime
    1
    """
    n = _dimension(n)
    if not 0.0 < rho <= 1.0:
        raise ValueError(f"rho must lie in (0, 1], got {rho!r}")
    if rho >= 1.0 / math.sqrt(n):
        return LearningComplexity(float(1.0 / rho**2), 3)
    if rho <= 1.0 / n:
        return LearningComplexity(n * math.log(2.0 + 1.0 / rho), 1)
    return LearningComplexity(float(n), 2)


def perceptron_beats_ellipsoid(n):
    """Return the margins between which the perceptron's bound beats the ellipsoid algorithm's.

    With n operations an update and n^2, 1/rho^2 and 2 n^2 ln(1/rho) updates, that is where
    rho^2 ln(1/rho) >= 1/(2 n^3) (P3 section 3.7): rho_i = exp(W_i(-1/n^3) / 2) with the branches
    W_{-1} and W_0 of Lambert's function.

    Parameters
    ----------
    n : int >= 2
        Dimension.

    Returns
    -------
    rho_1, rho_2 : float
        The ends of the interval.

    Examples
    --------
    >>> from novikoff.theory import perceptron_beats_ellipsoid
    >>> rho_1, rho_2 = perceptron_beats_ellipsoid(100)
    >>> round(rho_1, 6), round(1 - rho_2, 9)
    (0.000245, 5e-07)
    """
    n = _dimension(n, 2)
    argument = -1.0 / n**3
    # exp(W/2), not sqrt(-1/(n^3 W)): near 1 the latter loses the digits that matter.
    low, high = (math.exp(0.5 * float(lambertw(argument, k).real)) for k in (-1, 0))
    return low, high

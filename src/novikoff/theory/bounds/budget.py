"""Bounds of P4: perceptrons that store a given number of rows."""

from typing import Any

import numpy as np

from novikoff.theory.bounds.checks import ROUNDING, not_negative, positive


def modified_budget_perceptron_bound(loss: Any, margin: Any, budget: int, shift: float = 0.0):
    """The modified Randomized Budget Perceptron, in expectation: P4 Theorem 1.

    (4/3) (D_1 + B/2 + 6 S sqrt(B)), with g = u/gamma in the ball |g| <= sqrt(B)/8.

    Parameters
    ----------
    loss : float or array
        D, the comparator's hinge loss at this margin.
    margin : float or array
        gamma, at least 8/sqrt(B).
    budget : int
        B, the number of slots.
    shift : float, default=0.0
        S, how far the comparator moves in all, as a sequence g_1, g_2, ... in that ball.

    Returns
    -------
    bound : float or array

    Examples
    --------
    >>> from novikoff.theory.bounds import modified_budget_perceptron_bound
    >>> float(modified_budget_perceptron_bound(loss=2.0, margin=1.0, budget=64))
    45.333...
    """
    positive(budget=budget)
    not_negative(loss=loss, shift=shift)
    _in_ball(margin, np.sqrt(budget) / 8.0)
    return (loss / margin + budget / 2.0 + 6.0 * shift * np.sqrt(budget)) * 4.0 / 3.0


def simplified_forgetron_bound(loss: Any, margin: Any, budget: int, shift: float = 0.0) -> Any:
    """The simplified Forgetron: P4 Theorem 2.

    2 (D_1 + 16 U^2 + 48 U S), U^2 = B / (32 log2(8 B)), with g = u/gamma in the ball |g| <= U/2.

    Parameters
    ----------
    loss : float or array
        D, the comparator's hinge loss at this margin.
    margin : float or array
        gamma, at least 2/U.
    budget : int
        B, at least 500.
    shift : float, default=0.0
        S, how far the comparator moves in all.

    Returns
    -------
    bound : float or array

    Examples
    --------
    >>> from novikoff.theory.bounds import simplified_forgetron_bound
    >>> float(simplified_forgetron_bound(loss=6.0, margin=2.0, budget=512))
    48.666...
    """
    if budget < 500:
        raise ValueError(f"budget must be at least 500 in Theorem 2, got {budget!r}")
    not_negative(loss=loss, shift=shift)
    diameter = float(np.sqrt(budget / (32.0 * np.log2(8.0 * budget))))
    _in_ball(margin, diameter / 2.0)
    return 2.0 * (loss / margin + 16.0 * diameter**2 + 48.0 * diameter * shift)


def _in_ball(margin: Any, radius: float) -> None:
    positive(margin=margin)
    # 1/gamma <= radius, up to the rounding of taking 1/radius for gamma.
    if np.any(np.asarray(margin) * radius < 1.0 - ROUNDING):
        raise ValueError(
            f"margin must be at least {1.0 / radius:.6g}, or the comparator is longer than the "
            f"{radius:.6g} that the theorem admits; got {float(np.min(margin))!r}"
        )

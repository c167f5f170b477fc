"""Mistake bounds of the papers, each a function of a run and of a comparator.

A comparator is a vector u of length 1 together with a margin gamma > 0; its hinge loss is
D = sum_t max(0, gamma - y_t u.x_t) over the trials. Where a paper speaks of any function g and of
the loss at margin 1, g = u/gamma: |g| = 1/gamma and D_1(g) = D/gamma. So all bounds take ``loss``
(D) and ``margin`` (gamma), as numbers or as arrays of many comparators at once, and any u and
gamma give a true bound: the best is the smallest.

P0 is Cesa-Bianchi, Conconi, Gentile (2005), P1 Brotto, Gentile, Vitale (2007), P2 Orabona, Keshet,
Caputo (2009), P4 Sutskever (2009).

Departures from the papers: P2's theorems are for rows of length at most 1; ``radius`` carries
their proofs out for rows of length at most R, where R^2 stands for the 1 that bounds k(x, x). P2
Theorem 7's rho^2 is 1/(C^2 (gamma - eta)^2); as printed the bound is valid but weak. P1 Theorem
1's c is 1 - c' for the learner's rho_k = c'/k.
"""

from typing import Any

import numpy as np

__all__ = [
    "adaptive_growth",
    "adaptive_growth_of",
    "adaptive_second_order_bound",
    "alma_bound",
    "higher_order_bound",
    "modified_budget_perceptron_bound",
    "novikoff_bound",
    "passive_aggressive_1_bound",
    "perceptron_bound",
    "projectron_bound",
    "projectron_plus_plus_bound",
    "pseudoinverse_second_order_bound",
    "second_order_bound",
    "simplified_forgetron_bound",
]


# By how much a condition may be missed that lengths of computed rows are held to.
ROUNDING = 1e-9


def novikoff_bound(margin: Any, radius: float = 1.0) -> Any:
    """Novikoff's theorem: (R / gamma)^2, for rows that a unit vector separates.

    Parameters
    ----------
    margin : float or array
        gamma = min_t y_t u.x_t, positive.
    radius : float, default=1.0
        R, the length of the longest row.

    Returns
    -------
    bound : float or array

    Examples
    --------
    >>> from novikoff.theory.bounds import novikoff_bound
    >>> novikoff_bound(margin=0.5, radius=2.0)
    16.0
    """
    _positive(margin=margin, radius=radius)
    return (radius / margin) ** 2


def perceptron_bound(loss: Any, margin: Any, radius: float = 1.0) -> Any:
    """The perceptron on any rows: P2 Theorem 3 at eta = 0.

    (R/gamma)^2 + D/gamma + (R/gamma) sqrt(D/gamma); Novikoff's theorem where D = 0.

    Parameters
    ----------
    loss : float or array
        D, the comparator's hinge loss at this margin.
    margin : float or array
        gamma, positive.
    radius : float, default=1.0
        R, the length of the longest row.

    Returns
    -------
    bound : float or array

    Examples
    --------
    >>> from novikoff.theory.bounds import perceptron_bound
    >>> float(perceptron_bound(loss=2.0, margin=0.5))
    12.0
    """
    return projectron_bound(loss, margin, eta=0.0, radius=radius)


def projectron_bound(loss: Any, margin: Any, eta: float, radius: float = 1.0) -> Any:
    """The Projectron: P2 Theorem 3.

    With g = u/gamma and s = 1 - eta |g|:
    R^2 |g|^2 / s^2 + D_1 / s + R |g| / s sqrt(D_1 / s).

    Parameters
    ----------
    loss : float or array
        D, the comparator's hinge loss at this margin.
    margin : float or array
        gamma, above eta (the theorem's |g| < 1/eta).
    eta : float
        The distance within which a row is projected, not negative.
    radius : float, default=1.0
        R, the length of the longest row; 1 in the theorem.

    Returns
    -------
    bound : float or array

    Examples
    --------
    >>> from novikoff.theory.bounds import projectron_bound
    >>> float(projectron_bound(loss=0.0, margin=0.5, eta=0.25))
    16.0
    """
    _positive(radius=radius)
    norm, loss, kept = _projecting(loss, margin, eta)
    root = np.sqrt(loss / kept)
    return (radius * norm / kept) ** 2 + loss / kept + radius * norm / kept * root


def projectron_plus_plus_bound(
    loss: Any, margin: Any, eta: float, progress: float = 0.0, radius: float = 1.0
) -> Any:
    """Projectron++: P2 Theorem 4; with prototypes or structured output, Theorem 6.

    With g = u/gamma and s = 1 - eta |g|:
    R^2 |g|^2 / s^2 + D_1 / s + |g| / s sqrt(max(0, R^2 D_1 / s - B)).

    In Theorem 6 a row is the difference of two joint features: with prototypes it is sqrt(2) times
    as long as x, and the loss is that of u(x, y) against its best rival.

    Parameters
    ----------
    loss : float or array
        D, the comparator's hinge loss at this margin.
    margin : float or array
        gamma, above eta.
    eta : float
        The distance within which a row is projected, positive.
    progress : float, default=0.0
        B = sum over margin errors of tau (2 loss - tau |P k|^2 - 2 |delta| / eta), not negative;
        0 is always true.
    radius : float, default=1.0
        R, at least 1 (tau <= 1 and the margin 1 are no multiples of the rows' length).

    Returns
    -------
    bound : float or array

    Examples
    --------
    >>> from novikoff.theory.bounds import projectron_plus_plus_bound
    >>> float(projectron_plus_plus_bound(loss=2.0, margin=1.0, eta=0.5, progress=4.0))
    8.0
    """
    _positive(eta=eta)
    _not_negative(progress=progress)
    if radius < 1.0:
        raise ValueError(f"radius must be at least 1 in Theorem 4, got {radius!r}")
    norm, loss, kept = _projecting(loss, margin, eta)
    root = np.sqrt(np.maximum(0.0, radius**2 * loss / kept - progress))
    return (radius * norm / kept) ** 2 + loss / kept + norm / kept * root


def passive_aggressive_1_bound(
    loss: Any, margin: Any, C: float = 1.0, progress: float = 0.0, radius: float = 1.0
) -> Any:
    """PA-I: the remark after P2 Theorem 4, where C R^2 <= 1.

    With g = u/gamma: R^2 |g|^2 + D_1 + |g| sqrt(max(0, R^2 D_1 - B/C^2)), and at least
    |g|^2/C + D_1. The remark is for C = R = 1, where this is what it says: Theorem 4 without
    projection. Where C R^2 > 1 a mistake's step may be smaller than C and the proof does not hold;
    then this is Crammer et al. (2006), Theorem 4, which the remark improves upon:
    max(R^2, 1/C) (|g|^2 + 2 C D_1).

    Parameters
    ----------
    loss : float or array
        D, the comparator's hinge loss at this margin.
    margin : float or array
        gamma, positive.
    C : float, default=1.0
        The largest step, positive.
    progress : float, default=0.0
        B = sum over margin errors (0 < y f < 1) of tau (2 loss - tau |x|^2), not negative.
    radius : float, default=1.0
        R, the length of the longest row.

    Returns
    -------
    bound : float or array

    Examples
    --------
    >>> from novikoff.theory.bounds import passive_aggressive_1_bound
    >>> float(passive_aggressive_1_bound(loss=4.0, margin=1.0, C=1.0, progress=3.0))
    6.0
    """
    _positive(C=C, radius=radius)
    _not_negative(progress=progress)
    norm, loss, _ = _projecting(loss, margin, 0.0)
    if C * radius**2 > 1.0 + ROUNDING:
        return radius**2 * (norm**2 + 2.0 * C * loss)
    root = np.sqrt(np.maximum(0.0, radius**2 * loss - progress / C**2))
    return np.maximum(norm**2 / C, (radius * norm) ** 2 + norm * root) + loss


def alma_bound(loss: Any, margin: Any, C: float, eta: float = 0.0) -> Any:
    """Projected ALMA_2, where C^2 + 2 (1 - alpha) B C = 1: P2 Theorem 7.

    With rho^2 = 1/(C^2 (gamma - eta)^2):
    D/(gamma - eta) + rho^2/2 + sqrt(rho^4/4 + rho^2 D/(gamma - eta) + rho^2).
    It counts updates, of which mistakes are some; eta = 0 is ALMA_2 itself.

    Parameters
    ----------
    loss : float or array
        D, the comparator's hinge loss on rows of length 1.
    margin : float or array
        gamma, above eta.
    C : float
        Size of the steps, positive.
    eta : float, default=0.0
        The distance within which a normalised row is projected, not negative.

    Returns
    -------
    bound : float or array

    Examples
    --------
    >>> from novikoff.theory.bounds import alma_bound
    >>> float(alma_bound(loss=1.0, margin=1.5, C=1.0, eta=0.5))
    3.0
    """
    _positive(C=C)
    _projecting(loss, margin, eta)
    rest = margin - eta
    loss = loss / rest
    rho2 = 1.0 / (C * rest) ** 2
    return loss + rho2 / 2.0 + np.sqrt(rho2**2 / 4.0 + rho2 * loss + rho2)


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
    _positive(budget=budget)
    _not_negative(loss=loss, shift=shift)
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
    _not_negative(loss=loss, shift=shift)
    diameter = float(np.sqrt(budget / (32.0 * np.log2(8.0 * budget))))
    _in_ball(margin, diameter / 2.0)
    return 2.0 * (loss / margin + 16.0 * diameter**2 + 48.0 * diameter * shift)


def second_order_bound(loss: Any, margin: Any, a: float, spread: Any, eigenvalues: Any) -> Any:
    """The second-order perceptron: P0 Theorem 3.1; with a kernel, Corollary 3.4.

    D/gamma + (1/gamma) sqrt((a + lambda_u) sum_i ln(1 + lambda_i/a)).

    Parameters
    ----------
    loss : float or array
        D, the comparator's hinge loss at this margin.
    margin : float or array
        gamma, positive.
    a : float
        The learner's a, positive.
    spread : float or array
        lambda_u = sum over mistaken trials of (u.x_t)^2.
    eigenvalues : array
        Positive eigenvalues of the mistaken rows' Gram matrix.

    Returns
    -------
    bound : float or array

    Examples
    --------
    >>> from novikoff.theory.bounds import second_order_bound
    >>> float(second_order_bound(1.0, 0.5, a=1.0, spread=1.0, eigenvalues=[1.0, 1.0]))
    5.330...
    """
    _positive(a=a)
    _not_negative(eigenvalues=eigenvalues)
    return _warped(loss, margin, a + spread, np.log1p(np.asarray(eigenvalues) / a).sum())


def adaptive_second_order_bound(
    loss: Any, margin: Any, a: float, spread: Any, eigenvalues: Any, growth: float
) -> Any:
    """The second-order perceptron with adaptive parameter: P0 Theorem 4.1.

    D/gamma + (1/gamma) sqrt((a_m + lambda_u) (B(c, m) + sum_i ln(1 + lambda_i/a_m))): it holds the
    number m of mistakes on both sides, and is evaluated at the run's own m.

    Parameters
    ----------
    loss, margin : float or array
        D and gamma.
    a : float
        a_m = c R^2 m, positive.
    spread : float or array
        lambda_u = sum over mistaken trials of (u.x_t)^2.
    eigenvalues : array
        Positive eigenvalues of the mistaken rows' Gram matrix.
    growth : float
        B(c, m), of :func:`adaptive_growth` or :func:`adaptive_growth_of`.

    Returns
    -------
    bound : float or array

    Examples
    --------
    >>> from novikoff.theory.bounds import adaptive_second_order_bound
    >>> float(adaptive_second_order_bound(1.0, 0.5, a=1.0, spread=1.0, eigenvalues=[], growth=2.0))
    6.0
    """
    _positive(a=a)
    _not_negative(eigenvalues=eigenvalues, growth=growth)
    logs = np.log1p(np.asarray(eigenvalues, dtype=float) / a).sum()
    return _warped(loss, margin, a + spread, growth + logs)


def adaptive_growth(c: float, n_mistakes: int) -> float:
    """P0 Theorem 4.1's B(c, m) = (1/c) ln((m + 1/c) / (1 + 1/c)).

    Parameters
    ----------
    c : float
        Of a_k = c R^2 k, positive.
    n_mistakes : int
        m, at least 1.

    Returns
    -------
    growth : float

    Examples
    --------
    >>> from novikoff.theory.bounds import adaptive_growth
    >>> round(adaptive_growth(c=0.5, n_mistakes=4), 4)
    1.3863
    """
    _positive(c=c, n_mistakes=n_mistakes)
    return float(np.log((n_mistakes + 1.0 / c) / (1.0 + 1.0 / c)) / c)


def adaptive_growth_of(a: Any, squares: Any) -> float:
    """What B(c, m) bounds, for any a_k that never falls: the line before it in P0's proof.

    sum_{k=2}^m (k-1) ln(a_k (a_{k-1} + s) / (a_{k-1} (a_k + s))), s the mean squared length of the
    k-1 rows before. For a radius that is learnt on the way, a_k = c R_k^2 k.

    Parameters
    ----------
    a : array of shape (m,)
        a_1, ..., a_m, positive, never falling.
    squares : array of shape (m,)
        Squared lengths of the mistaken rows.

    Returns
    -------
    growth : float

    Examples
    --------
    >>> from novikoff.theory.bounds import adaptive_growth_of
    >>> round(adaptive_growth_of([0.5, 1.0], [1.0, 1.0]), 4)
    0.4055
    """
    a, squares = np.asarray(a, dtype=float), np.asarray(squares, dtype=float)
    _positive(a=a)
    if (np.diff(a) < 0).any():
        raise ValueError("a must never fall: the theorem needs a_1 <= a_2 <= ...")
    k = np.arange(1.0, a.size)
    mean = squares.cumsum()[:-1] / k
    before, after = a[:-1], a[1:]
    return float((k * (np.log1p(mean / before) - np.log1p(mean / after))).sum())


def pseudoinverse_second_order_bound(
    loss: Any,
    margin: Any,
    spread: Any,
    rank: int,
    smallest: float,
    n_mistakes: int,
    radius: float,
) -> Any:
    """The second-order perceptron with pseudo-inverse: P0 Theorem 4.2.

    D/gamma + (1/gamma) sqrt(lambda_u (r + r(r+1)/2 ln(1 + 2 R^2 m / (lambda* r(r+1))))): it holds
    the number m of mistakes on both sides, and is evaluated at the run's own m.

    Parameters
    ----------
    loss, margin : float or array
        D and gamma.
    spread : float or array
        lambda_u = sum over mistaken trials of (u.x_t)^2.
    rank : int
        r, of the mistaken rows.
    smallest : float
        lambda*, the smallest positive eigenvalue of X_k X_k' for k = 1, ..., m.
    n_mistakes : int
        m.
    radius : float
        R, the length of the longest row.

    Returns
    -------
    bound : float or array

    Examples
    --------
    >>> from novikoff.theory.bounds import pseudoinverse_second_order_bound
    >>> bound = pseudoinverse_second_order_bound(
    ...     0.0, 0.5, spread=4.0, rank=1, smallest=1.0, n_mistakes=4, radius=1.0
    ... )
    >>> float(bound)
    6.461...
    """
    _positive(rank=rank, smallest=smallest, n_mistakes=n_mistakes, radius=radius)
    pairs = rank * (rank + 1.0)
    inside = rank + pairs / 2.0 * np.log1p(2.0 * radius**2 * n_mistakes / (smallest * pairs))
    return _warped(loss, margin, spread, inside)


def higher_order_bound(loss: Any, margin: Any, c: float) -> Any:
    """The higher-order perceptron (p = 2, rows of length 1): P1 Theorem 1.

    alpha D/gamma + alpha^2/(2 gamma^2) + (alpha/gamma) sqrt(alpha D/gamma + alpha^2/(4 gamma^2)),
    alpha = (1 + c)/(1 - c) for rho_k = c/k (the theorem's own c is 1 - c).

    Parameters
    ----------
    loss : float or array
        D, the hinge loss of u on the transformed sequence (B_{k-1} x_{t(k)}, y_{t(k)}), k = 1..m.
    margin : float or array
        gamma, positive.
    c : float
        The learner's c, in [0, 1).

    Returns
    -------
    bound : float or array

    Examples
    --------
    >>> from novikoff.theory.bounds import higher_order_bound
    >>> float(higher_order_bound(loss=0.0, margin=0.5, c=0.0))
    4.0
    """
    if not 0.0 <= c < 1.0:
        raise ValueError(f"c must be in [0, 1), got {c!r}")
    _positive(margin=margin)
    _not_negative(loss=loss)
    alpha = (1.0 + c) / (1.0 - c)
    slack, step = alpha * loss / margin, alpha / margin
    return slack + step**2 / 2.0 + step * np.sqrt(slack + step**2 / 4.0)


def _warped(loss: Any, margin: Any, stretch: Any, volume: Any) -> Any:
    """D/gamma + sqrt(stretch volume)/gamma, the form of all bounds of P0."""
    _positive(margin=margin)
    _not_negative(loss=loss, spread=stretch)
    return (loss + np.sqrt(stretch * volume)) / margin


def _projecting(loss: Any, margin: Any, eta: float) -> tuple[Any, Any, Any]:
    """(|g|, D_1(g), 1 - eta |g|) of g = u/gamma."""
    _positive(margin=margin)
    _not_negative(loss=loss, eta=eta)
    if np.any(np.asarray(margin) <= eta):
        raise ValueError(
            f"margin must be above eta={eta!r}, or the comparator is longer than 1/eta; "
            f"got {float(np.min(margin))!r}"
        )
    return 1.0 / margin, loss / margin, 1.0 - eta / margin


def _in_ball(margin: Any, radius: float) -> None:
    _positive(margin=margin)
    # 1/gamma <= radius, up to the rounding of taking 1/radius for gamma.
    if np.any(np.asarray(margin) * radius < 1.0 - ROUNDING):
        raise ValueError(
            f"margin must be at least {1.0 / radius:.6g}, or the comparator is longer than the "
            f"{radius:.6g} that the theorem admits; got {float(np.min(margin))!r}"
        )


def _positive(**values: Any) -> None:
    for name, value in values.items():
        if not np.all(np.asarray(value) > 0):
            raise ValueError(f"{name} must be positive, got {float(np.min(value))!r}")


def _not_negative(**values: Any) -> None:
    for name, value in values.items():
        if not np.all(np.asarray(value) >= 0):
            raise ValueError(f"{name} must not be negative, got {float(np.min(value))!r}")

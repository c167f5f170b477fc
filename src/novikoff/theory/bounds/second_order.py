"""Bounds of P0 and P1: perceptrons with a matrix."""

from typing import Any

import numpy as np

from novikoff.theory.bounds.checks import not_negative, positive


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
    positive(a=a)
    not_negative(eigenvalues=eigenvalues)
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
    positive(a=a)
    not_negative(eigenvalues=eigenvalues, growth=growth)
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
    positive(c=c, n_mistakes=n_mistakes)
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
    positive(a=a)
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
    positive(rank=rank, smallest=smallest, n_mistakes=n_mistakes, radius=radius)
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
    positive(margin=margin)
    not_negative(loss=loss)
    alpha = (1.0 + c) / (1.0 - c)
    slack, step = alpha * loss / margin, alpha / margin
    return slack + step**2 / 2.0 + step * np.sqrt(slack + step**2 / 4.0)


def _warped(loss: Any, margin: Any, stretch: Any, volume: Any) -> Any:
    """D/gamma + sqrt(stretch volume)/gamma, the form of all bounds of P0."""
    positive(margin=margin)
    not_negative(loss=loss, spread=stretch)
    return (loss + np.sqrt(stretch * volume)) / margin

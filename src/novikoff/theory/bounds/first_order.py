"""Bounds of Novikoff and of P2: perceptrons that add rows, or their projections."""

from typing import Any

import numpy as np

from novikoff.theory.bounds.checks import ROUNDING, not_negative, positive


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
    positive(margin=margin, radius=radius)
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
    positive(radius=radius)
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
    positive(eta=eta)
    not_negative(progress=progress)
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
    positive(C=C, radius=radius)
    not_negative(progress=progress)
    norm, loss, _ = _projecting(loss, margin, 0.0)
    if C * radius**2 > 1.0 + ROUNDING:
        return radius**2 * (norm**2 + 2.0 * C * loss)
    root = np.sqrt(np.maximum(0.0, radius**2 * loss - progress / C**2))
    return np.maximum(norm**2 / C, (radius * norm) ** 2 + norm * root) + loss


def alma_bound(loss: Any, margin: Any, C: float, eta: float = 0.0, setback: Any = 0.0) -> Any:
    """Projected ALMA_2, where C^2 + 2 (1 - alpha) B C = 1: P2 Theorem 7.

    With rho^2 = 1/(C^2 (gamma - eta)^2) and L = (D + E)/(gamma - eta):
    L + rho^2/2 + sqrt(rho^4/4 + rho^2 L + rho^2).
    It counts updates, of which mistakes are some; eta = 0 is ALMA_2 itself.

    The theorem has no E, and is not true without: its proof shrinks u.w by sqrt(k/(k+1)) at the
    k-th update, which is the most that scaling w does to it, and so the least that can be lost of
    it only where u.w is positive. Sequences that begin with a row against u make a sixth more
    updates than it says.

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
    setback : float or array, default=0.0
        E = sum of (eta - y u.x) (sqrt((m + 1)/k) - 1) over those updates, the k-th of m, where
        y u.x is below eta; 0 where u separates the rows.

    Returns
    -------
    bound : float or array

    Examples
    --------
    >>> from novikoff.theory.bounds import alma_bound
    >>> float(alma_bound(loss=1.0, margin=1.5, C=1.0, eta=0.5))
    3.0
    """
    positive(C=C)
    not_negative(setback=setback)
    _projecting(loss, margin, eta)
    rest = margin - eta
    loss = (loss + setback) / rest
    rho2 = 1.0 / (C * rest) ** 2
    return loss + rho2 / 2.0 + np.sqrt(rho2**2 / 4.0 + rho2 * loss + rho2)


def _projecting(loss: Any, margin: Any, eta: float) -> tuple[Any, Any, Any]:
    """(|g|, D_1(g), 1 - eta |g|) of g = u/gamma."""
    positive(margin=margin)
    not_negative(loss=loss, eta=eta)
    if np.any(np.asarray(margin) <= eta):
        raise ValueError(
            f"margin must be above eta={eta!r}, or the comparator is longer than 1/eta; "
            f"got {float(np.min(margin))!r}"
        )
    return 1.0 / margin, loss / margin, 1.0 - eta / margin

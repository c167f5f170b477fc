"""How likely a random direction is to be close to a given one."""

from scipy.special import betainc


def cap_probability(n: int, theta: float) -> float:
    """P(x.z >= theta) for x uniform on the unit sphere of R^n and z any unit vector.

    For theta >= 0 the square of x.z has the beta distribution with parameters 1/2, (n - 1)/2, so
    the probability is half a regularised incomplete beta function,
    I_{1 - theta^2}((n - 1)/2, 1/2) / 2; P3 (4.9) and (4.16) leave it open and take 1/8 at
    theta = 1 / sqrt n.

    Parameters
    ----------
    n : int
        Dimension, at least 1.
    theta : float
        Cosine of the largest angle between the two.

    Returns
    -------
    probability : float

    Examples
    --------
    >>> from novikoff.theory import cap_probability
    >>> round(cap_probability(3, 0.5), 12)  # Archimedes: (1 - theta) / 2
    0.25
    """
    if not -1.0 <= theta <= 1.0:
        return 0.0 if theta > 1.0 else 1.0
    if n == 1:
        return 1.0 if theta == -1.0 else 0.5
    tail = 0.5 * float(betainc((n - 1) / 2.0, 0.5, 1.0 - theta * theta))
    return tail if theta >= 0.0 else 1.0 - tail

"""Generators of dense rows with labels -1 and +1."""

import numpy as np
from scipy.special import betaincc, betainccinv
from sklearn.utils import check_random_state

from novikoff.streams.checks import at_least, within

# Rejection gives up when fewer than this share of the rows drawn can be used.
LEAST_ACCEPTED = 1e-3


def make_separable(
    n_samples=1000, n_features=20, margin=0.1, *, random_state=None, return_target=False
):
    """Rows of norm 1 that a hyperplane through the origin separates with a margin.

    A unit vector u is drawn, then rows uniformly from the part of the unit sphere where
    |u.x| >= margin; y is the sign of u.x. A perceptron makes at most 1/margin^2 mistakes.

    Parameters
    ----------
    n_samples : int, default=1000
    n_features : int, default=20
        At least 2.
    margin : float, default=0.1
        In [0, 1). Larger values make the problem easier.
    random_state : int, RandomState or None, default=None
    return_target : bool, default=False
        Return u as well.

    Returns
    -------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Labels -1 and +1, equally likely.
    u : array of shape (n_features,)
        Only with ``return_target``.

    Examples
    --------
    >>> from novikoff.streams import make_separable
    >>> X, y, u = make_separable(100, 5, margin=0.2, random_state=0, return_target=True)
    >>> bool((y * (X @ u)).min() > 0.2 - 1e-12)
    True
    """
    at_least("n_samples", n_samples, 1)
    at_least("n_features", n_features, 2)
    within("margin", margin, 0.0, 1.0)
    rng = check_random_state(random_state)
    u = _unit_rows(rng, 1, n_features)[0]
    y = _signs(rng, n_samples)
    # On the sphere (u.x)^2 has the law Beta(1/2, (n-1)/2): draw from its tail past margin^2.
    shape = 0.5, (n_features - 1) / 2
    tail = betaincc(*shape, margin**2) * (1.0 - rng.random_sample(n_samples))
    along = np.sqrt(np.maximum(betainccinv(*shape, tail), margin**2))
    across = rng.standard_normal((n_samples, n_features))
    across -= np.outer(across @ u, u)
    across *= (np.sqrt(1.0 - along**2) / np.linalg.norm(across, axis=1))[:, None]
    X = across + np.outer(y * along, u)
    return (X, y, u) if return_target else (X, y)


def make_noisy(n_samples=1000, n_features=20, margin=0.1, noise=0.1, *, random_state=None):
    """Rows as :func:`make_separable` draws them, with a share of the labels flipped.

    Parameters
    ----------
    n_samples : int, default=1000
    n_features : int, default=20
        At least 2.
    margin : float, default=0.1
        Margin before labels are flipped, in [0, 1).
    noise : float, default=0.1
        Probability that a label is flipped, in [0, 1).
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Labels -1 and +1.

    Examples
    --------
    >>> from novikoff.streams import make_noisy, make_separable
    >>> _, clean = make_separable(1000, random_state=0)
    >>> X, y = make_noisy(1000, noise=0.1, random_state=0)
    >>> int((y != clean).sum())
    111
    """
    within("noise", noise, 0.0, 1.0)
    rng = check_random_state(random_state)
    X, y = make_separable(n_samples, n_features, margin, random_state=rng)
    return X, _flipped(rng, y, noise)


def make_sparse_target(
    n_samples=1000,
    n_features=500,
    n_relevant=50,
    margin=0.005,
    noise=0.0,
    *,
    random_state=None,
    return_target=False,
):
    """Rows labelled by few of their features, as in P1's Figure 2 [1]_.

    The target u is drawn from {-1, +1} on the first ``n_relevant`` features, is 0 on the others,
    and is scaled to norm 1. Rows are drawn uniformly from [-1, 1]^n_features and scaled to norm 1;
    rows with |u.x| < margin are drawn again. y is the sign of u.x, flipped with probability
    ``noise``.

    Parameters
    ----------
    n_samples : int, default=1000
    n_features : int, default=500
    n_relevant : int, default=50
        From 1 to n_features.
    margin : float, default=0.005
        In [0, 1); a margin that almost no row has is refused.
    noise : float, default=0.0
        Probability that a label is flipped, in [0, 1).
    random_state : int, RandomState or None, default=None
    return_target : bool, default=False
        Return u as well.

    Returns
    -------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Labels -1 and +1.
    u : array of shape (n_features,)
        Only with ``return_target``.

    References
    ----------
    .. [1] Brotto, Gentile, Vitale (2007), On higher-order Perceptron algorithms, section 4.

    Examples
    --------
    >>> from novikoff.streams import make_sparse_target
    >>> X, y, u = make_sparse_target(random_state=0, return_target=True)
    >>> X.shape, int((u != 0).sum()), bool((y * (X @ u)).min() >= 0.005)
    ((1000, 500), 50, True)
    """
    at_least("n_samples", n_samples, 1)
    at_least("n_features", n_features, 1)
    at_least("n_relevant", n_relevant, 1)
    if n_relevant > n_features:
        raise ValueError(f"n_relevant must be at most n_features={n_features}, got {n_relevant}")
    within("margin", margin, 0.0, 1.0)
    within("noise", noise, 0.0, 1.0)
    rng = check_random_state(random_state)
    u = np.zeros(n_features)
    u[:n_relevant] = _signs(rng, n_relevant) / np.sqrt(n_relevant)
    parts, n_kept, n_drawn = [], 0, 0
    while n_kept < n_samples:
        X = rng.uniform(-1.0, 1.0, (max(1000, n_samples - n_kept), n_features))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        X = X[np.abs(X @ u) >= margin]
        parts.append(X)
        n_kept, n_drawn = n_kept + len(X), n_drawn + max(1000, n_samples - n_kept)
        if n_kept < LEAST_ACCEPTED * n_drawn:
            raise ValueError(
                f"margin={margin!r} is too large: only {n_kept} of {n_drawn} rows drawn in "
                f"{n_features} dimensions lie that far from the hyperplane; ask for less"
            )
    X = np.concatenate(parts)[:n_samples]
    y = _flipped(rng, np.where(X @ u > 0.0, 1, -1), noise)
    return (X, y, u) if return_target else (X, y)


def make_drifting(n_samples=5000, n_features=20, turn=np.pi, noise=0.0, *, random_state=None):
    """Rows of norm 1 whose hyperplane turns steadily while the stream goes on.

    Over the stream the normal vector turns by the angle ``turn`` in a random plane; y is the
    sign of u_t.x_t, flipped with probability ``noise``. What was true at the start is false after
    half a turn.

    Parameters
    ----------
    n_samples : int, default=5000
    n_features : int, default=20
        At least 2.
    turn : float, default=pi
        The whole angle in radians, at least 0; 0 stands still.
    noise : float, default=0.0
        Probability that a label is flipped, in [0, 1).
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Labels -1 and +1.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.streams import make_drifting
    >>> X, y = make_drifting(2000, 2, random_state=0)
    >>> start, end = [np.linalg.lstsq(X[i], y[i])[0] for i in (slice(200), slice(-200, None))]
    >>> bool(start @ end < 0)
    True
    """
    at_least("n_samples", n_samples, 1)
    at_least("n_features", n_features, 2)
    within("turn", turn, 0.0, np.inf)
    within("noise", noise, 0.0, 1.0)
    rng = check_random_state(random_state)
    plane, _ = np.linalg.qr(rng.standard_normal((n_features, 2)))
    X = _unit_rows(rng, n_samples, n_features)
    angle = np.linspace(0.0, turn, n_samples)
    in_plane = X @ plane
    side = in_plane[:, 0] * np.cos(angle) + in_plane[:, 1] * np.sin(angle)
    return X, _flipped(rng, np.where(side >= 0.0, 1, -1), noise)


def make_dekel(n_samples=10_000, noise=0.1, *, random_state=None):
    """Two Gaussians in the plane, P2's synthetic data set [1]_.

    Rows of either label are Gaussian with means (1, 1) and (-1, -1) and the diagonal covariance
    (0.2, 2); labels are then flipped with probability ``noise``.

    Parameters
    ----------
    n_samples : int, default=10000
    noise : float, default=0.1
        Probability that a label is flipped, in [0, 1).
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : array of shape (n_samples, 2)
    y : array of shape (n_samples,)
        Labels -1 and +1, equally likely.

    References
    ----------
    .. [1] Orabona, Keshet, Caputo (2009), Bounded kernel-based online learning, section 7, after
       Dekel, Shalev-Shwartz, Singer (2007).

    Examples
    --------
    >>> from novikoff.streams import make_dekel
    >>> X, y = make_dekel(random_state=0)
    >>> X.shape, [float(round(v, 1)) for v in X[y == 1].mean(axis=0)]
    ((10000, 2), [0.8, 0.8])
    """
    at_least("n_samples", n_samples, 1)
    within("noise", noise, 0.0, 1.0)
    rng = check_random_state(random_state)
    y = _signs(rng, n_samples)
    X = y[:, None] + rng.standard_normal((n_samples, 2)) * np.sqrt([0.2, 2.0])
    return X, _flipped(rng, y, noise)


def _unit_rows(rng, n, width):
    X = rng.standard_normal((n, width))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def _signs(rng, n):
    return 2 * rng.randint(0, 2, n) - 1


def _flipped(rng, y, noise):
    """Labels, each turned round with probability ``noise``."""
    return np.where(rng.random_sample(y.size) < noise, -y, y)

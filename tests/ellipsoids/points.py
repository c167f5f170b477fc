"""Labelled points that an ellipsoid separates, and some that none does."""

import numpy as np


def shells(m, n, ratio=1.3, seed=0):
    """Gaussian points; the nearer half is inside, the rest is pushed out by ``ratio``."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n))
    length = np.linalg.norm(X, axis=1)
    inside = length < np.median(length)
    X *= np.where(inside, 1.0, ratio)[:, None]
    return X @ rng.normal(size=(n, n)) + rng.normal(size=n), inside.astype(int)


def mixed(m, n, seed=0):
    """Labels drawn without looking at the points."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, n)), (rng.random(m) < 0.4).astype(int)


def affine(n, condition, rng):
    """A random map x -> x B + b of the given condition number."""
    left, _ = np.linalg.qr(rng.normal(size=(n, n)))
    right, _ = np.linalg.qr(rng.normal(size=(n, n)))
    sizes = np.geomspace(1.0, condition, n) * 10.0 ** rng.integers(-6, 7)
    return left * sizes @ right, rng.normal(size=n) * sizes.max()


GOLDEN = [(2, 40), (3, 80), (5, 150), (8, 250)]  # features, points

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


def awkward(shape, n=4, m=120, seed=0):
    """Small separable sets on which much is degenerate; labels 0 and 1."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(m, n)), np.arange(m) % 2
    if shape == "as few inside as span":
        y = (np.arange(m) < n + 1).astype(int)
        X[y == 0] = 5 * X[y == 0] + 8
    elif shape == "far apart":
        X[y == 1] += 8
    elif shape == "one outside":
        y = np.ones(m, dtype=int)
        y[0], X[0] = 0, 6.0
    elif shape == "on a grid":
        X = rng.integers(-3, 4, size=(m, n)).astype(float)
        y = (np.sum(X**2, axis=1) <= 12).astype(int)
    elif shape == "twice each":
        X, y = shells(m // 2, n, seed=seed)
        X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    elif shape == "all on the surfaces":
        X *= (np.where(y == 1, 1.0, 1.5) / np.linalg.norm(X, axis=1))[:, None]
    return X, y


AWKWARD = [
    "as few inside as span",
    "far apart",
    "one outside",
    "on a grid",
    "twice each",
    "all on the surfaces",
]
GOLDEN = [(2, 40), (3, 80), (5, 150), (8, 250)]  # features, points

"""Kernel values against a few rows, never a square matrix."""

from collections.abc import Callable

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels

KERNELS = {"linear", "rbf", "poly"}


def kernel_columns(
    kernel: str | Callable, X, Z, gamma: float | str, degree: int, coef0: float
) -> np.ndarray:
    """Return k(x, z) for all rows x of X and z of Z, dense, shape (rows of X, rows of Z)."""
    if callable(kernel):
        return np.asarray(kernel(X, Z), dtype=float)
    parameters = _parameters(kernel, X.shape[1], gamma, degree, coef0)
    K = pairwise_kernels(X, Z, metric=kernel, **parameters)
    return K.toarray() if sparse.issparse(K) else K


def kernel_diagonal(
    kernel: str | Callable, X, gamma: float | str, degree: int, coef0: float
) -> np.ndarray:
    """Return k(x, x) for all rows x of X."""
    if callable(kernel):
        blocks = (X[i : i + 64] for i in range(0, X.shape[0], 64))
        return np.concatenate([np.diag(np.asarray(kernel(B, B), dtype=float)) for B in blocks])
    if kernel == "rbf":
        return np.ones(X.shape[0])
    squares = X.multiply(X).sum(axis=1) if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)
    squares = np.asarray(squares, dtype=float).ravel()
    if kernel == "linear":
        return squares
    return (_gamma(gamma, X.shape[1]) * squares + coef0) ** degree


def _gamma(gamma: float | str, n_features: int) -> float:
    return 1.0 / n_features if gamma == "auto" else float(gamma)


def _parameters(kernel: str, n_features: int, gamma, degree, coef0) -> dict:
    if kernel == "linear":
        return {}
    if kernel == "rbf":
        return {"gamma": _gamma(gamma, n_features)}
    return {"gamma": _gamma(gamma, n_features), "degree": degree, "coef0": coef0}

"""The rows of a run as its learner sees them: constant appended, scaled, in a kernel space.

A scale is a positive number a row: it changes no sign, hence no mistake.

Comparators are looked for among vectors of finitely many coordinates. Without a kernel these are
the features. With one they are coordinates in the span of some of the rows, the landmarks: of an
orthonormal basis of the span, e_i = sum_j V_ji lambda_i^(-1/2) phi(x_j), where the landmarks' Gram
matrix is V diag(lambda) V'. A row's coordinates <e_i, phi(x)> are those of its projection on the
span, so for every u in the span u.z is u's value at the row itself and |u| its norm: a subsample
narrows the choice of comparators, and approximates nothing.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.kernels import Kernel, Linear, ProductKernel, resolve_kernel

LANDMARKS = 600
# Directions in which the landmarks' Gram matrix is smaller than this share of its largest
# eigenvalue would carry more rounding than kernel.
RELATIVE_RANK = 1e-8


class Sequence:
    """Rows as a learner sees them.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)
    kernel : Kernel
    bias : bool
        Whether a constant 1 is appended to the features.
    scale : callable
        From the lengths of the rows, the constant included, to the factors that they are learnt
        with.
    """

    def __init__(
        self,
        X: Any,
        kernel: Kernel,
        bias: bool,
        scale: Callable[[np.ndarray], np.ndarray],
    ) -> None:
        self.X, self.kernel, self.bias = X, kernel, bias
        self.n = X.shape[0]
        squares = self._diagonal() + bias
        self.lengths = np.sqrt(np.maximum(squares, 0.0))
        self.scale = scale(self.lengths)
        self.lengths = self.lengths * self.scale

    @property
    def radius(self) -> float:
        """Length of the longest row."""
        return float(self.lengths.max())

    def products(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Inner products between two selections of rows."""
        K = self._values(self.X[rows], self.X[others]) + self.bias
        return K * self.scale[rows, None] * self.scale[others]

    def coordinates(self) -> tuple[Any, str]:
        """Rows in coordinates, dense or CSR, and where comparators may lie, in words."""
        if isinstance(self.kernel, Linear):
            return self._features(), f"any of the {self.X.shape[1]} features' weights"
        every = np.arange(self.n)
        chosen = every
        if self.n > LANDMARKS:
            chosen = np.sort(np.random.default_rng(0).permutation(self.n)[:LANDMARKS])
        Z = self.products(every, chosen) @ inverse_root(self.products(chosen, chosen))
        return Z, f"in the span of {chosen.size} of the {self.n} rows"

    def span_coordinates(self, rows: np.ndarray) -> np.ndarray:
        """Coordinates of a selection of rows in which their inner products are the rows' own."""
        if self._is_narrow(rows):
            Z = self._features()[rows]
            return Z.toarray() if sp.issparse(Z) else Z
        values, vectors = np.linalg.eigh(self.products(rows, rows))
        kept = values > 1e-14 * values.max(initial=0.0)
        return vectors[:, kept] * np.sqrt(values[kept])

    def eigenvalues(self, rows: np.ndarray) -> np.ndarray:
        """Of the Gram matrix of a selection of rows, rising; zeros may be left out."""
        if self._is_narrow(rows):
            Z = self.span_coordinates(rows)
            return np.linalg.eigvalsh(Z.T @ Z)
        return np.linalg.eigvalsh(self.products(rows, rows))

    def _is_narrow(self, rows: np.ndarray) -> bool:
        return isinstance(self.kernel, Linear) and self.X.shape[1] < rows.size

    def _features(self) -> Any:
        if not sp.issparse(self.X):
            ones = [np.ones((self.n, 1))] if self.bias else []
            return np.hstack([self.X, *ones]) * self.scale[:, None]
        ones = [sp.csr_matrix(np.ones((self.n, 1)))] if self.bias else []
        return sp.csr_matrix(sp.diags(self.scale) @ sp.hstack([self.X, *ones]))

    def _diagonal(self) -> np.ndarray:
        if isinstance(self.kernel, ProductKernel):
            return self.kernel.diagonal_from(_squares(self.X))
        return self.kernel.diagonal(self.X)

    def _values(self, A: Any, B: Any) -> np.ndarray:
        if not isinstance(self.kernel, ProductKernel):
            return self.kernel.values(A, B)
        P = A @ B.T
        P = P.toarray() if sp.issparse(P) else P
        self.kernel.from_products(P, _squares(A), _squares(B))
        return P


def inverse_root(G: np.ndarray) -> np.ndarray:
    """V diag(lambda)^(-1/2) over the eigenvalues of a Gram matrix that are not rounding."""
    values, vectors = np.linalg.eigh(G)
    kept = values > RELATIVE_RANK * max(values[-1], 0.0)
    return vectors[:, kept] / np.sqrt(values[kept])


def sequence_of(model: Any, X: Any, scale: Callable[[np.ndarray], np.ndarray]) -> Sequence:
    """The rows as this learner sees them."""
    name = getattr(model, "kernel", None)
    kernel: Kernel = Linear()
    if name is not None:
        kernel = resolve_kernel(name, X.shape[1], model.gamma, model.degree, model.coef0)
    return Sequence(X, kernel, bool(model.fit_intercept), scale)


def _squares(X: Any) -> np.ndarray:
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)

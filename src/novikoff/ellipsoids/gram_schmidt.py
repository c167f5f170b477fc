"""Gram-Schmidt features of a kernel, biased towards the positive class [1]_ (Algorithms 1 and 2).

A partial Cholesky factorisation of the kernel matrix K with pivots chosen by class. With n_i the
squared length of row i outside the span of the pivots so far and B the bias,

    i_j = argmax_i B^{[y_i = +1]} n_i                      (ties: the lowest row)
    D_ij = (K(i, i_j) - sum_{t<j} D_it D_{i_j t}) / sqrt(n_{i_j}),    n_i <- n_i - D_ij^2

and a new row's features solve L d = (k(x, pivot_1), ..., k(x, pivot_k)) with L the pivots' rows of
D, which is lower triangular: one product and one triangular solve for a whole batch.
Cost: k kernel columns and m k^2 operations; the kernel matrix is never formed.

Departures from the paper: Algorithm 1 subtracts D_{i_j}^2 and reads n_{i_j} after it became 0,
Algorithm 2 mixes d with d-tilde (misprints); both stop at the rank, where the thesis divides by 0.

.. [1] A. Kharechko (2009), Linear and ellipsoidal pattern separation, section 8.3.
"""

import numpy as np
from scipy import sparse
from scipy.linalg import solve_triangular
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from novikoff.ellipsoids._stored import ARRAY, NAMES, ROWS, StoredMixin
from novikoff.kernels import Precomputed, ProductKernel, resolve_kernel
from novikoff.params import AT_LEAST_ONE, KERNEL_SHAPE, POSITIVE

LARGEST_BIAS = 10.0  # P3, section 8.4
RANK = 1e-12  # a residual below this part of the largest squared length is rounding
INDEFINITE = -1e-6  # a residual below it is not
GIVEN = 100.0  # roundings in a residual of kernel values that were rounded before
DENSE = 2**22  # numbers in a block of sparse rows made dense: 32 MB


class GramSchmidtFeatures(
    StoredMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Coordinates in the span of a few training rows, in the feature space of a kernel.

    Rows are chosen one after the other, each time the one that lies farthest outside the span of
    those already taken; rows of the positive class (``classes_[1]`` of two) count ``bias`` times.

    Parameters
    ----------
    n_components : int, default=30
        How many features at most, at least 1. There are fewer when the span ends before, as it
        does at the latest at the number of rows: ``n_components_`` says how many.
    bias : "auto" or float, default="auto"
        Weight of the positive rows' squared residuals, above 0; larger values spend more features
        on the positive class. "auto" is the inverse share of positives, at most 10. Without y,
        and with more than two classes, no class is the positive one and rows count alike.
    kernel : {"linear", "rbf", "poly", "precomputed"}, callable or Kernel, default="linear"
        A callable takes two arrays of rows and returns the matrix of kernel values;
        "precomputed" takes the square matrix in ``fit`` and rows x training rows later.
    gamma : "auto" or float, default="auto"
        Factor in "rbf" and "poly"; "auto" is 1 / n_features.
    degree : int, default=3
        Degree of "poly".
    coef0 : float, default=1.0
        Constant in "poly".

    Attributes
    ----------
    n_components_ : int
        Number of features.
    pivots_ : ndarray of shape (n_components_,)
        Positions of the chosen training rows, in order of choice.
    pivot_rows_ : ndarray or CSR matrix of shape (n_components_, n_features)
        The chosen rows; None when the kernel is precomputed.
    triangle_ : ndarray of shape (n_components_, n_components_)
        Their features, a lower triangular matrix.
    bias_ : float
        The bias used.

    See Also
    --------
    EllipsoidClassifier : What these features are made for.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.ellipsoids import GramSchmidtFeatures
    >>> X = np.array([[0.0, 4.0, 0.0], [3.0, 0.0, 0.0], [1.0, 2.0, 0.0]])
    >>> features = GramSchmidtFeatures(n_components=3).fit(X)
    >>> features.n_components_
    2
    >>> features.transform(X)
    array([[4., 0.],
           [0., 3.],
           [2., 1.]])
    """

    _parameter_constraints = {
        "n_components": AT_LEAST_ONE,
        "bias": [*POSITIVE, StrOptions({"auto"})],
        "kernel": [StrOptions({"linear", "rbf", "poly", "precomputed"}), callable],
        **KERNEL_SHAPE,
    }

    _state_fields = {
        "n_components_": int,
        "pivots_": ARRAY,
        "pivot_rows_": ROWS,
        "triangle_": ARRAY,
        "bias_": float,
        "n_features_in_": int,
        "feature_names_in_": NAMES,
    }

    def __init__(
        self,
        *,
        n_components=30,
        bias="auto",
        kernel="linear",
        gamma="auto",
        degree=3,
        coef0=1.0,
    ):
        self.n_components = n_components
        self.bias = bias
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def fit(self, X, y=None):
        """Choose the rows whose span the features are coordinates of.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,), optional
            Labels; with two classes the larger one is the positive.

        Returns
        -------
        self : GramSchmidtFeatures
        """
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X, y=None):
        """Choose the rows and return the features of all: the matrix D of Algorithm 1.

        Parameters and return value are those of ``fit`` and ``transform``.
        """
        self._validate_params()
        with self._unchanged_on_error():
            return self._fit_transform(X, y)

    def _fit_transform(self, X, y):
        if y is None:
            X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
            weight = np.ones(X.shape[0])
        else:
            X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
            weight = self._weights(y)
        self.bias_ = float(weight.max()) if self.bias == "auto" or y is None else float(self.bias)

        m = X.shape[0]
        kernel = self._resolved(X)
        given = GIVEN * np.finfo(X.dtype).eps if isinstance(kernel, Precomputed) else 0.0
        # Residuals are small differences of large numbers.
        X = X.astype(np.float64, copy=False)
        if isinstance(kernel, Precomputed) and X.shape[0] != X.shape[1]:
            raise ValueError(
                f'kernel="precomputed" takes a square matrix in fit, got shape {X.shape}'
            )
        limit = min(self.n_components, m)
        squares = _squares(kernel, X)
        residual = _diagonal(kernel, X, squares)
        largest = residual.max()
        rank, indefinite = max(RANK, given) * largest, min(INDEFINITE, -given) * abs(largest)
        D = np.zeros((m, limit), order="F")
        pivots = []
        for j in range(limit):
            if residual.min() < indefinite:
                raise ValueError(
                    f"kernel={self.kernel!r} is not positive semidefinite on X, so that it has no "
                    f"feature space; give one that is"
                )
            i = int(np.argmax(weight * residual))
            if residual[i] <= rank:
                # A large weight must not hide a row that is left.
                i = int(np.argmax(residual))
                if residual[i] <= rank:
                    break
            column = _column(kernel, X, i, squares)
            D[:, j] = (column - D[:, :j] @ D[i, :j]) / np.sqrt(residual[i])
            residual -= D[:, j] ** 2
            residual[i] = 0.0
            pivots.append(i)
        self.n_components_ = len(pivots)
        if not pivots:
            raise ValueError(
                "X holds nothing to span: every row has length 0 in the kernel's feature space"
            )
        D = np.ascontiguousarray(D[:, : len(pivots)])
        self.pivots_ = np.array(pivots, dtype=np.intp)
        self.pivot_rows_ = None if isinstance(kernel, Precomputed) else X[self.pivots_]
        self.triangle_ = np.tril(D[self.pivots_])
        return D

    @property
    def _n_features_out(self):
        return self.n_components_

    def transform(self, X):
        """Return the features of rows: Algorithm 2.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        D : ndarray of shape (n_samples, n_components_)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        kernel = self._resolved(X)
        if isinstance(kernel, Precomputed):
            K = _as_array(X[:, self.pivots_])
        else:
            K = _values(kernel, X, self.pivot_rows_, _squares(kernel, X))
        return solve_triangular(self.triangle_, K.T, lower=True).T.copy()

    def _expected_shapes(self, state):
        k = state["n_components_"]
        shapes = {"pivots_": (k,), "triangle_": (k, k)}
        if self.kernel != "precomputed":
            shapes["pivot_rows_"] = (k, state["n_features_in_"])
        return shapes

    def _resolved(self, X):
        return resolve_kernel(self.kernel, X.shape[1], self.gamma, self.degree, self.coef0)

    def _weights(self, y):
        if type_of_target(y) in ("continuous", "continuous-multioutput"):
            return np.ones(len(y))
        classes, counts = np.unique(y, return_counts=True)
        if len(classes) != 2:
            return np.ones(len(y))
        bias = min(LARGEST_BIAS, len(y) / counts[1]) if self.bias == "auto" else self.bias
        return np.where(y == classes[1], float(bias), 1.0)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def _as_array(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def _squares(kernel, X):
    """Return the squared lengths, which only kernels of products need."""
    if not isinstance(kernel, ProductKernel):
        return None
    with np.errstate(over="ignore"):
        squares = X.multiply(X).sum(axis=1) if sparse.issparse(X) else (X * X).sum(axis=1)
    squares = np.asarray(squares, dtype=float).ravel()
    square = float(squares.max())
    if not np.isfinite(kernel.largest(square)):
        raise ValueError(
            f"X has a row of squared norm {square:.3g}, for which values of the "
            f"{type(kernel).__name__} kernel overflow float64: scale the rows down"
        )
    return squares


def _diagonal(kernel, X, squares):
    """Return k(x, x) for all rows."""
    if isinstance(kernel, Precomputed):
        return np.array(X.diagonal(), dtype=float)
    if isinstance(kernel, ProductKernel):
        return np.array(kernel.diagonal_from(squares), dtype=float)
    return np.array(kernel.diagonal(X), dtype=float)


def _values(kernel, X, Z, squares):
    """Return k(x, z) for all rows x of X and the few rows z of Z."""
    if not isinstance(kernel, ProductKernel):
        return kernel.values(X, Z)
    if sparse.issparse(X):
        # Times dense rows, a few at a time, is several times faster than times sparse ones.
        few = max(1, DENSE // X.shape[1])
        parts = [X @ _as_array(Z[i : i + few]).T for i in range(0, Z.shape[0], few)]
        P = np.hstack(parts)
    else:
        P = X @ _as_array(Z).T
    kernel.from_products(P, squares, _squares(kernel, Z))
    return P


def _column(kernel, X, i, squares):
    if isinstance(kernel, Precomputed):
        return _as_array(X[:, [i]])[:, 0]
    return _values(kernel, X, X[i : i + 1], squares)[:, 0]

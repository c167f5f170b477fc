"""The whitened perceptron, and the whitening alone [1]_.

With M = sum x x' over all rows, whose labels are not looked at:

    the perceptron on the rows M^{-1/2} x;   w = M^{-1/2} w~ acts on rows as they are   (section 2)

Where M is singular its pseudo-inverse's root takes the place of the inverse's: eigenvalues of at
most n machine epsilons of the largest count as zero, n the order of M. With a kernel, K = k(X, X)
and k_x the kernel values of x with all rows, <M^{-1/2}x, M^{-1/2}z> = k_x'(K^+)^2 k_z: the
perceptron on K^+ k_x, and every row is a support vector. Where K is regular, as with the Gaussian
kernel and different rows, whitened rows are orthogonal to each other, and the first pass is all
ties: the kernel should have fewer dimensions than there are rows.

It needs all rows before the first trial: so there is ``fit``, and no ``partial_fit``.
Cost per trial: O(n^2), for n inputs or, with a kernel, n rows; before the first one, an
eigendecomposition of O(n^3).
Guarantee: section 2: the perceptron's, with the margin and the norm of the whitened rows.
Departures from the paper: a tie counts as a mistake; an all-zero row is never added.

.. [1] Cesa-Bianchi, Conconi, Gentile (2005), A second-order Perceptron algorithm, section 2.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from novikoff.engine.blas import few_threads
from novikoff.engine.expansion import Expansion
from novikoff.engine.panel import LIVE, STORED
from novikoff.engine.rows import Rows
from novikoff.engine.stores import IndexStore, dense_block
from novikoff.engine.views import CURVE_LENGTH
from novikoff.engine.weights import Layout, Weights, check_squares
from novikoff.kernel_base import KernelClassifier
from novikoff.learners.perceptron import PerceptronParams, run_perceptron
from novikoff.rows import as_rows
from novikoff.told_base import TOLD

DOUBLE = np.dtype(np.float64)
# Rows that are whitened at once.
PIECE = 1024
PERCEPTRON = PerceptronParams(margin=0.0, normalize=False)


def spectrum(M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors of a positive semidefinite matrix, without those of zero."""
    values, vectors = np.linalg.eigh(M)
    keep = values > len(M) * np.finfo(float).eps * values.max()
    return values[keep], vectors[:, keep]


def inverse_root(M: np.ndarray) -> np.ndarray:
    """M^{-1/2} of a positive semidefinite matrix, or the root of its pseudo-inverse."""
    values, vectors = spectrum(M)
    return (vectors / np.sqrt(values)) @ vectors.T


def correlation(X: Any) -> np.ndarray:
    """Sum of x x' over rows, dense or CSR, in double precision."""
    check_squares(as_rows(X))  # and the column indices, which SciPy's products follow blindly
    if sp.issparse(X):
        X = X.astype(np.float64)
        return np.asarray((X.T @ X).toarray())
    X = np.asarray(X, np.float64)
    return X.T @ X


class Whitener(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Scale rows by M^{-1/2}, M the sum of their x x', so that they have no preferred direction.

    What :class:`WhitenedPerceptron` does to its rows, for a scikit-learn pipeline. Rows are not
    centred.

    Attributes
    ----------
    whitening_ : array of shape (n_features, n_features)
        M^{-1/2}, or the root of the pseudo-inverse where M is singular.
    n_features_in_ : int
    feature_names_in_ : array
        Where rows came as data frames with column names.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import Whitener
    >>> X = np.array([[10.0, 0.0], [10.0, 1.0], [-10.0, 1.0]])
    >>> Z = Whitener().fit_transform(X)
    >>> bool(np.allclose(Z.T @ Z, np.eye(2)))
    True
    """

    def fit(self, X: Any, y: Any = None) -> "Whitener":
        """Take M from rows.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
        with few_threads():
            self.whitening_ = inverse_root(correlation(X))
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Whiten rows.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        Z : array of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        kinds = [np.float64, np.float32]
        X = validate_data(self, X, accept_sparse="csr", dtype=kinds, reset=False)
        as_rows(X)
        return np.asarray(X @ self.whitening_)

    def __sklearn_tags__(self) -> Any:
        """Say to scikit-learn that sparse rows are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class WhitenedWeights(Weights):
    """Weights of whitened rows, shown as weights of rows as they are."""

    vigilant = False

    def __init__(self, layout: Layout, root: np.ndarray) -> None:
        super().__init__(layout)
        self.root = root
        # The constant is whitened with the row: the trials know of no other.
        self.flags = (layout.prototype, False, *self.flags[2:])

    def run(self, entry: Any, p: Any, rows: Rows, codes: np.ndarray, out: np.ndarray) -> None:
        """Run one trial per row."""
        X = np.ones((rows.n, len(self.V)))
        X[:, : rows.width] = dense_block(rows, DOUBLE)
        Z = X @ self.root
        super().run(entry, p, Rows(Z.ravel(), None, None, rows.n, len(self.V)), codes, out)

    def columns(self) -> np.ndarray:
        """Weights of the hypothesis that is shown, a column a class, the constant last."""
        return self.root @ super().columns()

    def decide(self, rows: Rows) -> np.ndarray:
        """Decision values, a column a class."""
        w, n = self.columns(), self.layout.n_features
        out = np.empty((rows.n, self.layout.n_columns))
        for first in range(0, rows.n, PIECE):
            part = rows.part(first, min(rows.n, first + PIECE))
            out[first : first + part.n] = dense_block(part, DOUBLE) @ w[:n]
        return out + w[-1] if self.layout.bias else out

    def arrays(self) -> dict[str, np.ndarray]:
        """All that was learnt, by name."""
        return {**super().arrays(), "root": self.root}


class WhitenedExpansion(Expansion):
    """Coefficients of all rows, from the weights of their whitened kernel values."""

    def begin(self, rows: Rows) -> None:
        """Take the rows that whiten."""
        n, layout = rows.n, self.layout
        if isinstance(self.store, IndexStore):
            self.store.begin(0, np.arange(n))
        block = self.store.load(rows, 0)
        self.store.put(block, np.arange(n), np.arange(n))
        self._reserve(n)
        self.used = n
        self.order[:n] = self.born[:n] = np.arange(n)
        self.sizes[LIVE] = self.sizes[STORED] = n
        K = self._fill(block, n, n, np.empty(n * n))
        values, vectors = spectrum(K)
        vectors[K.diagonal() == 0.0] = 0.0  # all-zero rows stay so, whatever rounding says
        self.inverse = (vectors / values) @ vectors.T
        # K^+ k_x of the rows themselves; exactly the identity where K is regular: whitened rows
        # are then orthogonal, and rounding must not decide what is a tie.
        self.whitened = vectors @ vectors.T if values.size < n else np.eye(n)
        self.inner = Weights(
            Layout(n, layout.n_columns, 0, layout.prototype, False, self.average, 0.0, 0.0, np.inf)
        )
        self.counts, self.points = self.inner.counts, self.inner.points

    average = False  # of the weights: the coefficients are shown as they are

    def begin_epoch(self, order: np.ndarray) -> None:
        """Hear in which order the rows come next."""
        self.first, self.coming = self.seen, order

    def run(self, entry: Any, p: Any, rows: Rows, codes: np.ndarray, out: np.ndarray) -> None:
        """Run one trial per row."""
        which = self.coming[self.seen - self.first :][: rows.n]
        flat = Rows(self.whitened[which].ravel(), None, None, rows.n, self.used)
        self.inner.run(entry, p, flat, codes, out)
        with few_threads():
            self.A[:, : self.used] = (self.inverse @ self.inner.columns()).T
        self.points[: self.counts[CURVE_LENGTH], 3] = self.used


def _in_batches_only(estimator: Any) -> bool:
    return False


class WhitenedPerceptron(KernelClassifier):
    """Perceptron on rows that were whitened by their own correlation matrix (batch).

    Parameters
    ----------
    kernel : None, {"linear", "rbf", "poly", "precomputed"}, callable or Kernel, default=None
        None keeps weights; anything else keeps an expansion over stored rows.
    gamma : float or "auto", default="auto"
        Of "rbf" and "poly"; "auto" is 1 / n_features.
    degree : int, default=3
        Of "poly".
    coef0 : float, default=1.0
        Of "poly".
    block_size : int or "auto", default="auto"
        Rows whose kernel values are computed at once. It does not change what is learnt.
    fit_intercept : bool, default=False
        Append a constant 1 to each row; with a kernel, add 1 to it.
    n_epochs : int, default=1
        Passes over the rows in :meth:`fit`.
    shuffle : bool, default=False
        Whether each pass of :meth:`fit` takes the rows in random order.
    average : {"last", "mean"}, default="last"
        Show the last hypothesis, or the mean of those held after each trial (online-to-batch).
    multiclass : {"ovr", "prototype"}, default="ovr"
        With three classes or more: one binary learner a class, or one prototype a class where a
        trial tells the true class and its best rival.
    random_state : int, RandomState or None, default=None
        Seed of the order of rows when ``shuffle`` is set.
    verbose : int, default=0
        1 shows progress on standard error.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    coef_, intercept_ : arrays
        Weights, of shape (1, n_features) for two classes, else (n_classes, n_features); and (1,)
        or (n_classes,).
    n_seen_, n_mistakes_, n_updates_ : int
    curve_ : structured array
        (trial, mistakes, updates, support) at geometrically spaced trials.
    support_, support_vectors_, dual_coef_ : arrays
        With a kernel: trial numbers and rows of the support vectors in order of entry, and their
        coefficients, of shape (1 or n_classes, n_support).
    n_support_ : int
        With a kernel: how many rows are stored.
    n_features_in_ : int
    feature_names_in_ : array
        Where rows came as data frames with column names.

    See Also
    --------
    Whitener : the whitening alone.
    SecondOrderPerceptron : whitens by its mistaken rows as they come.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import WhitenedPerceptron
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = WhitenedPerceptron().fit(scale(X), y)
    >>> model.n_seen_, model.n_mistakes_
    (569, 66)
    """

    _machine_class = WhitenedWeights
    _parameter_constraints = TOLD

    def __init__(
        self,
        *,
        kernel=None,
        gamma="auto",
        degree=3,
        coef0=1.0,
        block_size="auto",
        fit_intercept=False,
        n_epochs=1,
        shuffle=False,
        average="last",
        multiclass="ovr",
        random_state=None,
        verbose=0,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.block_size = block_size
        self.fit_intercept = fit_intercept
        self.n_epochs = n_epochs
        self.shuffle = shuffle
        self.average = average
        self.multiclass = multiclass
        self.random_state = random_state
        self.verbose = verbose

    @available_if(_in_batches_only)
    def partial_fit(self, X, y, classes=None):
        """Not for this learner: M is taken from all rows."""

    @available_if(_in_batches_only)
    def run_trials(self, X, y, classes=None):
        """Not for this learner: M is taken from all rows."""

    @available_if(_in_batches_only)
    def learn_one(self, x, y):
        """Not for this learner: M is taken from all rows."""

    def _budget(self):
        return None

    def _rule_params(self, n_features):
        return PERCEPTRON

    def _entry_point(self):
        return run_perceptron

    def _validate_rows(self, X, reset, finite=True):
        X = super()._validate_rows(X, reset, finite)
        if reset:
            self._whitened_by = X
        return X

    def _new_machine(self, form, classes):
        layout = self._layout(form.n_features, classes)
        X = self.__dict__.pop("_whitened_by", None)
        if self.kernel is None:
            return WhitenedWeights(layout, self._root(X, layout.n_features + layout.bias))
        store, _ = self._store(form._replace(dtype="float64"))
        machine = WhitenedExpansion(layout._replace(average=False), store, DOUBLE, 0)
        machine.average = layout.average
        if X is not None:
            with few_threads():
                machine.begin(as_rows(X))
        return machine

    def _begin_epoch(self, order):
        if self.kernel is not None:
            self._machine.begin_epoch(order)

    def _root(self, X, inputs):
        """M^{-1/2}; without rows, room for one that a file brings."""
        if X is None:
            return np.zeros((inputs, inputs))
        M = np.empty((inputs, inputs))
        n = X.shape[1]
        M[:n, :n] = correlation(X)
        if self.fit_intercept:
            M[n, :n] = M[:n, n] = np.asarray(X.sum(axis=0, dtype=np.float64)).ravel()
            M[n, n] = X.shape[0]
        with few_threads():
            return inverse_root(M)

"""Ellipsoid of maximal separation ratio as a classifier [1]_ (chapters 7 and 8).

Around the positive class, ``classes_[1]``, lies the ellipsoid (x - c)'E(x - c) <= 1; the same one,
larger by the separation ratio sqrt(1 + t), keeps the other points out, and E, c maximise t. The
ellipsoid in the middle decides:

    f(x) = ((1 + sqrt(1 + t)) / 2)^2 - (x - c)'E(x - c)                                    (8.2)

With a soft margin, the mean of the 1/C largest (x - c)'E(x - c) inside is 1 and the mean of the
1/C smallest outside is 1 + t; the middle lies between the radii past which points are averaged.

Departures from the paper: soft margin, several classes (one against the rest) and kernels are not
in the thesis (chapter 9 names the first and the last as open).

.. [1] A. Kharechko (2009), Linear and ellipsoidal pattern separation.
"""

import sys
import warnings
from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from novikoff.ellipsoids._stored import ARRAY, NAMES, StoredMixin
from novikoff.ellipsoids.separation import SOLVERS, separate
from novikoff.ellipsoids.whitening import check_count
from novikoff.engine.blas import few_threads

EACH = (float, np.ndarray)  # one number, or one a class
MOST_FEATURES = 200  # their 20,303 unknowns have a matrix of 3 GB, made anew at each iteration
CERTIFIED = 1e-5  # relative gap of the ratio above which a fit warns


class EllipsoidClassifier(StoredMixin, ClassifierMixin, BaseEstimator):
    """Classifier by two co-centred ellipsoids of maximal separation ratio.

    The positive class, ``classes_[1]``, lies inside; with more than two classes there is one pair
    of ellipsoids around each. The model does not depend on the coordinates (any invertible affine
    map of the features gives the same predictions).

    Parameters
    ----------
    C : float, default=inf
        Softness of the margin, above 0. 1 and more is the hard margin: no point between the two
        ellipsoids. Below, the 1/C points of each class that lie worst are averaged instead, so
        that a smaller C gives less weight to single points; a class with fewer than 1/C points is
        averaged as a whole. It makes a difference only where 1/C is larger than about the number
        of points that the hard margin leans on.
    solver : {"auto", "working-set", "interior-point", "clarabel"}, default="auto"
        "working-set" solves on few points at a time until none is violated, "interior-point" on
        all at once, "clarabel" hands all to the package clarabel (slow, for reference). "auto" is
        "working-set", or "interior-point" where the working set would hold most of the points.
    features : transformer, optional
        Fitted before, on the rows and their labels; a :class:`GramSchmidtFeatures` gives an
        ellipsoid in a kernel's feature space, or in few dimensions of many.
    verbose : int, default=0
        1 writes the solver's progress to the standard error stream.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels; inside is ``classes_[1]`` of two.
    center_ : ndarray of shape (n,) or (n_classes, n)
        Common centre c of the ellipsoids.
    shape_ : ndarray of shape (n, n) or (n_classes, n, n)
        Their matrix E.
    factor_ : ndarray of shape (n, n) or (n_classes, n, n)
        A with E = A A', from which distances keep more digits.
    separation_ratio_ : float or ndarray of shape (n_classes,)
        sqrt(1 + t), reached on the training set.
    ratio_bound_ : float or ndarray of shape (n_classes,)
        Certified bound: no ellipsoid has a larger separation ratio.
    inner_radius_, outer_radius_ : float or ndarray of shape (n_classes,)
        Radii in the metric E; 1 and the separation ratio when the margin is hard.
    support_ : ndarray of shape (n_support,)
        Positions of the training points that carry weight in the dual (7.21).
    dual_coef_ : ndarray of shape (n_support,) or (n_classes, n_support)
        Their weights: positive, those of the negatives sum to 1, those of the positives to 1 + t.
        With several classes, zeros where a class does not lean on a point.
    features_ : transformer
        The fitted ``features``, where some were given.

    See Also
    --------
    GramSchmidtFeatures : Few features of many, or of a kernel.
    EllipsoidDisplay : Picture of a fitted classifier in the plane.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.ellipsoids import EllipsoidClassifier
    >>> X = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1], [3, 0], [-3, 0], [0, 3], [0, -3]])
    >>> y = np.array([1, 1, 1, 1, 0, 0, 0, 0])
    >>> model = EllipsoidClassifier().fit(X, y)
    >>> round(model.separation_ratio_, 6)
    3.0
    >>> model.predict([[0.5, 0.5], [2.5, 2.5]])
    array([1, 0])
    """

    _parameter_constraints = {
        "C": [Interval(Real, 0, None, closed="right")],
        "solver": [StrOptions({"auto", *SOLVERS})],
        "features": [HasMethods(["fit_transform", "transform"]), None],
        "verbose": ["verbose"],
    }

    _state_fields = {
        "classes_": ARRAY,
        "center_": ARRAY,
        "shape_": ARRAY,
        "factor_": ARRAY,
        "separation_ratio_": EACH,
        "ratio_bound_": EACH,
        "inner_radius_": EACH,
        "outer_radius_": EACH,
        "support_": ARRAY,
        "dual_coef_": ARRAY,
        "features_": (dict, type(None)),
        "n_features_in_": int,
        "feature_names_in_": NAMES,
    }

    def __init__(self, *, C=np.inf, solver="auto", features=None, verbose=0):
        self.C = C
        self.solver = solver
        self.features = features
        self.verbose = verbose

    def fit(self, X, y):
        """Find the ellipsoids.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)

        Returns
        -------
        self : EllipsoidClassifier

        Raises
        ------
        ValueError
            Where no ellipsoid separates the points (give a finite or smaller C), where the
            points of a class that should lie inside do not span the space, or where there are
            more than 200 features.
        """
        self._validate_params()
        with self._unchanged_on_error():
            self._fit(X, y)
        return self

    def _fit(self, X, y):
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y must hold at least two classes, got one class: {self.classes_.tolist()[0]!r}"
            )
        binary = len(self.classes_) == 2
        inside = [1] if binary else range(len(self.classes_))
        if self.features is not None:
            self.features_ = clone(self.features)
            X = self.features_.fit_transform(X, y)
        labels = self.classes_.tolist()
        counts = np.bincount(codes)
        for k in inside:
            check_count(counts[k], X.shape[1], labels[k])
        _check_width(X.shape[1])
        X = _dense(X)

        with few_threads():
            found = [
                separate(
                    X,
                    codes == k,
                    C=float(self.C),
                    solver=self.solver,
                    label=labels[k],
                    callback=self._progress(labels[k]),
                )
                for k in inside
            ]
        for k, ellipsoid in zip(inside, found, strict=True):
            gap = ellipsoid.ratio_bound / ellipsoid.ratio - 1.0
            if gap > CERTIFIED:
                warnings.warn(
                    f"the separation ratio around class {labels[k]!r} is certified "
                    f"to {gap:.1e} only, where solver={self.solver!r} made no more progress",
                    ConvergenceWarning,
                    stacklevel=3,
                )

        def each(values):
            return values[0] if binary else np.array(values)

        self.center_ = each([e.center for e in found])
        self.factor_ = each([e.factor for e in found])
        self.shape_ = self.factor_ @ np.swapaxes(self.factor_, -1, -2)
        self.inner_radius_ = each([e.inner for e in found])
        self.outer_radius_ = each([e.outer for e in found])
        self.separation_ratio_ = each([e.ratio for e in found])
        self.ratio_bound_ = each([e.ratio_bound for e in found])
        if binary:
            self.support_, self.dual_coef_ = found[0].support, found[0].dual_coef
        else:
            self.support_ = np.unique(np.concatenate([e.support for e in found]))
            self.dual_coef_ = np.zeros((len(found), len(self.support_)))
            for row, e in zip(self.dual_coef_, found, strict=True):
                row[np.searchsorted(self.support_, e.support)] = e.dual_coef

    def decision_function(self, X):
        """Return f(x) of (8.2): positive inside the middle ellipsoid.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        f : ndarray of shape (n_samples,), or (n_samples, n_classes) with several classes
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        X = _dense(self.features_.transform(X) if self.features is not None else X)
        middle = ((self.inner_radius_ + self.outer_radius_) / 2) ** 2
        if len(self.classes_) == 2:
            return middle - np.sum(((X - self.center_) @ self.factor_) ** 2, axis=1)
        q = [
            np.sum(((X - center) @ factor) ** 2, axis=1)
            for center, factor in zip(self.center_, self.factor_, strict=True)
        ]
        return middle - np.column_stack(q)

    def predict(self, X):
        """Return the label of each row: ``classes_[1]`` where f(x) >= 0, or the largest f's.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        f = self.decision_function(X)
        return self.classes_[(f >= 0).astype(int) if f.ndim == 1 else f.argmax(axis=1)]

    def _get_state(self):
        state = super()._get_state()
        if self.features is not None:
            if not isinstance(self.features_, StoredMixin):
                raise TypeError(
                    f"a file holds no features of type {type(self.features_).__name__}: save a "
                    f"classifier with GramSchmidtFeatures, or without features"
                )
            state["features_"] = self.features_._get_state()
        return state

    def _set_state(self, state):
        super()._set_state(state)
        if self.features is not None:
            self.features_ = clone(self.features)
            self.features_._set_state(state["features_"])

    def _expected_shapes(self, state):
        k = len(state["classes_"])
        each = () if k == 2 else (k,)
        n, s = state["center_"].shape[-1], len(state["support_"])
        if self.features is None:
            n = state["n_features_in_"]
        shapes = {"classes_": (k,), "center_": (*each, n), "support_": (s,)}
        shapes |= {"shape_": (*each, n, n), "factor_": (*each, n, n), "dual_coef_": (*each, s)}
        numbers = ("separation_ratio_", "ratio_bound_", "inner_radius_", "outer_radius_")
        return shapes | dict.fromkeys(numbers, each)

    def _progress(self, label):
        if not self.verbose:
            return None

        def tell(text):
            sys.stderr.write(f"ellipsoid around class {label!r}, {text}\n")

        return tell

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _check_width(n):
    if n > MOST_FEATURES:
        unknowns = (n + 1) * (n + 2) // 2 + 2
        raise ValueError(
            f"{n} features make a program of {unknowns:,} unknowns, whose matrix would take "
            f"{8e-9 * unknowns**2:,.0f} GB: give at most {MOST_FEATURES} features "
            f"(GramSchmidtFeatures makes few of many)"
        )


def _dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=float)

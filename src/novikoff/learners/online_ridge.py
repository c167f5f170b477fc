"""Online ridge regression on the labels, as a classifier (RLSC) [1]_ [2]_.

The weights that a trial is predicted with fit the labels of all trials before it:

    w_t = argmin_v  sum_{s<t} (<v, x_s> - y_s)^2 + a |v|^2 = (aI + sum x_s x_s')^{-1} sum y_s x_s

It is the relative of the second-order perceptron that lets every row in, mistaken or not.
Cost per trial: O(n^2) for n features (sparse rows: n per nonzero, and n^2 for the matrix). One
matrix serves all classes of one-versus-rest.
Precision: the inverse is kept by its recursion, whose relative error grows like 1e-16 |x|^2/a
(2e-7 for 50 Gaussian features at a = 1e-8).
Departures from the paper: an all-zero row counts as a trial and changes nothing, which is what the
formula says. With prototypes a trial fits score(true) - score(best rival) to 1, in the joint space
of all classes: (n k)^2 numbers.

.. [1] Cesa-Bianchi, Conconi, Gentile (2005), A second-order Perceptron algorithm, section 3 and
   footnote 5.
.. [2] Rifkin, Yeo, Poggio (2003), Regularized least squares classification.
"""

from typing import NamedTuple

from novikoff.base import OnlineClassifier
from novikoff.engine import entry, rule
from novikoff.engine.lowrank import Correlated, correlated_scan
from novikoff.params import COMMON, POSITIVE


class OnlineRidgeParams(NamedTuple):
    """Parameters that the rule sees: none, a is in the matrix."""


@rule
def online_ridge(p, m, y):
    """Whether the row enters: it always does."""
    return True


@entry
def run_online_ridge(p, state, rows, codes, out):
    """Trials of the primal form."""
    correlated_scan(online_ridge, OnlineRidgeParams(*p), state, rows, codes, out)


class OnlineRidgeClassifier(OnlineClassifier):
    """Ridge regression of the labels on all rows so far, updated row by row.

    Parameters
    ----------
    a : float, default=1.0
        Ridge: weight of |v|^2 against the squared errors. Larger values shrink the weights and
        forget the start more slowly.
    fit_intercept : bool, default=False
        Append a constant 1 to each row.
    n_epochs : int, default=1
        Passes over the rows in :meth:`fit`.
    shuffle : bool, default=False
        Whether each pass of :meth:`fit` takes the rows in random order.
    average : {"last", "mean"}, default="last"
        Show the last hypothesis, or the mean of those held after each trial (online-to-batch).
    multiclass : {"ovr", "prototype"}, default="ovr"
        With three classes or more: one binary learner a class, or one prototype a class where a
        trial moves the true class and its best rival.
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
    n_features_in_ : int
    feature_names_in_ : array
        Where rows came as data frames with column names.

    See Also
    --------
    PassiveAggressiveI : first-order steps, O(n) a trial.

    Examples
    --------
    Each row is predicted before it is learnt:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import OnlineRidgeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = OnlineRidgeClassifier().partial_fit(scale(X), y)
    >>> model.n_seen_, model.n_mistakes_
    (569, 35)
    """

    _entry = run_online_ridge
    _Params = OnlineRidgeParams
    _machine_class = Correlated
    _pair_splits = False
    _parameter_constraints = {**COMMON, "a": POSITIVE}

    def __init__(
        self,
        *,
        a=1.0,
        fit_intercept=False,
        n_epochs=1,
        shuffle=False,
        average="last",
        multiclass="ovr",
        random_state=None,
        verbose=0,
    ):
        self.a = a
        self.fit_intercept = fit_intercept
        self.n_epochs = n_epochs
        self.shuffle = shuffle
        self.average = average
        self.multiclass = multiclass
        self.random_state = random_state
        self.verbose = verbose

    def _new_machine(self, form, classes):
        return Correlated(self._layout(form.n_features, classes), float(self.a), shared=True)

"""The p-norm perceptron, HO_p(0) of P1 without the matrix [1]_ [2]_.

With theta = 0 at first, and c = 1, or 1/|x|_p when rows are normalised:

    w = g(theta),   g(theta)_i = sign(theta_i) |theta_i|^(p-1) / |theta|_p^(p-2)
    if y <w, x> <= 0:  theta <- theta + y c x                              (P1 section 2, c = 0)

g is the gradient of half the squared p-norm. p = 2 is the perceptron; p = 2 ln n behaves like
Winnow: good when few features matter.
Cost per trial: one score; on an update one power per nonzero of the row (the links of the other
coordinates share one scale).
Departures from the paper: a tie counts as a mistake; an all-zero row is never added; rows are
normalised only on request.

.. [1] Brotto, Gentile, Vitale (2007), On higher-order Perceptron algorithms, section 2.
.. [2] Gentile (2003), The robustness of the p-norm algorithms, Machine Learning 53, 265-299.
"""

import math
from numbers import Real
from typing import NamedTuple

from sklearn.utils._param_validation import Interval, StrOptions

from novikoff.base import OnlineClassifier
from novikoff.engine import KEEP, entry, rule, scan
from novikoff.params import COMMON, FLAG


class PNormPerceptronParams(NamedTuple):
    """Parameters as the rule sees them."""

    normalize: bool


@rule
def p_norm_perceptron(p, s, m, y, q, h):
    """One trial: (scale, coefficient) of theta."""
    if y * m > 0.0:
        return KEEP
    return 1.0, y / math.sqrt(q) if p.normalize else y


@entry
def run_p_norm_perceptron(p, state, rows, codes, out):
    """Trials of the primal form."""
    scan(p_norm_perceptron, PNormPerceptronParams(*p), state, rows, codes, out)


class PNormPerceptron(OnlineClassifier):
    """Perceptron whose weights are a power of the sum of mistaken rows.

    Parameters
    ----------
    p : float or "log", default="log"
        The norm, at least 2. Larger values suit targets with fewer relevant features; "log" is
        max(2, 2 ln n_features).
    normalize : bool, default=False
        Add x/|x|_p instead of x.
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
    ALMA : the same link, with a margin and decreasing steps.

    Examples
    --------
    Each row is predicted before it is learnt:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import PNormPerceptron
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = PNormPerceptron(p=4.0).partial_fit(scale(X), y)
    >>> model.n_seen_, model.n_mistakes_
    (569, 31)
    """

    _entry = run_p_norm_perceptron
    _Params = PNormPerceptronParams
    _parameter_constraints = {
        **COMMON,
        "p": [Interval(Real, 2, None, closed="left"), StrOptions({"log"})],
        "normalize": FLAG,
    }

    def __init__(
        self,
        *,
        p="log",
        normalize=False,
        fit_intercept=False,
        n_epochs=1,
        shuffle=False,
        average="last",
        multiclass="ovr",
        random_state=None,
        verbose=0,
    ):
        self.p = p
        self.normalize = normalize
        self.fit_intercept = fit_intercept
        self.n_epochs = n_epochs
        self.shuffle = shuffle
        self.average = average
        self.multiclass = multiclass
        self.random_state = random_state
        self.verbose = verbose

    def _layout(self, n_features, classes):
        p = max(2.0, 2.0 * math.log(n_features)) if self.p == "log" else float(self.p)
        layout = super()._layout(n_features, classes)
        return layout._replace(norm=p if self.normalize else 0.0, link_p=p)

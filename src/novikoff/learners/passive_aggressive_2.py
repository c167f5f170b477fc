"""Passive-Aggressive learner PA-II [1]_.

With m = <w, x>, q = |x|^2 and loss = max(0, 1 - y m):

    w <- w + tau y x,    tau = loss / (q + 1 / (2 C))                  (Fig. 1, PA-II)

With prototypes m is the difference of the two scores and q = 2 |x|^2: both prototypes move.
Cost per trial: one score and one norm; one addition on an update.
Departures from the paper: an all-zero row changes nothing (tau is undefined there).

.. [1] Crammer, Dekel, Keshet, Shalev-Shwartz, Singer (2006), Online Passive-Aggressive Algorithms,
   JMLR 7, 551-585; used by Orabona, Keshet, Caputo (2009), sections 4 and 7.
"""

from typing import NamedTuple

from novikoff.base import OnlineClassifier
from novikoff.engine import KEEP, entry, rule, scan
from novikoff.params import COMMON, POSITIVE


class PassiveAggressiveIIParams(NamedTuple):
    """Parameters as the rule sees them."""

    C: float


@rule
def passive_aggressive_2(p, s, m, y, q, h):
    """One trial: (scale, coefficient)."""
    loss = 1.0 - y * m
    if loss <= 0.0:
        return KEEP
    return 1.0, y * (loss / (h * q + 0.5 / p.C))


@entry
def run_passive_aggressive_2(p, state, rows, codes, out):
    """Trials of the primal form."""
    scan(passive_aggressive_2, p, state, rows, codes, out)


class PassiveAggressiveII(OnlineClassifier):
    """Makes the smallest change that cures the hinge loss of a row, damped by 1/(2C).

    Parameters
    ----------
    C : float, default=1.0
        How aggressive a step is. Larger values trust each row more; noise wants smaller ones.
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
    PassiveAggressiveI : the step is cut off instead of damped.

    Examples
    --------
    Each row is predicted before it is learnt:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import PassiveAggressiveII
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = PassiveAggressiveII().partial_fit(scale(X), y)
    >>> model.n_seen_, model.n_mistakes_
    (569, 30)
    """

    _entry = run_passive_aggressive_2
    _Params = PassiveAggressiveIIParams
    _parameter_constraints = {**COMMON, "C": POSITIVE}

    def __init__(
        self,
        *,
        C=1.0,
        fit_intercept=False,
        n_epochs=1,
        shuffle=False,
        average="last",
        multiclass="ovr",
        random_state=None,
        verbose=0,
    ):
        self.C = C
        self.fit_intercept = fit_intercept
        self.n_epochs = n_epochs
        self.shuffle = shuffle
        self.average = average
        self.multiclass = multiclass
        self.random_state = random_state
        self.verbose = verbose

    def _row_norm(self):
        return 2.0

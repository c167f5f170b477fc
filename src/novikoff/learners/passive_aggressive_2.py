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

from novikoff.engine import KEEP, entry, rule, scan
from novikoff.engine.panel import panel_scan
from novikoff.engine.projection import nothing, project_scan
from novikoff.kernel_base import KERNEL_OR_PRIMAL, KernelClassifier
from novikoff.params import POSITIVE


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
    scan(passive_aggressive_2, PassiveAggressiveIIParams(*p), state, rows, codes, out)


@entry
def run_passive_aggressive_2_panel(p, state, block, codes, out):
    """Trials of the kernel form."""
    panel_scan(passive_aggressive_2, PassiveAggressiveIIParams(*p), state, block, codes, out)


@entry
def run_passive_aggressive_2_projected(p, state, block, codes, out):
    """Trials of the kernel form that projects."""
    return project_scan(
        passive_aggressive_2, nothing, PassiveAggressiveIIParams(*p), state, block, codes, out
    )


class PassiveAggressiveII(KernelClassifier):
    """Makes the smallest change that cures the hinge loss of a row, damped by 1/(2C).

    Parameters
    ----------
    C : float, default=1.0
        How aggressive a step is. Larger values trust each row more; noise wants smaller ones.
    budget : None, RemoveRandom, RemoveOldest, Forget or Project, default=None
        Policy of :mod:`novikoff.budgets` that bounds the support of a kernel form.
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

    _entry, _panel_entry, _project_entry = (
        run_passive_aggressive_2,
        run_passive_aggressive_2_panel,
        run_passive_aggressive_2_projected,
    )
    _Params = PassiveAggressiveIIParams
    _no_forgetting = "the Forgetron's analysis is of steps of size 1"
    _parameter_constraints = {**KERNEL_OR_PRIMAL, "C": POSITIVE}

    def __init__(
        self,
        *,
        C=1.0,
        budget=None,
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
        self.C = C
        self.budget = budget
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

    def _row_norm(self):
        return 2.0

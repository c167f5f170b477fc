"""Perceptron, with or without a margin [1]_ [2]_.

With m = <w, x>, and c = 1, or 1/|x| when rows are normalised:

    if y c m <= margin:  w <- w + y c x                 (P0 section 2; P2 Figure 1; P3 Algorithm 1)

Cost per trial: one score; one addition on an update.
Guarantee: at most (R/gamma)^2 updates on rows of norm at most R that some unit vector separates
with margin gamma, for margin = 0 (Novikoff's theorem).
Departures from the paper: a tie counts as a mistake; an all-zero row is never added.

.. [1] Rosenblatt (1958), Psychological Review 65, 386-408; Novikoff (1962).
.. [2] Kharechko (2009), Linear and ellipsoidal pattern separation, Algorithm 1 (normalised) and
   section 6.7 (margins).
"""

import math
from typing import NamedTuple

from novikoff.budgets import Forget
from novikoff.engine import KEEP, entry, rule, scan
from novikoff.engine.panel import panel_scan
from novikoff.engine.projection import nothing, project_scan
from novikoff.kernel_base import KERNEL_OR_PRIMAL, KernelClassifier
from novikoff.params import FLAG, NON_NEGATIVE


class PerceptronParams(NamedTuple):
    """Parameters as the rule sees them."""

    margin: float
    normalize: bool


@rule
def perceptron(p, s, m, y, q, h):
    """One trial: (scale, coefficient)."""
    c = 1.0 / math.sqrt(q) if p.normalize else 1.0
    if y * m * c > p.margin:
        return KEEP
    return 1.0, y * c


@entry
def run_perceptron(p, state, rows, codes, out):
    """Trials of the primal form."""
    scan(perceptron, PerceptronParams(*p), state, rows, codes, out)


@entry
def run_perceptron_panel(p, state, block, codes, out):
    """Trials of the kernel form."""
    panel_scan(perceptron, PerceptronParams(*p), state, block, codes, out)


@entry
def run_perceptron_projected(p, state, block, codes, out):
    """Trials of the kernel form that projects."""
    return project_scan(perceptron, nothing, PerceptronParams(*p), state, block, codes, out)


class Perceptron(KernelClassifier):
    """Perceptron: a row is added to the weights when the prediction was wrong.

    Parameters
    ----------
    margin : float, default=0.0
        Update also when y f(x) is positive but at most this (with ``normalize``, y f(x)/|x|).
        Larger values update more often and keep a wider distance from the rows.
    normalize : bool, default=False
        Add x/|x| instead of x.
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
    PassiveAggressiveI : steps as large as the loss asks for.
    ALMA : approximates the largest margin.

    Examples
    --------
    Each row is predicted before it is learnt:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import Perceptron
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = Perceptron().partial_fit(scale(X), y)
    >>> model.n_seen_, model.n_mistakes_
    (569, 33)
    """

    _entry, _panel_entry, _project_entry = (
        run_perceptron,
        run_perceptron_panel,
        run_perceptron_projected,
    )
    _Params = PerceptronParams
    _parameter_constraints = {**KERNEL_OR_PRIMAL, "margin": NON_NEGATIVE, "normalize": FLAG}

    def __init__(
        self,
        *,
        margin=0.0,
        normalize=False,
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
        self.margin = margin
        self.normalize = normalize
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
        return 2.0 if self.normalize else 0.0

    def _unit(self):
        return bool(self.normalize)

    def _check(self):
        super()._check()
        if isinstance(self.budget, Forget) and (self.margin or self.normalize):
            raise ValueError(
                f"budget={self.budget!r} goes with margin=0 and normalize=False only, the "
                "Forgetron's own steps; use RemoveOldest(size)"
            )

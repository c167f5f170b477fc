"""ALMA_p, the approximate large margin algorithm [1]_ [2]_.

With x^ = x/|x|_p, k the number of updates so far plus 1, and w in the unit ball of the dual norm
(1/p + 1/q = 1):

    gamma_k = B sqrt(p-1)/sqrt(k),   eta_k = C/(sqrt(p-1) sqrt(k))
    if y <w, x^> <= (1 - alpha) gamma_k:
        theta <- theta + eta_k y x^,   w = g(theta),   w <- w / max(1, |w|_q),   k <- k + 1

g is the gradient of half the squared p-norm, and |g(theta)|_q = |theta|_p: scaling w into the ball
is scaling theta. For p = 2, w is theta itself and |w|^2 is kept from scalars,
|w + eta y x^|^2 = |w|^2 + 2 eta y <w, x^> + eta^2.

Cost per trial: one score and one norm; one addition on an update, for p > 2 a power per nonzero.
Guarantee: with the default B and C, on separable rows it ends with a margin of at least 1 - alpha
times the largest one.
Departures from the paper: an all-zero row changes nothing. Decision values are those of raw rows.

.. [1] Gentile (2001), A new approximate maximal margin classification algorithm, JMLR 2, 213-242.
.. [2] Orabona, Keshet, Caputo (2009), Bounded kernel-based online learning, section 6.
"""

import math
from numbers import Real
from typing import NamedTuple

from sklearn.utils._param_validation import Interval

from novikoff.engine import KEEP, entry, rule, scan
from novikoff.engine.panel import panel_scan
from novikoff.engine.projection import nothing, project_scan
from novikoff.kernel_base import KERNEL_OR_PRIMAL, KernelClassifier
from novikoff.params import POSITIVE

UPDATES = 0  # the rule's scalar: updates so far


class ALMAParams(NamedTuple):
    """Parameters as the rule sees them."""

    p: float
    alpha: float
    B: float
    C: float


@rule
def alma(p, s, m, y, q, h):
    """One trial: (scale, coefficient) of theta; the engine scales w into the ball."""
    k = s[UPDATES] + 1.0
    norm = math.sqrt(q)
    m = y * m / norm
    if m > (1.0 - p.alpha) * p.B * math.sqrt(p.p - 1.0) / math.sqrt(k):
        return KEEP
    eta = p.C / (math.sqrt(p.p - 1.0) * math.sqrt(k))
    s[UPDATES] = k
    return 1.0, eta * y / norm


@entry
def run_alma(p, state, rows, codes, out):
    """Trials of the primal form."""
    scan(alma, ALMAParams(*p), state, rows, codes, out)


@entry
def run_alma_panel(p, state, block, codes, out):
    """Trials of the kernel form."""
    panel_scan(alma, ALMAParams(*p), state, block, codes, out)


@entry
def run_alma_projected(p, state, block, codes, out):
    """Trials of the kernel form that projects."""
    return project_scan(alma, nothing, ALMAParams(*p), state, block, codes, out)


class ALMA(KernelClassifier):
    """Approximates the hyperplane of largest margin, in the p-norm, with decreasing steps.

    Parameters
    ----------
    p : float, default=2.0
        The norm, at least 2. Larger values suit targets with fewer relevant features.
    alpha : float, default=0.9
        How far from the largest margin one is content with, in (0, 1]: smaller values come closer
        and update more. 0 is allowed when ``B`` is given.
    B : float, default=None
        Size of the margin that is asked for; None is sqrt(8)/alpha.
    C : float, default=None
        Size of the steps; None is sqrt(2).
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
    Perceptron : no margin, constant steps.
    PNormPerceptron : the same link, no margin.

    Examples
    --------
    Each row is predicted before it is learnt:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import ALMA
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ALMA().partial_fit(scale(X), y)
    >>> model.n_seen_, model.n_mistakes_
    (569, 30)
    """

    _entry, _panel_entry, _project_entry = run_alma, run_alma_panel, run_alma_projected
    _Params = ALMAParams
    _n_state = 1
    _no_forgetting = "the Forgetron's analysis is of steps of size 1"
    _parameter_constraints = {
        **KERNEL_OR_PRIMAL,
        "p": [Interval(Real, 2, None, closed="left")],
        "alpha": [Interval(Real, 0, 1, closed="both")],
        "B": [*POSITIVE, None],
        "C": [*POSITIVE, None],
    }

    def __init__(
        self,
        *,
        p=2.0,
        alpha=0.9,
        B=None,
        C=None,
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
        self.p = p
        self.alpha = alpha
        self.B = B
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

    def _check(self):
        super()._check()
        if self.alpha == 0 and self.B is None:
            raise ValueError("alpha=0 leaves B = sqrt(8)/alpha undefined: give B, or alpha > 0")
        if self.kernel is not None and self.p != 2:
            raise ValueError(
                f"p={self.p!r} has no kernel form, whose norm is Euclidean: use p=2 or kernel=None"
            )

    def _rule_params(self, n_features):
        B = math.sqrt(8.0) / self.alpha if self.B is None else float(self.B)
        C = math.sqrt(2.0) if self.C is None else float(self.C)
        return ALMAParams(float(self.p), float(self.alpha), B, C)

    def _ball(self):
        return 1.0

    def _unit(self):
        return True

    def _layout(self, n_features, classes):
        if self.kernel is not None:
            return super()._layout(n_features, classes)
        p = float(self.p)
        link_p = 0.0 if p == 2.0 else p  # for p = 2, w is theta itself
        return super()._layout(n_features, classes)._replace(norm=p, link_p=link_p, ball=1.0)

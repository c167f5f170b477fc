"""The simplified Forgetron, P4 Algorithm 2 [1]_.

On a mistake:

    if the support holds B rows:  discard the one of smallest weight, which is the oldest
    w <- (1 - lambda eta) w + eta y phi(x),   then project on the ball |w| <= U/2

``radius`` is U/2 and lambda = 1/U^2; by default U^2 = B / (32 log2(8 B)) (Theorem 2). With
``lazy`` w itself is never projected, only what is shown (P4 section 4).
Cost per trial: B kernel values, computed by blocks; O(B) on a mistake, |w|^2 by increments.
Guarantee: Theorem 2: M/2 <= hinge losses of any w' with |w'| <= U/2, plus 16 U^2, for B >= 500.
Departures from the paper: a tie counts as a mistake; a row with k(x, x) = 0 is never stored. The
new row enters with weight eta, unshrunk, as (10) says and the listing does not. Classes beyond
two: with prototypes one joint w; one-versus-rest lets each class shrink, step and be projected on
the trials it is mistaken on, and all share the stored rows.

.. [1] Sutskever (2009), A simpler unified analysis of Budget Perceptrons, section 3.2.
"""

import math
from typing import NamedTuple

from novikoff.budgets import RemoveOldest
from novikoff.engine import KEEP, entry, rule
from novikoff.engine.panel import panel_scan
from novikoff.kernel_base import KERNEL, KernelClassifier
from novikoff.params import AT_LEAST_ONE, FLAG, POSITIVE


class SimplifiedForgetronParams(NamedTuple):
    """Parameters as the rule sees them."""

    eta: float
    decay: float  # lambda


@rule
def simplified_forgetron(p, s, m, y, q, h):
    """One trial: (scale, coefficient)."""
    if y * m > 0.0:
        return KEEP
    return 1.0 - p.decay * p.eta, y * p.eta


@entry
def run_simplified_forgetron_panel(p, state, block, codes, out):
    """Trials of the kernel form."""
    panel_scan(simplified_forgetron, SimplifiedForgetronParams(*p), state, block, codes, out)


class SimplifiedForgetron(KernelClassifier):
    """Kernel perceptron on a budget that shrinks by a constant factor and drops the oldest row.

    Parameters
    ----------
    budget : int, default=500
        Rows that may be stored (B); Theorem 2 wants at least 500.
    eta : float, default=1/32
        Weight of a row that enters.
    radius : float, default=None
        Radius of the ball that w is kept in (U/2), positive; None is Theorem 2's.
    lazy : bool, default=False
        Keep w as it is and project only what is shown.
    kernel : {"linear", "rbf", "poly", "precomputed"}, callable or Kernel, default="rbf"
        Kernel of the expansion.
    gamma : float or "auto", default="auto"
        Of "rbf" and "poly"; "auto" is 1 / n_features.
    degree : int, default=3
        Of "poly".
    coef0 : float, default=1.0
        Of "poly".
    block_size : int or "auto", default="auto"
        Rows whose kernel values are computed at once. It does not change what is learnt.
    fit_intercept : bool, default=False
        Add 1 to the kernel.
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
        With the linear kernel: weights of shape (1 or n_classes, n_features), and intercepts.
    n_seen_, n_mistakes_, n_updates_ : int
    curve_ : structured array
        (trial, mistakes, updates, support) at geometrically spaced trials.
    support_, support_vectors_, dual_coef_ : arrays
        Trial numbers and rows of the support vectors in order of entry, and their
        coefficients, of shape (1 or n_classes, n_support).
    n_support_ : int
        How many rows are stored.
    n_features_in_ : int
    feature_names_in_ : array
        Where rows came as data frames with column names.

    See Also
    --------
    Forgetron : shrinks no more than needed.
    ModifiedBudgetPerceptron : the same analysis, with a random slot.

    Examples
    --------
    Each row is predicted before it is learnt:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import SimplifiedForgetron
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SimplifiedForgetron().partial_fit(scale(X), y)
    >>> model.n_seen_, model.n_mistakes_, model.n_support_
    (569, 37, 37)
    """

    _panel_entry = run_simplified_forgetron_panel
    _parameter_constraints = {
        **KERNEL,
        "budget": AT_LEAST_ONE,
        "eta": POSITIVE,
        "radius": [*POSITIVE, None],
        "lazy": FLAG,
    }

    def __init__(
        self,
        *,
        budget=500,
        eta=1 / 32,
        radius=None,
        lazy=False,
        kernel="rbf",
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
        self.budget = budget
        self.eta = eta
        self.radius = radius
        self.lazy = lazy
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
        if self._decay() * self.eta >= 1.0:
            raise ValueError(
                f"eta={self.eta!r} with a ball of radius {self._ball():.4g} gives lambda eta = "
                f"{self._decay() * self.eta:.4g}, which must be below 1: use a smaller eta, a "
                "larger budget or a larger radius"
            )

    def _decay(self):
        return 1.0 / (2.0 * self._ball()) ** 2

    def _rule_params(self, n_features):
        return SimplifiedForgetronParams(float(self.eta), self._decay())

    def _budget(self):
        return RemoveOldest(self.budget)

    def _ball(self):
        if self.radius is not None:
            return float(self.radius)
        return math.sqrt(self.budget / (32.0 * math.log2(8.0 * self.budget))) / 2.0

    def _lazy(self):
        return bool(self.lazy)

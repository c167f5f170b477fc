"""The modified Randomized Budget Perceptron, P4 Algorithm 1 [1]_.

On a mistake:

    w <- pi(w + eta y phi(x) - s(w))

s(w) is one of B slots drawn at random, empty slots included (footnote 2), so it may be nothing;
pi projects on the ball |w| <= radius (sqrt(B)/8 in Theorem 1). With ``lazy`` w itself is never
projected, only what is shown (P4 section 4).
Cost per trial: B kernel values, computed by blocks; O(B) on a mistake, |w|^2 by increments.
Guarantee: Theorem 1: (3/4) E[M] <= hinge losses of any w' with |w'| <= sqrt(B)/8, plus B/2.
Departures from the paper: a tie counts as a mistake; a row with k(x, x) = 0 is never stored, and
nothing is drawn for it. Classes beyond two share the stored rows, one slot is drawn on a trial
that updates any of them; with prototypes w is joint.

.. [1] Sutskever (2009), A simpler unified analysis of Budget Perceptrons, section 3.1.
"""

import math
from typing import NamedTuple

from novikoff.budgets import RemoveSlot
from novikoff.engine import KEEP, entry, rule
from novikoff.engine.panel import panel_scan
from novikoff.kernel_base import KERNEL, KernelClassifier
from novikoff.params import AT_LEAST_ONE, FLAG, POSITIVE


class ModifiedBudgetParams(NamedTuple):
    """Parameters as the rule sees them."""

    eta: float


@rule
def modified_budget(p, s, m, y, q, h):
    """One trial: (scale, coefficient)."""
    if y * m > 0.0:
        return KEEP
    return 1.0, y * p.eta


@entry
def run_modified_budget_panel(p, state, block, codes, out):
    """Trials of the kernel form."""
    panel_scan(modified_budget, ModifiedBudgetParams(*p), state, block, codes, out)


class ModifiedBudgetPerceptron(KernelClassifier):
    """Kernel perceptron on a budget that empties a random slot at each mistake, kept in a ball.

    Parameters
    ----------
    budget : int, default=100
        Slots for stored rows (B), at least 1.
    eta : float, default=1/16
        Weight of a row that enters.
    radius : float, default=None
        Radius of the ball that w is kept in, positive; None is sqrt(budget)/8 (Theorem 1).
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
        Seed of the rows that are discarded at random, and of the order of rows when ``shuffle``
        is set.
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
    RandomizedBudgetPerceptron : discards only when the support is full, without a ball.
    SimplifiedForgetron : the same analysis, without chance.

    Examples
    --------
    Each row is predicted before it is learnt:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import ModifiedBudgetPerceptron
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ModifiedBudgetPerceptron(random_state=0).partial_fit(scale(X), y)
    >>> model.n_seen_, model.n_mistakes_, model.n_support_
    (569, 38, 33)
    """

    _panel_entry = run_modified_budget_panel
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
        budget=100,
        eta=1 / 16,
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

    def _rule_params(self, n_features):
        return ModifiedBudgetParams(float(self.eta))

    def _budget(self):
        return RemoveSlot(self.budget)

    def _ball(self):
        return math.sqrt(self.budget) / 8.0 if self.radius is None else float(self.radius)

    def _lazy(self):
        return bool(self.lazy)

    def __sklearn_tags__(self):
        """Say to scikit-learn that a pass may end with a poor score.

        A mistake empties a slot at random, be it the row that mattered most a moment before.
        """
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

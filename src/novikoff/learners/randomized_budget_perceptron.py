"""Randomized Budget Perceptron (RBP), and with prototypes the multiclass MRBP [1]_ [2]_.

On a mistake:

    if the support holds B rows:  discard one of them at random
    f <- f + y k(x, .)                                       (P4 section 1.3; P2 section 7)

With ``multiclass="prototype"`` this is P2's MRBP: the max-score update.
Cost per trial: B kernel values, computed by blocks.
Guarantee: a mistake bound in expectation against comparators whose norm is of the order of
sqrt(B / log B) [1]_.
Departures from the paper: a tie counts as a mistake; a row with k(x, x) = 0 is never stored.

.. [1] Cavallanti, Cesa-Bianchi, Gentile (2007), Tracking the best hyperplane with a simple budget
   Perceptron, Machine Learning 69, 143-167; Sutskever (2009), section 1.3.
.. [2] Orabona, Keshet, Caputo (2009), Bounded kernel-based online learning, section 7.
"""

from novikoff.budgets import RemoveRandom
from novikoff.kernel_base import KERNEL, KernelClassifier
from novikoff.learners.perceptron import PerceptronParams, run_perceptron_panel
from novikoff.params import AT_LEAST_ONE


class RandomizedBudgetPerceptron(KernelClassifier):
    """Kernel perceptron that discards a random row when its support is full.

    Parameters
    ----------
    budget : int, default=100
        Rows that may be stored, at least 1. Larger values come closer to the kernel perceptron.
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
    Forgetron : shrinks weights and discards the oldest row; a bound that is not in expectation.
    Projectron : projects rows instead of discarding any.

    Examples
    --------
    Each row is predicted before it is learnt:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import RandomizedBudgetPerceptron
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RandomizedBudgetPerceptron(budget=50, random_state=0).partial_fit(scale(X), y)
    >>> model.n_seen_, model.n_mistakes_, model.n_support_
    (569, 39, 39)
    """

    _panel_entry = run_perceptron_panel
    _parameter_constraints = {
        **KERNEL,
        "budget": AT_LEAST_ONE,
    }

    def __init__(
        self,
        *,
        budget=100,
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
        return PerceptronParams(margin=0.0, normalize=False)

    def _budget(self):
        return RemoveRandom(self.budget)

"""The Projectron [1]_.

On a mistake, with P the projection on the span of the stored rows and
delta = P k(x, .) - k(x, .):

    if |delta| <= eta:  f <- f + y P k(x, .)          nothing is stored
    else:               f <- f + y k(x, .)            x is stored                 (P2 Figure 2)

On bounded data the support is bounded for any eta > 0 (Theorem 1), by a number not known before.
Prototypes: one Gram matrix a class (P2 section 5), delta is that of the pair.
Cost per trial: S kernel values for S stored rows, and O(S^2), both as matrix products by blocks.
Guarantee: Theorem 3: as the perceptron's bound, with 1 - eta |g| in its denominators.
Departures from the paper: a tie counts as a mistake; an empty support always takes the mistaken
row; a row with k(x, x) = 0 is never stored; a squared distance of the size of rounding, 1e-12 of
k(x, x) or what an ill-conditioned Gram matrix makes of it, counts as zero. A Cholesky factor of
the Gram matrix stands for its inverse (:mod:`novikoff.engine.projection`): the same numbers,
without drift.

.. [1] Orabona, Keshet, Caputo (2009), Bounded kernel-based online learning, section 3.
"""

from novikoff.budgets import Project
from novikoff.kernel_base import KERNEL, KernelClassifier
from novikoff.learners.perceptron import PerceptronParams, run_perceptron_projected
from novikoff.params import POSITIVE


class Projectron(KernelClassifier):
    """Kernel perceptron that projects a mistaken row on its support when the row lies near it.

    Parameters
    ----------
    eta : float, default=0.1
        Distance within which a row is projected, positive. Larger values store fewer rows.
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
    ProjectronPlusPlus : learns from margin errors too, without storing more.

    Examples
    --------
    Each row is predicted before it is learnt:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import Projectron
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = Projectron().partial_fit(scale(X), y)
    >>> model.n_seen_, model.n_mistakes_, model.n_support_
    (569, 39, 39)
    """

    _project_entry = run_perceptron_projected
    _parameter_constraints = {
        **KERNEL,
        "eta": POSITIVE,
    }

    def __init__(
        self,
        *,
        eta=0.1,
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
        self.eta = eta
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
        return Project(self.eta)

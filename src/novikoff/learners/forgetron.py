"""The self-tuned Forgetron [1]_ [2]_.

On a mistake f' = f + y k(x, .). If that makes B + 1 rows, let r be the oldest, sigma its |weight|
and mu = y_r f'(x_r); with Psi(l, m) = l^2 + 2 l - 2 l m and M the mistakes so far,

    phi = the largest number in (0, 1] with  Psi(phi sigma, phi mu) + Q <= (15/32) M
    f = phi f' without r,   Q <- Q + Psi(phi sigma, phi mu)

phi is 1, or the smaller positive root of a quadratic equation. One-versus-rest: the classes share
the stored rows, every class that uses the oldest row forgets with its own sigma, mu and Q, and M
counts the trials that stored a row.
Cost per trial: B kernel values, computed by blocks; O(B) on a mistake, f'(x_r) from stored values.
Guarantee: a mistake bound against comparators of norm up to (1/4) sqrt((B+1) / log(B+1)) [1]_.
Departures from the paper: a tie counts as a mistake; a row with k(x, x) = 0 is never stored and
not counted in M. More than two classes with prototypes are refused: Psi is about binary steps.

.. [1] Dekel, Shalev-Shwartz, Singer (2008), The Forgetron: a kernel-based perceptron on a budget,
   SIAM Journal on Computing 37, 1342-1372.
.. [2] Orabona, Keshet, Caputo (2009), Bounded kernel-based online learning, section 7.
"""

from novikoff.budgets import Forget
from novikoff.kernel_base import KERNEL, KernelClassifier
from novikoff.learners.perceptron import PerceptronParams, run_perceptron_panel
from novikoff.params import AT_LEAST_ONE


class Forgetron(KernelClassifier):
    """Kernel perceptron that shrinks its weights, so that discarding the oldest row does no harm.

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
    SimplifiedForgetron : shrinks by a constant factor.
    RandomizedBudgetPerceptron : discards a random row.

    Examples
    --------
    Each row is predicted before it is learnt:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import Forgetron
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = Forgetron(budget=50).partial_fit(scale(X), y)
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
        return Forget(self.budget)

"""Projectron++ [1]_.

On a mistake it is the Projectron. On a margin error, 0 < y f(x) < 1, with loss = 1 - y f(x), P the
projection on the span of the stored rows and delta = P k(x, .) - k(x, .):

    if loss >= |delta| / eta:
        tau = min(loss / |P k|^2,  2 (loss - |delta|/eta) / |P k|^2,  1)
        f <- f + y tau P k(x, .)                      nothing is stored           (P2 Figure 5)

Prototypes: y f(x) is the difference of the two scores, delta and P k are the pair's (section 5).
Cost per trial: S kernel values for S stored rows, and O(S^2), both as matrix products by blocks.
Guarantee: Theorem 4: the Projectron's bound, lowered by what the margin errors gained.
Departures from the paper: those of :mod:`novikoff.learners.projectron`.

.. [1] Orabona, Keshet, Caputo (2009), Bounded kernel-based online learning, sections 4 and 5.
"""

from typing import NamedTuple

from novikoff.budgets import Project
from novikoff.engine import entry, rule
from novikoff.engine.projection import project_scan
from novikoff.kernel_base import KERNEL, KernelClassifier
from novikoff.learners.perceptron import perceptron
from novikoff.params import POSITIVE


class ProjectronPlusPlusParams(NamedTuple):
    """Parameters as the rules see them: the perceptron's, and eta."""

    margin: float
    normalize: bool
    eta: float


@rule
def margin_error(p, m, y, inside, distance):
    """Coefficient of a step along the projection, on a trial without a mistake."""
    loss = 1.0 - y * m
    spare = loss - distance / p.eta
    if loss <= 0.0 or spare < 0.0:
        return 0.0
    return y * min(loss / inside, 2.0 * spare / inside, 1.0)


@entry
def run_projectron_plus_plus(p, state, block, codes, out):
    """Trials of the kernel form."""
    return project_scan(
        perceptron, margin_error, ProjectronPlusPlusParams(*p), state, block, codes, out
    )


class ProjectronPlusPlus(KernelClassifier):
    """Projectron that learns from margin errors too, as far as it need store nothing for them.

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
    Projectron : learns from mistakes only.

    Examples
    --------
    Each row is predicted before it is learnt:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import ProjectronPlusPlus
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ProjectronPlusPlus().partial_fit(scale(X), y)
    >>> model.n_seen_, model.n_mistakes_, model.n_support_
    (569, 39, 39)
    """

    _project_entry = run_projectron_plus_plus
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
        return ProjectronPlusPlusParams(margin=0.0, normalize=False, eta=float(self.eta))

    def _budget(self):
        return Project(self.eta)

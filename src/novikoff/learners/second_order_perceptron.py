"""The second-order perceptron [1]_.

With X_k the matrix whose columns are the k mistaken rows so far, and v_k the sum of their y x:

    A = aI + X_k X_k',   w = A^{-1} v_k,   a trial is mistaken when y <w, x> <= 0      (Figure 3.1)

As in :mod:`novikoff.learners.online_ridge`, w is kept: when x enters with g = A^{-1} x and
s = 1 + <x, g>, A^{-1} loses g g'/s and w gains (y - <w, x>) g/s. With a kernel (Theorem 3.3)
w = sum alpha_i x_i with (aI + G) alpha = y, G the Gram matrix of the mistaken rows; the Cholesky
factor of aI + G grows by one line for each.

Cost per trial: one score; O(n^2) on a mistake, most of it one pass over half a matrix, because
terms are applied to A^{-1} many at a time (:mod:`novikoff.engine.symmetric`). With a kernel and S
support vectors: S kernel values; O(S^2) on a mistake.
Guarantee: Theorem 3.1 and Corollary 3.4: the perceptron's bound with the trace of X X' replaced
by (a + u'XX'u) sum ln(1 + lambda_i/a), small where u lies along small eigenvalues.
Departures from the paper: the figure predicts with x_t in the matrix, whose margin is
<w, x>/(1 + <x, A^{-1}x>): the same sign, hence the same mistakes. Decision values here are <w, x>.
A tie counts as a mistake. In aI + x x' rounding takes digits of a as |x|^2/a grows: a row longer
than ``LONGEST`` sqrt(a) is learnt as the row of that length in its direction, which has its sign,
so that the theorems hold for the rows so shortened. Prototypes (the paper is binary): one A and v
a class.

.. [1] Cesa-Bianchi, Conconi, Gentile (2005), A second-order Perceptron algorithm, Figure 3.1 and
   Theorem 3.3.
"""

from typing import Any, Self

import numpy as np

from novikoff.engine.factor import Factor
from novikoff.engine.symmetric import Row, Symmetric
from novikoff.engine.weights import check_like
from novikoff.params import POSITIVE
from novikoff.told_base import TOLD, ToldClassifier

LONGEST = 3e5
"""Length at which rows are cut, in units of sqrt(a): a is 1e-11 of their square there."""


def shrinkage(a: float, square: Any) -> Any:
    """The share of its length that a row of this squared length keeps."""
    return 1.0 / np.maximum(1.0, np.sqrt(square) / (LONGEST * np.sqrt(a)))


class SecondOrderMemory:
    """A^{-1}, by terms of rank one."""

    watches = False
    changed = True

    def __init__(self, inputs: int, a: float) -> None:
        self.a = a
        self.inverse = Symmetric(inputs, 1.0 / a, paired=False)

    def tell(self, row: Row, y: float, f: float, w: np.ndarray) -> np.ndarray:
        """Let a row enter; return the change of w."""
        kept = float(shrinkage(self.a, row.values @ row.values))
        row = row.times(kept)
        g = self.inverse.times(row)
        s = 1.0 + max(row.dot(g), 0.0)
        self.inverse.subtract(g / np.sqrt(s))
        return ((y - kept * f) / s) * g

    def scaled(self, factor: float) -> "SecondOrderMemory":
        """A memory of its own, for a multiple of the hypothesis: A does not know of v."""
        new = SecondOrderMemory(self.inverse.order, self.a)
        new.inverse = self.inverse.copy()
        return new

    def arrays(self) -> dict[str, Any]:
        """All that was learnt, by name."""
        return self.inverse.arrays()

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave."""
        self.inverse.restore(arrays)


class SecondOrderKernelMemory:
    """The Cholesky factor of aI + G, and the shares of their lengths that its rows keep."""

    watches = False
    changed = True

    def __init__(self, a: float) -> None:
        self.a = a
        self.factor = Factor()
        self.kept = np.zeros(0)

    @property
    def n(self) -> int:
        """Rows it was told."""
        return self.factor.n

    def tell(self, k: np.ndarray, q: float, y: float, f: float) -> tuple[float, np.ndarray]:
        """Let a row enter; return its coefficient and the change of the others."""
        kept = float(shrinkage(self.a, q))
        # In real arithmetic no pivot's square is below a.
        z, square = self.factor.extend(kept * self.kept * k, self.a + kept**2 * q, self.a)
        self.factor.back(z)
        step = (y - kept * f) / square
        change = -step * self.kept * z
        self.kept = np.append(self.kept, kept)
        return step * kept, change

    def scaled(self, factor: float) -> Self:
        """A memory of its own, for a multiple of the hypothesis."""
        new = type(self)(self.a)
        new.factor.restore(self.factor.matrix.copy())
        new.kept = self.kept.copy()
        return new

    def arrays(self) -> dict[str, Any]:
        """All that was learnt, by name."""
        return {"L": self.factor.matrix, "kept": self.kept}

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave; ``ValueError`` names what does not fit."""
        self.factor.restore(arrays["L"])
        check_like("kept", arrays["kept"], np.empty(self.n))
        self.kept = arrays["kept"]


class SecondOrderPerceptron(ToldClassifier):
    """Perceptron that sees rows through the inverse correlation matrix of its mistaken rows.

    Directions in which mistaken rows were long count less: good when the classes are told apart
    along directions in which the data varies little.

    Parameters
    ----------
    a : float, default=1.0
        Weight of the identity in the correlation matrix. The larger, the more like the perceptron.
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
        trial tells the true class and its best rival.
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

    Examples
    --------
    Each row is predicted before it is learnt:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import SecondOrderPerceptron
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SecondOrderPerceptron().partial_fit(scale(X), y)
    >>> model.n_seen_, model.n_mistakes_
    (569, 32)
    """

    _parameter_constraints = {**TOLD, "a": POSITIVE}

    def __init__(
        self,
        *,
        a=1.0,
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
        self.a = a
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

    def _memory(self, inputs):
        return SecondOrderMemory(inputs, float(self.a))

    def _kernel_memory(self):
        return SecondOrderKernelMemory(float(self.a))

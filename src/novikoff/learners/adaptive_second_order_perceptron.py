"""The adaptive second-order perceptron, a_k = c R^2 k [1]_.

With X_k the matrix whose columns are the mistaken rows so far, v their sum of y x, R the largest
norm and k = 1 + the number of mistaken rows:

    A = c R^2 k I + X X',   w = A^{-1} v,   a trial is mistaken when y <w, x> <= 0     (Figure 4.1)

Every mistake changes the multiple of the identity, so no formula updates A^{-1}: the paper knows
nothing cheaper than a fresh inversion, O(n^3). But w is a solution of A w = v, and the largest
eigenvalue of X X' is at most its trace, hence at most R^2 k: the eigenvalues of A lie between
c R^2 k and (1 + c) R^2 k, and its condition number is at most kappa = 1 + 1/c, whatever k, n and
the rows are. Conjugate gradients divide the error by

    (sqrt(kappa) + 1) / (sqrt(kappa) - 1)

or more at each step, so that a given precision takes a number of steps that depends on c alone
(from zero to 1e-13: 52 at c = 0.1, 17 at c = 1). They start from the last w, which is near: A and
v change by a k-th of their size. Each step is one product with X X': O(n^2) with the matrix, or
O(nonzeros of the mistaken rows) through the rows, without any matrix. The cheaper one is taken,
so that wide sparse rows never meet an n x n matrix. Up to 128 inputs the system is solved
directly, which is as fast there. With a kernel (c R^2 k I + G) alpha = y, G the Gram matrix of
the mistaken rows, in the same way.

Cost per trial: one score; a handful of products with X X' (or G) on a mistake.
Guarantee: Theorem 4.1.
Departures from the paper: the figure predicts with x_t in the matrix, whose margin is
<w, x>/(1 + <x, A^{-1}x>): the same sign, hence the same mistakes. Decision values here are <w, x>.
``radius=None`` takes R from the mistaken rows so far, so that w changes on mistakes only.
Prototypes (the paper is binary): one A, v and k a class.

.. [1] Cesa-Bianchi, Conconi, Gentile (2005), A second-order Perceptron algorithm, section 4.1.
"""

from typing import Any

import numpy as np
from scipy.linalg.lapack import dposv

from novikoff.engine.conjugate import conjugate_gradients
from novikoff.engine.correlation import SMALL, Correlation
from novikoff.engine.factor import check_square, with_room
from novikoff.engine.symmetric import Row
from novikoff.engine.told import Told
from novikoff.engine.weights import check_like
from novikoff.params import POSITIVE
from novikoff.told_base import TOLD, ToldClassifier

# Share of the radius by which a row may exceed it: norms are rounded, single ones to 1e-7.
SLACK = 1e-6
# Rows whose norms are taken at once.
PIECE = 1024


def solve(
    times: Any, matrix: np.ndarray, a: float, b: np.ndarray, guess: np.ndarray
) -> np.ndarray:
    """Solve (aI + M) x = b from a first guess; ``matrix`` is M where it is small, else unused."""
    if b.size <= SMALL:
        shifted = np.array(matrix, order="F")
        shifted.flat[:: b.size + 1] += a
        _, x, failed = dposv(shifted, b, overwrite_a=1)
        if not failed:
            return x
    # Divided by a, so that the matrix is of size 1 whatever the unit of the rows is.
    return conjugate_gradients(lambda p: p + times(p) / a, b / a, guess)


class AdaptiveMemory:
    """X X', v, the largest squared norm and k."""

    watches = False
    changed = True

    def __init__(self, inputs: int, c: float, radius: float | None) -> None:
        self.c, self.radius = c, radius
        self.correlation = Correlation(inputs)
        self.v = np.zeros(inputs)
        self.square = np.zeros(1)
        self.k = np.ones(1, np.int64)

    def tell(self, row: Row, y: float, f: float, w: np.ndarray) -> np.ndarray:
        """Let a row enter; return the change of w."""
        self.correlation.add(row)
        row.add_to(self.v, y)
        self.k += 1
        self.square[0] = max(self.square[0], float(row.values @ row.values))
        square = self.square[0] if self.radius is None else self.radius**2
        a = self.c * square * int(self.k[0])
        times, matrix = self.correlation.times, self.correlation.matrix.T
        return solve(times, matrix, a, self.v, w) - w

    def scaled(self, factor: float) -> "AdaptiveMemory":
        """A memory of its own, for a multiple of the hypothesis."""
        new = AdaptiveMemory(self.v.size, self.c, self.radius)
        new.correlation, new.v = self.correlation.copy(), factor * self.v
        new.square, new.k = self.square.copy(), self.k.copy()
        return new

    def arrays(self) -> dict[str, Any]:
        """All that was learnt, by name."""
        return {
            **self.correlation.arrays(),
            "v": self.v,
            "square": self.square,
            "k": self.k,
        }

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave; ``ValueError`` names what does not fit."""
        for name in ("v", "square", "k"):
            check_like(name, arrays[name], getattr(self, name))
            setattr(self, name, arrays[name])
        self.correlation.restore(arrays)


class AdaptiveKernelMemory:
    """The Gram matrix of the rows it was told, their signs, and alpha."""

    watches = False
    changed = True

    def __init__(self, c: float, radius: float | None) -> None:
        self.c, self.radius = c, radius
        self.G = np.zeros((0, 0))
        self.signs, self.alpha = np.zeros(0), np.zeros(0)

    @property
    def n(self) -> int:
        """Rows it was told."""
        return self.alpha.size

    def tell(self, k: np.ndarray, q: float, y: float, f: float) -> tuple[float, np.ndarray]:
        """Let a row enter; return its coefficient and the change of the others."""
        n = self.n
        self.G = with_room(self.G, n + 1)
        self.G[n, :n] = self.G[:n, n] = k
        self.G[n, n] = q
        G = self.G[: n + 1, : n + 1]
        square = float(G.diagonal().max()) if self.radius is None else self.radius**2
        self.signs = np.append(self.signs, y)
        a = self.c * square * (n + 2)
        alpha = solve(G.__matmul__, G, a, self.signs, np.append(self.alpha, 0.0))
        change = alpha[:n] - self.alpha
        self.alpha = alpha
        return float(alpha[n]), change

    def scaled(self, factor: float) -> "AdaptiveKernelMemory":
        """A memory of its own, for a multiple of the hypothesis."""
        new = AdaptiveKernelMemory(self.c, self.radius)
        new.G = self.G[: self.n, : self.n].copy()
        new.signs, new.alpha = factor * self.signs, factor * self.alpha
        return new

    def arrays(self) -> dict[str, Any]:
        """All that was learnt, by name."""
        return {"G": self.G[: self.n, : self.n], "signs": self.signs, "alpha": self.alpha}

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave; ``ValueError`` names what does not fit."""
        n = check_square("G", arrays["G"])
        for name in ("signs", "alpha"):
            check_like(name, arrays[name], np.empty(n))
        self.G, self.signs, self.alpha = arrays["G"], arrays["signs"], arrays["alpha"]


class AdaptiveSecondOrderPerceptron(ToldClassifier):
    """Second-order perceptron whose multiple of the identity grows with its mistakes.

    Parameters
    ----------
    c : float, default=0.1
        Weight of the identity: c R^2 (1 + mistakes). The larger, the more like the perceptron, and
        the fewer steps an update takes.
    radius : float, default=None
        R, a bound on the norm of every row, with a kernel sqrt(k(x, x)); a longer row is refused.
        None: the largest among the mistaken rows so far.
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

    See Also
    --------
    SecondOrderPerceptron : a fixed multiple of the identity.

    Examples
    --------
    Each row is predicted before it is learnt:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import AdaptiveSecondOrderPerceptron
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaptiveSecondOrderPerceptron().partial_fit(scale(X), y)
    >>> model.n_seen_, model.n_mistakes_
    (569, 28)
    """

    _parameter_constraints = {**TOLD, "c": POSITIVE, "radius": [*POSITIVE, None]}

    def __init__(
        self,
        *,
        c=0.1,
        radius=None,
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
        self.c = c
        self.radius = radius
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
        return AdaptiveMemory(inputs, float(self.c), self._radius())

    def _kernel_memory(self):
        return AdaptiveKernelMemory(float(self.c), self._radius())

    def _radius(self):
        return None if self.radius is None else float(self.radius)

    def _new_machine(self, form, classes):
        machine = super()._new_machine(form, classes)
        # Single rows, too, take the way on which they are checked.
        machine.guarded = machine.guarded or self.radius is not None
        return machine

    def _run_segments(self, rows, codes, labels, want_decisions):
        self._check_radius(rows)
        return super()._run_segments(rows, codes, labels, want_decisions)

    def _run(self, rows, codes, out):
        self._check_radius(rows)
        super()._run(rows, codes, out)

    def _check_radius(self, rows):
        if self.radius is None:
            return
        bound = (self.radius * (1.0 + SLACK)) ** 2
        for first in range(0, rows.n, PIECE):
            part = rows.part(first, min(rows.n, first + PIECE))
            squares = self._squares(part, first)
            longest = int(np.argmax(squares))
            if squares[longest] > bound:
                raise ValueError(
                    f"radius={self.radius!r} is exceeded by a row of norm "
                    f"{np.sqrt(squares[longest]):.6g} (row {first + longest} of those given): "
                    "give a larger radius, or None"
                )

    def _squares(self, rows, first):
        """Squared norms of rows, as the learner sees them."""
        added = float(bool(self.fit_intercept))
        machine = self._machine
        if not isinstance(machine, Told):
            return machine.store.diagonal(machine.store.load(rows, machine.seen + first)) + added
        X = rows.dense()
        if X is not None:
            return np.einsum("ij,ij->i", X, X, dtype=np.float64) + added
        data = rows.data[rows.indptr[0] : rows.indptr[-1]].astype(np.float64)
        owner = np.repeat(np.arange(rows.n), np.diff(rows.indptr))
        return np.bincount(owner, data * data, rows.n) + added

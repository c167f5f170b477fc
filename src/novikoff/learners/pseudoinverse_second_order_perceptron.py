"""The second-order perceptron with the pseudo-inverse, which has no parameter [1]_.

With X_k the matrix whose columns are the k mistaken rows so far, and v_k the sum of their y x:

    margin = v_k' (S S')^+ x with S = [X_k x];  a trial is mistaken when y margin <= 0 (Figure 4.2)

Where x lies in the span of X_k, the margin has the sign of <w, x>, w = (X_k X_k')^+ v_k
(Lemma D.1). Outside of it the margin is 0, whatever <w, x> is, and the trial is mistaken; there
:meth:`run_trials` returns 0, while ``decision_function`` and ``predict`` show <w, x> everywhere.

w is the shortest solution of least squares <w, x_i> = y_i over the mistaken rows. It is kept by a
basis Q of their span and a triangular factor in its coordinates: a row outside adds a vector to
the basis, and each row is turned into the factor by rotations (:mod:`novikoff.engine.triangular`).
That is the rank-revealing update of Appendix D, with errors that grow with the condition number
of X_k instead of its square. A row lies outside when its distance to the span exceeds
``TOLERANCE`` times its length; a nearer one counts with its projection.
With a kernel w = sum alpha_i x_i with alpha = G^+ y, G the Gram matrix of the mistaken rows; the
basis is that of a Cholesky factor over those rows that were outside when they entered. A row's
squared distance is a difference of kernel values there: what their rounding alone may leave,
``ROUNDING`` times (|x| + sum |b_i| |x_i|)^2 for the nearest point sum b_i x_i, is not outside.
Where rows that count with their projection would change w by entering with themselves (alpha is
huge when G is nearly singular), the basis alone carries w, and their coefficients are 0.

Cost per trial: one score, and as long as the rank r is below the number of inputs O(nr) for the
distance, by blocks; O(nr + r^2) on a mistake. With a kernel and S support vectors: S kernel
values, O(r^2) for the distance; O(S r + r^2) on a mistake.
Guarantee: Theorem 4.2.
Departures from the paper: P0 says that leaving x out of the matrix only rescales the margin: so
it is inside the span. Prototypes (the paper is binary): one matrix and v a class.

.. [1] Cesa-Bianchi, Conconi, Gentile (2005), A second-order Perceptron algorithm, section 4.2 and
   Appendix D.
"""

from typing import Any

import numpy as np

from novikoff.engine.factor import Factor
from novikoff.engine.stores import enlarged
from novikoff.engine.symmetric import Row
from novikoff.engine.triangular import LeastSquares
from novikoff.engine.weights import check_like
from novikoff.told_base import TOLD, ToldClassifier

TOLERANCE = 1e-6
"""A row is outside of a span when its distance to it exceeds this share of its length."""
# A combination of rows stands for one of their projections when these are as near, relative to w.
NEAR = 1e-4
# Share of |x| |z| by which a kernel value k(x, z) may be wrong.
ROUNDING = 4e-15


class PseudoinverseMemory:
    """An orthonormal basis of the rows it was told, and their equations in its coordinates."""

    changed = True

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.Q = np.zeros((0, inputs))  # a line a vector of the basis, with room below
        self.equations = LeastSquares(combining=False)
        self.rests = np.zeros((0, inputs))  # of the rows that are watched, outside of the span
        self.squares = np.zeros(0)

    @property
    def rank(self) -> int:
        """Dimension of the span."""
        return self.equations.rank

    @property
    def watches(self) -> bool:
        """Whether a row may lie outside."""
        return self.rank < self.inputs

    def outside(self, X: np.ndarray) -> np.ndarray:
        """Which rows lie outside the span."""
        Q = self.Q[: self.rank]
        self.rests = X - (X @ Q.T) @ Q
        self.squares = np.einsum("ij,ij->i", X, X)
        return self._mask(0)

    def _mask(self, first: int) -> np.ndarray:
        rests = self.rests[first:]
        squares = np.einsum("ij,ij->i", rests, rests)
        return squares > TOLERANCE**2 * self.squares[first:]

    def still_outside(self, t: int) -> np.ndarray:
        """Which rows after row t, which was told, lie outside."""
        if self.rank:
            q = self.Q[self.rank - 1]
            self.rests[t + 1 :] -= np.outer(self.rests[t + 1 :] @ q, q)
        return self._mask(t + 1)

    def tell(self, row: Row, y: float, f: float, w: np.ndarray) -> np.ndarray:
        """Let a row enter; return the change of w."""
        x, r = row.dense(), self.rank
        scale = float(np.abs(x).max())
        x = x / scale  # lengths neither over- nor underflow
        Q = self.Q[:r]
        z = Q @ x
        rest = x - z @ Q
        # Once more: what the first projection left in the span is rounding of its size.
        more = Q @ rest
        rest -= more @ Q
        z += more
        distance = float(np.sqrt(rest @ rest))
        if r < self.inputs and distance > TOLERANCE * float(np.sqrt(x @ x)):
            if r == len(self.Q):
                self.Q = enlarged(self.Q, min(self.inputs, max(8, 2 * r)))
            self.Q[r] = rest / distance
            z = np.append(z, distance)
        s = self.equations.add(scale * z, y)
        return s @ self.Q[: s.size] - w

    def scaled(self, factor: float) -> "PseudoinverseMemory":
        """A memory of its own, for a multiple of the hypothesis."""
        new = PseudoinverseMemory(self.inputs)
        new.Q = self.Q[: self.rank].copy()
        new.equations = self.equations.scaled(factor)
        return new

    def arrays(self) -> dict[str, Any]:
        """All that was learnt, by name."""
        return {"Q": self.Q[: self.rank], **self.equations.arrays()}

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave; ``ValueError`` names what does not fit."""
        self.equations.restore(arrays)
        check_like("Q", arrays["Q"], np.empty((self.rank, self.inputs)))
        self.Q = arrays["Q"]


class PseudoinverseKernelMemory:
    """A Cholesky factor over the rows that were outside, and all rows in its coordinates."""

    watches = True
    changed = True

    def __init__(self) -> None:
        self.factor = Factor()
        self.basis = np.zeros(0, np.int64)  # which of the rows it was told
        self.equations = LeastSquares(combining=True)
        self.alpha = np.zeros(0)
        self.off = np.zeros(0)  # distances from the span of rows that count with their projection
        self.grew = False
        # Of the rows that are watched: coordinates, coefficients over the basis, |x|^2, and what
        # of it lies outside.
        self.V, self.coefficients = np.zeros((0, 0)), np.zeros((0, 0))
        self.squares, self.rests = np.zeros(0), np.zeros(0)

    @property
    def n(self) -> int:
        """Rows it was told."""
        return self.alpha.size

    def outside(self, K: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Which rows lie outside the span."""
        self.V = K[self.basis]
        self.factor.solve(self.V)
        self.coefficients = self.V.copy()
        self.factor.back(self.coefficients)
        self.rests = q - np.einsum("ij,ij->j", self.V, self.V)
        self.squares = q
        return self._exceeds(self.rests, self.coefficients, q)

    def still_outside(self, t: int, own: np.ndarray) -> np.ndarray:
        """Which rows after row t, which was told, lie outside."""
        if self.grew:
            # The line of L itself, not the row's own column of V: as in a forward substitution,
            # small pivots then amplify no difference between the two.
            line = self.factor.matrix[-1]
            z, pivot = line[:-1].copy(), line[-1]
            along = (own - z @ self.V) / pivot
            self.factor.back(z)
            self.coefficients -= np.outer(z, along / pivot)
            self.coefficients = np.vstack([self.coefficients, along / pivot])
            self.V = np.vstack([self.V, along])
            self.rests -= along**2
        return self._exceeds(
            self.rests[t + 1 :], self.coefficients[:, t + 1 :], self.squares[t + 1 :]
        )

    def _exceeds(self, rests: Any, coefficients: np.ndarray, squares: Any) -> Any:
        """Whether rests are distances from the span, and not what rounding leaves of them.

        rest = q - k'G^{-1}k with kernel values that are wrong by a rounding each.
        """
        L = self.factor.matrix
        lengths = np.sqrt(np.einsum("ij,ij->i", L, L))
        size = np.sqrt(squares) + lengths @ np.abs(coefficients)
        return rests > np.maximum(TOLERANCE**2 * squares, ROUNDING * size**2)

    def tell(self, k: np.ndarray, q: float, y: float, f: float) -> tuple[float, np.ndarray]:
        """Let a row enter; return its coefficient and the change of the others."""
        n = self.n
        alpha = self._coefficients(self.equations.add(self.enter(k[self.basis], q), y))
        change = alpha[:n] - self.alpha
        self.alpha = alpha
        return float(alpha[n]), change

    def enter(self, k: np.ndarray, q: float) -> np.ndarray:
        """Coordinates of a row that enters; where it lies outside, the basis grows by it.

        k holds its kernel values with the basis.
        """
        z = np.array(k, np.float64)
        self.factor.solve(z)
        coefficients = z.copy()
        self.factor.back(coefficients)
        rest = q - float(z @ z)
        self.grew = bool(self._exceeds(rest, coefficients, q))
        if self.grew:
            z = self.factor.append(z, np.sqrt(rest))
            self.basis = np.append(self.basis, self.off.size)
        self.off = np.append(self.off, 0.0 if self.grew else np.sqrt(max(rest, 0.0)))
        return z

    def _coefficients(self, s: np.ndarray) -> np.ndarray:
        """Alpha of the w that has these coordinates."""
        if s.size < self.off.size:
            alpha = self.equations.combination(s)
            if np.abs(alpha) @ self.off <= NEAR * float(np.sqrt(s @ s)):
                return alpha
        alpha = np.zeros(self.off.size)
        self.factor.back(s)
        alpha[self.basis] = s
        return alpha

    def scaled(self, factor: float) -> "PseudoinverseKernelMemory":
        """A memory of its own, for a multiple of the hypothesis."""
        new = PseudoinverseKernelMemory()
        new.restore({name: values.copy() for name, values in self.arrays().items()})
        new.equations = self.equations.scaled(factor)
        new.alpha *= factor
        return new

    def arrays(self) -> dict[str, Any]:
        """All that was learnt, by name."""
        return {
            "L": self.factor.matrix,
            "basis": self.basis,
            "alpha": self.alpha,
            "off": self.off,
            **self.equations.arrays(),
        }

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave; ``ValueError`` names what does not fit."""
        self.equations.restore(arrays)
        self.factor.restore(arrays["L"])
        rank, n, basis = self.equations.rank, len(arrays["alpha"]), arrays["basis"]
        check_like("L", arrays["L"], np.empty((rank, rank)))
        check_like("alpha", arrays["alpha"], np.empty(n))
        check_like("off", arrays["off"], np.empty(n))
        if self.equations.n != n:
            raise ValueError(f"has Q of {self.equations.n} rows instead of {n}")
        check_like("basis", basis, np.empty(rank, np.int64))
        if rank and not (basis.min() >= 0 and basis.max() < n):
            raise ValueError("has a basis of rows it does not have")
        self.basis, self.alpha, self.off = basis, arrays["alpha"], arrays["off"]


class PseudoinverseSecondOrderPerceptron(ToldClassifier):
    """Second-order perceptron without a parameter: the pseudo-inverse of its mistaken rows.

    Parameters
    ----------
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
    SecondOrderPerceptron : a multiple of the identity added, so that no row lies outside.

    Examples
    --------
    A row that shares no feature with those before it lies outside of their span, and its trial is
    mistaken with the decision 0:

    >>> import numpy as np
    >>> from novikoff import PseudoinverseSecondOrderPerceptron
    >>> X = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 1.0], [0.0, 3.0]])
    >>> model = PseudoinverseSecondOrderPerceptron()
    >>> model.run_trials(X, [1, 1, 0, 0], classes=[0, 1])
    array([ 0.,  2.,  0., -6.])
    >>> model.coef_
    array([[ 1., -2.]])
    """

    _parameter_constraints = TOLD

    def __init__(
        self,
        *,
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
        return PseudoinverseMemory(inputs)

    def _kernel_memory(self):
        return PseudoinverseKernelMemory()

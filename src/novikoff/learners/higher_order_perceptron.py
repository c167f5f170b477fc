"""The higher-order perceptron HO_p(c) [1]_.

With g the gradient of half the squared p-norm (the identity for p = 2), x^ = x/|x|_p, v = 0 and
B = I at first, and k counting mistakes from 1:

    w = B' g(B v)
    if y <w, x> <= 0:  v <- v + y x^,   B <- B (I - rho_k x^ g(x^)'),   rho_k = c/k    (section 2)

With ``sparse_updates``, rho_k is c/k where y <v, x^> >= 0 (before the step) and else 0, so that
B stays as it is; k counts mistakes either way (section 4).

Three representations, one algorithm (section 2): *primal* (p = 2) keeps A = B'B; *dual* (p = 2,
kernels) w = X g with g = y + D h, h = X'X y, A = I + X D X', a line of D a mistake; *implicit*
(any p) the factors of B.
Cost per trial: one score, because w is kept. A mistake costs O(n^2) primal, O(s^2) dual for the s
mistakes that changed the matrix, and O(nonzeros of those s rows) implicit.
Guarantee: Theorem 1: the perceptron's bound on transformed rows, which tend to be separated by a
larger margin.
Departures from the paper: a tie counts as a mistake; a zero row changes nothing, k included.
Without ``normalize`` x^ is x, and the 1 = <x^, x^> of d_kk and h_k is k(x, x). Prototypes (the
paper is binary): one B, v and k a class.

.. [1] Brotto, Gentile, Vitale (2007), On higher-order Perceptron algorithms, sections 2 and 4.
"""

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from novikoff.engine.factor import check_square, with_room
from novikoff.engine.product import Product
from novikoff.engine.stores import enlarged
from novikoff.engine.symmetric import Row, Symmetric
from novikoff.engine.weights import check_like
from novikoff.params import FLAG
from novikoff.told_base import TOLD, ToldClassifier

# With kernel=None and p = 2, rows wider than this keep the factors of B instead of a matrix.
PRIMAL_WIDTH = 2048


class HigherOrderParams:
    """What every representation needs, and the rule of rho_k."""

    def __init__(self, p: float, c: float, sparse_updates: bool, normalize: bool) -> None:
        self.p, self.c = p, c
        self.sparse_updates, self.normalize = sparse_updates, normalize

    def rho(self, k: int, y: float, vx: float) -> float:
        """rho_k of a mistaken row of sign y whose inner product with v is vx."""
        return 0.0 if self.sparse_updates and y * vx < 0.0 else self.c / k

    def unit(self, row: Row) -> Row:
        """The row as the algorithm sees it."""
        return row.times(1.0 / norm_p(row.values, self.p)) if self.normalize else row


def norm_p(x: np.ndarray, p: float) -> float:
    """The p-norm, by its largest entry: powers neither over- nor underflow."""
    largest = float(np.abs(x).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    if p == 2.0:
        return largest * float(np.sqrt(np.sum(np.square(x / largest))))
    return largest * float(np.sum((np.abs(x) / largest) ** p)) ** (1.0 / p)


def link(theta: np.ndarray, p: float) -> np.ndarray:
    """The gradient of half the squared p-norm."""
    norm = norm_p(theta, p)
    if p == 2.0 or norm == 0.0:
        return theta.copy()
    return np.sign(theta) * (np.abs(theta) / norm) ** (p - 1.0) * norm


class PrimalMemory:
    """v and A = B'B."""

    watches = False

    def __init__(self, inputs: int, params: HigherOrderParams) -> None:
        self.params = params
        self.A = Symmetric(inputs, 1.0, paired=True)
        self.v = np.zeros(inputs)
        self.k = np.ones(1, np.int64)
        self.changed = False

    def tell(self, row: Row, y: float, f: float, w: np.ndarray) -> np.ndarray:
        """Let a row enter; return the change of w."""
        x = self.params.unit(row)
        rho = self.params.rho(int(self.k[0]), y, x.dot(self.v))
        x.add_to(self.v, y)
        u = self.A.times(x)
        self.k += 1
        self.changed = rho > 0.0
        change = y * u
        if self.changed:
            # A loses rho (u x' + x u') - rho^2 <x, u> x x', and w = A v.
            s, xv, uv = x.dot(u), x.dot(self.v), float(u @ self.v)
            change -= (rho * xv) * u
            x.add_to(change, rho**2 * s * xv - rho * uv)
            u *= rho
            x.add_to(u, -0.5 * rho**2 * s)
            self.A.subtract(u, x.dense())
        return change

    def scaled(self, factor: float) -> "PrimalMemory":
        """A memory of its own, for a multiple of the hypothesis."""
        new = PrimalMemory(self.v.size, self.params)
        new.A, new.v, new.k = self.A.copy(), factor * self.v, self.k.copy()
        return new

    def arrays(self) -> dict[str, Any]:
        """All that was learnt, by name."""
        return {**self.A.arrays(), "v": self.v, "k": self.k}

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave."""
        restore_vectors(self, arrays)
        self.A.restore(arrays)


class ImplicitMemory:
    """v and the factors of B."""

    watches = False

    def __init__(self, inputs: int, params: HigherOrderParams) -> None:
        self.params = params
        self.B = Product(inputs)
        self.v = np.zeros(inputs)
        self.k = np.ones(1, np.int64)
        self.changed = False

    def tell(self, row: Row, y: float, f: float, w: np.ndarray) -> np.ndarray:
        """Let a row enter; return the change of w."""
        p = self.params.p
        x = self.params.unit(row)
        rho = self.params.rho(int(self.k[0]), y, x.dot(self.v))
        x.add_to(self.v, y)
        self.k += 1
        self.changed = rho > 0.0
        if self.changed:
            self.B.append(rho, x, link(x.values, p))
        return self.B.transposed_times(link(self.B.times(self.v), p)) - w

    def scaled(self, factor: float) -> "ImplicitMemory":
        """A memory of its own, for a multiple of the hypothesis: the link is homogeneous."""
        new = ImplicitMemory(self.v.size, self.params)
        new.B.restore({name: values.copy() for name, values in self.B.arrays().items()})
        new.v, new.k = factor * self.v, self.k.copy()
        return new

    def arrays(self) -> dict[str, Any]:
        """All that was learnt, by name."""
        return {**self.B.arrays(), "v": self.v, "k": self.k}

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave."""
        restore_vectors(self, arrays)
        self.B.restore(arrays)


def restore_vectors(memory: Any, arrays: dict[str, Any]) -> None:
    """Take back v and k; ``ValueError`` names what does not fit."""
    for name in ("v", "k"):
        check_like(name, arrays[name], getattr(memory, name))
        setattr(memory, name, arrays[name])


class DualMemory:
    """Signs, lengths and h of the rows it was told, and D and D h of those that changed B."""

    watches = False

    def __init__(self, params: HigherOrderParams) -> None:
        self.params = params
        self.n = 0
        self.signs, self.lengths, self.h = np.zeros(0), np.zeros(0), np.zeros(0)
        self.active = np.zeros(0, np.int64)
        self.D, self.Dh = np.zeros((0, 0)), np.zeros(0)
        self.changed = False

    def tell(self, k: np.ndarray, q: float, y: float, f: float) -> tuple[float, np.ndarray]:
        """Let a row enter; return its coefficient and the change of the others."""
        n, s, active = self.n, self.active.size, self.active
        length = float(np.sqrt(q)) if self.params.normalize else 1.0
        row, square = k / (self.lengths[:n] * length), q / length**2  # X'x and <x, x>
        vx = float(self.signs[:n] @ row)
        rho = self.params.rho(n + 1, y, vx)
        near = row[active]
        b = self.D[:s, :s] @ near
        if n == self.signs.size:
            for name in ("signs", "lengths", "h"):
                setattr(self, name, enlarged(getattr(self, name), max(64, n + 1)))
        self.h[:n] += y * row
        last = vx + y * square
        self.signs[n], self.lengths[n], self.h[n] = y, length, last
        self.n = n + 1
        step = y * b
        own = 0.0
        self.changed = rho > 0.0
        if self.changed:
            corner = rho**2 * float(near @ b) - 2.0 * rho + rho**2 * square
            step -= (rho * last) * b
            own = corner * last - rho * float(b @ self.h[active])
            self.D = with_room(self.D, s + 1)
            self.D[s, :s] = self.D[:s, s] = -rho * b
            self.D[s, s] = corner
        self.Dh += step
        change = np.zeros(n)
        change[active] = step / self.lengths[active]
        if self.changed:
            self.active = np.append(active, n)
            self.Dh = np.append(self.Dh, own)
        return (y + own) / length, change

    def scaled(self, factor: float) -> "DualMemory":
        """A memory of its own, for a multiple of the hypothesis."""
        new = DualMemory(self.params)
        new.restore({name: values.copy() for name, values in self.arrays().items()})
        for name in ("signs", "h", "Dh"):
            setattr(new, name, factor * getattr(new, name))
        return new

    def arrays(self) -> dict[str, Any]:
        """All that was learnt, by name."""
        n, s = self.n, self.active.size
        return {
            **{name: getattr(self, name)[:n] for name in ("signs", "lengths", "h")},
            "active": self.active,
            "D": self.D[:s, :s],
            "Dh": self.Dh,
        }

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave; ``ValueError`` names what does not fit."""
        n, s, active = len(arrays["signs"]), check_square("D", arrays["D"]), arrays["active"]
        for name in ("signs", "lengths", "h"):
            check_like(name, arrays[name], np.empty(n))
        check_like("active", active, np.empty(s, np.int64))
        check_like("Dh", arrays["Dh"], np.empty(s))
        if s and not (active.min() >= 0 and active.max() < n):
            raise ValueError("has a matrix over rows it does not have")
        self.n = n
        for name in ("signs", "lengths", "h", "active", "D", "Dh"):
            setattr(self, name, arrays[name])


class HigherOrderPerceptron(ToldClassifier):
    """Perceptron that shrinks, at each mistake, the direction of the mistaken row.

    Rows to come are seen through the product of all those shrinkings.

    Parameters
    ----------
    p : float, default=2.0
        The norm, at least 2. Larger values suit targets with fewer relevant features; a kernel
        form exists for p = 2.
    c : float, default=0.4
        How much is shrunk, at least 0 and below 1: rho_k = c/k at the k-th mistake. 0 is the
        p-norm perceptron.
    sparse_updates : bool, default=False
        Change the matrix only on mistakes that v alone, the sum of the mistaken rows, would not
        have made.
    representation : {"auto", "primal", "dual", "implicit"}, default="auto"
        How the matrix is kept: itself (p = 2), by coefficients of stored rows (p = 2, what a
        kernel needs; without one it is the linear kernel's), or as the product it is. It does not
        change what is learnt. "auto" takes "dual" with a kernel, "primal" for p = 2 and up to 2048
        features, else "implicit".
    normalize : bool, default=True
        Learn x/|x|_p; with a kernel, x/sqrt(k(x, x)).
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

    n_matrix_updates_ : int
        Binary updates that changed the matrix, summed over classes.

    See Also
    --------
    PNormPerceptron : the case c = 0, where steps cost no more than the row's nonzeros.
    SecondOrderPerceptron : the inverse correlation matrix instead of a product.

    Examples
    --------
    Each row is predicted before it is learnt:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import HigherOrderPerceptron
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = HigherOrderPerceptron(sparse_updates=True).partial_fit(scale(X), y)
    >>> model.n_seen_, model.n_mistakes_, model.n_matrix_updates_
    (569, 32, 15)
    """

    _parameter_constraints = {
        **TOLD,
        "p": [Interval(Real, 2, None, closed="left")],
        "c": [Interval(Real, 0, 1, closed="left")],
        "sparse_updates": FLAG,
        "representation": [StrOptions({"auto", "primal", "dual", "implicit"})],
        "normalize": FLAG,
    }

    def __init__(
        self,
        *,
        p=2.0,
        c=0.4,
        sparse_updates=False,
        representation="auto",
        normalize=True,
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
        self.c = c
        self.sparse_updates = sparse_updates
        self.representation = representation
        self.normalize = normalize
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

    def _kernel_in_use(self):
        return "linear" if self.kernel is None and self.representation == "dual" else self.kernel

    def _check(self):
        super()._check()
        if self.kernel is not None and self.p > 2:
            raise ValueError(
                f"kernel={self.kernel!r} goes with p=2 only, got p={self.p!r}: use kernel=None "
                "or p=2"
            )
        if self.kernel is not None and self.representation not in ("auto", "dual"):
            raise ValueError(
                f"representation={self.representation!r} does not go with "
                f"kernel={self.kernel!r}: use 'dual' or 'auto'"
            )
        if self.p > 2 and self.representation in ("primal", "dual"):
            raise ValueError(
                f"representation={self.representation!r} goes with p=2 only, got p={self.p!r}: "
                "use 'implicit' or 'auto'"
            )

    def _params(self):
        return HigherOrderParams(
            float(self.p), float(self.c), bool(self.sparse_updates), bool(self.normalize)
        )

    def _memory(self, inputs):
        wide = inputs - bool(self.fit_intercept) > PRIMAL_WIDTH
        if self.representation == "primal" or (
            self.representation == "auto" and self.p == 2 and not wide
        ):
            return PrimalMemory(inputs, self._params())
        return ImplicitMemory(inputs, self._params())

    def _kernel_memory(self):
        return DualMemory(self._params())

    @property
    def n_matrix_updates_(self) -> int:
        """Binary updates that changed the matrix, summed over classes."""
        return int(self._fitted().matrix_updates[0])

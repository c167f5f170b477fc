"""Kernels: linear, rbf, polynomial, precomputed, and the user's own.

The built-in kernels are a map of inner products between features, ``finish(left(x).right(z))``,
so that a whole panel of values is one matrix product and one pass over it. A kernel of your own is
any function ``k(A, B) -> matrix`` of two sets of rows, or a subclass of :class:`Kernel`.
"""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np

from novikoff.modelfile import check_fields

__all__ = [
    "RBF",
    "FunctionKernel",
    "Kernel",
    "Linear",
    "Polynomial",
    "Precomputed",
    "ProductKernel",
    "resolve_kernel",
]

# Rows of a user's kernel whose values with themselves are asked for in one call.
DIAGONAL_ROWS = 32


class Kernel:
    """A positive semidefinite function of two rows.

    A subclass gives :meth:`__call__`. Built-in kernels are :class:`ProductKernel`; they need no
    loop in Python and accept wide sparse rows.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import Perceptron
    >>> from novikoff.kernels import Kernel
    >>> class Intersection(Kernel):
    ...     def __call__(self, A, B):
    ...         return np.minimum(A[:, None, :], B[None, :, :]).sum(axis=2)
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), [0, 1]
    >>> Perceptron(kernel=Intersection()).fit(X, y).n_support_
    2
    """

    def __call__(self, A: Any, B: Any) -> np.ndarray:
        """Values between rows of A and rows of B, shape (len(A), len(B))."""
        raise TypeError(f"{type(self).__name__} must define __call__(A, B)")

    def diagonal(self, A: Any) -> np.ndarray:
        """Values k(a, a) of each row with itself."""
        # A call for each row would cost more than the values beside the diagonal.
        parts = [A[i : i + DIAGONAL_ROWS] for i in range(0, A.shape[0], DIAGONAL_ROWS)]
        return np.concatenate([np.zeros(0), *(self.values(Z, Z).diagonal() for Z in parts)])

    def values(self, A: Any, B: Any) -> np.ndarray:
        """What :meth:`__call__` gives, in double precision and checked."""
        return self.checked(A, B).astype(np.float64, copy=False)

    def checked(self, A: Any, B: Any) -> np.ndarray:
        """What :meth:`__call__` gives, in its own precision; ``ValueError`` names the kernel."""
        given = self(A, B)
        try:
            K = np.asarray(given)
            if K.dtype.kind == "c":
                raise TypeError("numbers are complex")
            if K.dtype != np.float32:
                K = K.astype(np.float64, copy=False)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"kernel returned a {type(given).__name__} that is no matrix of numbers: {error}"
            ) from error
        if K.shape != (A.shape[0], B.shape[0]):
            raise ValueError(
                f"kernel returned shape {K.shape} for {A.shape[0]} and {B.shape[0]} rows; it must "
                f"return ({A.shape[0]}, {B.shape[0]})"
            )
        if not np.isfinite(K).all():
            raise ValueError("kernel returned NaN or infinity")
        return K

    def to_tree(self) -> dict[str, Any]:
        """The parameters as plain values, for model files; ``TypeError`` where that cannot be."""
        raise TypeError(f"{type(self).__name__} holds code, which a file cannot hold")

    @classmethod
    def from_tree(cls, tree: Any) -> Self:
        """Take back what :meth:`to_tree` gave."""
        raise ValueError(f"{cls.__name__} cannot come from a file")


class ProductKernel(Kernel):
    """A kernel that is a map of inner products: ``k = finish(left(x) . right(z))``.

    ``left`` and ``right`` append columns or scale; the first columns of ``left(X)`` are X itself.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.kernels import RBF, Polynomial, ProductKernel
    >>> [issubclass(kind, ProductKernel) for kind in (RBF, Polynomial)]
    [True, True]
    >>> RBF(gamma=0.5)(np.zeros((1, 2)), np.array([[0.0, 0.0], [0.0, 2.0]])).round(3)
    array([[1.   , 0.135]])
    """

    #: Columns that ``left`` appends.
    extra: ClassVar[int] = 0
    # What a model file keeps: the names and types of the constructor's parameters.
    _fields: ClassVar[dict[str, type]] = {}

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{type(self).__name__}({given})"

    def to_tree(self) -> dict[str, Any]:
        """The parameters as plain values, for model files."""
        return {name: getattr(self, name) for name in self._fields}

    @classmethod
    def from_tree(cls, tree: Any) -> Self:
        """Take back what :meth:`to_tree` gave."""
        check_fields(tree, cls._fields, cls.__name__)
        return cls(**tree)

    def left(self, X: np.ndarray, out: np.ndarray) -> None:
        """Write the features of stored rows into ``out``."""
        out[:] = X

    def right(self, X: np.ndarray) -> np.ndarray:
        """Features of rows that stored rows are compared with."""
        return X

    def finish(self, P: np.ndarray, right: np.ndarray | None = None) -> None:
        """Turn products of features into kernel values, in place; ``right`` is what gave them."""

    def from_products(self, P: np.ndarray, left_sq: np.ndarray, right_sq: np.ndarray) -> None:
        """Turn plain inner products into kernel values, in place, given squared norms."""

    def diagonal_from(self, squares: np.ndarray) -> np.ndarray:
        """Values k(x, x), given squared norms."""
        return squares

    def largest(self, square: float) -> float:
        """Bound on the numbers met among rows of squared norm up to this one."""
        return square

    def diagonal(self, A: np.ndarray) -> np.ndarray:
        """Values k(a, a) of each row with itself."""
        return self.diagonal_from(np.einsum("ij,ij->i", A, A, dtype=np.float64))

    def __call__(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """Values between rows of A and rows of B."""
        features = np.empty((A.shape[0], A.shape[1] + self.extra), A.dtype)
        self.left(A, features)
        P = features @ self.right(B).T
        self.finish(P)
        return P


class Linear(ProductKernel):
    """The inner product, x . z.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.kernels import Linear
    >>> Linear()(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    array([[11.]])
    """


class RBF(ProductKernel):
    """The Gaussian kernel, exp(-gamma |x - z|^2).

    Parameters
    ----------
    gamma : float
        Inverse squared width, positive. Larger values make the kernel more local.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.kernels import RBF
    >>> RBF(gamma=0.5)(np.array([[0.0]]), np.array([[0.0], [2.0]])).round(4)
    array([[1.    , 0.1353]])
    """

    extra = 2
    _fields: ClassVar[dict[str, type]] = {"gamma": float}

    def __init__(self, gamma: float) -> None:
        self.gamma = positive("gamma", gamma)

    # The exponent -gamma (|x|^2 + |z|^2 - 2 x.z) is itself one inner product of longer rows.

    def left(self, X: np.ndarray, out: np.ndarray) -> None:
        """Write [x, -gamma |x|^2, 1] into ``out``."""
        out[:, :-2] = X
        out[:, -2] = -self.gamma * np.einsum("ij,ij->i", X, X)
        out[:, -1] = 1.0

    def right(self, X: np.ndarray) -> np.ndarray:
        """Rows [2 gamma x, 1, -gamma |x|^2]."""
        out = np.empty((X.shape[0], X.shape[1] + 2), X.dtype)
        np.multiply(X, 2.0 * self.gamma, out=out[:, :-2])
        out[:, -2] = 1.0
        out[:, -1] = -self.gamma * np.einsum("ij,ij->i", X, X)
        return out

    def finish(self, P: np.ndarray, right: np.ndarray | None = None) -> None:
        """Exponentiate in place."""
        # No squared distance is negative; what rounding makes of one between long rows may be.
        long = 1e-8 / np.finfo(P.dtype).eps
        if right is None or right[:, -1].min(initial=0.0) < -long:
            np.minimum(P, 0.0, out=P)
        np.exp(P, out=P)

    def from_products(self, P: np.ndarray, left_sq: np.ndarray, right_sq: np.ndarray) -> None:
        """Exponentiate -gamma times the squared distances, in place."""
        P *= 2.0
        P -= left_sq[:, None]
        P -= right_sq
        P *= self.gamma
        self.finish(P)

    def largest(self, square: float) -> float:
        """Bound on the parts of the exponent."""
        return max(1.0, self.gamma) * 4.0 * square

    def diagonal_from(self, squares: np.ndarray) -> np.ndarray:
        """Ones."""
        return np.ones(squares.shape)


class Polynomial(ProductKernel):
    """The polynomial kernel, (gamma x . z + coef0)^degree.

    Parameters
    ----------
    gamma : float
        Factor of the inner product, positive.
    degree : int, default=3
        At least 1.
    coef0 : float, default=1.0
        Not negative, or the kernel would not be positive semidefinite.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.kernels import Polynomial
    >>> Polynomial(gamma=1.0, degree=2)(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    array([[144.]])
    """

    extra = 1
    _fields: ClassVar[dict[str, type]] = {"gamma": float, "degree": int, "coef0": float}

    def __init__(self, gamma: float, degree: int = 3, coef0: float = 1.0) -> None:
        self.gamma = positive("gamma", gamma)
        if not is_number(degree, Integral) or degree < 1:
            raise ValueError(f"degree must be an integer of at least 1, got {degree!r}")
        if not is_number(coef0, Real) or not 0 <= coef0 < np.inf:
            raise ValueError(f"coef0 must be a number of at least 0, got {coef0!r}")
        self.degree, self.coef0 = int(degree), float(coef0)

    def left(self, X: np.ndarray, out: np.ndarray) -> None:
        """Write [x, 1] into ``out``."""
        out[:, :-1] = X
        out[:, -1] = 1.0

    def right(self, X: np.ndarray) -> np.ndarray:
        """Rows [gamma x, coef0]."""
        out = np.empty((X.shape[0], X.shape[1] + 1), X.dtype)
        np.multiply(X, self.gamma, out=out[:, :-1])
        out[:, -1] = self.coef0
        return out

    def finish(self, P: np.ndarray, right: np.ndarray | None = None) -> None:
        """Raise to the degree in place, by repeated squaring."""
        rest = self.degree - 1
        base = P.copy() if rest else P
        while rest:
            if rest & 1:
                P *= base
            rest >>= 1
            if rest:
                base *= base

    def from_products(self, P: np.ndarray, left_sq: np.ndarray, right_sq: np.ndarray) -> None:
        """Raise gamma P + coef0 to the degree, in place."""
        P *= self.gamma
        P += self.coef0
        self.finish(P)

    def largest(self, square: float) -> float:
        """Bound on the values and on the products they come from."""
        base = max(1.0, self.gamma) * (square + self.coef0) + 1.0
        try:
            return base**self.degree
        except OverflowError:
            return np.inf

    def diagonal_from(self, squares: np.ndarray) -> np.ndarray:
        """Values (gamma |x|^2 + coef0)^degree."""
        return (self.gamma * squares + self.coef0) ** self.degree


class Precomputed(Kernel):
    """Kernel values that are given instead of rows: square in ``fit``, later rows x training rows.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import Perceptron
    >>> X, y = np.array([[1.0], [2.0], [-1.0]]), [1, 1, 0]
    >>> Perceptron(kernel="precomputed").fit(X @ X.T, y).predict([[2.0, 4.0, -2.0]])
    array([1])
    """

    def to_tree(self) -> dict[str, Any]:
        """Nothing: the values themselves are no parameters."""
        return {}

    @classmethod
    def from_tree(cls, tree: Any) -> Self:
        """Take back what :meth:`to_tree` gave."""
        check_fields(tree, {}, cls.__name__)
        return cls()


class FunctionKernel(Kernel):
    """A user's function as a kernel.

    Parameters
    ----------
    function : callable
        ``function(A, B)`` returns the values between rows of A and rows of B.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.kernels import FunctionKernel
    >>> kernel = FunctionKernel(lambda A, B: (A @ B.T) ** 2)
    >>> kernel(np.array([[1.0, 2.0]]), np.array([[3.0, 0.0]]))
    array([[9.]])
    """

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self.function = function

    def __call__(self, A: Any, B: Any) -> np.ndarray:
        """Values between rows of A and rows of B."""
        return self.function(A, B)


def is_number(value: Any, kind: type) -> bool:
    """Whether a parameter is a number of a kind; True and False are none."""
    return isinstance(value, kind) and not isinstance(value, bool)


def positive(name: str, value: Any) -> float:
    """Return a positive finite number; ``ValueError`` names the parameter."""
    if not is_number(value, Real) or not 0 < value < np.inf:
        raise ValueError(f"{name} must be a positive number, got {value!r}")
    return float(value)


def resolve_kernel(
    kernel: Any, n_features: int, gamma: Any = "auto", degree: int = 3, coef0: float = 1.0
) -> Kernel:
    """Return the kernel that a parameter ``kernel=`` names.

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly", "precomputed"}, callable or Kernel
    n_features : int
        What ``gamma="auto"`` is the inverse of.
    gamma : float or "auto", default="auto"
    degree : int, default=3
    coef0 : float, default=1.0

    Returns
    -------
    Kernel

    Examples
    --------
    >>> from novikoff.kernels import resolve_kernel
    >>> resolve_kernel("rbf", n_features=4).gamma
    0.25
    """
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, type):
        raise ValueError(f"kernel={kernel.__name__} is a class: give an instance of it")
    if callable(kernel):
        return FunctionKernel(kernel)
    scale = 1.0 / n_features if isinstance(gamma, str) and gamma == "auto" else gamma
    if kernel == "linear":
        return Linear()
    if kernel == "rbf":
        return RBF(scale)
    if kernel == "poly":
        return Polynomial(scale, degree, coef0)
    if kernel == "precomputed":
        return Precomputed()
    raise ValueError(
        f"kernel={kernel!r} is unknown: use 'linear', 'rbf', 'poly', 'precomputed', a function "
        "k(A, B) or a Kernel"
    )

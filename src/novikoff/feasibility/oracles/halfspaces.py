"""Finitely many half-spaces: the rows of a matrix.

The set is {a_1, ..., a_m}; x is feasible when a_i.x > 0 for every i (P3, problem (2.2), strictly).
Cost of a question: one product with A; ``"first"`` takes the rows in blocks and stops at the first
block that holds a counterexample.
Departures from the paper: none; the paper leaves the choice among counterexamples open.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from novikoff.feasibility.oracles.point import point
from novikoff.feasibility.outcome import Vector
from novikoff.feasibility.run import Seed, generator

Choice = Literal["first", "most-violated", "random"]
CHOICES = ("first", "most-violated", "random")
BLOCK = 65536  # numbers in a block of rows: half a megabyte


class Halfspaces:
    """Oracle of the rows of a matrix: strictly feasible x have A x > 0.

    Parameters
    ----------
    A : array or sparse matrix of shape (m, n)
        The rows. Zero rows are refused: no x has 0.x > 0.
    choice : {"first", "most-violated", "random"}
        Which counterexample is returned: the first row, scanning from row 0 every time; the row
        with the smallest a.x, ties to the lowest row; one at random among all.
    normalize : bool
        Scale rows to unit length (a copy is made). Otherwise the returned rows are those of `A`
        and levels are measured in their scale.
    random_state : int, Generator or None
        For ``choice="random"``.

    Examples
    --------
    >>> from novikoff.feasibility import Halfspaces
    >>> rows = Halfspaces([[3.0, 4.0], [0.0, 1.0]])
    >>> rows([1.0, -2.0])
    array([0.6, 0.8])
    >>> rows([1.0, 2.0]) is None
    True
    """

    takes_level = True

    def __init__(
        self,
        A: Any,
        choice: Choice = "first",
        normalize: bool = True,
        random_state: Seed = None,
    ) -> None:
        if choice not in CHOICES:
            raise ValueError(f"choice must be one of {', '.join(CHOICES)}; got {choice!r}")
        raw = _matrix(A)
        self.choice: Choice = choice
        self.normalize = bool(normalize)
        self._raw = raw
        self._rows = _unit_rows(raw) if normalize else raw
        self.n_rows, self.dim = raw.shape
        self._block = max(1, BLOCK // self.dim)
        self._rng = generator(random_state)

    @property
    def rows(self) -> Any:
        """The rows in use: those of `A`, of unit length when normalised."""
        return self._rows

    @property
    def unit_rows(self) -> Any:
        """The rows scaled to unit length, whether or not the oracle uses them so."""
        return self._rows if self.normalize else _unit_rows(self._raw)

    def __call__(self, x: ArrayLike, level: float = 0.0) -> Vector | None:
        """Return a row a with a.x <= level, or None."""
        x, level = point(x, level, self.dim)
        index = self._first(x, level) if self.choice == "first" else self._of_all(x, level)
        if index is None:
            return None
        if sparse.issparse(self._rows):
            return np.asarray(self._rows[[index]].toarray()[0], dtype=np.float64)
        return np.asarray(self._rows[index], dtype=np.float64)

    def _first(self, x: Vector, level: float) -> int | None:
        for begin in range(0, self.n_rows, self._block):
            block = self._rows if self._block >= self.n_rows else self._slice(begin)
            violated = ~(block @ x > level)  # a NaN is violated
            index = int(violated.argmax())
            if violated[index]:
                return begin + index
        return None

    def _slice(self, begin: int) -> Any:
        return self._rows[begin : begin + self._block]

    def _of_all(self, x: Vector, level: float) -> int | None:
        scores = self._rows @ x
        if self.choice == "most-violated":
            index = int(scores.argmin())  # the first of equals, a NaN before all
            return None if scores[index] > level else index
        violated = np.flatnonzero(~(scores > level))
        return int(self._rng.choice(violated)) if violated.size else None

    def contains(self, x: ArrayLike) -> bool:
        """Whether A x > 0 for the rows as given, by more than rounding can account for."""
        vector = np.asarray(x, dtype=np.float64)
        if vector.shape != (self.dim,) or not np.isfinite(vector).all():
            return False
        with np.errstate(all="ignore"):
            scores = self._raw @ vector
            error = (self.dim + 2) * np.finfo(float).eps * (abs(self._raw) @ np.abs(vector))
            return bool((scores > error).all())

    def rescaled(self, H: NDArray[np.float64]) -> "Halfspaces":
        """Return the oracle of the rows H a, of unit length if these are."""
        image = self._rows @ H.T
        other = Halfspaces.__new__(Halfspaces)
        other.choice, other.normalize, other._rng = self.choice, self.normalize, self._rng
        other._raw = image
        other._rows = _unit_rows(image) if self.normalize else image
        other.n_rows, other.dim = image.shape
        other._block = self._block
        return other


def _matrix(A: Any) -> Any:
    if sparse.issparse(A):
        matrix = sparse.csr_array(A)
        if matrix.dtype != np.float64:
            matrix = matrix.astype(np.float64)
        entries = matrix.data
    else:
        try:
            matrix = np.asarray(A, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError("A must be a matrix of numbers, dense or sparse") from None
        entries = matrix
    if matrix.ndim != 2:
        raise ValueError(f"A must have two dimensions, got {matrix.ndim}")
    if 0 in matrix.shape:
        raise ValueError(f"A must have at least one row and one column, got shape {matrix.shape}")
    if not np.isfinite(entries).all():
        raise ValueError("A must be finite, got NaN or infinity")
    largest = _row_maxima(matrix)
    if not largest.all():
        row = int(np.flatnonzero(largest == 0.0)[0])
        raise ValueError(
            f"row {row} of A is zero, and no x has 0.x > 0; leave zero rows out of the set"
        )
    return matrix


def _row_maxima(matrix: Any) -> Vector:
    maxima = abs(matrix).max(axis=1)
    return np.asarray(maxima.toarray() if sparse.issparse(maxima) else maxima).ravel()


def _unit_rows(matrix: Any) -> Any:
    # Twice, so that neither huge nor tiny entries overflow or vanish in their squares. The first
    # factor is a power of two: it changes no digit of rows that are of moderate size.
    scaled = _scale_rows(
        matrix, np.exp2(np.minimum(-np.floor(np.log2(_row_maxima(matrix))), 1023))
    )
    squares = scaled.multiply(scaled) if sparse.issparse(scaled) else scaled * scaled
    return _scale_rows(scaled, 1.0 / np.sqrt(np.asarray(squares.sum(axis=1)).ravel()))


def _scale_rows(matrix: Any, factors: Vector) -> Any:
    if sparse.issparse(matrix):
        return sparse.csr_array(matrix.multiply(factors[:, None]))
    return matrix * factors[:, None]

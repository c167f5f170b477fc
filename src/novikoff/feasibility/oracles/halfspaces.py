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

from novikoff.feasibility.oracles.point import point, scaled, vector_of
from novikoff.feasibility.outcome import Vector
from novikoff.feasibility.run import Seed, generator

Choice = Literal["first", "most-violated", "random"]
CHOICES = ("first", "most-violated", "random")
BLOCK = 65536  # numbers in a block of rows: half a megabyte
MODERATE = 2.0**400  # rows between this and its inverse need no scaling before a check
UNDERFLOW = 2.0**-670  # above what a product of a number <= 1 and a moderate one can lose


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

    takes_level = pure = True

    def __init__(
        self,
        A: Any,
        choice: Choice = "first",
        normalize: bool = True,
        random_state: Seed = None,
    ) -> None:
        if choice not in CHOICES:
            raise ValueError(f"choice must be one of {', '.join(CHOICES)}; got {choice!r}")
        self._build(_matrix(A), choice, bool(normalize), generator(random_state))

    def _build(self, raw: Any, choice: Choice, normalize: bool, rng: np.random.Generator) -> None:
        self.choice: Choice = choice
        self.normalize, self._raw, self._rng = normalize, raw, rng
        self.n_rows, self.dim = raw.shape
        self._block = max(1, BLOCK // self.dim)
        self._rows = _unit_rows(raw) if normalize else raw
        # Rows whose products could leave the range are multiplied by powers of two; each is then
        # compared with as many times the level.
        self._moderate, self._factors = _moderate(raw)
        self._asked = self._rows if normalize else self._moderate

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
        return None if index is None else self._row(index)

    def _row(self, index: int) -> Vector:
        row = (
            self._rows[[index]].toarray()[0] if sparse.issparse(self._rows) else self._rows[index]
        )
        return np.array(row, dtype=np.float64)

    def _first(self, x: Vector, level: float) -> int | None:
        levels = self._levels(level)
        if self._block >= self.n_rows:
            return _first_violated(self._asked @ x, levels)
        for begin in range(0, self.n_rows, self._block):
            part = slice(begin, begin + self._block)
            some = levels[part] if isinstance(levels, np.ndarray) else levels
            index = _first_violated(self._asked[part] @ x, some)
            if index is not None:
                return begin + index
        return None

    def _of_all(self, x: Vector, level: float) -> int | None:
        scores, levels = self._asked @ x, self._levels(level)
        violated = np.flatnonzero(~(scores > levels))  # a NaN is violated
        if not violated.size:
            return None
        if self.choice == "random":
            return int(self._rng.choice(violated))
        if isinstance(levels, np.ndarray):
            scores = scores / self._factors
        return int(scores.argmin())  # the first of equals, a NaN before all

    def _levels(self, level: float) -> float | Vector:
        return level if self.normalize or self._factors is None else level * self._factors

    def contains(self, x: ArrayLike) -> bool:
        """Whether A x > 0 for the rows as given, by more than rounding can account for."""
        vector = vector_of(x)
        if vector.shape != (self.dim,) or not np.isfinite(vector).all():
            return False
        return self._first_doubtful(vector) is None

    def doubtful(self, x: ArrayLike) -> Vector | None:
        """Return the first row of which ``contains`` cannot say that a.x > 0, or None."""
        index = self._first_doubtful(point(x, 0.0, self.dim)[0])
        return None if index is None else self._row(index)

    def _first_doubtful(self, vector: Vector) -> int | None:
        vector, rows = scaled(vector), self._moderate
        scores = rows @ vector
        error = (self.dim + 2) * np.finfo(float).eps * (abs(rows) @ np.abs(vector))
        return _first_violated(scores - error, self.dim * UNDERFLOW)

    def rescaled(self, H: NDArray[np.float64]) -> "Halfspaces":
        """Return the oracle of the rows H a, of unit length if these are."""
        image = self._rows @ H.T
        other = Halfspaces.__new__(Halfspaces)
        other._build(image, self.choice, self.normalize, self._rng)
        return other


def _first_violated(scores: Vector, levels: float | Vector) -> int | None:
    violated = ~(scores > levels)  # a NaN is violated
    index = int(violated.argmax())
    return index if violated[index] else None


def _moderate(matrix: Any) -> tuple[Any, Vector | None]:
    """The matrix and None, or its rows times powers of two where they are huge or tiny."""
    largest = _row_maxima(matrix)
    if (largest < MODERATE).all() and (largest > 1.0 / MODERATE).all():
        return matrix, None
    factors = _powers_of_two(largest)
    return _scale_rows(matrix, factors), factors


def _matrix(A: Any) -> Any:
    if sparse.issparse(A):
        matrix = sparse.csr_array(A)
        if matrix.dtype != np.float64:
            matrix = matrix.astype(np.float64)
        if not matrix.has_canonical_format:  # entries given twice count as their sum
            matrix = matrix.copy()
            matrix.sum_duplicates()
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
    # Twice, so that neither huge nor tiny entries overflow or vanish in their squares.
    first = _scale_rows(matrix, _powers_of_two(_row_maxima(matrix)))
    squares = first.multiply(first) if sparse.issparse(first) else first * first
    return _scale_rows(first, 1.0 / np.sqrt(np.asarray(squares.sum(axis=1)).ravel()))


def _powers_of_two(largest: Vector) -> Vector:
    """Factors that bring rows of these largest entries near 1 and change none of their digits."""
    return np.exp2(np.minimum(-np.floor(np.log2(largest)), 1023))


def _scale_rows(matrix: Any, factors: Vector) -> Any:
    if sparse.issparse(matrix):
        return sparse.csr_array(matrix.multiply(factors[:, None]))
    return matrix * factors[:, None]

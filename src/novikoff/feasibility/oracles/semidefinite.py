"""A linear matrix inequality: x is feasible when F(x) = sum x_i F_i is positive definite.

As half-spaces (P3 Proposition 6.1) the set is {a_v = (v'F_0 v, ..., v'F_m v) : |v| = 1}; a
question at another level is one about F(x) - level I. The diagonal is looked at first (v = e_j for
the smallest one, ties to the lowest j): it costs its nonzeros and forms no matrix. Then the
diagonal blocks, found from the common sparsity pattern, are factorised one by one.

Cost of a question: the nonzeros of F_0, ..., F_m, and n_b^3/3 for each block of size n_b reached.
Departures from the paper: definite instead of semidefinite (P3 (6.2)), or x = 0 would be feasible.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from novikoff.feasibility.oracles.cholesky import minor_counterexample, pivoted_counterexample
from novikoff.feasibility.oracles.point import point, scaled, vector_of
from novikoff.feasibility.outcome import Vector
from novikoff.feasibility.run import TAME

EPS = float(np.finfo(np.float64).eps)
DENSE = 0.3  # share of nonzeros above which the table of entries is stored densely
ASYMMETRY = 1e-12  # relative; files write both triangles with different last digits
CANCELLED = 1e-6  # a counterexample this short, relative to its summands, is computed exactly


class Semidefinite:
    """Oracle of a linear matrix inequality: strictly feasible x have sum x_i F_i definite.

    Parameters
    ----------
    matrices : sequence of m + 1 symmetric matrices of one size
        F_0, ..., F_m; dense or sparse, may be mixed.
    pivoting : bool
        Counterexamples from the pivoted factorisation of the whole matrix (P3 Algorithm 7)
        instead of LAPACK's failing minor, block by block: other cuts, hence other update counts,
        and slower.

    Attributes
    ----------
    dim : int
        Length of x, m + 1.
    size : int
        Number of rows of F(x).

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.feasibility import Semidefinite
    >>> oracle = Semidefinite([np.eye(2), [[0.0, 1.0], [1.0, 0.0]]])
    >>> oracle([2.0, 1.0]) is None
    True
    >>> oracle([1.0, -2.0])  # v = (2, 1) / sqrt 5, v'F(x)v = -0.6
    array([1. , 0.8])
    """

    takes_level = pure = True

    def __init__(self, matrices: Sequence[Any], pivoting: bool = False) -> None:
        if not isinstance(matrices, Iterable):
            raise TypeError(f"matrices must be F_0, ..., F_m, got {type(matrices).__name__}")
        entries = [symmetric_entries(i, F) for i, F in enumerate(matrices)]
        if not entries:
            raise ValueError("matrices must hold at least one matrix, got none")
        sizes = sorted({size for size, *_ in entries})
        if len(sizes) > 1:
            raise ValueError(f"the matrices must be of one size, got sizes {sizes}")
        owner = np.repeat(np.arange(len(entries)), [len(values) for *_, values in entries])
        rows = np.concatenate([i for _, i, _, _ in entries])
        columns = np.concatenate([j for _, _, j, _ in entries])
        values = np.concatenate([v for *_, v in entries])
        self._build(len(entries), sizes[0], owner, rows, columns, values, pivoting)

    @classmethod
    def from_entries(
        cls,
        dim: int,
        size: int,
        owner: Any,
        rows: Any,
        columns: Any,
        values: Any,
        pivoting: bool = False,
    ) -> "Semidefinite":
        """Return the oracle of matrices whose upper triangles are given entry by entry, checked.

        ``values[k]`` stands at ``(rows[k], columns[k])`` of F_i with i = ``owner[k]``.
        """
        oracle = cls.__new__(cls)
        oracle._build(dim, size, owner, rows, columns, values, pivoting)
        return oracle

    def _build(
        self, dim: int, n: int, owner: Any, rows: Any, columns: Any, values: Any, pivoting: bool
    ) -> None:
        self.dim, self.size, self.pivoting = dim, n, bool(pivoting)
        # A table with one row per position that is nonzero in some F_i: F(x) there = table @ x.
        on = rows == columns
        self._diagonal = sparse.csr_array((values[on], (rows[on], owner[on])), shape=(n, dim))
        self._diagonal.sum_duplicates()
        off = ~on
        keys, where = np.unique(rows[off].astype(np.int64) * n + columns[off], return_inverse=True)
        self._rows, self._columns = np.divmod(keys, n)
        self._table: Any = sparse.csr_array(
            (values[off], (where, owner[off])), shape=(len(keys), dim)
        )
        if self._table.nnz > DENSE * len(keys) * dim:
            self._table = self._table.toarray()
        self._blocks = self._find_blocks()
        self._largest = float(np.abs(values).max(initial=0.0))
        self._alone = np.ones(n, dtype=bool)  # rows that are a block of their own
        for block, *_ in self._blocks:
            self._alone[block] = False

    def _find_blocks(self) -> list[tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]]:
        """Blocks of two rows or more: their rows, and their entries of the table, re-numbered."""
        n = self.size
        graph = sparse.csr_array(
            (np.ones(len(self._rows), dtype=np.int8), (self._rows, self._columns)), shape=(n, n)
        )
        count, label = connected_components(graph, directed=False)
        members = np.split(
            np.argsort(label, kind="stable"), np.cumsum(np.bincount(label, minlength=count))[:-1]
        )
        of_entry = label[self._rows]
        by_label = np.split(
            np.argsort(of_entry, kind="stable"),
            np.cumsum(np.bincount(of_entry, minlength=count))[:-1],
        )
        number = np.empty(n, dtype=np.int64)
        for block in members:
            number[block] = np.arange(len(block))
        return [
            (block, chosen, number[self._rows[chosen]], number[self._columns[chosen]])
            for block, chosen in zip(members, by_label, strict=True)
            if len(block) > 1
        ]

    def matrix(self, x: ArrayLike) -> NDArray[np.float64]:
        """Return F(x) as a dense matrix."""
        vector = vector_of(x)
        if vector.shape != (self.dim,):
            raise ValueError(f"x must have shape ({self.dim},), got {vector.shape}")
        return self._form(self._diagonal @ vector, self._table @ vector)

    def _form(self, diagonal: Vector, entries: Vector) -> NDArray[np.float64]:
        F = np.zeros((self.size, self.size))
        F[self._rows, self._columns] = entries
        F[self._columns, self._rows] = entries
        np.fill_diagonal(F, diagonal)
        return F

    def __call__(self, x: ArrayLike, level: float = 0.0) -> Vector | None:
        """Return a_v with a_v.x <= level for a unit vector v, or None."""
        x, level = point(x, level, self.dim, self._largest)
        diagonal = self._diagonal @ x
        if level != 0.0:
            diagonal -= level
        least = int(diagonal.argmin())
        smallest = float(diagonal[least])
        if smallest < 0.0 or (smallest == 0.0 and not self.pivoting):
            return self._row(least)
        if smallest == 0.0:
            # Algorithm 7 passes over zero diagonals while others are positive; where a row stands
            # alone nothing will come of waiting.
            alone = self._alone & (diagonal == 0.0)
            if alone.any():
                return self._row(int(alone.argmax()))
        entries = self._table @ x
        if self.pivoting:
            v = pivoted_counterexample(self._form(diagonal, entries))
            return None if v is None else self._cut(v)
        for block, chosen, i, j in self._blocks:
            v = minor_counterexample(_dense(diagonal[block], entries[chosen], i, j))
            if v is not None:
                return self._cut(self._lifted(v, block))
        return None

    def _lifted(self, v: Vector, block: NDArray[Any]) -> Vector:
        """The block's vector v among all rows."""
        whole = np.zeros(self.size)
        whole[block] = v
        return whole

    def _row(self, j: int) -> Vector:
        """The vector a_v of v = e_j."""
        a = np.zeros(self.dim)
        table = self._diagonal
        begin, end = table.indptr[j], table.indptr[j + 1]
        a[table.indices[begin:end]] = table.data[begin:end]
        return a

    def _cut(self, v: Vector) -> Vector:
        """The vector a_v = (v'F_0 v, ..., v'F_m v)."""
        on, off = v * v, 2.0 * v[self._rows] * v[self._columns]
        a = np.asarray(on @ self._diagonal + off @ self._table, dtype=np.float64)
        most = np.abs(a).max()
        if most <= CANCELLED * self._largest:
            sums = on @ abs(self._diagonal) + np.abs(off) @ abs(self._table)
            if most <= CANCELLED * sums.max():
                return self._exact_cut(v)
        return a

    def _exact_cut(self, v: Vector) -> Vector:
        """a_v in rational arithmetic: a zero says that no x is feasible, so it must be one."""
        exact = [Fraction(float(entry)) for entry in v]
        sums = [Fraction(0)] * self.dim
        diagonal, table = sparse.coo_array(self._diagonal), sparse.coo_array(self._table)
        for j, i, value in zip(diagonal.row, diagonal.col, diagonal.data, strict=True):
            sums[i] += exact[j] ** 2 * Fraction(float(value))
        for k, i, value in zip(table.row, table.col, table.data, strict=True):
            product = exact[self._rows[k]] * exact[self._columns[k]]
            sums[i] += 2 * product * Fraction(float(value))
        a = np.array([float(total) for total in sums])
        if not a.any():  # what is not zero but vanishes in rounding keeps its sign
            a = np.array([math.copysign(math.ulp(0.0), total) if total else 0.0 for total in sums])
        return a

    def contains(self, x: ArrayLike) -> bool:
        """Whether F(x) is positive definite by more than rounding can account for.

        A Cholesky factorisation must succeed on B - s I for each diagonal block B of F(x), s a
        bound of the rounding errors made in forming B and in factorising it (Rump's argument,
        with room).
        """
        vector = vector_of(x)
        if vector.shape != (self.dim,) or not np.isfinite(vector).all():
            return False
        return self.doubtful(vector) is None

    def doubtful(self, x: ArrayLike) -> Vector | None:
        """Return an a_v of which ``contains`` cannot say that a_v.x > 0, or None."""
        vector = scaled(point(x, 0.0, self.dim)[0])
        size = np.abs(vector)
        entries, diagonal = self._table @ vector, self._diagonal @ vector
        off = abs(self._table) @ size
        sums = abs(self._diagonal) @ size  # of the magnitudes in each row of F(x)
        np.add.at(sums, self._rows, off)
        np.add.at(sums, self._columns, off)
        # A sum of dim products may lose an ulp of 0 in each, of the factors and of the product.
        lost = self.size * self.dim * math.ulp(0.0) * (1.0 + self._largest)
        formed = (self.dim + 2) * EPS * sums + lost
        weak = ~(diagonal > np.where(self._alone, formed, 0.0))
        if weak.any():
            return self._row(int(weak.argmax()))
        for block, chosen, i, j in self._blocks:
            v = _doubtful_direction(diagonal[block], entries[chosen], i, j, formed[block].max())
            if v is not None:
                return self._cut(self._lifted(v, block))
        return None


def _doubtful_direction(
    diagonal: Vector, entries: Vector, i: Any, j: Any, formed: float
) -> Vector | None:
    """A unit v that keeps a block of positive diagonal from being definite beyond rounding."""
    n = len(diagonal)
    # In units of the largest diagonal entry, where nothing underflows.
    one = int(np.frexp(diagonal.max())[1])
    entries, diagonal = np.ldexp(entries, -one), np.ldexp(diagonal, -one)
    shift = math.ldexp(formed, -one) + 2.0 * (n + 2) * EPS * diagonal.sum()
    shifted = diagonal - shift
    v = np.zeros(n)
    if not shifted.min() > 0.0:
        v[shifted.argmin()] = 1.0
        return v
    # An off-diagonal entry above 1 belongs to no definite matrix of diagonal below 1.
    largest = int(np.abs(entries).argmax())
    if abs(entries[largest]) >= 1.0:
        v[i[largest]], v[j[largest]] = 1.0, -np.sign(entries[largest])
        return v / math.sqrt(2.0)
    return minor_counterexample(_dense(shifted, entries, i, j))


def _dense(diagonal: Vector, entries: Vector, i: Any, j: Any) -> Any:
    """The upper triangle of a block, in the order LAPACK wants, with the lower filled as well."""
    n = len(diagonal)
    block = np.zeros((n, n), order="F")
    block[i, j] = entries
    block[j, i] = entries
    np.fill_diagonal(block, diagonal)
    return block


def symmetric_entries(index: int, F: Any) -> tuple[int, NDArray[Any], NDArray[Any], Vector]:
    """Size, and rows, columns, values of the upper triangle, after the checks."""
    if sparse.issparse(F):
        matrix = sparse.coo_array(F).astype(np.float64)
    else:
        try:
            dense = np.asarray(F, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"matrix {index} must be a matrix of numbers") from None
        if dense.ndim != 2:
            raise ValueError(f"matrix {index} must have two dimensions, got {dense.ndim}")
        if np.isnan(dense).any():
            raise ValueError(f"matrix {index} must be finite, got NaN")
        matrix = sparse.coo_array(dense)
    if matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise ValueError(f"matrix {index} must be square and not empty, got shape {matrix.shape}")
    matrix.sum_duplicates()
    largest = float(np.abs(matrix.data).max(initial=0.0))
    if not largest < TAME:
        raise ValueError(f"matrix {index} must be finite and below {TAME:g}, got {largest:g}")
    skew = abs(matrix.tocsr() - matrix.T.tocsr())
    if skew.nnz and skew.max() > ASYMMETRY * largest:
        raise ValueError(
            f"matrix {index} must be symmetric, got entries that differ from their mirror by "
            f"{skew.max():g}; give (F + F')/2"
        )
    upper = (matrix.row <= matrix.col) & (matrix.data != 0.0)
    i, j = matrix.row, matrix.col
    return matrix.shape[0], i[upper], j[upper], matrix.data[upper]

"""Where the rows of a kernel expansion are kept, and their panels of kernel values with a block.

A panel has a row for each of the first ``m`` slots and, below them, one for each row of the block;
its columns are the block's rows. Slots are grown by doubling and used again after an eviction.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numba import njit

from novikoff.engine.jit import primitive
from novikoff.engine.rows import Rows

# Wider CSR rows are kept sparse, behind an inverted index; narrower ones are made dense by block.
DENSE_WIDTH = 1024

NO_MORE_ROWS = (
    "kernel='precomputed' knows its training rows in fit only: use fit, or give the kernel itself"
)
# No limit of a store's own on the rows of a block.
BLOCK_LIMIT = 2**31


@njit(cache=True)
def densify(data, indices, indptr, out):
    """Write CSR rows into a zeroed dense block; entries stored twice add up."""
    for t in range(out.shape[0]):
        for j in range(indptr[t], indptr[t + 1]):
            out[t, indices[j]] += data[j]


def dense_block(rows: Rows, dtype: np.dtype) -> np.ndarray:
    """The rows as a dense matrix of this dtype."""
    matrix = rows.dense()
    if matrix is not None:
        return matrix.astype(dtype, copy=False)
    matrix = np.zeros((rows.n, rows.width), dtype)
    densify(rows.data, rows.indices, rows.indptr, matrix)
    return matrix


def csr_block(rows: Rows) -> sp.csr_matrix:
    """The rows as SciPy's CSR matrix, each feature once; the user's arrays stay as they are."""
    data, indices, indptr = rows.sparse()
    start, stop = indptr[0], indptr[-1]
    triple = (data[start:stop], indices[start:stop].astype(np.int64), indptr - start)
    matrix = sp.csr_matrix(triple, shape=(rows.n, rows.width))
    if not matrix.has_canonical_format:  # merging is done in place
        matrix.data = matrix.data.copy()
        matrix.sum_duplicates()
    return matrix


def longest(rows: Rows) -> float:
    """The largest squared norm among rows."""
    if rows.n == 0:
        return 0.0
    dense = rows.dense()
    if dense is not None:
        X = dense.astype(np.float64, copy=False)
        return float(np.einsum("ij,ij->i", X, X).max())
    matrix = csr_block(rows).astype(np.float64)
    return float(matrix.multiply(matrix).sum(axis=1).max())


def check_range(kernel: Any, rows: Rows, dtype: np.dtype) -> None:
    """Raise ``ValueError`` if values of a product kernel overflow among rows like these."""
    # A little room is left for sums of values.
    limit = float(np.finfo(dtype).max) * 1e-5
    data = rows.data if rows.indptr is None else rows.data[rows.indptr[0] : rows.indptr[-1]]
    if data.size == 0:
        return
    top = max(float(data.max()), -float(data.min()))
    # No row is longer than this, unless entries are stored twice; few data need a second look.
    if kernel.largest(min(top, 1e150) ** 2 * rows.width) <= limit and top < 1e150:
        return
    with np.errstate(over="ignore"):
        square = longest(rows)
    if not kernel.largest(square) <= limit:
        raise ValueError(
            f"X has a row of squared norm {square:.3g}, for which values of the "
            f"{type(kernel).__name__} kernel overflow {np.dtype(dtype).name}: scale the rows down"
        )


def enlarged(array: np.ndarray, n: int, axis: int = 0) -> np.ndarray:
    """A zero-padded copy with at least n places along an axis, at least doubled."""
    shape = list(array.shape)
    shape[axis] = max(n, 2 * shape[axis])
    new = np.zeros(shape, array.dtype)
    new[tuple(slice(0, size) for size in array.shape)] = array
    return new


def semidefinite(diagonal: np.ndarray) -> np.ndarray:
    """Values k(x, x); ``ValueError`` where one is negative."""
    if (diagonal < 0).any():
        raise ValueError(
            f"kernel is not positive semidefinite: k(x, x) = {diagonal.min():.3g} for one row"
        )
    return diagonal


class DenseStore:
    """Rows as features of a product kernel: a panel is one matrix product and one map."""

    block_limit = BLOCK_LIMIT

    def __init__(self, kernel: Any, width: int, dtype: np.dtype) -> None:
        self.kernel, self.width, self.precision = kernel, width, dtype
        self.left = np.zeros((0, width + kernel.extra), dtype)

    def load(self, rows: Rows, trial: int | None = None) -> np.ndarray:
        """Make a block of rows ready for panels."""
        return dense_block(rows, self.left.dtype)

    def diagonal(self, block: np.ndarray, own: np.ndarray | None = None) -> np.ndarray:
        """k(x, x) of a block's rows; ``own``: the block's part of its panel, where it was made."""
        return self.kernel.diagonal(block)

    def panel(self, block: np.ndarray, m: int, P: np.ndarray) -> None:
        """Fill a panel; one with m rows leaves the block's own out."""
        right = self.kernel.right(block)
        np.matmul(self.left[:m], right.T, out=P[:m])
        if P.shape[0] > m:
            own = np.empty((block.shape[0], self.left.shape[1]), block.dtype)
            self.kernel.left(block, own)
            np.matmul(own, right.T, out=P[m:])
        self.kernel.finish(P, right)

    def put(self, block: np.ndarray, which: np.ndarray, slots: np.ndarray) -> None:
        """Store rows of a block in slots."""
        if slots.size and slots.max() >= self.left.shape[0]:
            self.left = enlarged(self.left, int(slots.max()) + 1)
        features = np.empty((which.size, self.left.shape[1]), self.left.dtype)
        self.kernel.left(block[which], features)
        self.left[slots] = features

    def vectors(self, slots: np.ndarray) -> np.ndarray:
        """The stored rows."""
        return self.left[slots, : self.width]

    def arrays(self, m: int) -> dict[str, Any]:
        """All that is stored in the first m slots."""
        return {"left": self.left[:m]}

    def restore(self, arrays: dict[str, Any], m: int) -> None:
        """Take back what :meth:`arrays` gave."""
        left = arrays.get("left")
        if not isinstance(left, np.ndarray) or left.shape != (m, self.left.shape[1]):
            raise ValueError("has support vectors of another shape than its features")
        if left.dtype != self.left.dtype or not np.isfinite(left).all():
            raise ValueError("has support vectors that are not finite numbers")
        self.left = np.ascontiguousarray(left)


@njit(cache=True)
def index_block(data, indices, indptr, place, values):
    """Give each feature of a block a line of ``values``, the block's numbers by feature.

    ``place`` maps features to lines and holds -1 elsewhere; the number of lines is returned.
    """
    n = 0
    for t in range(indptr.size - 1):
        for j in range(indptr[t], indptr[t + 1]):
            f = indices[j]
            if place[f] < 0:
                place[f] = n
                values[n, :] = 0.0
                n += 1
            values[place[f], t] += data[j]
    return n


@njit(cache=True)
def forget_block(indices, place):
    """Take back what :func:`index_block` wrote into ``place``."""
    for j in range(indices.size):
        place[indices[j]] = -1


@primitive
def multiply_rows(data, indices, starts, stops, place, values, P):
    """P = inner products of CSR rows with the block that ``place`` and ``values`` index."""
    for i in range(starts.size):
        line = P[i]
        line[:] = 0.0
        for j in range(starts[i], stops[i]):
            at = place[indices[j]]
            if at >= 0:
                x, row = data[j], values[at]
                for t in range(line.size):
                    line[t] += x * row[t]


class SparseStore:
    """Wide sparse rows: an inverted index of the block, from its features to its numbers.

    A stored row is multiplied with the whole block at once, one line of the block's numbers for
    each feature that both have: contiguous work, where lists of stored rows by feature would be
    followed through memory. Rows lie one after another in a pool; what has left its slot is
    squeezed out when it outgrows what is live, so that memory is bounded by the rows stored.
    """

    # Larger blocks would drop the block's numbers out of the cache.
    block_limit = 64

    def __init__(self, kernel: Any, width: int, dtype: np.dtype) -> None:
        self.kernel, self.width, self.dtype, self.precision = kernel, width, dtype, dtype
        self.place = np.full(width, -1, np.int32)
        self._clear()

    def _clear(self) -> None:
        self.data, self.indices = np.zeros(0, self.dtype), np.zeros(0, np.uint32)
        self.starts, self.stops = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self.squares = np.zeros(0)
        self.filled = 0  # entries of the pool, dead ones included

    def load(self, rows: Rows, trial: int | None = None) -> Rows:
        """Make a block of rows ready for panels."""
        dense = rows.dense()
        if dense is None:
            return rows._replace(data=rows.data.astype(self.dtype, copy=False))
        matrix = sp.csr_matrix(dense.astype(self.dtype, copy=False))
        indices, indptr = matrix.indices.astype(np.uint32), matrix.indptr.astype(np.int64)
        return Rows(matrix.data, indices, indptr, rows.n, rows.width)

    @staticmethod
    def _squares(block: Rows) -> np.ndarray:
        matrix = csr_block(block)
        return np.asarray(matrix.multiply(matrix).sum(axis=1), np.float64).ravel()

    def diagonal(self, block: Rows, own: np.ndarray | None = None) -> np.ndarray:
        """k(x, x) of a block's rows."""
        return self.kernel.diagonal_from(self._squares(block))

    def panel(self, block: Rows, m: int, P: np.ndarray) -> None:
        """Fill a panel; one with m rows leaves the block's own out."""
        data, indices, indptr = block.sparse()
        part = indices[indptr[0] : indptr[-1]]
        values = np.empty((min(part.size, self.width), block.n), P.dtype)
        index_block(data, indices, indptr, self.place, values)
        stored = (self.data, self.indices, self.starts[:m], self.stops[:m])
        multiply_rows(*stored, self.place, values, P[:m])
        squares = self._squares(block)
        left = self.squares[:m]
        if P.shape[0] > m:
            own = (data, indices, indptr[:-1], indptr[1:])
            multiply_rows(*own, self.place, values, P[m:])
            left = np.concatenate([left, squares])
        forget_block(part, self.place)
        self.kernel.from_products(P, left, squares)

    def put(self, block: Rows, which: np.ndarray, slots: np.ndarray) -> None:
        """Store rows of a block in slots."""
        if slots.size == 0:
            return
        top = int(slots.max()) + 1
        if top > self.starts.size:
            for name in ("starts", "stops", "squares"):
                setattr(self, name, enlarged(getattr(self, name), top))
        data, indices, indptr = block.sparse()
        lengths = np.diff(indptr)[which]
        live = int((self.stops - self.starts).sum() + lengths.sum())
        if self.filled + lengths.sum() > 2 * live + 1024:
            self._squeeze()
        if self.filled + lengths.sum() > self.data.size:
            self.data = enlarged(self.data, self.filled + int(lengths.sum()))
            self.indices = enlarged(self.indices, self.data.size)
        squares = self._squares(block)
        for t, slot, length in zip(which, slots, lengths, strict=True):
            part = slice(indptr[t], indptr[t + 1])
            self.starts[slot], self.stops[slot] = self.filled, self.filled + length
            self.data[self.filled : self.filled + length] = data[part]
            self.indices[self.filled : self.filled + length] = indices[part]
            self.squares[slot] = squares[t]
            self.filled += int(length)

    def _squeeze(self) -> None:
        """Keep the live rows of the pool only."""
        rows = self.vectors(np.arange(self.starts.size))
        self.data, self.indices = rows.data, rows.indices.astype(np.uint32)
        self.starts, self.stops = (
            rows.indptr[:-1].astype(np.int64),
            rows.indptr[1:].astype(np.int64),
        )
        self.filled = rows.data.size

    def vectors(self, slots: np.ndarray) -> sp.csr_matrix:
        """The stored rows."""
        lengths = (self.stops - self.starts)[slots]
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        # Where each entry lies in the pool: its row's start, and its place in the row.
        places = np.arange(indptr[-1]) + np.repeat(self.starts[slots] - indptr[:-1], lengths)
        indices = self.indices[places].astype(np.int64)
        return sp.csr_matrix((self.data[places], indices, indptr), shape=(len(slots), self.width))

    def arrays(self, m: int) -> dict[str, Any]:
        """All that is stored in the first m slots."""
        stored = self.vectors(np.arange(m))
        return {"data": stored.data, "indices": stored.indices, "indptr": stored.indptr}

    def restore(self, arrays: dict[str, Any], m: int) -> None:
        """Take back what :meth:`arrays` gave."""
        data, indices, indptr = (arrays[name] for name in ("data", "indices", "indptr"))
        if data.dtype != self.dtype or {indices.dtype.kind, indptr.dtype.kind} != {"i"}:
            raise ValueError("has sparse support vectors of other types than its rows")
        if not np.isfinite(data).all():
            raise ValueError("has support vectors that are not finite numbers")
        if indptr.shape != (m + 1,) or indptr[0] != 0 or (np.diff(indptr) < 0).any():
            raise ValueError("has sparse support vectors with a broken index pointer")
        if data.shape != (indptr[-1],) or indices.shape != data.shape:
            raise ValueError("has sparse support vectors of unequal lengths")
        if indices.size and not (indices.min() >= 0 and indices.max() < self.width):
            raise ValueError("has sparse support vectors with an index outside its features")
        self._clear()
        block = Rows(data, indices.astype(np.uint32), indptr.astype(np.int64), m, self.width)
        self.put(block, np.arange(m), np.arange(m))


class FunctionStore:
    """Rows behind a user's kernel, kept as they came."""

    block_limit = BLOCK_LIMIT
    # Of the values that the kernel returned last, whatever that of the rows.
    precision = np.dtype(np.float64)

    def __init__(self, kernel: Any, width: int, dtype: np.dtype, sparse: bool) -> None:
        self.kernel, self.width, self.dtype, self.sparse = kernel, width, dtype, sparse
        self.stored = (
            sp.csr_matrix((0, width), dtype=dtype) if sparse else np.zeros((0, width), dtype)
        )

    def load(self, rows: Rows, trial: int | None = None) -> Any:
        """Make a block of rows ready for panels."""
        if not self.sparse:
            return dense_block(rows, self.dtype)
        if rows.indices is None:
            return sp.csr_matrix(rows.dense())
        return csr_block(rows)

    def diagonal(self, block: Any, own: np.ndarray | None = None) -> np.ndarray:
        """k(x, x) of a block's rows."""
        return semidefinite(self.kernel.diagonal(block) if own is None else own.diagonal())

    def panel(self, block: Any, m: int, P: np.ndarray) -> None:
        """Fill a panel; one with m rows leaves the block's own out."""
        if m:
            P[:m] = self.kernel.checked(self.stored[:m], block)
        if P.shape[0] > m:
            own = self.kernel.checked(block, block)
            P[m:], self.precision = own, own.dtype

    def put(self, block: Any, which: np.ndarray, slots: np.ndarray) -> None:
        """Store rows of a block in slots."""
        if slots.size == 0:
            return
        top = max(int(slots.max()) + 1, self.stored.shape[0])
        if self.sparse:
            stored = sp.vstack([self.stored, block[which]], format="csr")
            source = np.zeros(top, np.int64)
            source[: self.stored.shape[0]] = np.arange(self.stored.shape[0])
            source[slots] = self.stored.shape[0] + np.arange(which.size)
            self.stored = stored[source]
            return
        if top > self.stored.shape[0]:
            self.stored = enlarged(self.stored, top)
        self.stored[slots] = block[which]

    def vectors(self, slots: np.ndarray) -> Any:
        """The stored rows."""
        return self.stored[slots]

    def arrays(self, m: int) -> dict[str, Any]:
        """All that is stored in the first m slots."""
        return {"stored": self.stored[:m]}

    def restore(self, arrays: dict[str, Any], m: int) -> None:
        """Take back what :meth:`arrays` gave."""
        stored = arrays.get("stored")
        if stored is None or getattr(stored, "shape", None) != (m, self.width):
            raise ValueError("has support vectors of another shape than its features")
        if sp.issparse(stored) != self.sparse or stored.dtype != self.dtype:
            raise ValueError("has support vectors of another type than its rows")
        self.stored = stored


class IndexStore:
    """A precomputed kernel: a row is its number, its values stand in the matrix that is given."""

    block_limit = BLOCK_LIMIT

    def __init__(self, width: int, dtype: np.dtype) -> None:
        self.kernel, self.width, self.precision = None, width, dtype
        self.stored = np.zeros(0, np.int64)
        self.begin(0, self.stored)

    def begin(self, trial: int, numbers: np.ndarray) -> None:
        """Say which training rows come next, from this trial on."""
        self.first, self.coming = trial, numbers

    def load(self, rows: Rows, trial: int | None = None) -> np.ndarray:
        """Make a block of rows ready for panels: their values with all training rows."""
        if trial is not None:
            self.numbers = self.coming[trial - self.first :][: rows.n]
            if self.numbers.size < rows.n:
                raise ValueError(NO_MORE_ROWS)
        return dense_block(rows, np.dtype(np.float64))

    def diagonal(self, block: np.ndarray, own: np.ndarray | None = None) -> np.ndarray:
        """k(x, x) of a block's rows."""
        return semidefinite(block[np.arange(len(block)), self.numbers])

    def panel(self, block: np.ndarray, m: int, P: np.ndarray) -> None:
        """Fill a panel; one with m rows leaves the block's own out."""
        P[:m] = block[:, self.stored[:m]].T
        if P.shape[0] > m:
            P[m:] = block[:, self.numbers].T

    def put(self, block: np.ndarray, which: np.ndarray, slots: np.ndarray) -> None:
        """Store rows of a block in slots."""
        if slots.size and slots.max() >= self.stored.size:
            self.stored = enlarged(self.stored, int(slots.max()) + 1)
        self.stored[slots] = self.numbers[which]

    def vectors(self, slots: np.ndarray) -> np.ndarray:
        """The numbers of the stored rows."""
        return self.stored[slots]

    def arrays(self, m: int) -> dict[str, Any]:
        """All that is stored in the first m slots."""
        return {"stored": self.stored[:m]}

    def restore(self, arrays: dict[str, Any], m: int) -> None:
        """Take back what :meth:`arrays` gave."""
        stored = arrays.get("stored")
        if not isinstance(stored, np.ndarray) or stored.shape != (m,) or stored.dtype != np.int64:
            raise ValueError("has no numbers of its support vectors")
        if m and not (stored.min() >= 0 and stored.max() < self.width):
            raise ValueError("has a support vector outside its training rows")
        self.stored = stored

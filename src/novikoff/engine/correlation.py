"""The correlation matrix X X' of rows that come one at a time, kept the cheaper way.

As long as a product through the rows themselves costs less than one with the matrix, and always
where the matrix would not fit, only the rows are kept, flat and as sparse as they came.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg.blas import dsymv, dsyr

from novikoff.engine.jit import entry, primitive
from novikoff.engine.stores import enlarged
from novikoff.engine.symmetric import Row
from novikoff.engine.weights import check_like

# A product through rows touches each number twice, and with its index; one with the matrix reads
# half of it, in order. The matrix is formed when the rows hold this share of its numbers.
FORMED = 0.25
# Up to this order it is formed at once: what is solved directly needs it.
SMALL = 128
# Rows that are made dense at once when it is formed.
PIECE = 256


@primitive
def gather_dot(x, at, v):
    """Inner product of a flat row with a vector."""
    total = 0.0
    for j in range(x.size):
        total += x[j] * v[at[j]]
    return total


@entry
def through_rows(x, at, ends, n, p, out):
    """out += X X' p."""
    for i in range(n):
        row, where = x[ends[i] : ends[i + 1]], at[ends[i] : ends[i + 1]]
        total = gather_dot(row, where, p)
        for j in range(row.size):
            out[where[j]] += total * row[j]


class Correlation:
    """X X' of the rows so far."""

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.matrix = np.zeros((inputs, inputs)) if inputs <= SMALL else np.zeros((0, 0))
        self.n = 0  # rows that are kept
        self.ends = np.zeros(1, np.int64)
        self.x, self.at = np.zeros(0), np.zeros(0, np.uint32)

    @property
    def formed(self) -> bool:
        """Whether the matrix is kept; its upper triangle in Fortran's eyes."""
        return len(self.matrix) > 0

    def add(self, row: Row) -> None:
        """Let a row enter."""
        if self.formed:
            self._add_to_matrix(row)
            return
        start = int(self.ends[self.n])
        stop = start + row.values.size
        if self.n + 2 > self.ends.size:
            self.ends = enlarged(self.ends, self.n + 2)
        if stop > self.x.size:
            self.x, self.at = enlarged(self.x, stop), enlarged(self.at, stop)
        self.x[start:stop] = row.values
        self.at[start:stop] = np.arange(self.inputs) if row.at is None else row.at
        self.n += 1
        self.ends[self.n] = stop
        if stop > FORMED * self.inputs**2:
            self._form()

    def _form(self) -> None:
        self.matrix = np.zeros((self.inputs, self.inputs))
        size = int(self.ends[self.n])
        parts = (self.x[:size], self.at[:size].astype(np.int64), self.ends[: self.n + 1])
        X = sp.csr_matrix(parts, shape=(self.n, self.inputs))
        for first in range(0, self.n, PIECE):
            dense = X[first : first + PIECE].toarray()
            self.matrix += dense.T @ dense
        self.n = 0
        self.ends, self.x, self.at = np.zeros(1, np.int64), np.zeros(0), np.zeros(0, np.uint32)

    def _add_to_matrix(self, row: Row) -> None:
        if row.at is None:
            dsyr(1.0, row.values, a=self.matrix.T, overwrite_a=1)
        else:
            self.matrix[np.ix_(row.at, row.at)] += np.outer(row.values, row.values)

    def times(self, p: np.ndarray) -> np.ndarray:
        """Product with a vector."""
        if self.formed:
            return dsymv(1.0, self.matrix.T, p)
        out = np.zeros(self.inputs)
        through_rows(self.x, self.at, self.ends, self.n, p, out)
        return out

    def copy(self) -> "Correlation":
        """One of its own with the same rows."""
        new = Correlation(self.inputs)
        new.restore({name: values.copy() for name, values in self.arrays().items()})
        return new

    def arrays(self) -> dict[str, Any]:
        """All that it is made of, by name."""
        size = int(self.ends[self.n])
        return {
            "matrix": self.matrix,
            "ends": self.ends[: self.n + 1],
            "x": self.x[:size],
            "at": self.at[:size],
        }

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave; ``ValueError`` names what does not fit."""
        order = self.inputs if len(arrays["matrix"]) else 0
        n, size = len(arrays["ends"]) - 1, len(arrays["x"])
        check_like("matrix", arrays["matrix"], np.empty((order, order)))
        check_like("ends", arrays["ends"], np.empty(n + 1, np.int64))
        check_like("x", arrays["x"], np.empty(size))
        check_like("at", arrays["at"], np.empty(size, np.uint32))
        ends, at = arrays["ends"], arrays["at"]
        if ends[0] != 0 or ends[-1] != size or (np.diff(ends) < 0).any():
            raise ValueError("has rows with a broken index pointer")
        if (size and int(at.max()) >= self.inputs) or (order == 0 and self.inputs <= SMALL):
            raise ValueError("has rows that do not fit its inputs")
        self.matrix, self.n = arrays["matrix"], n
        self.ends, self.x, self.at = ends, arrays["x"], at

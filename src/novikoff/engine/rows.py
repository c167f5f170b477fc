"""Validated rows, as compiled loops and kernels take them."""

from typing import NamedTuple

import numpy as np

# The largest squared norm of a row that is learnt: sums of many such products stay within float64.
LARGEST_SQUARE = 1e303
# Where a learner needs the squared norm of a row, one below this is that of a row of zeros.
SMALLEST_SQUARE = 1e-303


class Rows(NamedTuple):
    """Dense or CSR rows, flat (see :mod:`novikoff.engine.views`)."""

    data: np.ndarray
    indices: np.ndarray | None
    indptr: np.ndarray | None
    n: int
    width: int

    def part(self, start: int, stop: int) -> "Rows":
        """Rows start to stop, without a copy."""
        if self.indptr is None:
            flat = self.data[start * self.width : stop * self.width]
            return self._replace(data=flat, n=stop - start)
        return self._replace(indptr=self.indptr[start : stop + 1], n=stop - start)

    def dense(self) -> np.ndarray | None:
        """The rows as a matrix, when they are dense."""
        return self.data.reshape(self.n, self.width) if self.indices is None else None

    def sparse(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Data, indices and indptr of CSR rows."""
        assert self.indices is not None
        assert self.indptr is not None
        return self.data, self.indices, self.indptr


def single_row(
    data: np.ndarray, indices: np.ndarray | None, indptr: np.ndarray | None, width: int
) -> Rows:
    """One row, made without the toll that a NamedTuple's own constructor takes."""
    return tuple.__new__(Rows, (data, indices, indptr, 1, width))


class _Unmarked:
    """Memory of an array, offered as writeable."""

    def __init__(self, array: np.ndarray) -> None:
        interface = array.__array_interface__
        self.array = array  # keeps the memory alive
        self.__array_interface__ = interface | {"data": (interface["data"][0], False)}


def unmarked(array: np.ndarray) -> np.ndarray:
    """The same memory without a read-only mark, for loops that write into no row.

    Numba would compile every loop once more for arrays that bear it.
    """
    return array if array.flags.writeable else np.asarray(_Unmarked(array))

"""Square arrays that grow by a line at a time: a Cholesky factor, a Gram matrix."""

import numpy as np

from novikoff.engine.blas import (
    solve_lower,
    solve_lower_transposed,
    solve_lower_transposed_vector,
    solve_lower_vector,
)
from novikoff.engine.weights import check_like


def with_room(L: np.ndarray, n: int) -> np.ndarray:
    """A square array with room for n lines."""
    if n <= L.shape[0]:
        return L
    size = max(n, int(1.5 * L.shape[0]), 64)
    new = np.zeros((size, size))
    new[: L.shape[0], : L.shape[1]] = L
    return new


def check_square(name: str, values: np.ndarray) -> int:
    """Order of a square array read from a file; ``ValueError`` when it is none."""
    check_like(name, values, np.empty((len(values), len(values))))
    return len(values)


class Factor:
    """The Cholesky factor L of a positive definite matrix that grows by one line at a time."""

    def __init__(self) -> None:
        self.L = np.zeros((0, 0))
        self.n = 0

    def extend(self, k: np.ndarray, q: float, least: float) -> tuple[np.ndarray, float]:
        """Let a line enter: k beside the old ones, q on the diagonal.

        Returns L^{-1} k and the square of the new pivot, q minus the squares of those, and no less
        than ``least`` whatever rounding does.
        """
        z = np.array(k, np.float64)
        self.solve(z)
        square = max(q - float(z @ z), least)
        self.append(z, np.sqrt(square))
        return z, square

    def solve(self, z: np.ndarray) -> None:
        """z <- L^{-1} z in place, for a vector or a matrix of columns, C-ordered."""
        if z.ndim == 1:
            solve_lower_vector(self.L, self.n, z)
        else:
            solve_lower(self.L, self.n, z)

    def append(self, z: np.ndarray, pivot: float) -> np.ndarray:
        """Let the line [z, pivot] enter, and return it."""
        n = self.n
        self.L = with_room(self.L, n + 1)
        self.L[n, :n] = z
        self.L[n, n] = pivot
        self.n = n + 1
        return self.L[n, : n + 1].copy()

    def back(self, z: np.ndarray) -> None:
        """z <- L'^{-1} z in place, for a vector or a matrix of columns, C-ordered.

        A vector that is shorter than L meets the first lines of L only.
        """
        if z.ndim == 1:
            solve_lower_transposed_vector(self.L, z.size, z)
        else:
            solve_lower_transposed(self.L, self.n, z)

    @property
    def matrix(self) -> np.ndarray:
        """L."""
        return self.L[: self.n, : self.n]

    def restore(self, L: np.ndarray) -> None:
        """Take back a matrix; ``ValueError`` when it is none."""
        self.n = check_square("L", L)
        self.L = L

"""The rows svec(zz') of (7.9) seen as a linear program, in blocks that fit the memory.

svec stacks the lower triangle of a symmetric matrix, off-diagonals times sqrt 2, so that inner
products of vectors are those of matrices. Two columns for the radii r and s come last.
"""

import numpy as np

CHUNK = 2**22  # numbers in one block: 32 MB


class SquaredRows:
    """The rows svec(zz') and one column per class, built in blocks and kept when they fit."""

    def __init__(self, Z: np.ndarray, positive: np.ndarray):
        self.Z = Z
        self.sign = np.where(positive, -1.0, 1.0)
        self.classes = np.where(positive[:, None], [-1.0, 0.0], [0.0, -1.0])
        N = Z.shape[1]
        self.i, self.j = np.tril_indices(N)
        self.weight = np.where(self.i == self.j, 1.0, np.sqrt(2.0))
        self.size = len(self.i) + 2
        self.step = max(1, CHUNK // self.size)
        self._kept = self.block(0, len(Z)) if len(Z) <= self.step else None

    def block(self, start: int, stop: int) -> np.ndarray:
        """Return rows start to stop of A."""
        Z = self.Z[start:stop]
        A = np.empty((len(Z), self.size))
        np.multiply(Z[:, self.i], Z[:, self.j], out=A[:, :-2])
        A[:, :-2] *= self.weight
        A[:, -2:] = self.classes[start:stop]
        return A

    def gram(self, d: np.ndarray) -> np.ndarray:
        """Return A' diag(d) A."""
        if self._kept is not None:
            B = self._kept * np.sqrt(d)[:, None]
            return B.T @ B
        M = np.zeros((self.size, self.size))
        for start in range(0, len(self.Z), self.step):
            B = self.block(start, start + self.step)
            B *= np.sqrt(d[start : start + self.step])[:, None]
            M += B.T @ B
        return M

    def times(self, u: np.ndarray) -> np.ndarray:
        """Return A u."""
        return quadratic(self.Z, self.matrix(u[:-2])) + self.classes @ u[-2:]

    def transposed_times(self, v: np.ndarray) -> np.ndarray:
        """Return A' v."""
        return np.append(self.vector(self.Z.T @ (v[:, None] * self.Z)), v @ self.classes)

    def vector(self, S: np.ndarray) -> np.ndarray:
        """Return svec(S), whose inner products are those of the matrices."""
        return self.weight * S[self.i, self.j]

    def matrix(self, f: np.ndarray) -> np.ndarray:
        """Return the symmetric matrix of svec f."""
        S = np.empty((self.Z.shape[1],) * 2)
        S[self.i, self.j] = S[self.j, self.i] = f / self.weight
        return S

    def kronecker(self, G: np.ndarray) -> np.ndarray:
        """Return the matrix of S -> GSG between svecs."""
        i, j = self.i, self.j
        rows_i, rows_j = G[i], G[j]
        H = rows_i[:, i] * rows_j[:, j]
        H += rows_i[:, j] * rows_j[:, i]
        H *= 0.5 * self.weight[:, None]
        H *= self.weight
        return H


def quadratic(Z: np.ndarray, F: np.ndarray) -> np.ndarray:
    """Return z'Fz for each row z."""
    return np.einsum("ij,ij->i", Z @ F, Z)

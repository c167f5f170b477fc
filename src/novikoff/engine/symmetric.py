"""A symmetric matrix that takes low-rank terms one at a time and applies them as products.

It is kept as B - L'L, or B - L'R - R'L where terms come in pairs, with the last terms as rows of
L and R. A product with a row reads B once, only one of its triangles where the row is dense; B
itself is written once for a block of terms, by one matrix product. As long as the terms number
less than an eighth of the order, B is a multiple of the identity and is not formed at all. When
terms are applied depends on their number alone, never on how a stream was cut into calls.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dgemm, dsymv

from novikoff.engine.stores import enlarged
from novikoff.engine.weights import check_like

# Terms that wait for one product, once B is formed: enough to make it efficient, few enough that
# they lie in the cache beside each other. Below order 64 every term is applied at once.
MOST_TERMS, TERMS_PER_ORDER = 64, 32
# B is not formed before the terms number this share of its order.
UNFORMED = 8


class Row(NamedTuple):
    """One row, the constant included: values, and the inputs they belong to (None: all)."""

    values: np.ndarray
    at: np.ndarray | None
    inputs: int

    def dot(self, vector: np.ndarray) -> float:
        """Inner product with a vector."""
        return float(self.values @ (vector if self.at is None else vector[self.at]))

    def add_to(self, vector: np.ndarray, factor: float) -> None:
        """vector += factor x."""
        if self.at is None:
            vector += factor * self.values
        else:
            vector[self.at] += factor * self.values

    def dense(self) -> np.ndarray:
        """All inputs."""
        if self.at is None:
            return self.values
        x = np.zeros(self.inputs)
        x[self.at] = self.values
        return x

    def times(self, factor: float) -> "Row":
        """The row times a number."""
        return self._replace(values=self.values * factor)


class Symmetric:
    """``scale`` times the identity, minus terms that are added one at a time."""

    def __init__(self, order: int, scale: float, paired: bool) -> None:
        self.order, self.scale, self.paired = order, scale, paired
        self.B = np.zeros((0, 0))
        self.L = np.zeros((0, order))
        self.R = np.zeros((0, order))
        self.n = 0  # terms that wait

    @property
    def _room(self) -> int:
        """Terms that may wait."""
        if len(self.B):
            return min(MOST_TERMS, max(1, self.order // TERMS_PER_ORDER))
        return max(1, self.order // UNFORMED)

    def times(self, x: Row) -> np.ndarray:
        """Product with a row."""
        if len(self.B) == 0:
            z = self.scale * x.dense()
        elif x.at is None:
            z = dsymv(1.0, self.B.T, x.values)
        else:
            z = x.values @ self.B[x.at]
        if self.n:
            L = self.L[: self.n]
            left = (L if x.at is None else L[:, x.at]) @ x.values
            if self.paired:
                R = self.R[: self.n]
                right = (R if x.at is None else R[:, x.at]) @ x.values
                z -= left @ R
                z -= right @ L
            else:
                z -= left @ L
        return z

    def subtract(self, left: np.ndarray, right: np.ndarray | None = None) -> None:
        """Take away left left', or left right' + right left' where terms come in pairs."""
        if self.n == len(self.L):
            size = min(max(8, 2 * self.n), self._room)
            self.L = enlarged(self.L[: self.n], size)
            if self.paired:
                self.R = enlarged(self.R[: self.n], size)
        self.L[self.n] = left
        if right is not None:
            self.R[self.n] = right
        self.n += 1
        if self.n >= self._room:
            self._apply()

    def _apply(self) -> None:
        formed = len(self.B) > 0
        if not formed:
            self.B = np.zeros((self.order, self.order))
            self.B.flat[:: self.order + 1] = self.scale
        L, R = self.L[: self.n].T, self.R[: self.n].T
        # BLAS is column-major: the transposed views are what it takes without a copy.
        for a, b in ((L, R), (R, L)) if self.paired else ((L, L),):
            dgemm(-1.0, a, b, 1.0, self.B.T, trans_b=1, overwrite_c=1)
        self.n = 0
        if not formed:
            self.L, self.R = np.zeros((0, self.order)), np.zeros((0, self.order))

    def dense(self) -> np.ndarray:
        """The matrix itself."""
        L, R = self.L[: self.n], self.R[: self.n]
        B = self.B if len(self.B) else self.scale * np.eye(self.order)
        return B - L.T @ R - R.T @ L if self.paired else B - L.T @ L

    def copy(self) -> "Symmetric":
        """A matrix of its own with the same value."""
        new = Symmetric(self.order, self.scale, self.paired)
        new.restore({name: values.copy() for name, values in self.arrays().items()})
        return new

    def arrays(self) -> dict[str, np.ndarray]:
        """All that it is made of, by name."""
        arrays = {"B": self.B, "L": self.L[: self.n]}
        return arrays | {"R": self.R[: self.n]} if self.paired else arrays

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Take back what :meth:`arrays` gave; ``ValueError`` names what does not fit."""
        n = len(arrays["L"])
        order = self.order if len(arrays["B"]) else 0
        check_like("B", arrays["B"], np.empty((order, order)))
        self.B = arrays["B"]
        if n >= self._room:
            raise ValueError("has more terms waiting than a run leaves")
        for name in ("L", "R") if self.paired else ("L",):
            check_like(name, arrays[name], np.empty((n, self.order)))
            setattr(self, name, arrays[name])
        self.n = n

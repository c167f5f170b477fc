"""Semidefinite programs in the form of SDPA files.

    minimise c.x    subject to    x_1 F_1 + ... + x_m F_m - F_0  positive semidefinite

with block-diagonal F_i. P3 (6.2) and (6.7) write + F_0 where the files have - F_0; the files' sign
is used throughout.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from novikoff.feasibility.oracles.point import vector_of
from novikoff.feasibility.oracles.semidefinite import Semidefinite, symmetric_entries
from novikoff.feasibility.outcome import Vector


@dataclass(eq=False, repr=False)
class SemidefiniteProgram:
    """A semidefinite program.

    Parameters
    ----------
    c : ndarray of shape (m,)
        The objective.
    blocks : list of int
        Sizes of the diagonal blocks; -k stands for k scalars (a diagonal block).
    matrices : list of m + 1 sparse arrays
        F_0, ..., F_m, whole (both triangles, all blocks), in CSR.

    Examples
    --------
    >>> from novikoff.feasibility import SemidefiniteProgram
    >>> program = SemidefiniteProgram([1.0], [2], [[[0, 1], [1, 0]], [[1, 0], [0, 1]]])
    >>> program.slack([2.0])  # 2 F_1 - F_0
    array([[ 2., -1.],
           [-1.,  2.]])
    >>> program.contains([2.0]), program.contains([1.0])
    (True, False)
    """

    c: Vector
    blocks: list[int]
    matrices: list[Any]

    def __repr__(self) -> str:
        """Sizes, not the numbers themselves."""
        return f"SemidefiniteProgram of {len(self.c)} unknowns, blocks={self.blocks}"

    def __post_init__(self) -> None:
        try:
            self.c = np.asarray(self.c, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"c must be a vector of numbers, got {self.c!r}") from None
        if self.c.ndim != 1 or not np.isfinite(self.c).all():
            raise ValueError("c must be a vector of finite numbers")
        if any(size != int(size) for size in self.blocks):
            raise ValueError(f"blocks must be whole numbers, got {self.blocks}")
        self.blocks = [int(size) for size in self.blocks]
        if not self.blocks or 0 in self.blocks:
            raise ValueError(f"blocks must be sizes other than 0, got {self.blocks}")
        if len(self.matrices) != len(self.c) + 1:
            raise ValueError(
                f"matrices must hold F_0, ..., F_m with m = {len(self.c)}, the length of c; "
                f"got {len(self.matrices)} matrices"
            )
        owner = _block_of_row(self.blocks)
        whole, triples = [], []
        for i, given in enumerate(self.matrices):
            try:
                F = sparse.csr_array(
                    given if sparse.issparse(given) else np.asarray(given, dtype=np.float64),
                    dtype=np.float64,
                )
            except (TypeError, ValueError):
                raise TypeError(f"matrix {i} must be a matrix of numbers") from None
            whole.append(F)
            if F.shape != (self.size, self.size):
                raise ValueError(
                    f"matrix {i} must have shape ({self.size}, {self.size}), the sum of blocks; "
                    f"got {F.shape}"
                )
            _, rows, columns, values = symmetric_entries(i, F)
            if (owner[rows] != owner[columns]).any():
                raise ValueError(f"matrix {i} has an entry outside the blocks {self.blocks}")
            triples.append((np.full(len(values), i), rows, columns, values))
        self.matrices = whole
        self._entries = [np.concatenate(part) for part in zip(*triples, strict=True)]
        self._slack: Semidefinite | None = None

    @property
    def size(self) -> int:
        """Number of rows of the F_i."""
        return sum(abs(size) for size in self.blocks)

    @property
    def dim(self) -> int:
        """Length of x, m."""
        return len(self.c)

    def _slack_oracle(self) -> Semidefinite:
        if self._slack is None:
            owner, rows, columns, values = self._entries
            signed = np.where(owner == 0, -values, values)
            self._slack = Semidefinite.from_entries(
                self.dim + 1, self.size, owner, rows, columns, signed, False
            )
        return self._slack

    def _point(self, x: ArrayLike) -> Vector:
        vector = vector_of(x)
        if vector.shape != (self.dim,):
            raise ValueError(f"x must have shape ({self.dim},), got {vector.shape}")
        return vector

    def extended(self, x: ArrayLike) -> Vector:
        """Return (1, x), the homogenised program's name of the point x."""
        return np.concatenate([[1.0], self._point(x)])

    def slack(self, x: ArrayLike) -> NDArray[np.float64]:
        """Return sum x_i F_i - F_0 as a dense matrix."""
        return self._slack_oracle().matrix(self.extended(x))

    def contains(self, x: ArrayLike) -> bool:
        """Whether the slack at x is positive definite by more than rounding can account for."""
        return self._slack_oracle().contains(self.extended(x))

    def objective(self, x: ArrayLike) -> float:
        """Return c.x."""
        return float(self.c @ self._point(x))

    def homogenized(self, below: float | None = None, pivoting: bool = False) -> Semidefinite:
        """Return the oracle of the homogenised constraints (P3 Proposition 6.2).

        With a variable x_0 > 0 the program's points are ``x[1:] / x[0]``. The first row of the
        matrix is x_0 itself, so that the first counterexample at x = 0 is x_0.

        Parameters
        ----------
        below : float, optional
            Demand c.x < below as well, by a last row: below x_0 - c.x.
        pivoting : bool
            As for :class:`Semidefinite`.
        """
        if below is not None and not (
            isinstance(below, int | float | np.number) and math.isfinite(below)
        ):
            raise ValueError(f"below must be None or a finite number, got {below!r}")
        owner, rows, columns, values = self._entries
        owners, places = [np.array([0]), owner], [np.array([0]), 1 + rows]
        across = [np.array([0]), 1 + columns]
        signed = [np.array([1.0]), np.where(owner == 0, -values, values)]
        size = self.size + 1
        if below is not None:
            row = np.concatenate([[below], -self.c])
            owners.append(np.flatnonzero(row))
            places.append(np.full(len(owners[-1]), size))
            across.append(places[-1])
            signed.append(row[owners[-1]])
            size += 1
        return Semidefinite.from_entries(
            self.dim + 1,
            size,
            np.concatenate(owners),
            np.concatenate(places),
            np.concatenate(across),
            np.concatenate(signed),
            pivoting,
        )


def _block_of_row(blocks: Sequence[int]) -> NDArray[Any]:
    """The number of the block each row is in; every row of a diagonal block is its own."""
    number, owners = 0, []
    for size in blocks:
        if size > 0:
            owners.append(np.full(size, number))
            number += 1
        else:
            owners.append(number + np.arange(-size))
            number += -size
    return np.concatenate(owners)


def maxcut_program(adjacency: Any) -> SemidefiniteProgram:
    """Return the MAXCUT relaxation of a weighted graph (P3 (6.7), after Helmberg).

    Minimise sum x_i subject to diag(x) - (diag(C 1) - C) / 4 positive semidefinite: its optimum is
    an upper bound of the heaviest cut's weight.

    Parameters
    ----------
    adjacency : array or sparse matrix of shape (n, n)
        C: symmetric weights; the diagonal is without effect.

    Returns
    -------
    SemidefiniteProgram

    Examples
    --------
    >>> from novikoff.feasibility import maxcut_program, minimize
    >>> triangle = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    >>> outcome = minimize(maxcut_program(triangle), rel_tol=0.01)
    >>> outcome.lower_bound <= 2.25 <= outcome.objective <= 2.25 * 1.02
    True
    """
    try:
        C = sparse.csr_array(
            adjacency if sparse.issparse(adjacency) else np.asarray(adjacency, dtype=np.float64),
            dtype=np.float64,
        )
    except (TypeError, ValueError):
        raise TypeError("adjacency must be a matrix of numbers, dense or sparse") from None
    if C.ndim != 2 or C.shape[0] != C.shape[1] or C.shape[0] == 0:
        raise ValueError(f"adjacency must be a square matrix, not empty; got shape {C.shape}")
    if not np.isfinite(C.data).all():
        raise ValueError("adjacency must be finite, got NaN or infinity")
    if abs(C - C.T).max() > 0.0:
        raise ValueError("adjacency must be symmetric; an edge stands at (i, j) and at (j, i)")
    n = C.shape[0]
    degree = np.asarray(C.sum(axis=1)).ravel()
    laplacian = sparse.diags_array(degree) - C
    units = [sparse.csr_array(([1.0], ([i], [i])), shape=(n, n)) for i in range(n)]
    return SemidefiniteProgram(np.ones(n), [n], [0.25 * laplacian, *units])

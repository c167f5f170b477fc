"""Coordinates in which the positive class has mean zero and unit covariance.

The optimum of (7.9) does not depend on coordinates (P3, Theorem 7.5), an interior-point method's
accuracy does. The map comes from an orthogonal factorisation of the centred, scaled positives, not
from their covariance matrix, whose condition number is the square.
"""

from dataclasses import dataclass

import numpy as np


@dataclass
class Whitening:
    """z = (x - shift) @ matrix."""

    shift: np.ndarray
    matrix: np.ndarray
    inverse: np.ndarray

    def rows(self, X: np.ndarray) -> np.ndarray:
        """Return the whitened rows, each with the constant 1 appended."""
        Z = np.ones((X.shape[0], X.shape[1] + 1))
        Z[:, :-1] = (X - self.shift) @ self.matrix
        return Z


def whiten(inside: np.ndarray, label: object) -> Whitening:
    """Return the map for these points; ``ValueError`` where they do not span the space.

    ``label`` names their class in the message.
    """
    m, n = inside.shape
    check_count(m, n, label)
    shift = inside.mean(axis=0)
    centred = inside - shift
    size = np.abs(inside).max(axis=0)
    spread = np.abs(centred).max(axis=0)
    # A spread of this size is what rounding makes of a constant.
    constant = np.flatnonzero(spread <= 8 * np.finfo(float).eps * size)
    if len(constant):
        count = "1 feature is" if len(constant) == 1 else f"{len(constant)} features are"
        shown = ", ".join(map(str, constant[:10])) + (", ..." if len(constant) > 10 else "")
        raise ValueError(
            f"the points of class {label!r} do not span the space, so that no ellipsoid around "
            f"them is the best one: {count} constant within the class "
            f"(column {shown}); leave out what is constant"
        )
    scaled = centred / spread
    _, sigma, Vt = np.linalg.svd(np.linalg.qr(scaled, mode="r"))
    noise = 8 * np.finfo(float).eps * np.sqrt(m * n) * np.max(size / spread)
    rank = int(np.count_nonzero(sigma > max(noise, 4 * n * np.finfo(float).eps * sigma[0])))
    if rank < n:
        raise ValueError(
            f"the points of class {label!r} do not span the space, so that no ellipsoid around "
            f"them is the best one: they lie in {rank} of {n} dimensions; at least {n - rank} "
            f"more of them in other directions are needed, or fewer features"
        )
    matrix = (Vt.T / sigma) * np.sqrt(m) / spread[:, None]
    inverse = (sigma[:, None] * Vt) / np.sqrt(m) * spread
    return Whitening(shift, matrix, inverse)


def check_count(m: int, n: int, label: object) -> None:
    """Raise ``ValueError`` where m points are too few to span n dimensions."""
    if m <= n:
        raise ValueError(
            f"the points of class {label!r} do not span the space, so that no ellipsoid around "
            f"them is the best one: there are {m}, and {n} features need at least {n + 1}; give "
            f"{n + 1 - m} more, or fewer features (GramSchmidtFeatures makes few of many)"
        )

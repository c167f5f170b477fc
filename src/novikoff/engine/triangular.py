"""Least squares that takes equations one at a time: a triangular factor, turned by rotations.

R'R = Z'Z and R'u = Z'y for the equations <z_i, s> = y_i so far, so that s = R^{-1}u is their least
squares solution. R is turned, never Z'Z inverted: errors grow with the condition number of Z, not
with its square.
"""

from typing import Any

import numpy as np

from novikoff.engine.factor import check_square, with_room
from novikoff.engine.jit import entry
from novikoff.engine.stores import enlarged
from novikoff.engine.weights import check_like


@entry
def rotate_in(R, u, z, y):
    """Take in the equation <z, s> = y; z is overwritten."""
    n = z.size
    for i in range(n):
        if z[i] == 0.0:
            continue
        h = np.hypot(R[i, i], z[i])
        c, s = R[i, i] / h, z[i] / h
        line = R[i]
        for j in range(i, n):
            r = line[j]
            line[j] = c * r + s * z[j]
            z[j] = c * z[j] - s * r
        v = u[i]
        u[i] = c * v + s * y
        y = c * y - s * v


@entry
def back_substitute(R, s):
    """s <- R^{-1} s."""
    n = s.size
    for i in range(n - 1, -1, -1):
        line = R[i]
        total = s[i]
        for j in range(i + 1, n):
            total -= line[j] * s[j]
        s[i] = total / line[i]


@entry
def forward_substitute(R, s):
    """s <- R'^{-1} s."""
    n = s.size
    for i in range(n):
        line = R[i]
        s[i] /= line[i]
        for j in range(i + 1, n):
            s[j] -= line[j] * s[i]


class LeastSquares:
    """The equations so far, in as many unknowns as the last of them had."""

    def __init__(self) -> None:
        self.R, self.u = np.zeros((0, 0)), np.zeros(0)
        self.rank = 0

    def add(self, z: np.ndarray, y: float) -> np.ndarray:
        """Take in <z, s> = y, z having at most one number more than before; return s."""
        n = z.size
        self.R = with_room(self.R, n)
        if n > self.u.size:
            self.u = enlarged(self.u, n)
        self.rank = n
        rotate_in(self.R, self.u, z.copy(), y)
        s = self.u[:n].copy()
        back_substitute(self.R, s)
        return s

    def through(self, s: np.ndarray) -> np.ndarray:
        """(R'R)^{-1} s."""
        t = s.copy()
        forward_substitute(self.R, t)
        back_substitute(self.R, t)
        return t

    def scaled(self, factor: float) -> "LeastSquares":
        """Equations of its own, with right sides times a factor."""
        new = LeastSquares()
        new.restore(
            {"R": self.R[: self.rank, : self.rank].copy(), "u": factor * self.u[: self.rank]}
        )
        return new

    def arrays(self) -> dict[str, Any]:
        """All that it is made of, by name."""
        return {"R": self.R[: self.rank, : self.rank], "u": self.u[: self.rank]}

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave; ``ValueError`` names what does not fit."""
        rank = check_square("R", arrays["R"])
        check_like("u", arrays["u"], np.empty(rank))
        self.R, self.u, self.rank = arrays["R"], arrays["u"], rank

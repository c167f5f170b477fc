"""Least squares that takes equations one at a time: a triangular factor, turned by rotations.

R'R = Z'Z and R'u = Z'y for the equations <z_i, s> = y_i so far, so that s = R^{-1}u is their least
squares solution. R is turned, never Z'Z inverted: errors grow with the condition number of Z, not
with its square. Where Q with Z = Q R is asked for, it is turned along, so that the shortest
combination of the z_i that gives s is within reach, too.
"""

from typing import Any

import numpy as np

from novikoff.engine.factor import check_square, with_room
from novikoff.engine.jit import entry
from novikoff.engine.stores import enlarged
from novikoff.engine.weights import check_like


@entry
def rotate_in(R, u, Q, z, y, e):
    """Take in the equation <z, s> = y and the line e of Q; z and e are overwritten."""
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
        column = Q[i]
        for j in range(e.size):
            v = column[j]
            column[j] = c * v + s * e[j]
            e[j] = c * e[j] - s * v


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
    """The equations so far, in as many unknowns as the last of them had.

    ``combining`` keeps Q as well, as many numbers as the equations have.
    """

    def __init__(self, combining: bool) -> None:
        self.combining = combining
        self.R, self.u = np.zeros((0, 0)), np.zeros(0)
        self.Q = np.zeros((0, 0))  # a line a column of Q, with room
        self.rank = 0
        self.n = 0  # equations, where Q is kept

    def add(self, z: np.ndarray, y: float) -> np.ndarray:
        """Take in <z, s> = y, z having at most one number more than before; return s."""
        n = z.size
        self.R = with_room(self.R, n)
        if n > self.u.size:
            self.u = enlarged(self.u, n)
        self.rank = n
        self.n += self.combining
        if n > len(self.Q):
            self.Q = enlarged(self.Q, max(8, n))
        if self.n > self.Q.shape[1]:
            self.Q = enlarged(self.Q, max(64, self.n), axis=1)
        e = np.zeros(self.n)
        e[self.n - 1 :] = 1.0
        rotate_in(self.R, self.u, self.Q, z.copy(), y, e)
        s = self.u[:n].copy()
        back_substitute(self.R, s)
        return s

    def combination(self, s: np.ndarray) -> np.ndarray:
        """The shortest alpha with Z' alpha = s."""
        t = s.copy()
        forward_substitute(self.R, t)
        return t @ self.Q[: self.rank, : self.n]

    def scaled(self, factor: float) -> "LeastSquares":
        """Equations of its own, with right sides times a factor."""
        new = LeastSquares(self.combining)
        new.restore({name: values.copy() for name, values in self.arrays().items()})
        new.u *= factor
        return new

    def arrays(self) -> dict[str, Any]:
        """All that it is made of, by name."""
        r = self.rank
        arrays = {"R": self.R[:r, :r], "u": self.u[:r]}
        return arrays | {"Q": self.Q[:r, : self.n]} if self.combining else arrays

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave; ``ValueError`` names what does not fit."""
        rank = check_square("R", arrays["R"])
        check_like("u", arrays["u"], np.empty(rank))
        if self.combining:
            self.n = arrays["Q"].shape[-1]
            check_like("Q", arrays["Q"], np.empty((rank, self.n)))
            self.Q = arrays["Q"]
        self.R, self.u, self.rank = arrays["R"], arrays["u"], rank

"""A product of factors I - rho x z', kept as the factors: B u and B'u by going through them.

Rows are kept flat as they came, sparse or dense: z is zero where x is.
"""

from typing import Any

import numpy as np

from novikoff.engine.jit import entry
from novikoff.engine.stores import enlarged
from novikoff.engine.symmetric import Row
from novikoff.engine.weights import check_like


@entry
def multiply(rho, x, z, at, ends, n, u):
    """u <- B u, the factors first to last: the last acts first."""
    for i in range(n - 1, -1, -1):
        apply_factor(rho[i], x, z, at, ends[i], ends[i + 1], u)


@entry
def multiply_transposed(rho, x, z, at, ends, n, u):
    """u <- B'u: the first acts first."""
    for i in range(n):
        apply_factor(rho[i], z, x, at, ends[i], ends[i + 1], u)


@entry
def apply_factor(rho, x, z, at, lo, hi, u):
    """u <- (I - rho x z') u."""
    total = 0.0
    for j in range(lo, hi):
        total += z[j] * u[at[j]]
    total *= rho
    for j in range(lo, hi):
        u[at[j]] -= total * x[j]


class Product:
    """B = (I - rho_1 x_1 z_1') (I - rho_2 x_2 z_2') ..."""

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.n = 0
        self.rho = np.zeros(0)
        self.ends = np.zeros(1, np.int64)
        self.x, self.z, self.at = np.zeros(0), np.zeros(0), np.zeros(0, np.int64)

    def append(self, rho: float, row: Row, z: np.ndarray) -> None:
        """B <- B (I - rho x z'), z given where x is."""
        start = int(self.ends[self.n])
        stop = start + row.values.size
        if self.n == self.rho.size:
            self.rho = enlarged(self.rho, self.n + 1)
            self.ends = enlarged(self.ends, self.n + 2)
        if stop > self.x.size:
            for name in ("x", "z", "at"):
                setattr(self, name, enlarged(getattr(self, name), stop))
        self.x[start:stop], self.z[start:stop] = row.values, z
        self.at[start:stop] = np.arange(self.inputs) if row.at is None else row.at
        self.rho[self.n] = rho
        self.n += 1
        self.ends[self.n] = stop

    def times(self, u: np.ndarray) -> np.ndarray:
        """B u."""
        u = u.copy()
        multiply(self.rho, self.x, self.z, self.at, self.ends, self.n, u)
        return u

    def transposed_times(self, u: np.ndarray) -> np.ndarray:
        """B'u."""
        u = u.copy()
        multiply_transposed(self.rho, self.x, self.z, self.at, self.ends, self.n, u)
        return u

    def arrays(self) -> dict[str, Any]:
        """All that it is made of, by name."""
        size = int(self.ends[self.n])
        return {
            "rho": self.rho[: self.n],
            "ends": self.ends[: self.n + 1],
            **{name: getattr(self, name)[:size] for name in ("x", "z", "at")},
        }

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave; ``ValueError`` names what does not fit."""
        n, size = len(arrays["rho"]), len(arrays["x"])
        check_like("rho", arrays["rho"], np.empty(n))
        check_like("ends", arrays["ends"], np.empty(n + 1, np.int64))
        for name, dtype in (("x", float), ("z", float), ("at", np.int64)):
            check_like(name, arrays[name], np.empty(size, dtype))
        ends, at = arrays["ends"], arrays["at"]
        if ends[0] != 0 or ends[-1] != size or (np.diff(ends) < 0).any():
            raise ValueError("has factors with a broken index pointer")
        if size and not (at.min() >= 0 and at.max() < self.inputs):
            raise ValueError("has a factor with an index outside its inputs")
        self.n = n
        for name in ("rho", "ends", "x", "z", "at"):
            setattr(self, name, arrays[name])

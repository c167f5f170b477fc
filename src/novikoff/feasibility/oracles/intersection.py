"""Several oracles at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novikoff.feasibility.oracles.rescaled import rescaled
from novikoff.feasibility.outcome import Vector
from novikoff.feasibility.run import Oracle, strictly_inside, takes_level


class Intersection:
    """Oracle of the points that every one of several oracles accepts.

    The parts are asked in the order given; the first counterexample is returned.

    Parameters
    ----------
    oracles : sequence of oracles
        At least one; of one dimension where they state it. A part that takes no level makes an
        intersection that takes none.

    Examples
    --------
    >>> from novikoff.feasibility import Halfspaces, Intersection
    >>> both = Intersection([Halfspaces([[1.0, 0.0]]), lambda x: None if x[1] > 0 else [0.0, 1.0]])
    >>> both([1.0, -1.0])
    [0.0, 1.0]
    """

    def __init__(self, oracles: Sequence[Oracle]) -> None:
        self.oracles = list(oracles)
        if not self.oracles:
            raise ValueError("oracles must hold at least one oracle, got none")
        for oracle in self.oracles:
            if not callable(oracle):
                raise TypeError(f"every oracle must be callable, got {type(oracle).__name__}")
        dims = {int(oracle.dim) for oracle in self.oracles if hasattr(oracle, "dim")}
        if len(dims) > 1:
            raise ValueError(f"the oracles must be of one dimension, got {sorted(dims)}")
        if dims:
            self.dim = dims.pop()
        self._levels = [takes_level(oracle) for oracle in self.oracles]
        self.takes_level = all(self._levels)

    def __call__(self, x: ArrayLike, level: float = 0.0) -> Vector | Any | None:
        """Return the first part's counterexample, or None."""
        if level != 0.0 and not self.takes_level:
            raise TypeError(
                "level must be 0: a part of this intersection is not callable as "
                "oracle(x, level=...)"
            )
        x = np.asarray(x, dtype=np.float64)
        for oracle, levels in zip(self.oracles, self._levels, strict=True):
            a = oracle(x, level=level) if levels else oracle(x)
            if a is not None:
                return a
        return None

    def contains(self, x: ArrayLike) -> bool:
        """Whether every part's strict check accepts x."""
        x = np.asarray(x, dtype=np.float64)
        return all(strictly_inside(oracle, x) for oracle in self.oracles)

    def doubtful(self, x: ArrayLike) -> Vector | Any | None:
        """Return a vector of the first part whose strict check does not accept x, or None."""
        x = np.asarray(x, dtype=np.float64)
        for oracle in self.oracles:
            a = getattr(oracle, "doubtful", oracle)(x.copy())
            if a is not None:
                return a
        return None

    def rescaled(self, H: NDArray[np.float64]) -> "Intersection":
        """Return the intersection of the rescaled parts."""
        return Intersection([rescaled(oracle, H) for oracle in self.oracles])

"""The image of an oracle's set under a matrix: {H a : a in A}.

y is feasible for the image exactly when x = H'y is feasible for the set: (H a).y = a.(H'y).
"""

import numpy as np
from numpy.typing import NDArray

from novikoff.feasibility.outcome import Vector
from novikoff.feasibility.run import Oracle, takes_level


class Rescaled:
    """Oracle of {H a : a in the set of `oracle`}, its vectors not normalised.

    Parameters
    ----------
    oracle : oracle
        The set.
    H : ndarray of shape (n, n)
        The matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.feasibility import Halfspaces, Rescaled
    >>> Rescaled(Halfspaces([[1.0, 0.0]]), 2 * np.eye(2))(np.array([-1.0, 0.0]))
    array([2., 0.])
    """

    def __init__(self, oracle: Oracle, H: NDArray[np.float64]) -> None:
        self.oracle = oracle
        self.H = H
        self.dim = len(H)
        self.takes_level = takes_level(oracle)

    def __call__(self, y: Vector, level: float = 0.0) -> Vector | None:
        """Return H a for an a that cuts H'y, or None."""
        x = y @ self.H
        a = self.oracle(x, level=level) if self.takes_level else self.oracle(x)
        return None if a is None else np.asarray(self.H @ np.asarray(a), dtype=np.float64)


def rescaled(oracle: Oracle, H: NDArray[np.float64]) -> Oracle:
    """Return the oracle of {H a}: the oracle's own ``rescaled`` where it has one."""
    own = getattr(oracle, "rescaled", None)
    image: Oracle = Rescaled(oracle, H) if own is None else own(H)
    return image

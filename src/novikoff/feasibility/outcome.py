"""What a solver returns, and what it tells while it runs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Status = Literal["feasible", "almost", "unseparable", "limit"]

HISTORY = np.dtype(
    [("n_updates", "i8"), ("n_oracle_calls", "i8"), ("n_rescalings", "i8"), ("seconds", "f8")]
)
OBJECTIVE_HISTORY = np.dtype(
    [("n_updates", "i8"), ("seconds", "f8"), ("objective", "f8"), ("lower_bound", "f8")]
)


@dataclass(eq=False)
class Outcome:
    """The end of a run.

    Attributes
    ----------
    x : ndarray
        The last point. Strictly feasible when `status` is ``"feasible"``.
    status : {"feasible", "almost", "unseparable", "limit"}
        ``"feasible"``: `x` passed a check of its own, strict, after the method had ended.
        ``"almost"``: every a of the set has a.x > -sigma |x| for the sigma that was asked for
        (modified perceptron only). ``"unseparable"``: the method's own bound excludes every set
        of the margin that was asked for. ``"limit"``: stopped before either was known, by
        `max_updates`, the callback or the end of the floating-point range.
    n_updates : int
        Updates made. The last question, which found no counterexample, is not one.
    n_rescalings : int
        How often the space was rescaled between runs of a perceptron.
    n_oracle_calls : int
        Questions put to the oracle.
    seconds : float
        Wall time, the oracle's included.
    history : ndarray
        Structured array, taken at geometrically spaced updates, hence short.
    method : str
        The method that made it.
    objective, lower_bound : float
        Of a minimisation: c.x, and a number that no feasible point's objective lies below
        (``-inf`` when none was proved); NaN otherwise.
    state : dict
        What the method needs besides `x` to go on exactly where it stopped: pass the whole
        outcome as `x0` to the same method.

    Examples
    --------
    >>> from novikoff.feasibility import Halfspaces, ellipsoid
    >>> rows = Halfspaces([[1.0, 0.0], [-0.9, 0.1]])
    >>> stopped = ellipsoid(rows, 2, max_updates=2)
    >>> stopped.status
    'limit'
    >>> ellipsoid(rows, 2, x0=stopped).n_updates == ellipsoid(rows, 2).n_updates
    True
    """

    x: Vector
    status: Status
    n_updates: int = 0
    n_rescalings: int = 0
    n_oracle_calls: int = 0
    seconds: float = 0.0
    history: NDArray[Any] = field(default_factory=lambda: np.zeros(0, HISTORY), repr=False)
    method: str = ""
    objective: float = float("nan")
    lower_bound: float = float("nan")
    state: dict[str, Any] = field(default_factory=dict, repr=False)


class Event:
    """What a callback sees after each update.

    Attributes
    ----------
    n_updates, n_rescalings : int
        Made so far.
    elapsed : float
        Seconds since the run began.
    x : ndarray
        The point after this update; the event may be kept.
    objective : float
        Of a minimisation: the best c.x so far; NaN before the first feasible point.

    Examples
    --------
    >>> from novikoff.feasibility import Halfspaces, perceptron
    >>> rows = Halfspaces([[1.0, 0.0], [-0.8, 0.6]])
    >>> outcome = perceptron(rows, 2, callback=lambda event: print(event.n_updates, event.x))
    1 [1. 0.]
    2 [0.2 0.6]
    """

    __slots__ = ("_point", "elapsed", "n_rescalings", "n_updates", "objective")

    def __init__(
        self,
        n_updates: int,
        n_rescalings: int,
        elapsed: float,
        point: Callable[[], Vector],
        objective: float = float("nan"),
    ) -> None:
        self.n_updates = n_updates
        self.n_rescalings = n_rescalings
        self.elapsed = elapsed
        self.objective = objective
        self._point = point

    @property
    def x(self) -> Vector:
        """The point after this update."""
        return self._point()


Callback = Callable[[Event], object]

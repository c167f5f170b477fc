"""The book of one run: ask the oracle, check its answers, count, tell the callback, end.

Every solver keeps its run in a :class:`Run`, so that what a user relies on is written once: an
answer that does not cut the point is refused, a point that left the floating-point range ends the
run, and nothing is called feasible before its own strict check.
"""

import functools
import inspect
import math
import os
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, ParamSpec, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg.blas import dnrm2
from threadpoolctl import ThreadpoolController

from novikoff.feasibility.outcome import HISTORY, Callback, Event, Outcome, Status, Vector

Oracle: TypeAlias = Callable[..., Any]
Start: TypeAlias = ArrayLike | Outcome | None
Seed: TypeAlias = int | np.random.Generator | None
P = ParamSpec("P")

MOST_MARKS = 512
THREADED = 150
THREAD_VARIABLES = (
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "OMP_NUM_THREADS",
)
_controller: list[ThreadpoolController] = []  # made once: it looks through all loaded libraries

# Rounding in a.x that an honest oracle may show, relative to |a| |x|.
CUT_TOLERANCE = 1e-6


def length(a: Vector) -> float:
    """Euclidean norm, without overflow or underflow in the squares."""
    return float(dnrm2(a))


def _few_threads(dim: object) -> Any:
    """One BLAS thread around products with a vector, unless the user's environment says else.

    BLAS makes threads from about this size on only. (The engine's like comes with Numba, which
    nothing here needs.)
    """
    small = not isinstance(dim, int | np.integer) or dim < THREADED
    if small or any(name in os.environ for name in THREAD_VARIABLES):
        return nullcontext()
    if not _controller:
        _controller.append(ThreadpoolController())
    return _controller[0].limit(limits=1, user_api="blas")


def method(function: Callable[P, Outcome]) -> Callable[P, Outcome]:
    """Mark a solver: overflow inside it is an outcome, not a warning, and BLAS has one thread."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> Outcome:
        dim = kwargs.get("dim", args[1] if len(args) > 1 else 0)
        with np.errstate(all="ignore"), _few_threads(dim):
            return function(*args, **kwargs)

    return run


def takes_level(oracle: Oracle) -> bool:
    """Whether the oracle can be asked at a level other than 0."""
    levels = getattr(oracle, "takes_level", None)
    if levels is not None:
        return bool(levels)
    try:
        parameters = inspect.signature(oracle).parameters
    except (TypeError, ValueError):
        return False
    return "level" in parameters or any(
        p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()
    )


def strictly_inside(oracle: Oracle, x: Vector) -> bool:
    """Whether x is feasible beyond rounding: the check behind every ``"feasible"``.

    Asks the oracle's own ``contains`` (which allows for rounding errors) where there is one, and
    the oracle once more where there is not. NaN, infinity and x = 0 never pass.
    """
    if not np.isfinite(x).all() or not x.any():
        return False
    contains = getattr(oracle, "contains", None)
    if contains is not None:
        return bool(contains(x))
    return oracle(x.copy()) is None


def check_open_interval(name: str, value: float, low: float, high: float, fix: str = "") -> None:
    """Refuse a value outside the open interval (low, high), NaN included."""
    if not (isinstance(value, int | float | np.number) and low < value < high):
        raise ValueError(
            f"{name} must lie strictly between {low:g} and {high:g}, got {value!r}{fix}"
        )


def generator(random_state: Seed) -> np.random.Generator:
    """Return the random generator a solver draws from."""
    if random_state is None or isinstance(random_state, int | np.integer):
        return np.random.default_rng(random_state)
    if isinstance(random_state, np.random.Generator):
        return random_state
    raise TypeError(
        "random_state must be None, an integer or a numpy.random.Generator, "
        f"got {type(random_state).__name__}"
    )


class Run:
    """One run of a method."""

    def __init__(
        self,
        method: str,
        oracle: Oracle,
        dim: int,
        *,
        x0: Start = None,
        max_updates: int | None = None,
        callback: Callback | None = None,
        levels: bool = False,
    ) -> None:
        if not callable(oracle):
            raise TypeError(f"oracle must be callable, got {type(oracle).__name__}")
        if isinstance(dim, bool) or not isinstance(dim, int | np.integer) or dim < 1:
            raise ValueError(f"dim must be a positive integer, got {dim!r}")
        own = getattr(oracle, "dim", dim)
        if own != dim:
            raise ValueError(f"dim is {dim}, but the oracle cuts points of dimension {own}")
        if max_updates is not None and (
            isinstance(max_updates, bool)
            or not isinstance(max_updates, int | np.integer)
            or max_updates < 0
        ):
            raise ValueError(f"max_updates must be None or an integer >= 0, got {max_updates!r}")
        self.levels = takes_level(oracle)
        if levels and not self.levels:
            raise TypeError(
                f"{method} asks at levels other than 0: its oracle must be callable as "
                "oracle(x, level=...), as Halfspaces and Semidefinite are"
            )
        self.method, self.oracle, self.dim = method, oracle, int(dim)
        self.callback = callback
        self.n_updates = self.n_rescalings = self.n_oracle_calls = 0
        self.state: dict[str, Any] = {}
        self.to_input: Callable[[Vector], Vector] | None = None  # from the solver's space to x's
        self._before = 0.0
        self._history: list[tuple[int, int, int, float]] = []
        self._x0 = self._start(x0)
        self._limit = math.inf if max_updates is None else self.n_updates + int(max_updates)
        self._next_mark = self.n_updates + 1 + self.n_updates // 10
        self._stopped = False
        self._began = time.perf_counter()

    def _start(self, x0: Start) -> Vector:
        if x0 is None:
            return np.zeros(self.dim)
        if isinstance(x0, Outcome):
            if x0.method != self.method:
                raise ValueError(
                    f"x0 is an outcome of {x0.method or 'no method'}, which {self.method} cannot "
                    "go on with; pass its x to start from that point"
                )
            self.state = dict(x0.state)
            self.n_updates, self.n_rescalings = x0.n_updates, x0.n_rescalings
            self.n_oracle_calls, self._before = x0.n_oracle_calls, x0.seconds
            self._history = [tuple(row) for row in x0.history.tolist()]
            x0 = x0.x
        try:
            x = np.array(x0, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"x0 must be a vector of {self.dim} numbers, got {x0!r}") from None
        if x.shape != (self.dim,):
            raise ValueError(f"x0 must have shape ({self.dim},), got {x.shape}")
        if not np.isfinite(x).all():
            raise ValueError("x0 must be finite, got NaN or infinity")
        return x

    @property
    def start(self) -> Vector:
        """A copy of the start point (zeros by default)."""
        return self._x0.copy()

    @property
    def elapsed(self) -> float:
        """Seconds so far, those of the runs this one goes on from included."""
        return self._before + time.perf_counter() - self._began

    @property
    def over(self) -> bool:
        """Whether the run must stop before the next update."""
        return self._stopped or self.n_updates >= self._limit

    def ask(self, x: Vector, level: float = 0.0, oracle: Oracle | None = None) -> Vector | None:
        """Put x to the oracle; return its counterexample, or None.

        None is also the answer to a point that is not finite: the check at the end refuses it.
        A counterexample is a new vector or one that nobody will change.
        """
        if not math.isfinite(x.dot(x)):
            return None
        self.n_oracle_calls += 1
        ask = self.oracle if oracle is None else oracle
        a = ask(x, level=level) if self.levels else ask(x)
        if a is None:
            return None
        if not (isinstance(a, np.ndarray) and a.dtype == np.float64 and a.shape == x.shape):
            a = self._vector(a)
        cut = a.dot(x)
        if not cut <= level:
            self._refuse_unless_rounding(a, x, cut, level)
        return a

    def _vector(self, a: object) -> Vector:
        try:
            vector = np.asarray(a, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(
                f"the oracle must return None or {self.dim} numbers, got {type(a).__name__}"
            ) from None
        if vector.shape != (self.dim,):
            raise ValueError(
                f"the oracle must return None or a vector of shape ({self.dim},), "
                f"got shape {vector.shape}"
            )
        return vector

    def _refuse_unless_rounding(self, a: Vector, x: Vector, cut: float, level: float) -> None:
        if not np.isfinite(a).all():
            raise ValueError("the oracle returned a vector with NaN or infinity")
        if math.isfinite(cut) and cut - level > CUT_TOLERANCE * length(a) * length(x):
            raise ValueError(
                f"the oracle returned a vector that does not cut x: a.x = {cut:g}, "
                f"but it was asked for a.x <= {level:g}"
            )

    def updated(self, x: Vector) -> None:
        """Count an update that led to x (in the solver's space)."""
        self.n_updates += 1
        if self.n_updates >= self._next_mark:
            self._mark()
        if self.callback is not None:
            self._stopped = bool(
                self.callback(
                    Event(self.n_updates, self.n_rescalings, self.elapsed, lambda: self._input(x))
                )
            )

    def _input(self, x: Vector) -> Vector:
        return x.copy() if self.to_input is None else self.to_input(x)

    def _mark(self) -> None:
        if len(self._history) >= MOST_MARKS:  # many short runs, one going on from another
            del self._history[::2]
        self._history.append(
            (self.n_updates, self.n_oracle_calls, self.n_rescalings, self.elapsed)
        )
        self._next_mark = self.n_updates + 1 + self.n_updates // 10

    def inside(self, x: Vector) -> bool:
        """Whether x passes the strict check; counts as one question."""
        self.n_oracle_calls += 1
        return strictly_inside(self.oracle, x)

    def end(self, x: Vector, status: Status, **state: Any) -> Outcome:
        """Close the book; ``"feasible"`` becomes ``"limit"`` when x fails its check."""
        if status == "feasible" and not self.inside(x):
            if not x.any():
                raise ValueError(
                    "the oracle accepts x = 0: it must return a vector whenever some a of its "
                    "set has a.x <= 0, equality included"
                )
            status = "limit"
        if not self._history or self._history[-1][0] != self.n_updates:
            self._mark()
        return Outcome(
            x=x,
            status=status,
            n_updates=self.n_updates,
            n_rescalings=self.n_rescalings,
            n_oracle_calls=self.n_oracle_calls,
            seconds=self.elapsed,
            history=np.array(self._history, dtype=HISTORY),
            method=self.method,
            state=state,
        )

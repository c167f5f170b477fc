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
from scipy.linalg.blas import ddot, dnrm2
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
FLOAT64 = np.dtype(np.float64)
TAME = 1e150  # sums of a few such numbers and their products with each other stay finite


def length(a: Vector) -> float:
    """Euclidean norm, without overflow or underflow in the squares."""
    return float(dnrm2(a))


def tame(a: Vector) -> Vector:
    """a, or a multiple of it where its length is near an end of the floating-point range."""
    if 1.0 / TAME < length(a) < TAME or not a.any():
        return a
    return np.asarray(a / np.abs(a).max())


def unit(a: Vector) -> Vector:
    """a / |a|."""
    norm = length(a)
    if not 1.0 / TAME < norm < TAME:
        a = tame(a)
        norm = length(a)
    scaled: Vector = a / norm
    return scaled


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


def check_max_updates(value: int | None) -> None:
    """Refuse a limit that is neither None nor a whole number >= 0."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if value is not None and not (whole and value >= 0):
        raise ValueError(f"max_updates must be None or an integer >= 0, got {value!r}")


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
        check_max_updates(max_updates)
        if callback is not None and not callable(callback):
            raise TypeError(f"callback must be callable, got {type(callback).__name__}")
        self.levels = takes_level(oracle)
        if levels and not self.levels:
            raise TypeError(
                f"{method} asks at levels other than 0: its oracle must be callable as "
                "oracle(x, level=...), as Halfspaces and Semidefinite are"
            )
        self.method, self.oracle, self.dim = method, oracle, int(dim)
        self._pure = bool(getattr(oracle, "pure", False))
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
        # The last answer while nothing was made of it: a run that stops here goes on with it.
        self._answer: Vector | None = None
        self._passed: Vector | None = None  # the last point that passed its strict check
        self._pending: Vector | None = self.state.pop("answer", None)
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

        None is also the answer to a point that is not finite, and where rounding leaves nothing
        of the counterexample: the check at the end refuses such points. Where the oracle has no
        counterexample, but x would fail its check, one up to rounding stands in.
        A counterexample is a new vector or one that nobody will change.
        """
        if not (math.isfinite(ddot(x, x)) or np.isfinite(x).all()):
            return None
        if self._pending is not None:
            self._answer, self._pending = self._pending, None
            return self._answer
        self.n_oracle_calls += 1
        self._answer = None
        ask = self.oracle if oracle is None else oracle
        given = x if self._pure or ask is not self.oracle else x.copy()
        a = ask(given, level=level) if self.levels else ask(given)
        if a is None:
            if level >= 0.0 and not x.any():
                raise ValueError(
                    "the oracle accepts x = 0: it must return a vector whenever some a of its "
                    "set has a.x <= 0, equality included"
                )
            if level < 0.0 or ask is not self.oracle or not hasattr(ask, "doubtful"):
                return None
            self._answer = self._doubtful(x)
            return self._answer
        if not (isinstance(a, np.ndarray) and a.dtype is FLOAT64 and a.shape == x.shape):
            a = self._vector(a)
        cut = ddot(a, x)
        if not -math.inf < cut <= level and not self._rounded(a, x, cut, level, ask):
            return None
        self._answer = a
        return a

    def _doubtful(self, x: Vector) -> Vector | None:
        """The counterexample up to rounding that keeps x from passing its check, or None.

        A run would end with a point that fails its check, on a set that it could solve.
        """
        self.n_oracle_calls += 1
        a = self.oracle.doubtful(x.copy())  # type: ignore[attr-defined]
        if a is None:
            self._passed = x.copy()
            return None
        a = self._vector(a)
        # Where rounding is all there is of a, it cuts nothing.
        return a if a.dot(x) <= CUT_TOLERANCE * length(a) * length(x) else None

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

    def _rounded(self, a: Vector, x: Vector, cut: float, level: float, ask: Oracle) -> bool:
        """Whether a cuts x but for rounding in the product; refuse it when nothing excuses it."""
        if not np.isfinite(a).all():
            if ask is self.oracle:
                raise ValueError("the oracle returned a vector with NaN or infinity")
            return False  # the image of a vector may overflow
        if not math.isfinite(cut) or cut - level <= CUT_TOLERANCE * length(a) * length(x):
            return True
        # A difference of large numbers may be all rounding, and longer than what is left of a.
        if ask is self.oracle and (not hasattr(ask, "contains") or ask.contains(x)):
            raise ValueError(
                f"the oracle returned a vector that does not cut x: a.x = {cut:g}, "
                f"but it was asked for a.x <= {level:g}"
            )
        return False

    def updated(self, x: Vector) -> None:
        """Count an update that led to x (in the solver's space)."""
        self.n_updates += 1
        self._answer = None
        if self.n_updates >= self._next_mark:
            self._mark()
        if self.callback is not None:
            point, to_input = x.copy(), self.to_input  # an event may be looked at later
            self._stopped = bool(
                self.callback(
                    Event(
                        self.n_updates,
                        self.n_rescalings,
                        self.elapsed,
                        lambda: point.copy() if to_input is None else to_input(point),
                    )
                )
            )

    def _mark(self) -> None:
        if len(self._history) >= MOST_MARKS:  # many short runs, one going on from another
            del self._history[::2]
        self._history.append(
            (self.n_updates, self.n_oracle_calls, self.n_rescalings, self.elapsed)
        )
        self._next_mark = self.n_updates + 1 + self.n_updates // 10

    def inside(self, x: Vector) -> bool:
        """Whether x passes the strict check; counts as one question when it is put."""
        if self._passed is not None and np.array_equal(x, self._passed):
            return True
        self.n_oracle_calls += 1
        return strictly_inside(self.oracle, x)

    def end(self, x: Vector, status: Status, **state: Any) -> Outcome:
        """Close the book; ``"feasible"`` becomes ``"limit"`` when x fails its check."""
        if status == "feasible" and not self.inside(x):
            status = "limit"
        if status == "limit" and self._answer is not None:
            state["answer"] = self._answer.copy()
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

"""Semidefinite programs by a sequence of feasibility problems (P3 Proposition 6.2, section 6.7).

``find_feasible`` solves one homogenised problem. ``minimize`` demands a lower objective each time,
f being that of the last feasible point and f_1 that of the first:

    with a lower bound l close to the optimum, c.x < (f + l) / 2             (bisection),
    without one, c.x < f - rel_tol max(|f|, f_1 - f)                         (shrinking),

and ends when f - l <= rel_tol |f|, or when no objective lower by rel_tol |f| could be found; where
a larger step was too large, the demands bisect between it and f.
Departures from the paper: its stopping rule (two consecutive objectives within 5 per cent) ends
far from the optimum and is replaced; the lower bound is a proof (a dual matrix, see ``dual``), not
the failure of a search, because an oracle method can only exclude sets of some margin.
"""

import math
import time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from novikoff.feasibility.dual import dual_bound
from novikoff.feasibility.outcome import (
    OBJECTIVE_HISTORY,
    Callback,
    Event,
    Outcome,
    Status,
    Vector,
)
from novikoff.feasibility.program import SemidefiniteProgram
from novikoff.feasibility.run import (
    Seed,
    check_max_updates,
    check_open_interval,
    generator,
)
from novikoff.feasibility.solvers import find_method

KEPT = ("proved", "close", "first", "excluded")  # of the book, between calls
BOUND_ACCURACY = 0.1  # of rel_tol: the gap that the dual bound is computed to


def _point(x: Vector) -> Vector:
    return x[1:] / x[0] if x[0] != 0.0 else np.full(len(x) - 1, np.nan)


def _check_program(program: object) -> None:
    if not isinstance(program, SemidefiniteProgram):
        raise TypeError(
            f"program must be a SemidefiniteProgram, got {type(program).__name__}; "
            "read_sdpa and maxcut_program make one"
        )


def find_feasible(
    program: SemidefiniteProgram,
    method: str = "ellipsoid",
    *,
    below: float | None = None,
    pivoting: bool = False,
    x0: ArrayLike | Outcome | None = None,
    callback: Callback | None = None,
    **options: Any,
) -> Outcome:
    """Find a strictly feasible point of a semidefinite program.

    Parameters
    ----------
    program : SemidefiniteProgram
        The constraints.
    method : str
        A solver's name, see :func:`solve`.
    below : float, optional
        Demand c.x < below as well.
    pivoting : bool
        Counterexamples by P3 Algorithm 7, see :class:`Semidefinite`.
    x0 : array of length m or Outcome, optional
        Start point, or an outcome of this function to go on with.
    callback : callable, optional
        As for :func:`perceptron`; ``event.x`` has length m (NaN while x_0 = 0).
    **options
        The solver's own, and ``max_updates``, ``random_state``.

    Returns
    -------
    Outcome
        `x` of length m; `objective` is c.x.

    Examples
    --------
    >>> from novikoff.feasibility import find_feasible, maxcut_program
    >>> program = maxcut_program([[0, 1], [1, 0]])
    >>> outcome = find_feasible(program, method="perceptron")
    >>> outcome.status, program.contains(outcome.x)
    ('feasible', True)
    """
    solver = find_method(method)
    _check_program(program)
    oracle = program.homogenized(below=below, pivoting=pivoting)
    start: Any = None
    if isinstance(x0, Outcome):
        start = x0.state.get("homogenized")
        if start is None:
            raise ValueError(
                "x0 is not an outcome of find_feasible; pass its x to start from that point"
            )
    elif x0 is not None:
        start = program.extended(x0)

    def tell(event: Event) -> object:
        assert callback is not None
        return callback(
            Event(event.n_updates, event.n_rescalings, event.elapsed, lambda: _point(event.x))
        )

    inner = solver(
        oracle, program.dim + 1, x0=start, callback=None if callback is None else tell, **options
    )
    x = _point(inner.x)
    status = inner.status
    if status == "feasible" and not (inner.x[0] > 0.0 and program.contains(x)):
        status = "limit"  # feasible only up to the rounding of the division by x_0
    return Outcome(
        x=x,
        status=status,
        n_updates=inner.n_updates,
        n_rescalings=inner.n_rescalings,
        n_oracle_calls=inner.n_oracle_calls,
        seconds=inner.seconds,
        history=inner.history,
        method=inner.method,
        objective=program.objective(x),
        state={"homogenized": inner, "below": below},
    )


def minimize(
    program: SemidefiniteProgram,
    method: str = "ellipsoid",
    rel_tol: float = 0.05,
    *,
    pivoting: bool = False,
    x0: ArrayLike | Outcome | None = None,
    max_updates: int | None = None,
    callback: Callback | None = None,
    random_state: Seed = None,
    **options: Any,
) -> Outcome:
    """Minimise a semidefinite program's objective by a sequence of feasibility problems.

    Parameters
    ----------
    program : SemidefiniteProgram
        What is minimised.
    method : str
        The solver of the feasibility problems, see :func:`solve`.
    rel_tol : float in (0, 1)
        How close, relative to the objective, the end must be to the lower bound.
    pivoting : bool
        Counterexamples by P3 Algorithm 7, see :class:`Semidefinite`.
    x0 : array of length m or Outcome, optional
        A strictly feasible point that is known, or an outcome of this function to go on with:
        the run then goes on exactly where it stopped.
    max_updates : int, optional
        Most updates in this call, over all feasibility problems.
    callback : callable, optional
        As for :func:`perceptron`; ``event.objective`` is the best so far.
    random_state : int, Generator or None
        For methods that draw random starts.
    **options
        The solver's own.

    Returns
    -------
    Outcome
        With `objective` and `lower_bound`, which is proved (-inf when no proof was found).
        `status` is ``"feasible"`` when `x` is strictly feasible and either the gap is within
        `rel_tol` or the last demand, ``state["demand"]``, an objective lower by `rel_tol` at most,
        could not be met (excluded down to the method's margin, which is no proof); ``"limit"``
        when stopped before; that of the first search when it found no feasible point. `history`
        has one row per feasible point found.

    Examples
    --------
    >>> from novikoff.feasibility import maxcut_program, minimize
    >>> square = [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]
    >>> outcome = minimize(maxcut_program(square), rel_tol=0.01)  # the optimum is 4
    >>> outcome.status, 3.95 < outcome.lower_bound <= 4.0 <= outcome.objective < 4.05
    ('feasible', True)
    """
    check_open_interval("rel_tol", rel_tol, 0.0, 1.0)
    check_max_updates(max_updates)
    _check_program(program)
    options["random_state"] = generator(random_state)
    return _Search(program, method, rel_tol, pivoting, max_updates, callback, options).run(x0)


class _Search:
    """The book of a minimisation."""

    def __init__(
        self,
        program: SemidefiniteProgram,
        method: str,
        rel_tol: float,
        pivoting: bool,
        max_updates: int | None,
        callback: Callback | None,
        options: dict[str, Any],
    ) -> None:
        self.program, self.method, self.rel_tol, self.pivoting = program, method, rel_tol, pivoting
        self.max_updates, self.callback, self.options = max_updates, callback, options
        self.began, self.before = time.perf_counter(), 0.0
        self.updates = self.calls = self.rescalings = self.earlier = 0
        self.stopped: Outcome | None = None  # the search that a run to go on with was stopped in
        self.last: Outcome | None = None
        self.x: Vector = np.full(program.dim, np.nan)
        self.objective, self.lower_bound = math.nan, -math.inf
        self.proved = math.inf  # how close to the optimum the lower bound was asked to be
        self.close = False  # whether it is that close
        self.first = math.nan  # the objective of the first feasible point
        self.excluded = -math.inf  # the last demand that could not be met
        self.history: list[tuple[int, float, float, float]] = []

    def run(self, x0: ArrayLike | Outcome | None) -> Outcome:
        if isinstance(x0, Outcome):
            self.go_on(x0)
        elif x0 is not None:
            self.accept(self.feasible(x0))
        if math.isnan(self.objective):
            first = self.ask(None)
            if first.status != "feasible":
                self.x = first.x
                return self.end(first.status, math.nan)
            self.accept(first.x)
        while True:
            gap = self.objective - self.lower_bound
            size = max(abs(self.objective), abs(self.lower_bound) if gap < math.inf else 0.0)
            if gap <= self.rel_tol * size:
                return self.end("feasible", math.nan)
            demand = self.demand()
            found = self.ask(demand)
            if found.status == "feasible":
                self.accept(found.x)
            elif found.status != "unseparable":
                return self.end("limit", demand)
            elif self.objective - demand <= 1.000001 * self.rel_tol * (abs(self.objective) or 1.0):
                return self.end("feasible", demand)
            else:
                self.excluded = demand

    def demand(self) -> float:
        """The objective to ask for next."""
        f = self.objective
        if self.close:
            demand = 0.5 * (f + self.lower_bound)
        else:
            # What was gained since the first point is part of the scale, or the demands would
            # only creep up to an objective of 0.
            demand = f - self.rel_tol * (max(abs(f), self.first - f) or 1.0)
            demand = max(demand, 0.5 * (f + self.lower_bound))
        return max(demand, 0.5 * (f + self.excluded))

    @property
    def seconds(self) -> float:
        """Seconds so far, those of the runs this one goes on from included."""
        return self.before + time.perf_counter() - self.began

    def feasible(self, x0: ArrayLike) -> Vector:
        """x0 as a vector, refused when it is not strictly feasible."""
        if not self.program.contains(x0):
            raise ValueError("x0 must be strictly feasible; leave it out to have one found")
        return np.array(x0, dtype=np.float64)

    def go_on(self, x0: Outcome) -> None:
        """Take over the book of an earlier run."""
        if "search" not in x0.state or x0.method != self.method:
            raise ValueError(
                f"x0 is not an outcome of minimize by {self.method}; "
                "pass its x to start from that point"
            )
        self.updates = self.earlier = x0.n_updates
        self.calls, self.rescalings = x0.n_oracle_calls, x0.n_rescalings
        self.history = [tuple(row) for row in x0.history.tolist()]
        self.before, self.lower_bound = x0.seconds, x0.lower_bound
        for name in KEPT:
            setattr(self, name, x0.state[name])
        self.stopped = x0.state["search"]
        if not math.isnan(x0.objective):
            self.x, self.objective = self.feasible(x0.x), x0.objective

    def ask(self, below: float | None) -> Outcome:
        left = None if self.max_updates is None else self.max_updates - self.updates + self.earlier
        start, self.stopped = self.stopped, None
        if start is not None and start.state["below"] != below:
            start = None  # another rel_tol makes another demand
        made = (0, 0, 0) if start is None else _counts(start)
        base = np.array([self.updates, self.calls, self.rescalings]) - made

        def tell(event: Event) -> object:
            assert self.callback is not None
            return self.callback(
                Event(
                    int(base[0]) + event.n_updates,
                    int(base[2]) + event.n_rescalings,
                    self.seconds,
                    lambda: event.x,
                    self.objective,
                )
            )

        outcome = find_feasible(
            self.program,
            self.method,
            below=below,
            pivoting=self.pivoting,
            x0=start,
            max_updates=left,
            callback=None if self.callback is None else tell,
            **self.options,
        )
        self.updates, self.calls, self.rescalings = (base + _counts(outcome)).tolist()
        self.last = outcome
        drawn = outcome.state["homogenized"].state.get("rng")
        if drawn is not None:  # a search that goes on has a generator of its own
            self.options["random_state"] = drawn
        return outcome

    def accept(self, x: Vector) -> None:
        """Take a feasible point, and prove as good a lower bound as it allows."""
        self.x, self.objective = x, self.program.objective(x)
        if math.isnan(self.first):
            self.first = self.objective
        wanted = BOUND_ACCURACY * self.rel_tol * abs(self.objective)
        gap = self.objective - self.lower_bound
        if gap > self.rel_tol * abs(self.objective) and wanted < self.proved:
            bound = dual_bound(self.program, x, wanted)
            # Where the first attempt proves nothing, later ones are not made.
            self.proved = wanted if bound.value > -math.inf else -math.inf
            self.close = bound.gap <= wanted
            self.lower_bound = max(self.lower_bound, bound.value)
        self.history.append((self.updates, self.seconds, self.objective, self.lower_bound))

    def end(self, status: Status, demand: float) -> Outcome:
        return Outcome(
            x=self.x,
            status=status,
            n_updates=self.updates,
            n_rescalings=self.rescalings,
            n_oracle_calls=self.calls,
            seconds=self.seconds,
            history=np.array(self.history, dtype=OBJECTIVE_HISTORY),
            method=self.method,
            objective=self.objective,
            lower_bound=self.lower_bound,
            state={
                "demand": demand,
                **{name: getattr(self, name) for name in KEPT},
                "search": self.last if status == "limit" else None,
            },
        )


def _counts(outcome: Outcome) -> tuple[int, int, int]:
    return outcome.n_updates, outcome.n_oracle_calls, outcome.n_rescalings

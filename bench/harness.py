"""Side-by-side benchmarks: each is a ratio measured in one run.

A benchmark is a generator function in ``bench/bench_*.py``, marked with :func:`benchmark`, that
yields :class:`Row` objects. Times are the best of several interleaved runs (:func:`race`), so that
a busy neighbour hits both sides; compilation happens in a warm-up and is never timed.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

BENCHMARKS: dict[str, Callable[[], Iterator["Row"]]] = {}


@dataclass
class Row:
    """One measured ratio or number beside the figure it is held against."""

    what: str
    value: float
    limit: float | None = None  # None: reported only
    at_least: bool = False  # the limit is a lower bound (a speed-up) instead of an upper one
    unit: str = "x"
    note: str = ""

    def __post_init__(self) -> None:
        """Take NumPy's numbers as Python's, for the JSON file."""
        self.value = float(self.value)

    @property
    def holds(self) -> bool | None:
        """Whether the limit is met; None where there is no limit."""
        if self.limit is None:
            return None
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def benchmark(function: Callable[[], Iterator[Row]]) -> Callable[[], Iterator[Row]]:
    """Register a benchmark under its function's name."""
    BENCHMARKS[function.__name__] = function
    return function


def race(
    *contestants: Callable[[], object], repeats: int = 5, warm_up: bool = True
) -> list[float]:
    """Best time of each contestant in seconds, their runs interleaved, after one warm-up each.

    Who does without the warm-up has run each contestant on less: compilation is never timed.
    """
    for run in contestants if warm_up else ():
        run()
    best = [float("inf")] * len(contestants)
    for _ in range(repeats):
        for i, run in enumerate(contestants):
            start = time.perf_counter()
            run()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def threads() -> dict[str, str]:
    """Thread settings in force, to be printed with every result."""
    import numba
    import numpy  # noqa: F401  (loads the BLAS that threadpool_info looks at)
    from threadpoolctl import threadpool_info

    blas = sorted({f"{i['internal_api']}={i['num_threads']}" for i in threadpool_info()})
    return {
        "BLAS": ", ".join(blas) or "none loaded",
        "Numba": str(numba.get_num_threads()),
        "cores": str(os.cpu_count()),
    }

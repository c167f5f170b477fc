"""What ``novikoff demo`` runs: its data sets, and every learner on each of them.

Learners are shared out over processes, so that two cores also compile two at a time.
"""

import inspect
import multiprocessing
import os
import queue
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import pi
from typing import Any

import numpy as np

from novikoff.evaluate import mistake_curve, progressive

CHUNK = 512  # rows between two looks at the clock
SEED = 0
POLL = 0.05  # seconds

Listen = Callable[[int, str, str, int, int], object]
"""Called with (process, learner, data set, rows done, rows in all)."""


@dataclass(frozen=True)
class DataSet:
    """Rows to learn and rows to test on; features scaled to mean 0 and variance 1."""

    name: str
    about: str
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


@dataclass(frozen=True)
class Run:
    """One learner on one data set; ``refused`` says why there are no numbers."""

    learner: str
    data: str
    refused: str = ""
    n_rows: int = 0
    n_trials: int = 0
    online_error: float = 0.0
    test_error: float = 0.0
    n_updates: int = 0
    n_support: int | None = None
    memory: int = 0
    rows_per_second: float = 0.0
    trials: tuple[int, ...] = ()
    errors: tuple[float, ...] = ()
    support: tuple[int, ...] = ()

    @property
    def cut_short(self) -> bool:
        """Whether time was up before the last row."""
        return self.n_trials < self.n_rows


def data_sets() -> list[DataSet]:
    """Data that needs no download: two sets that scikit-learn brings, three generated."""
    from sklearn.datasets import load_breast_cancer, load_digits

    from novikoff.streams import make_dekel, make_drifting, make_sparse_target

    return [
        _prepared(
            "digits",
            "Scanned digits of 8 x 8 pixels in ten classes, from scikit-learn.",
            *load_digits(return_X_y=True),
            n_test=500,
            shuffle=True,
        ),
        _prepared(
            "breast cancer",
            "Thirty measurements of cell nuclei, benign or malignant, from scikit-learn.",
            *load_breast_cancer(return_X_y=True),
            n_test=169,
            shuffle=True,
        ),
        _prepared(
            "sparse target",
            "Generated: 500 features, of which 50 decide the label.",
            *make_sparse_target(2000, random_state=SEED),
            n_test=1000,
        ),
        _prepared(
            "two Gaussians",
            "Generated: two long Gaussians in the plane, one label in ten flipped, so that no "
            "learner can do better than 10 %.",
            *make_dekel(4000, random_state=SEED),
            n_test=1000,
        ),
        _prepared(
            "drifting",
            "Generated: 20 features; the hyperplane makes a quarter turn while the stream goes "
            "on. The test rows are those that come next.",
            *make_drifting(4000, turn=pi / 2, random_state=SEED),
            n_test=500,
        ),
    ]


def _prepared(
    name: str, about: str, X: np.ndarray, y: np.ndarray, *, n_test: int, shuffle: bool = False
) -> DataSet:
    if shuffle:
        order = np.random.RandomState(SEED).permutation(len(y))
        X, y = X[order], y[order]
    n = len(y) - n_test
    mean, deviation = X[:n].mean(axis=0), X[:n].std(axis=0)
    X = (X - mean) / np.where(deviation > 0.0, deviation, 1.0)
    return DataSet(name, about, X[:n], y[:n], X[n:], y[n:])


def available(names: list[str] | None = None) -> tuple[list[str], dict[str, str]]:
    """Learners that can run on their defaults, and for the others the reason why not."""
    import novikoff
    from novikoff.learners import LEARNERS

    unknown = [name for name in names or () if name not in LEARNERS]
    if unknown:
        raise ValueError(f"no learner {unknown[0]!r}; there are {', '.join(sorted(LEARNERS))}")
    runnable, skipped = [], {}
    for name in sorted(names or LEARNERS):
        parameters = inspect.signature(getattr(novikoff, name)).parameters.values()
        needed = [p.name for p in parameters if p.default is p.empty]
        if needed:
            skipped[name] = f"needs {' and '.join(needed)}, which has no default"
        else:
            runnable.append(name)
    return runnable, skipped


def run_learner(name: str, data: list[DataSet], time_limit: float, listen: Listen) -> list[Run]:
    """One learner with its default parameters on all data sets."""
    import novikoff

    make, process, runs = getattr(novikoff, name), os.getpid(), []
    for rows in data:
        n = len(rows.y)
        listen(process, name, rows.name, 0, n)
        model = make()
        if "random_state" in model.get_params():
            model.set_params(random_state=SEED)
        try:
            run = progressive(
                model,
                rows.X,
                rows.y,
                classes=np.unique(rows.y),
                chunk_size=CHUNK,
                time_limit=time_limit,
                callback=partial(_tell, listen, process, name, rows.name, n),
            )
        except ValueError as error:  # a learner says in one sentence what it does not do
            runs.append(Run(name, rows.name, refused=str(error)))
            listen(process, name, rows.name, n, n)
            continue
        trials, errors = mistake_curve(run)
        runs.append(
            Run(
                learner=name,
                data=rows.name,
                n_rows=n,
                n_trials=run.n_trials,
                online_error=run.online_error,
                test_error=float(np.mean(model.predict(rows.X_test) != rows.y_test)),
                n_updates=run.n_updates,
                n_support=run.n_support,
                memory=run.memory,
                rows_per_second=run.rows_per_second,
                trials=tuple(trials.tolist()),
                errors=tuple(errors.tolist()),
                support=tuple(run.curve["support"].tolist()),
            )
        )
    return runs


def _tell(listen: Listen, process: int, learner: str, data: str, n: int, done: int) -> None:
    listen(process, learner, data, done, n)


def run_all(names: list[str], jobs: int, time_limit: float, listen: Listen) -> list[Run]:
    """All learners on all data sets, in the order of the names."""
    if jobs == 1 or len(names) < 2:
        from threadpoolctl import threadpool_limits

        data = data_sets()
        with threadpool_limits(1):
            return [run for name in names for run in run_learner(name, data, time_limit, listen)]
    context = multiprocessing.get_context("spawn")
    events = context.Queue()
    with ProcessPoolExecutor(
        min(jobs, len(names)), context, initializer=_begin, initargs=(events,)
    ) as pool:
        futures = [pool.submit(_work, name, time_limit) for name in names]
        try:
            while not all(future.done() for future in futures):
                _pass_on(events, listen)
                time.sleep(POLL)
            _pass_on(events, listen)
            return [run for future in futures for run in future.result()]
        finally:
            pool.shutdown(cancel_futures=True)


def _pass_on(events: Any, listen: Listen) -> None:
    while True:
        try:
            event = events.get_nowait()
        except queue.Empty:
            return
        listen(*event)


_process: dict[str, Any] = {}  # what a worker process holds: its data sets and where events go


def _begin(events: Any) -> None:
    from threadpoolctl import threadpool_limits

    _process.update(data=data_sets(), events=events, limits=threadpool_limits(1))


def _work(name: str, time_limit: float) -> list[Run]:
    return run_learner(
        name, _process["data"], time_limit, lambda *event: _process["events"].put(event)
    )

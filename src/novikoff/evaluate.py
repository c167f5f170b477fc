"""Progressive validation: every row is predicted before it is learnt.

The online error of a run is the share of its trials that were mistaken; learners count their
mistakes themselves (``n_mistakes_``), so that evaluating costs nothing beyond learning.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import _safe_indexing as take
from sklearn.utils import check_consistent_length, check_random_state

__all__ = [
    "Averages",
    "Progressive",
    "memory",
    "mistake_curve",
    "over_permutations",
    "progressive",
]

WARM_UP_ROWS = 50


@dataclass(frozen=True, eq=False)
class Progressive:
    """What a progressive validation found.

    Attributes
    ----------
    n_trials, n_mistakes, n_updates : int
        Of this run alone, when the model had learnt before.
    n_support : int or None
        Rows stored at the end; None for a learner that stores none.
    curve : structured array
        (trial, mistakes, updates, support) at geometrically spaced trials of this run.
    seconds : float
        Time spent learning; compilation is not in it.
    memory : int
        Bytes of the model at the end.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.evaluate import progressive
    >>> from novikoff.streams import make_separable
    >>> run = progressive(Perceptron(), *make_separable(1000, random_state=0))
    >>> run.online_error == run.n_mistakes / run.n_trials
    True
    """

    n_trials: int
    n_mistakes: int
    n_updates: int
    n_support: int | None
    curve: np.ndarray = field(repr=False)
    seconds: float
    memory: int

    @property
    def online_error(self) -> float:
        """Share of mistaken trials."""
        return self.n_mistakes / self.n_trials

    @property
    def rows_per_second(self) -> float:
        """Trials a second."""
        return self.n_trials / max(self.seconds, 1e-9)


@dataclass(frozen=True, eq=False)
class Averages:
    """Means and spreads over random orders of the same rows.

    Attributes
    ----------
    runs : list of Progressive
        One per permutation.
    online_error, test_error, n_updates : tuple of two floats
        Mean and standard deviation (divided by the number of runs minus one; 0 for one run);
        ``test_error`` is None without test rows.
    trials, error, error_spread : arrays
        The mean online error up to each of the trials, and its standard deviation.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.evaluate import over_permutations
    >>> from novikoff.streams import make_noisy
    >>> averages = over_permutations(Perceptron(), *make_noisy(1000, random_state=0))
    >>> int(averages.trials[-1]), averages.error.shape == averages.trials.shape
    (1000, True)
    """

    runs: list[Progressive] = field(repr=False)
    online_error: tuple[float, float]
    n_updates: tuple[float, float]
    test_error: tuple[float, float] | None
    trials: np.ndarray = field(repr=False)
    error: np.ndarray = field(repr=False)
    error_spread: np.ndarray = field(repr=False)


def progressive(
    model: Any,
    X: Any,
    y: Any,
    *,
    classes: Any = None,
    chunk_size: int | None = None,
    time_limit: float | None = None,
    callback: Callable[[int], object] | None = None,
) -> Progressive:
    """Let a model predict and then learn each row, in the order given.

    Parameters
    ----------
    model : learner
        It goes on from what it has learnt, and is left with what it learns. One without
        ``partial_fit`` is fitted on all rows at once.
    X : array, CSR matrix or data frame of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    classes : array, optional
        All labels there will be, as for ``partial_fit``.
    chunk_size : int, optional
        Rows handed over at a time; None: all of them. It changes no result.
    time_limit : float, optional
        Seconds of learning after which no further chunk is begun. What is reported is then about
        the rows before.
    callback : callable, optional
        Called with the number of rows learnt after each chunk.

    Returns
    -------
    Progressive

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.evaluate import progressive
    >>> from novikoff.streams import make_separable
    >>> X, y = make_separable(1000, 10, margin=0.2, random_state=0)
    >>> run = progressive(Perceptron(), X, y)
    >>> run.n_trials, run.n_mistakes <= 1 / 0.2**2
    (1000, True)
    """
    X, y = _rows(X), np.asarray(y)
    check_consistent_length(X, y)
    n = X.shape[0]
    if chunk_size is not None and chunk_size < 1:
        raise ValueError(f"chunk_size must be at least 1 or None, got {chunk_size!r}")
    if time_limit is not None and time_limit <= 0:
        raise ValueError(f"time_limit must be positive or None, got {time_limit!r}")
    if not hasattr(type(model), "n_mistakes_"):
        raise TypeError(
            f"{type(model).__name__} does not count its mistakes: progressive takes the learners "
            "of novikoff.learners"
        )
    in_chunks = hasattr(model, "partial_fit")
    fresh = not (in_chunks and model.__sklearn_is_fitted__())
    _warm_up(model, X, y, in_chunks)
    before = np.zeros(3, np.int64) if fresh else _counts(model)
    step = chunk_size if chunk_size is not None and in_chunks else max(n, 1)
    seconds = 0.0
    for start in range(0, max(n, 1), step):
        rows, labels = take(X, slice(start, start + step)), y[start : start + step]
        begin = time.perf_counter()
        if in_chunks:
            model.partial_fit(rows, labels, classes)
        else:
            model.fit(rows, labels)
        seconds += time.perf_counter() - begin
        if callback is not None:
            callback(min(start + step, n))
        if time_limit is not None and seconds >= time_limit:
            break
    n_trials, n_mistakes, n_updates = (int(v) for v in _counts(model) - before)
    return Progressive(
        n_trials=n_trials,
        n_mistakes=n_mistakes,
        n_updates=n_updates,
        n_support=int(model.n_support_) if hasattr(model, "n_support_") else None,
        curve=_curve_since(model, before),
        seconds=seconds,
        memory=memory(model),
    )


def over_permutations(
    model: Any,
    X: Any,
    y: Any,
    *,
    n_permutations: int = 5,
    X_test: Any = None,
    y_test: Any = None,
    random_state: Any = None,
) -> Averages:
    """Average progressive validations of fresh copies of a model over random orders of the rows.

    Parameters
    ----------
    model : learner
        Copied for each run; itself unchanged. A copy whose ``random_state`` is None and takes part
        is as random as it is.
    X : array, CSR matrix or data frame of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    n_permutations : int, default=5
    X_test, y_test : arrays, optional
        Rows on which each copy is tested after its run.
    random_state : int, RandomState or None, default=None
        Seed of the orders.

    Returns
    -------
    Averages

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.evaluate import over_permutations
    >>> from novikoff.streams import make_noisy
    >>> X, y = make_noisy(1000, random_state=0)
    >>> averages = over_permutations(Perceptron(), X, y, random_state=0)
    >>> mean, spread = averages.online_error
    >>> len(averages.runs), mean > 0.1, spread < 0.05
    (5, True, True)
    """
    if n_permutations < 1:
        raise ValueError(f"n_permutations must be at least 1, got {n_permutations!r}")
    if (X_test is None) != (y_test is None):
        raise ValueError("X_test and y_test must be given together")
    X, y = _rows(X), np.asarray(y)
    check_consistent_length(X, y)
    classes = np.unique(y)
    rng = check_random_state(random_state)
    runs, errors = [], []
    for _ in range(n_permutations):
        order = rng.permutation(X.shape[0])
        copy = clone(model)
        runs.append(progressive(copy, take(X, order), y[order], classes=classes))
        if X_test is not None:
            errors.append(float(np.mean(copy.predict(X_test) != np.asarray(y_test))))
    curves = np.array([mistake_curve(run)[1] for run in runs])
    return Averages(
        runs=runs,
        online_error=_mean_and_spread([run.online_error for run in runs]),
        n_updates=_mean_and_spread([run.n_updates for run in runs]),
        test_error=_mean_and_spread(errors) if errors else None,
        trials=mistake_curve(runs[0])[0],
        error=curves.mean(axis=0),
        error_spread=_spread(curves),
    )


def mistake_curve(run: Any) -> tuple[np.ndarray, np.ndarray]:
    """Online error up to each of the trials where the curve was taken.

    Parameters
    ----------
    run : Progressive or learner
        What has a ``curve``, or a ``curve_``.

    Returns
    -------
    trials, error : arrays

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.evaluate import mistake_curve
    >>> from novikoff.streams import make_separable
    >>> model = Perceptron().partial_fit(*make_separable(1000, random_state=0))
    >>> trials, error = mistake_curve(model)
    >>> int(trials[-1]), bool(error[-1] == model.n_mistakes_ / 1000)
    (1000, True)
    """
    curve = run.curve if isinstance(run, Progressive) else run.curve_
    return curve["trial"], curve["mistakes"] / curve["trial"]


def memory(model: Any) -> int:
    """Bytes that a model's arrays hold, spare room for growth included.

    Parameters
    ----------
    model : learner

    Returns
    -------
    bytes : int

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.evaluate import memory
    >>> from novikoff.streams import make_separable
    >>> model = Perceptron().partial_fit(*make_separable(100, 1000, random_state=0))
    >>> memory(model) >= model.coef_.nbytes
    True
    """
    return _bytes_of(model, set())


def _bytes_of(value: Any, seen: set[int]) -> int:
    """Bytes of the arrays that can be reached, each once, whoever looks at it."""
    while isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray):
        value = value.base
    if id(value) in seen:
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        own = value.nbytes
        parts = list(value.flat) if value.dtype == object else []
    elif sp.issparse(value):
        own, parts = 0, list(vars(value).values())
    elif isinstance(value, dict):
        own, parts = 0, list(value.values())
    elif isinstance(value, list | tuple):
        own, parts = 0, list(value)
    elif type(value).__module__.startswith("novikoff") and hasattr(value, "__dict__"):
        own, parts = 0, list(vars(value).values())
    else:
        return 0
    return own + sum(_bytes_of(part, seen) for part in parts)


def _rows(X: Any) -> Any:
    """Rows that can be cut and reordered; a data frame stays one, for the names it has."""
    if sp.issparse(X):
        return X.tocsr()
    return X if hasattr(X, "columns") else np.asarray(X)


def _warm_up(model: Any, X: Any, y: np.ndarray, in_chunks: bool) -> None:
    """Let a copy learn a few rows, so that whatever is compiled is compiled before the clock."""
    labels, first = np.unique(y, return_index=True)
    if labels.size < 2:
        return  # the run itself says what is wrong, or is a stream of one label
    rows = np.union1d(np.arange(min(len(y), WARM_UP_ROWS)), first)
    copy = clone(model)
    if in_chunks:
        copy.partial_fit(take(X, rows), y[rows], labels)
    else:
        copy.fit(take(X, rows), y[rows])


def _counts(model: Any) -> np.ndarray:
    return np.array([model.n_seen_, model.n_mistakes_, model.n_updates_], np.int64)


def _curve_since(model: Any, before: np.ndarray) -> np.ndarray:
    """The part of a model's curve past these counts, counted from there."""
    curve = model.curve_
    curve = curve[curve["trial"] > before[0]].copy()
    for name, count in zip(("trial", "mistakes", "updates"), before, strict=True):
        curve[name] -= count
    return curve


def _mean_and_spread(values: list[Any]) -> tuple[float, float]:
    return float(np.mean(values)), float(_spread(np.array(values, float)))


def _spread(values: np.ndarray) -> Any:
    if len(values) < 2:
        return np.zeros(values.shape[1:])
    return values.std(axis=0, ddof=1)

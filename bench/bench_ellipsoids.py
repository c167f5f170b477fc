"""Ellipsoids of maximal separation ratio against clarabel on the whole semidefinite program."""

import time
from collections.abc import Iterator

import numpy as np

from bench.harness import Row, benchmark, race
from novikoff.ellipsoids import EllipsoidClassifier, GramSchmidtFeatures


def shells(m: int, n: int, ratio: float = 1.2) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian points; the nearer half is inside, the rest is pushed out by ``ratio``."""
    X = np.random.default_rng(0).normal(size=(m, n))
    length = np.linalg.norm(X, axis=1)
    inside = length < np.median(length)
    return X * np.where(inside, 1.0, ratio)[:, None], inside


def against_clarabel(n: int, m: int, times: float) -> Iterator[Row]:
    """Clarabel runs once, after a warm-up on few points: a run takes up to minutes."""
    X, y = shells(m, n)
    EllipsoidClassifier(solver="clarabel").fit(*shells(10 * n, n))
    start = time.perf_counter()
    whole = EllipsoidClassifier(solver="clarabel").fit(X, y)
    slow = time.perf_counter() - start
    (fast,) = race(lambda: EllipsoidClassifier().fit(X, y), repeats=3)
    model = EllipsoidClassifier().fit(X, y)
    what = f"n = {n}, m = {m:,}"
    yield Row(
        f"{what}: faster than clarabel on all points",
        slow / fast,
        times,
        at_least=True,
        note=f"{slow:.2f} s / {fast:.2f} s",
    )
    yield Row(
        f"{what}: difference of the separation ratios",
        abs(model.separation_ratio_ / whole.separation_ratio_ - 1.0),
        1e-5,
        unit="relative",
    )


@benchmark
def ellipsoid_against_clarabel() -> Iterator[Row]:
    yield from against_clarabel(30, 10_000, 6.0)
    yield from against_clarabel(10, 100_000, 20.0)


@benchmark
def ellipsoid_of_many_points() -> Iterator[Row]:
    X, y = shells(100_000, 30)
    start = time.perf_counter()
    model = EllipsoidClassifier().fit(X, y)
    seconds = time.perf_counter() - start
    yield Row("n = 30, m = 100,000: time", seconds, 180.0, unit="s")
    yield Row(
        "n = 30, m = 100,000: certified gap of the separation ratio",
        model.ratio_bound_ / model.separation_ratio_ - 1.0,
        1e-5,
        unit="relative",
    )
    # The floor of any method that looks at every point: one distance per point.
    (look,) = race(lambda: model.decision_function(X))
    yield Row("the same in looks at all points", seconds / look, note=f"a look is {look:.3f} s")


@benchmark
def gram_schmidt_features() -> Iterator[Row]:
    from scipy import sparse

    rng = np.random.default_rng(0)
    X = sparse.random(10_000, 20_000, density=0.003, format="csr", rng=rng)
    fit, product = race(
        lambda: GramSchmidtFeatures(n_components=30).fit_transform(X),
        lambda: [X @ X[i].toarray().ravel() for i in range(30)],
        repeats=3,
    )
    yield Row(
        "30 features of 10,000 sparse rows: in bare products with 30 rows",
        fit / product,
        note=f"{fit:.3f} s / {product:.3f} s",
    )

"""Kernel learners on a9a, usps and wide text: block engine against bare products and plain loops.

The plain loops are what one would write by hand: compiled, one row at a time, the Gram inverse
updated at each insertion. They make the same mistakes, which is checked.
"""

import lzma
import resource
import time
from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO

import numpy as np
from numba import njit

from bench.harness import Row, benchmark, race
from novikoff import (
    Forgetron,
    Perceptron,
    Projectron,
    ProjectronPlusPlus,
    RandomizedBudgetPerceptron,
)
from novikoff.engine.blas import few_threads, solve_lower
from novikoff.streams.data import DataMissing, data_file

GAMMA = 0.04  # P2 Table 1, a9a
FAST = {"reassoc", "contract"}


@cache
def a9a() -> tuple[np.ndarray, np.ndarray, str]:
    """Dense a9a and its labels; rows of the same shape where the data is not at hand."""
    try:
        path = data_file("a9a/a9a.xz")
    except DataMissing:
        from novikoff.streams import make_a9a_like

        X, y = make_a9a_like(random_state=0)
        return X.toarray(), np.where(y > 0, 1, -1), "generated rows of a9a's shape"
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(BytesIO(lzma.decompress(path.read_bytes())), n_features=123)
    return X.toarray(), y.astype(int), "a9a"


def kernel_row(S, n, x, gamma, k):
    for i in range(n):
        d = 0.0
        s = S[i]
        for j in range(x.size):
            d += (s[j] - x[j]) * (s[j] - x[j])
        k[i] = np.exp(-gamma * d)


def perceptron_with(kernel_row: Callable) -> Callable:
    @njit
    def run(X, y, gamma):
        S, alpha, k = np.empty(X.shape), np.empty(len(X)), np.empty(len(X))
        n = 0
        for t in range(y.size):
            kernel_row(S, n, X[t], gamma, k)
            f = 0.0
            for i in range(n):
                f += alpha[i] * k[i]
            if y[t] * f <= 0:
                S[n], alpha[n] = X[t], y[t]
                n += 1
        return n

    return run


def projectron_with(kernel_row: Callable, fastmath: set[str]) -> Callable:
    @njit(fastmath=fastmath)
    def run(X, y, gamma, eta, plus, capacity):
        S, alpha, k = np.empty((capacity, X.shape[1])), np.zeros(capacity), np.empty(capacity)
        inverse, d = np.zeros((capacity, capacity)), np.empty(capacity)
        n = mistakes = 0
        for t in range(y.size):
            kernel_row(S, n, X[t], gamma, k)
            f = 0.0
            for i in range(n):
                f += alpha[i] * k[i]
            m = y[t] * f
            if m > 0 and not (plus and m < 1):
                continue
            inside = 0.0
            for i in range(n):
                line, s = inverse[i], 0.0
                for j in range(n):
                    s += line[j] * k[j]
                d[i] = s
                inside += s * k[i]
            distance = np.sqrt(max(0.0, 1.0 - inside))
            if m <= 0:
                mistakes += 1
                if n > 0 and distance <= eta:
                    for i in range(n):
                        alpha[i] += y[t] * d[i]
                else:
                    d[n] = -1.0
                    scale = 1.0 / (distance * distance)
                    for i in range(n + 1):
                        line, a = inverse[i], scale * d[i]
                        for j in range(n + 1):
                            line[j] += a * d[j]
                    S[n], alpha[n] = X[t], y[t]
                    n += 1
            else:
                loss = 1.0 - m
                if loss >= distance / eta:
                    tau = min(loss / inside, 2.0 * (loss - distance / eta) / inside, 1.0)
                    for i in range(n):
                        alpha[i] += y[t] * tau * d[i]
        return mistakes, n

    return run


# The loops as one writes them, and with leave to reorder sums, which lets the compiler use SIMD.
PLAIN, SIMD = njit(kernel_row), njit(fastmath=FAST)(kernel_row)
plain_perceptron, simd_perceptron = perceptron_with(PLAIN), perceptron_with(SIMD)
LOOPS = {
    "compiled loop": projectron_with(PLAIN, set()),
    "the same loop with SIMD": projectron_with(SIMD, FAST),
}


def bare_products(X: np.ndarray, support: np.ndarray, size: int | None, block: int) -> Callable:
    """The matrix products and exponentials of a run, and nothing else."""
    ends = [int(np.searchsorted(support, t)) for t in range(0, len(X), block)]
    sizes = [min(m, size) if size else m for m in ends]
    S = np.ascontiguousarray(X[: max(sizes) + block])

    def run() -> None:
        buffer = np.empty((max(sizes) + block) * block, X.dtype)
        with few_threads():  # as many as the learners take
            for start, m in zip(range(0, len(X), block), sizes, strict=True):
                rows = X[start : start + block]
                P = buffer[: (m + len(rows)) * len(rows)].reshape(m + len(rows), len(rows))
                np.matmul(S[:m], rows.T, out=P[:m])
                np.matmul(rows, rows.T, out=P[m:])
                P *= -GAMMA  # exponents of the size that the kernel has
                np.exp(P, out=P)

    return run


@benchmark
def kernel_perceptron() -> Iterator[Row]:
    X, y, name = a9a()
    for dtype in (np.float64, np.float32):
        Z = X.astype(dtype)
        block = 128

        def ours(Z: np.ndarray = Z, block: int = block) -> Perceptron:
            return Perceptron(kernel="rbf", gamma=GAMMA, block_size=block).fit(Z, y)

        model = ours()
        bare, whole = race(bare_products(Z, model.support_, None, block), ours, repeats=3)
        what = f"{name}, {np.dtype(dtype).name}, {model.n_support_} support vectors"
        yield Row(f"{what}: run / bare products", whole / bare, 2.5, note=f"{whole:.2f} s")
    model = Perceptron(kernel="rbf", gamma=GAMMA).fit(X, y)
    plain, simd, blocks = race(
        lambda: plain_perceptron(X, y, GAMMA),
        lambda: simd_perceptron(X, y, GAMMA),
        lambda: Perceptron(kernel="rbf", gamma=GAMMA).fit(X, y),
        repeats=2,
    )
    for what, seconds, run, limit in (
        ("compiled loop", plain, plain_perceptron, 5),
        ("the same loop with SIMD", simd, simd_perceptron, None),
    ):
        same = "same mistakes" if run(X, y, GAMMA) == model.n_mistakes_ else "OTHER MISTAKES"
        note = f"{seconds:.2f} s / {blocks:.2f} s; {same}"
        yield Row(f"{name}: {what} / run", seconds / blocks, limit, at_least=True, note=note)


@benchmark
def budget_perceptrons() -> Iterator[Row]:
    X, y, name = a9a()
    for make in (
        lambda: RandomizedBudgetPerceptron(
            budget=793, gamma=GAMMA, random_state=0, block_size=128
        ),
        lambda: Forgetron(budget=793, gamma=GAMMA, block_size=128),
    ):
        model = make().fit(X, y)
        # When the support was full: the trial of the 793rd update is the curve's.
        filled = np.interp(793, model.curve_["updates"], model.curve_["trial"])
        entries = np.linspace(0, filled, 793)
        bare, whole = race(
            bare_products(X, entries, 793, 128), lambda make=make: make().fit(X, y), repeats=3
        )
        what = f"{name}, {type(model).__name__}, budget 793: run / bare products"
        yield Row(what, whole / bare, 3, note=f"{whole:.2f} s, {model.n_mistakes_} mistakes")


def bare_projections(X: np.ndarray, sizes: np.ndarray, block: int) -> Callable:
    """The kernel values of each block and a triangular solve for its rows, and nothing else."""
    L = np.eye(sizes[-1]) + np.tril(np.full((sizes[-1], sizes[-1]), 1e-6), -1)

    def run() -> None:
        with few_threads():
            for start, m in zip(range(0, len(X), block), sizes, strict=True):
                K = X[:m] @ X[start : start + block].T
                K *= -GAMMA
                np.exp(K, out=K)
                solve_lower(L, m, K)

    return run


@benchmark
def projection() -> Iterator[Row]:
    X, y, name = a9a()
    # The runs at 0.1 take long enough to be timed once.
    for eta, repeats in ((np.sqrt(0.1), 3), (0.1, 1)):
        for plus, Class in ((False, Projectron), (True, ProjectronPlusPlus)):
            model = Class(eta=eta, gamma=GAMMA).fit(X, y)
            made = {}

            def ours(Class: type = Class, eta: float = eta) -> None:
                Class(eta=eta, gamma=GAMMA).fit(X, y)

            room = model.n_support_ + 50

            def looped(
                kind: str, made: dict = made, settings: tuple = (GAMMA, eta, plus, room)
            ) -> None:
                made[kind] = LOOPS[kind](X, y, *settings)

            for loop in LOOPS.values():
                loop(X[:200], y[:200], GAMMA, eta, plus, 200)
            block = 128 if model.n_support_ < 2048 else 256
            sizes = np.searchsorted(model.support_, range(0, len(X), block))
            bare = bare_projections(X, sizes, block)
            whole, floor, *loops = race(
                *(ours, bare, *(lambda kind=kind: looped(kind) for kind in LOOPS)),
                repeats=repeats,
                warm_up=False,
            )
            what = f"{name}, {Class.__name__}, eta {eta:.3g}, {model.n_support_} support vectors"
            for kind, seconds in zip(LOOPS, loops, strict=True):
                mistakes, stored = made[kind]
                same = (
                    "same mistakes and support"
                    if made[kind] == (model.n_mistakes_, model.n_support_)
                    else f"{model.n_mistakes_} mistakes, {model.n_support_} stored; the loop: "
                    f"{mistakes} and {stored}"
                )
                note = f"{seconds:.2f} s / {whole:.2f} s; {same}"
                what_of = f"{what}: {kind} / run"
                yield Row(what_of, seconds / whole, 4, at_least=True, note=note)
            note = f"{whole:.2f} s / {floor:.2f} s"
            yield Row(f"{what}: run / bare products and solves", whole / floor, note=note)


@benchmark
def one_versus_rest() -> Iterator[Row]:
    from sklearn.datasets import load_svmlight_file

    path = data_file("usps/usps.xz")
    X, y = load_svmlight_file(BytesIO(lzma.decompress(path.read_bytes())), n_features=256)
    X, digits = X.toarray(), y.astype(int)

    def together() -> Perceptron:
        return Perceptron(kernel="rbf", gamma=0.01).fit(X, digits)

    def apart() -> None:
        for digit in np.unique(digits):
            Perceptron(kernel="rbf", gamma=0.01).fit(X, digits == digit)

    one, ten = race(together, apart, repeats=3)
    yield Row(
        "usps, 10 classes: together / ten binary runs", one / ten, 1 / 3, note=f"{one:.2f} s"
    )


@benchmark
def single_precision() -> Iterator[Row]:
    X, y, name = a9a()
    double = Perceptron(kernel="rbf", gamma=GAMMA).run_trials(X, y, classes=[-1, 1])
    single = Perceptron(kernel="rbf", gamma=GAMMA).run_trials(
        X.astype(np.float32), y, classes=[-1, 1]
    )
    agree = 100.0 * np.mean((double >= 0) == (single >= 0))
    yield Row(f"{name}: float32 predicts as float64", agree, 99.5, at_least=True, unit="%")


@benchmark
def wide_text() -> Iterator[Row]:
    import json

    from sklearn.feature_extraction.text import HashingVectorizer

    path = data_file("20newsgroups/20news_bydate.jsonl.xz")
    with lzma.open(path, "rt", encoding="utf-8") as file:
        documents = [json.loads(line) for line in file]
    hashing = HashingVectorizer(n_features=1_000_000, ngram_range=(1, 2), alternate_sign=False)
    order = np.random.default_rng(0).permutation(len(documents))
    X = hashing.transform([documents[i]["text"] for i in order])
    # Two classes of ten groups each, as in news20.binary.
    groups = sorted({document["group"] for document in documents})
    y = np.array([groups.index(documents[i]["group"]) % 2 for i in order])
    for eta in (0.9, 0.3):  # the peak is one of the process: the smaller support first
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        model = ProjectronPlusPlus(kernel="linear", eta=eta).fit(X, y)
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        what = f"20 Newsgroups {X.shape[0]} x {X.shape[1]}, linear Projectron++, eta {eta}"
        note = (
            f"{model.n_support_} stored, online error {100 * model.n_mistakes_ / len(y):.1f} %, "
            f"peak of the process {peak / 1024:.0f} MiB, {before / 1024:.0f} before"
        )
        yield Row(what, seconds, unit="s", note=note)

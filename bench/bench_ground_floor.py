"""The primal learners and single rows beside scikit-learn and river."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import novikoff
from bench.harness import Row, benchmark, race

ROOT = Path(__file__).parents[1]
N_ROWS, N_FEATURES, N_NONZEROS = 200_000, 47_236, 72


def text_like(n_classes: int) -> tuple[sp.csr_matrix, np.ndarray]:
    """Rows of tf-idf shape: words by a heavy-tailed law, a tenth of them from the class's topic.

    A perceptron errs on some per cent of such rows in its first pass, as it does on news texts.
    """
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=N_ROWS)
    lengths = rng.poisson(N_NONZEROS, N_ROWS).clip(1)
    words = (N_FEATURES * rng.random(lengths.sum()) ** 2).astype(np.int32)
    topical = rng.random(words.size) < 0.1
    topics = rng.integers(N_FEATURES, size=(n_classes, 1000), dtype=np.int32)
    owners = np.repeat(y, lengths)[topical]
    words[topical] = topics[owners, (1000 * rng.random(owners.size) ** 2).astype(int)]
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    X = sp.csr_matrix((rng.random(words.size) + 0.1, words, indptr), shape=(N_ROWS, N_FEATURES))
    X.sum_duplicates()
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return (sp.diags(1.0 / norms) @ X).tocsr(), y


@benchmark
def perceptron_epoch() -> Iterator[Row]:
    from sklearn.linear_model import Perceptron

    for n_classes, limit in ((2, 0.67), (20, 0.25)):
        X, y = text_like(n_classes)
        ours, theirs = race(
            lambda X=X, y=y: novikoff.Perceptron().fit(X, y),
            lambda X=X, y=y: Perceptron(max_iter=1, tol=None, shuffle=False).fit(X, y),
            repeats=5,
        )
        mistakes = novikoff.Perceptron().fit(X, y).n_mistakes_ / N_ROWS
        yield Row(
            f"one epoch of {N_ROWS} x {N_FEATURES} CSR rows, {n_classes} classes, of scikit-learn",
            ours / theirs,
            limit,
            note=f"{1e3 * ours:.0f} ms against {1e3 * theirs:.0f} ms, "
            f"{X.nnz / N_ROWS:.0f} nonzeros a row, {100 * mistakes:.0f} % mistakes",
        )


def stream_of(sparse: bool) -> tuple[list, list, list]:
    """Single rows as arrays or CSR matrices, the same rows as dicts, and labels."""
    rng = np.random.default_rng(1)
    if sparse:
        X = sp.random(500, 10_000, density=0.005, format="csr", random_state=1)
        rows = [X[t] for t in range(500)]
        dicts = [dict(zip(r.indices.tolist(), r.data.tolist(), strict=True)) for r in rows]
        score = X @ rng.normal(size=10_000)
    else:
        X = rng.normal(size=(500, 20))
        rows = list(X)
        dicts = [dict(enumerate(x.tolist())) for x in X]
        score = X @ rng.normal(size=20)
    return rows, dicts, (score > 0).astype(int).tolist()


@benchmark
def one_row() -> Iterator[Row]:
    from river.linear_model import Perceptron as River
    from sklearn.linear_model import Perceptron as Sklearn

    for sparse, what in ((True, "one CSR row of 50 nonzeros"), (False, "one dense row of 20")):
        rows, dicts, labels = stream_of(sparse)
        model, sklearn, river = novikoff.Perceptron(), Sklearn(), River()
        classes = np.array([0, 1])
        batches = rows if sparse else [x.reshape(1, -1) for x in rows]
        targets = [np.array([label]) for label in labels]
        model.partial_fit(batches[0], targets[0], classes=classes)

        def ours(model=model, rows=rows, labels=labels):
            for x, label in zip(rows, labels, strict=True):
                model.learn_one(x, label)

        def scikit_learn(sklearn=sklearn, batches=batches, targets=targets, classes=classes):
            for x, label in zip(batches[:100], targets[:100], strict=True):
                sklearn.partial_fit(x, label, classes=classes)

        def rivers(river=river, dicts=dicts, labels=labels):
            for x, label in zip(dicts, labels, strict=True):
                river.learn_one(x, label)

        times = race(ours, scikit_learn, rivers, repeats=9)
        ours_us, sklearn_us, river_us = 2e3 * times[0], 1e4 * times[1], 2e3 * times[2]
        note = f"{ours_us:.1f} us; scikit-learn {sklearn_us:.0f} us, river {river_us:.1f} us"
        yield Row(f"learn_one, {what}, of scikit-learn", ours_us / sklearn_us, 0.01, note=note)
        yield Row(f"learn_one, {what}, of river", ours_us / river_us, 1.0, note=note)


@benchmark
def pieces() -> Iterator[Row]:
    X, y = text_like(2)
    X, y = X[:20_000], y[:20_000]
    models = []
    for size in (1, 37, len(y)):
        model = novikoff.Perceptron()
        for start in range(0, len(y), size):
            model.partial_fit(X[start : start + size], y[start : start + size])
        models.append(model)
    same = all(
        np.array_equal(model.coef_, models[0].coef_)
        and np.array_equal(model.curve_, models[0].curve_)
        for model in models
    )
    yield Row(
        "partial_fit in pieces of 1, 37 and all: bit for bit the same model",
        float(same),
        1.0,
        at_least=True,
        unit="(1: yes)",
    )


FIRST_FIT = """
import sys, time
from numba.core import event
class Compiled(event.Listener):
    n = 0
    def on_start(self, e): Compiled.n += 1
    def on_end(self, e): pass
event.register("numba:compile", Compiled())
import numpy as np
import scipy.sparse as sp
X = np.random.default_rng(0).normal(size=(100, 20))
if sys.argv[1] == "sparse": X = sp.csr_matrix(X)
y = np.arange(100) % 2
start = time.perf_counter()
from novikoff import Perceptron
Perceptron().fit(X, y)
print(time.perf_counter() - start, Compiled.n)
"""


@benchmark
def start() -> Iterator[Row]:
    code = "import time; t = time.perf_counter(); import novikoff; print(time.perf_counter() - t)"
    seconds = min(float(_python(code)[0]) for _ in range(3))
    yield Row("import novikoff", seconds, 1.0, unit="s")
    for kind in ("dense", "sparse"):
        with tempfile.TemporaryDirectory() as folder:
            first = _python(FIRST_FIT, kind, NUMBA_CACHE_DIR=folder)
            second = _python(FIRST_FIT, kind, NUMBA_CACHE_DIR=folder)
        yield Row(
            f"first fit in a fresh environment, {kind} rows",
            float(first[0]),
            5.0,
            unit="s",
            note="import of scikit-learn and numba included",
        )
        yield Row(
            f"compilations in a second process, {kind} rows",
            float(second[1]),
            0.0,
            unit="",
            note=f"fit in {float(second[0]):.2f} s",
        )


def _python(code: str, *arguments: str, **environment: str) -> list[str]:
    """Words that a fresh interpreter prints."""
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | {"PYTHONPATH": paths} | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()

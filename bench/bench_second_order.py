"""Second-order learners: terms applied in blocks, free trials, and the adaptive solver."""

import numpy as np
import scipy.sparse as sp
from scipy.linalg.lapack import dposv
from threadpoolctl import threadpool_limits

from bench.harness import Row, benchmark, race
from novikoff import AdaptiveSecondOrderPerceptron, Perceptron, SecondOrderPerceptron
from novikoff.engine.symmetric import Row as Vector
from novikoff.learners.adaptive_second_order_perceptron import AdaptiveMemory


def rows(n_rows, n, seed=0, noise=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n))
    return X, np.sign(X @ rng.normal(size=n) + noise * rng.normal(size=n_rows)).astype(int)


def plain_rank_one(X, y, a=1.0):
    """The recursion as textbooks have it: three passes over the matrix a mistake."""
    n = X.shape[1]
    inverse, w = np.eye(n) / a, np.zeros(n)
    outer, mistakes = np.empty((n, n)), 0
    for x, label in zip(X, y, strict=True):
        f = w @ x
        if label * f > 0:
            continue
        mistakes += 1
        g = inverse @ x
        s = 1.0 + x @ g
        np.multiply(g[:, None], g / s, out=outer)
        np.subtract(inverse, outer, out=inverse)
        w += ((label - f) / s) * g
    return mistakes


@benchmark
def second_order():
    """`SecondOrderPerceptron` at n = 2048 against plain rank-one updates, and free trials."""
    import numba

    @numba.njit(fastmath=True, cache=False)
    def compiled_rank_one(X, y, a):
        n = X.shape[1]
        inverse, w, g = np.eye(n) / a, np.zeros(n), np.zeros(n)
        mistakes = 0
        for t in range(len(X)):
            x = X[t]
            f = 0.0
            for i in range(n):
                f += w[i] * x[i]
            if y[t] * f > 0:
                continue
            mistakes += 1
            g[:] = np.dot(inverse, x)
            s = 1.0
            for i in range(n):
                s += x[i] * g[i]
            for i in range(n):
                b = g[i] / s
                for j in range(n):
                    inverse[i, j] -= b * g[j]
            for i in range(n):
                w[i] += (y[t] - f) / s * g[i]
        return mistakes

    X, y = rows(1500, 2048)
    model = SecondOrderPerceptron()
    mistakes = model.fit(X, y).n_mistakes_
    assert mistakes == plain_rank_one(X, y) == compiled_rank_one(X, y, 1.0)
    ours, compiled, plain = race(
        lambda: model.fit(X, y),
        lambda: compiled_rank_one(X, y, 1.0),
        lambda: plain_rank_one(X, y),
        repeats=3,
    )
    note = f"{mistakes} mistakes, {ours:.2f} s against {compiled:.2f} s and {plain:.2f} s"
    yield Row(
        "n = 2048: plain rank-one updates, compiled / ours", compiled / ours, 4.0, True, note=note
    )
    yield Row("n = 2048: plain rank-one updates, NumPy / ours", plain / ours, 4.0, True, note=note)

    X = np.tile(X[:1], (20_000, 1))
    y = np.ones(len(X), int)
    first = Perceptron().partial_fit(X[:1], y[:1], classes=[-1, 1])
    second = SecondOrderPerceptron().partial_fit(X[:1], y[:1], classes=[-1, 1])
    second.partial_fit(X, y), first.partial_fit(X, y)
    ours, theirs = race(lambda: second.partial_fit(X, y), lambda: first.partial_fit(X, y))
    assert second.n_updates_ == first.n_updates_ == 1
    note = f"{1e9 * ours / len(X):.0f} ns against {1e9 * theirs / len(X):.0f} ns"
    yield Row(
        "n = 2048: a trial without a mistake / the perceptron's", ours / theirs, 3.0, note=note
    )


class FreshMemory(AdaptiveMemory):
    """The adaptive learner's memory with a fresh Cholesky factor at every mistake."""

    def tell(self, row, y, f, w):
        """Let a row enter; return the change of w."""
        if not self.correlation.formed:
            self.correlation._form()
        self.correlation.add(row)
        row.add_to(self.v, y)
        self.k += 1
        self.square[0] = max(self.square[0], float(row.values @ row.values))
        M = np.array(self.correlation.matrix.T, order="F")
        M.flat[:: w.size + 1] += self.c * self.square[0] * int(self.k[0])
        return dposv(M, self.v, overwrite_a=1)[1] - w


def told(kind, n, n_told, c=0.1, seed=0):
    """A memory of this kind after so many mistakes, and rows to come."""
    rng = np.random.default_rng(seed)
    memory = kind(n, c, None)
    X = rng.normal(size=(n_told, n))
    signs = rng.choice([-1.0, 1.0], n_told)
    for x in X:
        memory.correlation.add(Vector(x, None, n))
    memory.v += X.T @ signs
    memory.k += n_told
    memory.square[0] = (X**2).sum(axis=1).max()
    coming = [Vector(x, None, n) for x in rng.normal(size=(6, n))]
    w = memory.tell(coming[0], 1.0, 0.0, np.zeros(n))
    return memory, w, coming[1:]


def seconds_a_mistake(n):
    """Best time of a mistake that the adaptive learner makes after n others in n dimensions."""
    memory, w, coming = told(AdaptiveMemory, n, n)

    def run(w=w):
        for row in coming:
            w += memory.tell(row, 1.0, 0.0, w)

    with threadpool_limits(1):
        return race(run, repeats=3)[0] / len(coming)


@benchmark
def adaptive_second_order():
    """A mistake of `AdaptiveSecondOrderPerceptron` against a fresh Cholesky solution."""
    times = {}
    # At 10 and 100 ours is that same solution: nothing but the clock can make it slower.
    limits = {10: 0.95, 100: 0.95, 200: 1.0, 500: 1.0, 1000: 1.0, 2000: 3.0, 4000: 5.0}
    for n in (10, 100, 200, 500, 1000, 2000, 4000):
        repeats = max(1, 4000 // n) if n < 500 else 1
        runs = []
        for kind in (AdaptiveMemory, FreshMemory):
            memory, w, coming = told(kind, n, n)

            def run(memory=memory, w=w, coming=coming, repeats=repeats):
                for _ in range(repeats):
                    for row in coming:
                        w += memory.tell(row, 1.0, 0.0, w)

            run.w = w
            runs.append(run)
        with threadpool_limits(1):
            for run in runs:
                run()
            ours, theirs = (run.w for run in runs)
            assert np.abs(ours - theirs).max() <= 1e-9 * np.abs(theirs).max()
            mine, fresh = race(*runs, repeats=9 if n < 500 else 3 if n < 4000 else 1)
        count = repeats * len(coming)
        times[n] = mine / count
        note = f"{1e3 * mine / count:.3g} ms against {1e3 * fresh / count:.3g} ms a mistake"
        what = f"n = {n}: fresh Cholesky / ours"
        yield Row(what, fresh / mine, limits[n], True, note=note)
    # Every step reads half the matrix: its cost is n^2 where it stays on one side of the cache.
    large = {n: seconds_a_mistake(n) for n in (4000, 6000)}
    what = "power of n in a mistake's cost"
    yield Row(f"{what}, 1000 to 2000", np.log2(times[2000] / times[1000]), 2.4, unit="")
    power = np.log(large[6000] / large[4000]) / np.log(1.5)
    yield Row(f"{what}, 4000 to 6000", power, 2.4, unit="")
    note = "half the matrix is 16 and 64 MB: it leaves a cache of 32 MB in between"
    yield Row(f"{what}, 2000 to 4000", np.log2(large[4000] / times[2000]), unit="", note=note)
    rng = np.random.default_rng(0)
    X = sp.random(4000, 60_000, density=0.001, format="csr", random_state=0)
    y = (X @ rng.normal(size=60_000) > 0).astype(int)
    model = AdaptiveSecondOrderPerceptron()
    model.fit(X, y)
    first = Perceptron()
    mine, theirs = race(lambda: model.fit(X, y), lambda: first.fit(X, y), repeats=2)
    note = (
        f"{model.n_mistakes_} mistakes, {1e3 * mine / model.n_mistakes_:.2f} ms each; "
        f"{model._machine.memories[0].correlation.x.nbytes / 2**20:.0f} MiB of rows"
    )
    yield Row("60,000 features: from the mistaken rows / the perceptron", mine / theirs, note=note)

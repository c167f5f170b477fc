"""Second-order learners: terms applied in blocks, free trials, and the adaptive solver."""

import numpy as np

from bench.harness import Row, benchmark, race
from novikoff import Perceptron, SecondOrderPerceptron


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

"""Trials of learners that keep the inverse of a full correlation matrix.

A = aI + sum x x' over the rows that entered, and w = A^{-1} v with v the sum of their y x. Keeping
w, a trial costs O(inputs) as long as no row enters. When x enters with g = A^{-1} x and
s = 1 + x'g,

    A^{-1} <- A^{-1} - g g'/s,   w <- w + (y - <w, x>) g/s,

which is Sherman and Morrison's formula carried through to w.

Rule contract: ``rule(p, m, y) -> bool``, whether the row enters. With prototypes a row is the
joint vector that holds x at the true class and -x at its best rival, and A is over all classes'
inputs together.
"""

from typing import Any

import numpy as np

from novikoff.engine.jit import inlined, primitive
from novikoff.engine.rows import Rows
from novikoff.engine.views import (
    MISTAKES,
    SEEN,
    UPDATES,
    best_rival,
    bounds,
    dot_columns,
    feature,
    features,
    is_zero,
    record,
)
from novikoff.engine.weights import Layout, Weights


@primitive
def correlate(A, g, shift, sign, data, indices, lo, hi, bias, inputs):
    """Add to g the product of A with a row that stands at position ``shift``; A is symmetric."""
    x = data[lo:hi]
    at = features(indices, lo, hi)
    for j in range(x.size):
        a = sign * x[j]
        if a != 0.0:
            line = A[shift + np.intp(feature(at, j))]
            for i in range(g.size):
                g[i] += a * line[i]
    if bias:
        line = A[shift + inputs - 1]
        for i in range(g.size):
            g[i] += sign * line[i]


@primitive
def inner(g, shift, data, indices, lo, hi, bias, inputs):
    """Inner product of a row that stands at position ``shift`` with g."""
    m = g[shift + inputs - 1] if bias else 0.0
    x = data[lo:hi]
    at = features(indices, lo, hi)
    for j in range(x.size):
        m += x[j] * g[shift + np.intp(feature(at, j))]
    return m


@primitive
def subtract_outer(A, g, b):
    """A <- A - b g g'."""
    for i in range(g.size):
        a = b * g[i]
        if a != 0.0:
            line = A[i]
            for j in range(g.size):
                line[j] -= a * g[j]


@inlined
def correlated_scan(rule, p, state, rows, codes, out):
    """Run trials in order; ``state`` is what :class:`Correlated` makes.

    ``shared`` says that every problem lets the same rows in, so that one matrix serves all.
    """
    A, V, U, csum, counts, curve, prototype, bias, shared = state
    data, indices, indptr = rows
    inputs, k = V.shape
    width = inputs - (1 if bias else 0)
    scores = np.zeros(k)
    g = np.zeros(A.shape[1])
    n_problems = csum.size
    for t in range(codes.size):
        lo, hi = bounds(t, indices, indptr, width)
        true = codes[t]
        dot_columns(V, data, indices, lo, hi, scores)
        for c in range(k):
            if bias:
                scores[c] += V[width, c]
            if out.shape[0]:
                out[t, c] = scores[c]
        rival = 0
        if k == 1:
            mistaken = (scores[0] if true == 1 else -scores[0]) <= 0.0
        else:
            rival = best_rival(scores, true)
            mistaken = scores[true] <= scores[rival]
        counts[SEEN] += 1
        if mistaken:
            counts[MISTAKES] += 1
        if bias or not is_zero(data, lo, hi):
            s = 0.0  # 1 + x'A^{-1}x; 0 while not computed
            for c in range(n_problems):
                y, m = 1.0, scores[c]
                if prototype:
                    m = scores[true] - scores[rival]
                elif true != (1 if k == 1 else c):
                    y = -1.0
                if not rule(p, m, y):
                    continue
                counts[UPDATES] += 1
                own = 0 if shared else c
                first, second = (true * inputs, rival * inputs) if prototype else (0, 0)
                if s == 0.0 or not shared:
                    g[:] = 0.0
                    correlate(A[own], g, first, 1.0, data, indices, lo, hi, bias, inputs)
                    if prototype:
                        correlate(A[own], g, second, -1.0, data, indices, lo, hi, bias, inputs)
                    s = 1.0 + inner(g, first, data, indices, lo, hi, bias, inputs)
                    if prototype:
                        s -= inner(g, second, data, indices, lo, hi, bias, inputs)
                step = (y - m) / s
                for d in range(0 if prototype else c, k if prototype else c + 1):
                    shift = d * inputs if prototype else 0
                    for i in range(inputs):
                        V[i, d] += step * g[shift + i]
                        if U.size:
                            U[i, d] += csum[c] * step * g[shift + i]
                if not shared:
                    subtract_outer(A[own], g, 1.0 / s)
            if shared and s != 0.0:
                subtract_outer(A[0], g, 1.0 / s)
        if U.size:
            csum += 1.0
        record(counts, curve, 0)


class Correlated(Weights):
    """Weights with the inverse of their correlation matrix: one, or one a class."""

    vigilant = False

    def __init__(self, layout: Layout, a: float, shared: bool) -> None:
        super().__init__(layout)
        self.a, self.shared = a, shared
        inputs, k = self.V.shape
        size = inputs * k if layout.prototype else inputs
        matrices = 1 if shared or layout.prototype else k
        self.A = np.zeros((matrices, size, size))
        self.A[:] = np.eye(size) / a

    def run(self, entry: Any, p: Any, rows: Rows, codes: np.ndarray, out: np.ndarray) -> None:
        """Run one trial per row."""
        layout = self.layout
        flags = (layout.prototype, layout.bias, self.shared)
        state = (self.A, self.V, self.U, self.csum, self.counts, self.points, *flags)
        entry(p, state, rows[:3], codes, out)

    def grown(self, layout: Layout, source: np.ndarray, factor: np.ndarray) -> "Correlated":
        """The state with other columns; a class that enters starts at I/a."""
        new = Correlated(layout, self.a, self.shared)
        self._grow_into(new, source, factor)
        if layout.prototype:
            inputs = self.V.shape[0]
            old = np.flatnonzero(source >= 0)
            where = (old[:, None] * inputs + np.arange(inputs)).ravel()
            new.A[0][np.ix_(where, where)] = self.A[0]
        elif self.shared:
            new.A[:] = self.A
        else:
            new.A[source >= 0] = self.A[source[source >= 0]]
        return new

    def arrays(self) -> dict[str, np.ndarray]:
        """All that was learnt, by name."""
        return {**super().arrays(), "A": self.A}

"""Trials of learners whose hypothesis is a function of their mistaken rows, primal form.

Between mistakes the weights are fixed, so a compiled scan goes through the rows as fast as the
perceptron's and stops at a trial that has something to say: a class whose own trial is mistaken
(one-versus-rest), or the true class and its best rival (prototypes). Each such class has a
*memory*, an object of the learner's own file, which is told the row and its sign and answers with
the change of the weights. With prototypes the true class is told +1 and the rival -1; one
matrix, v and k a class.

Contract of a memory:

``tell(row, y, f, w) -> change``  learn a row of sign y, on which w has the value f
``changed``                       whether the last row it was told changed its matrix
``scaled(factor) -> memory``      one of its own, for the hypothesis times a factor
``arrays()``, ``restore(arrays)`` all that was learnt, by name
``outside(X) -> mask``            only where ``watches`` is set: which of these rows have the
                                  decision 0 whatever w is; ``still_outside(t)`` the same after
                                  row t of them was told, for the rows after it
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from novikoff.engine.blas import few_threads
from novikoff.engine.jit import entry
from novikoff.engine.rows import SMALLEST_SQUARE, Rows
from novikoff.engine.symmetric import Row
from novikoff.engine.views import (
    MISTAKES,
    SEEN,
    UPDATES,
    best_rival,
    bounds,
    dot,
    dot_columns,
    record,
    sqnorm,
)
from novikoff.engine.weights import Layout, Weights, refill

# Rows that are looked at ahead for lying outside of what was told.
WATCHED = 64
# Below this many inputs BLAS does not use a second thread anyhow.
FEW_INPUTS = 256


@entry
def scan_to_mistake(state, rows, codes, out, off, start):
    """Run trials from ``start`` to the first that is to be told; return it, or how many there are.

    ``told`` gets the number of classes that are told, and which; ``signs`` their signs. That
    trial is counted, but not yet put on the curve. ``off`` masks decisions that are 0.
    """
    V, csum, counts, curve, told, signs, prototype, bias = state
    data, indices, indptr = rows
    k = V.shape[1]
    width = V.shape[0] - (1 if bias else 0)
    weights = V.reshape(V.size)
    scores = np.zeros(k)
    for t in range(start, codes.size):
        lo, hi = bounds(t, indices, indptr, width)
        if k == 1:
            scores[0] = dot(weights, data, indices, lo, hi)
        else:
            dot_columns(V, data, indices, lo, hi, scores)
        for c in range(k):
            if bias:
                scores[c] += V[width, c]
            if off.shape[0] and off[c, t]:
                scores[c] = 0.0
            if out.shape[0]:
                out[t, c] = scores[c]
        tell_mistakes(scores, codes[t], counts, told, signs, prototype)
        if told[0] and (bias or sqnorm(data, lo, hi) >= SMALLEST_SQUARE):
            return t
        csum += 1.0
        record(counts, curve, 0)
    return codes.size


@entry
def tell_mistakes(scores, true, counts, told, signs, prototype):
    """Count a trial and list the classes that it tells."""
    k = scores.size
    counts[SEEN] += 1
    told[0] = 0
    if k == 1:
        y = 1.0 if true == 1 else -1.0
        if y * scores[0] <= 0.0:
            counts[MISTAKES] += 1
            told[0], told[1], signs[0] = 1, 0, y
        return
    rival = best_rival(scores, true)
    if scores[true] <= scores[rival]:
        counts[MISTAKES] += 1
        if prototype:
            told[0], told[1], told[2] = 2, true, rival
            signs[0], signs[1] = 1.0, -1.0
    if not prototype:
        for c in range(k):
            y = 1.0 if c == true else -1.0
            if y * scores[c] <= 0.0:
                signs[told[0]] = y
                told[0] += 1
                told[told[0]] = c


def restore_memories(memories: list[Any], arrays: Any) -> None:
    """Give the memories back what their ``arrays`` gave; ``ValueError`` says what does not fit."""
    if not isinstance(arrays, list) or len(arrays) != len(memories):
        raise ValueError(f"has no memories of {len(memories)} classes")
    for memory, values in zip(memories, arrays, strict=True):
        if not isinstance(values, dict) or set(values) != set(memory.arrays()):
            raise ValueError("has a memory that does not fit the learner")
        memory.restore(values)


class Told(Weights):
    """Weights of all classes, each with a memory that changes them on mistakes."""

    vigilant = False

    def __init__(self, layout: Layout, make: Callable[[int], Any]) -> None:
        super().__init__(layout)
        inputs, k = self.V.shape
        self.make = make
        self.memories = [make(inputs) for _ in range(k)]
        self.told = np.zeros(k + 2, np.int64)
        self.matrix_updates = np.zeros(1, np.int64)
        self.signs = np.zeros(k + 1)

    def run(self, entry: Any, p: Any, rows: Rows, codes: np.ndarray, out: np.ndarray) -> None:
        """Run one trial per row."""
        if len(self.V) < FEW_INPUTS:
            self._run(rows, codes, out)
        else:
            with few_threads():
                self._run(rows, codes, out)

    def _run(self, rows: Rows, codes: np.ndarray, out: np.ndarray) -> None:
        start = 0
        while start < rows.n:
            watching = any(memory.watches for memory in self.memories)
            stop = min(rows.n, start + WATCHED) if watching else rows.n
            self._trials(
                rows.part(start, stop),
                codes[start:stop],
                out[start:stop] if out.shape[0] else out,
                watching,
            )
            start = stop

    def _trials(self, rows: Rows, codes: np.ndarray, out: np.ndarray, watching: bool) -> None:
        layout = self.layout
        off = np.zeros((0, 0), bool)
        if watching:
            X = np.stack([self._row(rows, t).dense() for t in range(rows.n)])
            off = np.stack([memory.outside(X) for memory in self.memories])
        state = (
            *(self.V, self.csum, self.counts, self.points, self.told, self.signs),
            *(layout.prototype, layout.bias),
        )
        start = 0
        while True:
            t = scan_to_mistake(state, rows[:3], codes, out, off, start)
            if t == rows.n:
                return
            row = self._row(rows, t)
            columns = self.told[1 : self.told[0] + 1].tolist()
            for c, y in zip(columns, self.signs.tolist(), strict=False):
                w = self.V[:, c]
                change = self.memories[c].tell(row, y, row.dot(w), w)
                if layout.average:
                    self.U[:, c] += self.csum[0 if layout.prototype else c] * change
                w += change
                self.matrix_updates += self.memories[c].changed
                if watching:
                    off[c, t + 1 :] = self.memories[c].still_outside(t)
            self.counts[UPDATES] += 1 if layout.prototype else len(columns)
            self.csum[:] += 1.0
            record(self.counts, self.points, 0)
            start = t + 1

    def _row(self, rows: Rows, t: int) -> Row:
        """Row t in double precision, with the constant."""
        inputs, bias = len(self.V), self.layout.bias
        if rows.indices is None:
            values = np.ones(inputs)
            values[: rows.width] = rows.data[t * rows.width : (t + 1) * rows.width]
            return Row(values, None, inputs)
        data, indices, indptr = rows.sparse()
        part = slice(indptr[t], indptr[t + 1])
        values, at = data[part].astype(np.float64), indices[part].astype(np.intp)
        if bias:
            values, at = np.append(values, 1.0), np.append(at, inputs - 1)
        return Row(values, at, inputs)

    def grown(self, layout: Layout, source: np.ndarray, factor: np.ndarray) -> "Told":
        """The state with other columns; a class that came from another one takes its memory."""
        new = Told(layout, self.make)
        self._grow_into(new, source, factor)
        new.matrix_updates, new.guarded = self.matrix_updates, self.guarded
        for c in np.flatnonzero(source >= 0):
            new.memories[c] = self.memories[source[c]].scaled(factor[c])
        return new

    def arrays(self) -> dict[str, Any]:
        """All that was learnt, by name."""
        memories = [memory.arrays() for memory in self.memories]
        return {**self._own_arrays(), "memories": memories}

    def _own_arrays(self) -> dict[str, np.ndarray]:
        return {**super().arrays(), "matrix_updates": self.matrix_updates}

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave; ``ValueError`` names what does not fit."""
        refill(self._own_arrays(), {name: v for name, v in arrays.items() if name != "memories"})
        restore_memories(self.memories, arrays.get("memories"))
        self.check_counts()

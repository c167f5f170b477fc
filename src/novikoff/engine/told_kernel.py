"""Trials of learners whose hypothesis is a function of their mistaken rows, kernel form.

A block of rows at once, as in :mod:`novikoff.engine.panel`: F holds the block's decision values
under the present hypothesis. At a mistake the class's memory is told the kernel values of the row
with the rows it was told before (its *span*) and answers with the coefficient of the row and the
change of those of its span; what is left of F follows by one product with the panel. So a trial
without a mistake costs its kernel values and one product with the coefficients.

Contract of a memory, besides that of :mod:`novikoff.engine.told`:

``tell(k, q, y, f) -> (coefficient, change)``  k: kernel values with its span, in order of entry;
                                               q: k(x, x); f: decision value of the row
``outside(K, q) -> mask``                      K: kernel values of its span with a block of rows
``still_outside(t, own)``                      own: kernel values of row t with the block
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from novikoff.engine.expansion import Expansion, ExpansionLayout
from novikoff.engine.jit import entry
from novikoff.engine.panel import LIVE, STORED
from novikoff.engine.rows import SMALLEST_SQUARE, Rows
from novikoff.engine.told import restore_memories, tell_mistakes
from novikoff.engine.views import UPDATES, record
from novikoff.engine.weights import check_like


@entry
def scan_values_to_mistake(state, F, q, codes, out, off, start):
    """As :func:`novikoff.engine.told.scan_to_mistake`, over decision values that are given."""
    csum, counts, curve, told, signs, prototype, n_support = state
    k = F.shape[0]
    scores = np.zeros(k)
    for t in range(start, codes.size):
        for c in range(k):
            scores[c] = 0.0 if off.shape[0] and off[c, t] else F[c, t]
            if out.shape[0]:
                out[t, c] = scores[c]
        tell_mistakes(scores, codes[t], counts, told, signs, prototype)
        if told[0] and q[t] >= SMALLEST_SQUARE:
            return t
        csum += 1.0
        record(counts, curve, n_support)
    return codes.size


class ToldExpansion(Expansion):
    """Coefficients of stored rows, each class with a memory that changes them on mistakes."""

    def __init__(self, layout: ExpansionLayout, store: Any, make: Callable[[], Any]) -> None:
        super().__init__(layout, store, np.dtype(np.float64), 0)
        k = layout.n_columns
        self.make = make
        self.memories = [make() for _ in range(k)]
        self.spans = [np.zeros(0, np.int64) for _ in range(k)]  # slots, in order of entry
        self.told = np.zeros(k + 2, np.int64)
        self.matrix_updates = np.zeros(1, np.int64)
        self.signs = np.zeros(k + 1)

    def _block(self, entry: Any, p: Any, rows: Rows, codes: np.ndarray, out: np.ndarray) -> None:
        m, seen, layout = self.used, self.seen, self.layout
        block, P, F, q = self._prepare(rows)
        off = np.zeros((0, 0), bool)
        if any(memory.watches for memory in self.memories):
            pairs = zip(self.memories, self.spans, strict=True)
            off = np.stack([memory.outside(P[span], q) for memory, span in pairs])
        start = 0
        while True:
            state = (
                *(self.csum, self.counts, self.points, self.told, self.signs),
                *(layout.prototype, self.n_support),
            )
            t = scan_values_to_mistake(state, F, q, codes, out, off, start)
            if t == rows.n:
                break
            columns = self.told[1 : self.told[0] + 1].tolist()
            for c, y in zip(columns, self.signs.tolist(), strict=False):
                span = self.spans[c]
                a, change = self.memories[c].tell(P[span, t], q[t], y, F[c, t])
                moved = np.zeros(m + t + 1)
                moved[span], moved[m + t] = change, a
                self.A[c, : m + t + 1] += moved
                if layout.average:
                    seen_by = self.csum[0 if layout.prototype else c]
                    self.U[c, : m + t + 1] += seen_by * moved
                F[c, t + 1 :] += moved @ P[: m + t + 1, t + 1 :]
                self.spans[c] = np.append(span, m + t)
                self.matrix_updates += self.memories[c].changed
                if off.shape[0]:
                    off[c, t + 1 :] = self.memories[c].still_outside(t, P[m + t])
            self.order[self.sizes[LIVE]] = m + t
            self.sizes[LIVE] += 1
            self.sizes[STORED] += 1
            self.counts[UPDATES] += 1 if layout.prototype else len(columns)
            self.csum[:] += 1.0
            record(self.counts, self.points, self.n_support)
            start = t + 1
        new = self.live[self.live >= m]
        place = np.arange(m + rows.n)
        place[new] = m + np.arange(new.size)
        self._store_new(block, P, rows.n, seen)
        self.spans = [place[span] for span in self.spans]

    def grown(
        self, layout: ExpansionLayout, source: np.ndarray, factor: np.ndarray
    ) -> "ToldExpansion":
        """The state with other classes; a class that came from another one takes its memory."""
        new = ToldExpansion(layout, self.store, self.make)
        self._grow_into(new, source, factor)
        new.matrix_updates = self.matrix_updates
        for c in np.flatnonzero(source >= 0):
            new.memories[c] = self.memories[source[c]].scaled(factor[c])
            new.spans[c] = self.spans[source[c]].copy()
        return new

    def arrays(self) -> dict[str, Any]:
        """All that was learnt, by name."""
        memories = [memory.arrays() for memory in self.memories]
        return {**super().arrays(), "memories": memories, "spans": list(self.spans)}

    _FIXED = (*Expansion._FIXED, "matrix_updates")

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave; ``ValueError`` names what does not fit."""
        super().restore(arrays)
        restore_memories(self.memories, arrays["memories"])
        if len(arrays["spans"]) != len(self.spans):
            raise ValueError(f"has spans of {len(arrays['spans'])} classes")
        for c, (span, memory) in enumerate(zip(arrays["spans"], self.memories, strict=True)):
            check_like("spans", span, np.empty(memory.n, np.int64))
            if span.size and not (span.min() >= 0 and span.max() < self.used):
                raise ValueError("has a memory of slots it does not have")
            self.spans[c] = span

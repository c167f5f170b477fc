"""The state of a kernel learner that projects: a Cholesky factor for each class's stored rows."""

from typing import Any, Self

import numpy as np

from novikoff.engine import projection as pj
from novikoff.engine.blas import solve_lower, solve_lower_transposed_vector
from novikoff.engine.expansion import Expansion, ExpansionLayout
from novikoff.engine.factor import with_room
from novikoff.engine.rows import Rows
from novikoff.engine.views import SIGMA_HIGH, SIGMA_LOW, fold_scale
from novikoff.engine.weights import check_like

# Share of k(x, x) that a squared distance to a span is never better known than.
ROUNDING = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-5}
# Rounding of a squared distance, in units of the one estimated: 0.2 to 6 were met.
NOISE = 16.0


class Projected(Expansion):
    """An expansion with a Cholesky factor of each class's Gram matrix (see :mod:`.projection`)."""

    # A triangular solve wants more columns at once than a product.
    few_rows = 64

    def __init__(self, layout: ExpansionLayout, store: Any, dtype: np.dtype, seed: int) -> None:
        super().__init__(layout, store, dtype, seed)
        k = layout.n_columns
        self.factors = [np.zeros((0, 0)) for _ in range(k)]
        self.spans = [np.zeros(0, np.int64) for _ in range(k)]  # slots, in the factor's order

    def _block(self, entry: Any, p: Any, rows: Rows, codes: np.ndarray, out: np.ndarray) -> None:
        m, b, seen, layout = self.used, rows.n, self.seen, self.layout
        k = layout.n_columns
        block, P, F, q = self._prepare(rows)
        W, E = np.empty((k, b, b)), np.zeros((k, b, b))
        inside = np.empty((k, b))
        V = []
        for c in range(k):
            span = self.spans[c]
            v = P[:m] if span.size == m else P[span]
            # The last class may overwrite the panel's lines: no trial reads them again.
            v = v.astype(np.float64, order="C", copy=span.size == m and c < k - 1)
            solve_lower(self.factors[c], span.size, v)
            np.matmul(v.T, v, out=W[c])
            inside[c] = W[c].diagonal()
            V.append(v)
        stored = np.array([span.size for span in self.spans])
        entered, trials = np.zeros(k, np.int64), np.zeros((k, b), np.int64)
        distances = np.zeros((k, b))
        steps, owns = np.zeros((k, 2, b)), np.zeros((k, 2, b))
        noise, begin = np.full(k, pj.UNKNOWN), np.zeros(1, np.int64)
        # A built-in kernel is semidefinite: below zero is rounding, never the kernel's fault.
        numbers = (ROUNDING[self.store.precision], self.fragile)
        flags = (layout.prototype, layout.ball, layout.eta, layout.unit, layout.average, *numbers)
        state = (
            *(self.s, self.sigma, self.csum, self.norm2, self.sizes, self.counts, self.points),
            flags,
        )
        panel = (P, F, W, E, inside, q, m, stored, entered, trials, distances, steps, owns)
        while (outcome := entry(p, state, (*panel, noise, begin), codes, out)) == pj.IN_DOUBT:
            t = int(begin[0])
            for c in np.flatnonzero(noise == pj.ASKED).tolist():
                came = trials[c, : entered[c]]
                self._extend(c, V[c], E[c], came, distances[c])
                noise[c] = self._noise(c, np.append(V[c][:, t], E[c, : came.size, t]), q[t])
        if outcome == pj.NOT_SEMIDEFINITE:
            raise ValueError(
                "kernel is not positive semidefinite: a row is closer to the span of the support "
                "vectors than its own k(x, x) allows"
            )
        entered_at = [trials[c, : entered[c]] for c in range(k)]
        self._settle(block, V, E, entered_at, distances, steps, owns, seen)

    def _extend(
        self, c: int, v: np.ndarray, E: np.ndarray, trials: np.ndarray, distances: np.ndarray
    ) -> None:
        """Write the lines of rows that entered at these trials of a block below a factor."""
        n = self.spans[c].size
        L = self.factors[c] = with_room(self.factors[c], n + trials.size)
        for i, t in enumerate(trials):
            L[n + i, :n] = v[:, t]
            L[n + i, n : n + i] = E[:i, t]
            L[n + i, n + i] = distances[i]

    def _noise(self, c: int, z: np.ndarray, q: float) -> float:
        """What rounding may make of the squared distance of a row, L^{-1} k = z, to a span.

        With d = K^{-1} k it is [d, -1]' K' [d, -1] for a K' whose values are off by as much as
        their precision allows.
        """
        L = self.factors[c][: z.size, : z.size]
        d = z.copy()
        solve_lower_transposed_vector(self.factors[c], d.size, d)
        squares = np.einsum("ij,ij->i", L, L)
        return NOISE * float(np.finfo(self.store.precision).eps) * (q + d**2 @ squares)

    def _settle(
        self,
        block: Any,
        V: list[np.ndarray],
        E: np.ndarray,
        trials: list[np.ndarray],
        distances: np.ndarray,
        steps: np.ndarray,
        owns: np.ndarray,
        seen: int,
    ) -> None:
        """Store the rows that entered, extend the factors, take coefficients back to the rows."""
        m, b = self.used, E.shape[2]
        new = np.unique(np.concatenate(trials))
        slot_of = np.full(b, -1)
        slot_of[new] = m + np.arange(new.size)
        if new.size:
            self.store.put(block, new, slot_of[new])
            self.order[m : m + new.size] = slot_of[new]
            self.born[slot_of[new]] = seen + new
            self.used = m + new.size
        for c, v in enumerate(V):
            more = trials[c].size
            self._extend(c, v, E[c], trials[c], distances[c])
            self.spans[c] = np.concatenate([self.spans[c], slot_of[trials[c]]])
            for j, target in enumerate((self.A, self.U) if self.layout.average else (self.A,)):
                if steps[c, j].any():
                    z = np.concatenate([v @ steps[c, j], E[c, :more] @ steps[c, j]])
                    solve_lower_transposed_vector(self.factors[c], z.size, z)
                    target[c, self.spans[c]] += z
                target[c, slot_of[trials[c]]] += owns[c, j, trials[c]]
        for own in range(self.sigma.size):
            if not SIGMA_LOW < self.sigma[own] < SIGMA_HIGH:
                prototype = self.layout.prototype
                fold_scale(self.A.T, self.U.T, self.sigma, self.csum, own, prototype)

    def grown(self, layout: ExpansionLayout, source: np.ndarray, factor: np.ndarray) -> Self:
        """The state with other classes; a class that came from another one keeps its span."""
        new = super().grown(layout, source, factor)
        for c, old in enumerate(source):
            if old >= 0:
                new.factors[c] = self.factors[old].copy()
                new.spans[c] = self.spans[old].copy()
        return new

    def arrays(self) -> dict[str, Any]:
        """All that was learnt, by name."""
        factors = [
            L[: span.size, : span.size] for L, span in zip(self.factors, self.spans, strict=True)
        ]
        return {**super().arrays(), "factors": factors, "spans": list(self.spans)}

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave; ``ValueError`` names what does not fit."""
        super().restore(arrays)
        k = self.layout.n_columns
        if len(arrays["factors"]) != k or len(arrays["spans"]) != k:
            raise ValueError(f"has factors of {len(arrays['factors'])} classes instead of {k}")
        for c in range(k):
            span, L = arrays["spans"][c], arrays["factors"][c]
            if not (isinstance(span, np.ndarray) and isinstance(L, np.ndarray)):
                raise ValueError("has a factor that is no array")
            check_like("spans", span, np.empty(span.size, np.int64))
            check_like("factors", L, np.empty((span.size, span.size)))
            inside = span.size == 0 or (span.min() >= 0 and span.max() < self.used)
            if not inside or np.unique(span).size != span.size:
                raise ValueError("has a factor of slots it does not have")
            if not (np.isfinite(L).all() and (L.diagonal() > 0).all()):
                raise ValueError("has a factor that is none")
            self.spans[c], self.factors[c] = span, L

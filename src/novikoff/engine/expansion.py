"""The state of a kernel learner: coefficients of stored rows, a column of the support each."""

import copy
from typing import Any, NamedTuple, Self

import numpy as np

from novikoff.engine.blas import few_threads
from novikoff.engine.panel import FORGET, KEEP_ALL, LIVE, store_gram
from novikoff.engine.rows import Rows
from novikoff.engine.stores import check_range, enlarged
from novikoff.engine.weights import Counters, check_like

# Rows of a panel; about as many as make its product efficient without much of the block's own.
BLOCK_SMALL, BLOCK_MEDIUM, BLOCK_LARGE = 64, 128, 256
DECISION_BLOCK = 256
# Trials between two exact evaluations of the norm, where it is kept by increments.
REFRESH_NORM = 4096


class ExpansionLayout(NamedTuple):
    """What fixes the shapes and the meaning of an expansion."""

    n_columns: int
    n_state: int  # scalars that the rule keeps
    prototype: bool
    bias: bool  # adds 1 to the kernel
    average: bool
    ball: float  # bound on the norm of w
    lazy: bool  # w itself is not scaled into the ball, only what is shown
    policy: int  # which row goes: see novikoff.engine.panel
    size: int  # rows that may be stored; 0: any number
    eta: float  # distance within which rows are projected; 0: never
    unit: bool  # that distance is of rows scaled to unit length
    block_size: int  # 0: chosen by the size of the support


class Expansion(Counters):
    """Coefficients ``sigma * A`` of stored rows (see :mod:`novikoff.engine.panel`)."""

    guarded = True
    # A smaller support is done with in small blocks.
    few_rows = 512

    def __init__(self, layout: ExpansionLayout, store: Any, dtype: np.dtype, seed: int) -> None:
        super().__init__()
        self.layout, self.store, self.dtype = layout, store, dtype
        self.fragile = not hasattr(store.kernel, "finish")  # a user's kernel may return anything
        problems, k = (1 if layout.prototype else layout.n_columns), layout.n_columns
        self.s = np.zeros((problems, layout.n_state))
        self.A = np.zeros((k, 0))
        self.U = np.zeros((k, 0))
        self.sigma, self.csum, self.norm2 = (
            np.ones(problems),
            np.zeros(problems),
            np.zeros(problems),
        )
        self.Q = np.zeros(problems)
        self.sizes = np.zeros(2, np.int64)
        self.rng = np.array([seed], np.uint64)
        self.order = np.zeros(0, np.int64)  # slots in order of entry
        self.born = np.zeros(0, np.int64)  # the trial that stored the row of a slot
        self.used = 0  # slots in use or left empty, from the first on
        # The Gram matrix of slots, where the policy or the ball needs values between stored rows.
        removes = layout.policy != KEEP_ALL
        self.keeps_gram = removes and (layout.policy == FORGET or layout.ball < np.inf)
        self.G = np.zeros((0, 0))
        self._panel = np.zeros(0, dtype)

    def __getstate__(self) -> dict[str, Any]:
        """All but the buffer of panels, which is scratch."""
        return {**self.__dict__, "_panel": np.zeros(0, self.dtype)}

    def twin(self) -> "Expansion":
        """A copy that shares nothing but the kernel."""
        kernel = self.store.kernel
        return copy.deepcopy(self, {id(kernel): kernel})

    # --- running -----------------------------------------------------------------------------

    def run(self, entry: Any, p: Any, rows: Rows, codes: np.ndarray, out: np.ndarray) -> None:
        """Run one trial per row."""
        self.check_range(rows)
        with few_threads():
            start = 0
            while start < rows.n:
                stop = min(rows.n, start + self._block_size())
                shown = out[start:stop] if out.shape[0] else out
                self._block(entry, p, rows.part(start, stop), codes[start:stop], shown)
                start = stop

    def check_range(self, rows: Rows) -> None:
        """Raise ``ValueError``, before any trial, where kernel values would overflow."""
        if not self.fragile:
            check_range(self.store.kernel, rows, self.dtype)

    def _block_size(self) -> int:
        if self.layout.block_size:
            return self.layout.block_size
        size = BLOCK_LARGE if self.used >= 2048 else BLOCK_MEDIUM
        return min(size if self.used >= self.few_rows else BLOCK_SMALL, self.store.block_limit)

    def _reserve(self, n: int) -> None:
        """Room for n positions in the arrays over positions."""
        if n > self.A.shape[1]:
            self.A = enlarged(self.A, n, axis=1)
            if self.layout.average:
                self.U = enlarged(self.U, n, axis=1)
            self.order = enlarged(self.order, n + 1)
            self.born = enlarged(self.born, n)
        if self.keeps_gram and self.used > self.G.shape[0]:
            self.G = enlarged(enlarged(self.G, self.used, 0), self.used, 1)

    def _fill(self, block: Any, lines: int, columns: int, buffer: np.ndarray) -> np.ndarray:
        """The panel of a block, in a buffer."""
        return self._with_bias(self._bare(block, lines, columns, buffer))

    def _bare(self, block: Any, lines: int, columns: int, buffer: np.ndarray) -> np.ndarray:
        P = buffer[: lines * columns].reshape(lines, columns)
        self.store.panel(block, self.used, P)
        return P

    def _with_bias(self, values: np.ndarray) -> np.ndarray:
        if self.layout.bias:
            values += 1.0
        return values

    def _values(self, coefficients: np.ndarray, P: np.ndarray) -> np.ndarray:
        """Products of coefficients with a panel, in the panel's precision."""
        return (coefficients.astype(self.dtype, copy=False) @ P).astype(np.float64, copy=False)

    def _prepare(self, rows: Rows) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
        """Block, panel, decision values and k(x, x)."""
        m, b = self.used, rows.n
        self._reserve(m + b)
        block = self.store.load(rows, self.seen)
        if (m + b) * b > self._panel.size:
            self._panel = np.empty(max((m + b) * b, 2 * self._panel.size), self.dtype)
        P = self._bare(block, m + b, b, self._panel)
        own = self.store.diagonal(block, P[m:])
        # By Cauchy and Schwarz; a k(x, x) that underflowed leaves values of its root's size.
        if self.fragile and (np.abs(P[:, own == 0.0]) > 1e-100).any():
            raise ValueError(
                "kernel is not positive semidefinite: k(x, x) = 0 for a row whose values with "
                "other rows are not all 0"
            )
        P, q = self._with_bias(P), self._with_bias(own.astype(np.float64))
        F = self.sigma[:, None] * self._values(self.A[:, :m], P[:m])
        return block, P, F, q

    def _block(self, entry: Any, p: Any, rows: Rows, codes: np.ndarray, out: np.ndarray) -> None:
        m, seen, layout = self.used, self.seen, self.layout
        block, P, F, q = self._prepare(rows)
        flags = (layout.prototype, layout.ball, layout.lazy, layout.policy, layout.size)
        state = (
            *(self.s, self.A, self.U, self.sigma, self.csum, self.norm2, self.Q, self.sizes),
            *(self.rng, self.order, self.G, self.counts, self.points, flags),
        )
        entry(p, state, (P, F, q, m), codes, out)
        self._store_new(block, P, rows.n, seen)

    def _store_new(self, block: Any, P: np.ndarray, n: int, seen: int) -> None:
        """Move the rows that entered from a block of n rows to slots."""
        m, layout = self.used, self.layout
        live = self.order[: self.sizes[LIVE]]
        new = live[live >= m]
        if new.size == 0:
            return
        # Rows that entered move to slots that were left, and then to new ones.
        slots = np.arange(m, m + new.size)
        if layout.policy != KEEP_ALL:
            free = np.setdiff1d(np.arange(m), live, assume_unique=True)[: new.size]
            slots = np.concatenate([free, np.arange(m, m + new.size - free.size)])
        self.used = max(m, int(slots.max()) + 1)
        self.store.put(block, new - m, slots)
        moved = self.A[:, new]
        sums = self.U[:, new] if layout.average else None
        self.A[:, m : m + n] = 0.0
        self.A[:, slots] = moved
        if sums is not None:
            self.U[:, m : m + n] = 0.0
            self.U[:, slots] = sums
        self.born[slots] = seen + new - m
        if self.keeps_gram:
            self._reserve(self.used)
            store_gram(self.G, P, m, live, new, slots)
        live[live >= m] = slots
        if (
            self.keeps_gram
            and layout.ball < np.inf
            and seen // REFRESH_NORM != self.seen // REFRESH_NORM
        ):
            self._refresh_norm(live)

    def _refresh_norm(self, live: np.ndarray) -> None:
        A = self.A[:, live]
        squares = np.einsum("ci,ij,cj->c", A, self.G[np.ix_(live, live)], A)
        total = squares.sum(keepdims=True) if self.layout.prototype else squares
        self.norm2[:] = self.sigma**2 * total

    # --- what was learnt ---------------------------------------------------------------------

    @property
    def n_support(self) -> int:
        """Rows stored."""
        return int(self.sizes[LIVE])

    @property
    def live(self) -> np.ndarray:
        """Slots in order of entry."""
        return self.order[: self.n_support]

    def coefficients(self) -> np.ndarray:
        """Coefficients over slots of the hypothesis that is shown, a row a class."""
        A = self.A[:, : self.used]
        if self.layout.average and self.seen:
            return (self.csum[:, None] * A - self.U[:, : self.used]) / self.seen
        shown = self.sigma
        if self.layout.lazy:
            norm = np.sqrt(np.maximum(self.norm2, self.layout.ball**2))
            shown = shown * (self.layout.ball / norm)
        return shown[:, None] * A

    def decide(self, rows: Rows) -> np.ndarray:
        """Decision values, a column a class."""
        out = np.zeros((rows.n, self.layout.n_columns))
        self.check_range(rows)
        coefficients = self.coefficients()
        # Not the buffer of the trials: whoever asks may share the model, or have it read-only.
        buffer = np.empty(self.used * min(rows.n, DECISION_BLOCK), self.dtype)
        with few_threads():
            for start in range(0, rows.n, DECISION_BLOCK):
                part = rows.part(start, min(rows.n, start + DECISION_BLOCK))
                P = self._fill(self.store.load(part), self.used, part.n, buffer)
                out[start : start + part.n] = self._values(coefficients, P).T
        return out

    # --- classes and files -------------------------------------------------------------------

    def grown(self, layout: ExpansionLayout, source: np.ndarray, factor: np.ndarray) -> Self:
        """The state with other classes, as for primal weights."""
        new = type(self)(layout, self.store, self.dtype, 0)
        self._grow_into(new, source, factor)
        return new

    def _grow_into(self, new: "Expansion", source: np.ndarray, factor: np.ndarray) -> None:
        layout = new.layout
        new.counts, new.points, new.sizes, new.rng = self.counts, self.points, self.sizes, self.rng
        new.order, new.born, new.used, new.G = self.order, self.born, self.used, self.G
        old = source >= 0
        k = source.size
        new.A = np.zeros((k, self.A.shape[1]))
        new.A[old] = self.A[source[old]] * factor[old, None]
        new.U = np.zeros((k, self.U.shape[1]))
        new.U[old] = self.U[source[old]] * factor[old, None]
        for name in ("s", "sigma", "csum", "norm2", "Q"):
            values = getattr(self, name)
            if layout.prototype:
                getattr(new, name)[:] = values
            else:
                getattr(new, name)[old] = values[source[old]]
        if layout.prototype and not self.layout.prototype:
            new.norm2 *= np.sum(factor[old] ** 2)

    def arrays(self) -> dict[str, Any]:
        """All that was learnt, by name."""
        n = self.used
        return {
            **{name: getattr(self, name) for name in self._FIXED},
            "A": self.A[:, :n],
            "U": self.U[:, :n] if self.layout.average else self.U[:, :0],
            "order": self.live,
            "born": self.born[:n],
            "G": self.G[:n, :n],
            "store": self.store.arrays(n),
        }

    _FIXED: tuple[str, ...] = (
        "s",
        "sigma",
        "csum",
        "norm2",
        "Q",
        "sizes",
        "rng",
        "counts",
        "points",
    )

    def restore(self, arrays: dict[str, Any]) -> None:
        """Take back what :meth:`arrays` gave; ``ValueError`` names what does not fit."""
        own = self.arrays()
        if set(arrays) != set(own):
            raise ValueError(f"holds the arrays {sorted(arrays)} instead of {sorted(own)}")
        for name in self._FIXED:
            check_like(name, arrays[name], own[name])
        k, n = self.layout.n_columns, arrays["A"].shape[-1]
        gram = (n, n) if self.keeps_gram else (0, 0)
        live = int(arrays["sizes"][LIVE])
        shapes = {
            "A": (np.float64, (k, n)),
            "U": (np.float64, (k, n if self.layout.average else 0)),
            "order": (np.int64, (live,)),
            "born": (np.int64, (n,)),
            "G": (np.float64, gram),
        }
        for name, (dtype, shape) in shapes.items():
            check_like(name, arrays[name], np.empty(shape, dtype))
        order = arrays["order"]
        if live and not (order.min() >= 0 and order.max() < n and np.unique(order).size == live):
            raise ValueError("has an order of entry that names slots it does not have")
        for name in (*self._FIXED, *shapes):
            setattr(self, name, arrays[name])
        self.used = n
        self.store.restore(arrays["store"], n)
        self._reserve(n)
        self.check_counts()

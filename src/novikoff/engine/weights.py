"""The state of a primal learner: weights with one column per class, and the counters."""

from typing import Any, NamedTuple

import numpy as np
import numpy.lib.recfunctions as rfn

from novikoff.engine.rows import LARGEST_SQUARE, Rows
from novikoff.engine.scan import score_rows
from novikoff.engine.stores import longest
from novikoff.engine.views import (
    CSUM,
    CURVE_LENGTH,
    MISTAKES,
    N_COUNTS,
    N_LINK,
    N_SCALE,
    NEXT_CURVE,
    NORM2,
    SEEN,
    SIGMA,
    SUSPECT,
    UPDATES,
    link_refresh,
    next_on_curve,
)

# next_on_curve passes 2**63 after fewer points than this.
CURVE_CAPACITY = 800


class Counters:
    """Trials seen, mistakes, updates, and the curve taken at geometrically spaced trials."""

    # Whether a trial may fail half-way, so that a batch needs a copy to fall back on.
    fragile = False
    # Whether a single row has to be looked at by the driver before it is run.
    guarded = False
    # Whether trials tell of numbers that are not finite by themselves.
    vigilant = False

    def __init__(self) -> None:
        self.counts = np.zeros(N_COUNTS, np.int64)
        self.counts[NEXT_CURVE] = 1
        self.points = np.zeros((CURVE_CAPACITY, 4), np.int64)

    @property
    def seen(self) -> int:
        """Trials so far."""
        return int(self.counts[SEEN])

    @property
    def mistakes(self) -> int:
        """Mistaken trials so far."""
        return int(self.counts[MISTAKES])

    @property
    def suspect(self) -> bool:
        """Whether a decision value was not finite, as one bad number in a row makes it."""
        return bool(self.counts[SUSPECT])

    @property
    def updates(self) -> int:
        """Binary updates so far, summed over classes."""
        return int(self.counts[UPDATES])

    def curve(self, fields: tuple[str, ...]) -> np.ndarray:
        """The points taken, and the present when it lies past the last one."""
        points = self.points[: self.counts[CURVE_LENGTH]]
        if self.seen and (len(points) == 0 or points[-1, 0] != self.seen):
            now = [self.seen, self.mistakes, self.updates, self.n_support]
            points = np.vstack([points, now])
        return rfn.unstructured_to_structured(points, names=list(fields)).copy()

    @property
    def n_support(self) -> int:
        """Rows stored; none where the weights are kept themselves."""
        return 0

    def check_counts(self) -> None:
        """Raise ``ValueError`` when counters read from a file would lead out of the curve."""
        length = int(self.counts[CURVE_LENGTH])
        if self.counts.min() < 0 or length > CURVE_CAPACITY:
            raise ValueError("has counters that no run produces")
        trials = np.zeros(0, np.int64) if length == 0 else self.points[:length, 0]
        ahead = 1 if length == 0 else int(next_on_curve(int(trials[-1])))
        if self.counts[NEXT_CURVE] != ahead or (np.diff(trials) <= 0).any():
            raise ValueError("has a curve that no run produces")


def check_squares(rows: Rows) -> None:
    """Raise ``ValueError`` where products of rows overflow."""
    if rows.data.dtype == np.float32:  # its squares are far from the end of double precision
        return
    data = rows.data if rows.indptr is None else rows.data[rows.indptr[0] : rows.indptr[-1]]
    with np.errstate(over="ignore"):
        if data.dot(data) <= LARGEST_SQUARE:
            return
        top = longest(rows)
    if not top <= LARGEST_SQUARE:
        raise ValueError(
            f"X has a row of squared norm {top:.3g}, and products of such rows overflow float64: "
            "scale the rows down"
        )


class Layout(NamedTuple):
    """What fixes the shapes and the meaning of a primal state."""

    n_features: int
    n_columns: int
    n_state: int  # scalars that the rule keeps
    prototype: bool  # one problem over all columns, instead of one problem a column
    bias: bool
    average: bool
    norm: float  # the p of the row norm the rule wants; 0: none
    link_p: float  # weights are g(theta), g the p-norm's gradient; 0: they are theta itself
    ball: float  # bound on the (dual) norm of the weights


class Weights(Counters):
    """Weights ``sigma * V`` of all classes, with the rule's scalars (see :mod:`.views`)."""

    vigilant = True

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.layout = layout
        numbers = (float(layout.norm), float(layout.link_p), float(layout.ball))
        self.flags = (layout.prototype, layout.bias, *numbers)
        inputs = layout.n_features + layout.bias
        problems = 1 if layout.prototype else layout.n_columns
        self.V = np.zeros((inputs, layout.n_columns))
        self.U = np.zeros((inputs if layout.average else 0, layout.n_columns))
        self.Theta = np.zeros_like(self.V) if layout.link_p else None
        # Every number that a problem has of its own, in one array: each array costs a call for a
        # single row some 60 ns.
        self.scalars = np.zeros((N_SCALE + N_LINK + layout.n_state, problems))
        self.sigma[:] = 1.0
        self.link[:, :2] = 1.0  # tau and mu

    @property
    def sigma(self) -> np.ndarray:
        """Scale of each problem's weights."""
        return self.scalars[SIGMA]

    @property
    def csum(self) -> np.ndarray:
        """Sum of the scales over trials."""
        return self.scalars[CSUM]

    @property
    def norm2(self) -> np.ndarray:
        """Squared norm of each problem's weights, where the ball is finite."""
        return self.scalars[NORM2]

    @property
    def link(self) -> np.ndarray:
        """Scalars of each problem's p-norm link."""
        return self.scalars[N_SCALE : N_SCALE + N_LINK].T

    @property
    def s(self) -> np.ndarray:
        """What each problem's rule keeps."""
        return self.scalars[N_SCALE + N_LINK :].T

    def run(self, entry: Any, p: Any, rows: Rows, codes: np.ndarray, out: np.ndarray) -> None:
        """Run one trial per row."""
        state = (
            self.V,
            self.U,
            self.Theta,
            self.scalars,
            self.counts,
            self.points,
            self.flags,
        )
        entry(p, state, rows[:3], codes, out)

    def check_range(self, rows: Rows) -> None:
        """Raise ``ValueError``, before any trial, where products of rows would overflow."""
        check_squares(rows)

    def columns(self) -> np.ndarray:
        """Weights of the hypothesis that is shown, a column a class, the constant last."""
        if self.layout.average and self.seen:
            return (self.csum * self.V - self.U) / self.seen
        return self.sigma * self.V

    def decide(self, rows: Rows) -> np.ndarray:
        """Decision values, a column a class."""
        layout = self.layout
        matrix = rows.dense()
        if matrix is not None and rows.n > 1:
            w = self.columns()
            return matrix @ w[: layout.n_features] + (w[-1] if layout.bias else 0.0)
        out = np.empty((rows.n, layout.n_columns))
        score_rows(
            self.V,
            self.U,
            self.sigma,
            self.csum,
            self.seen if layout.average else 0,
            layout.prototype,
            layout.bias,
            rows[:3],
            out,
        )
        return out

    def grown(self, layout: Layout, source: np.ndarray, factor: np.ndarray) -> "Weights":
        """The state with other columns: column c is ``factor[c]`` times the old ``source[c]``.

        ``source[c] = -1`` starts a class at zero.
        """
        new = Weights(layout)
        self._grow_into(new, source, factor)
        return new

    def _grow_into(self, new: "Weights", source: np.ndarray, factor: np.ndarray) -> None:
        layout = new.layout
        new.counts, new.points = self.counts, self.points
        old = source >= 0
        for name in ("V", "U", "Theta"):
            values = getattr(self, name)
            if values is not None:
                getattr(new, name)[:, old] = values[:, source[old]] * factor[old]
        for name in ("s", "link", "sigma", "csum", "norm2"):
            values = getattr(self, name)
            if layout.prototype:
                getattr(new, name)[:] = values
            else:
                getattr(new, name)[old] = values[source[old]]
        if layout.prototype and not self.layout.prototype:  # one w became a pair of prototypes
            new.norm2[:] *= np.sum(factor[old] ** 2)
            if new.Theta is not None:
                # |(theta, -theta)|_p is 2^(1/p) |theta|_p: this theta has the link (w/2, -w/2).
                new.Theta *= 2.0 ** ((layout.link_p - 2.0) / layout.link_p)
                k = layout.n_columns
                link_refresh(
                    new.V,
                    new.U,
                    new.Theta,
                    new.link[0],
                    new.sigma,
                    new.csum,
                    0,
                    0,
                    k,
                    layout.link_p,
                    0.0,
                )

    def arrays(self) -> dict[str, np.ndarray]:
        """All that was learnt, by name."""
        names = ["s", "V", "U", "link", "sigma", "csum", "norm2", "counts", "points"]
        if self.Theta is not None:
            names.append("Theta")
        return {name: getattr(self, name) for name in names}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Take back what :meth:`arrays` gave; ``ValueError`` names what does not fit."""
        refill(self.arrays(), arrays)
        self.check_counts()


def refill(own: dict[str, np.ndarray], arrays: dict[str, np.ndarray]) -> None:
    """Copy arrays into those of the same name; ``ValueError`` names what does not fit."""
    if set(arrays) != set(own):
        raise ValueError(f"holds the arrays {sorted(arrays)} instead of {sorted(own)}")
    for name, values in arrays.items():
        check_like(name, values, own[name])
        own[name][...] = values


def check_like(name: str, values: np.ndarray, own: np.ndarray) -> None:
    """Raise ``ValueError`` unless an array has this dtype and shape."""
    if values.dtype != own.dtype or values.shape != own.shape:
        raise ValueError(
            f"array {name!r} is {values.dtype} of shape {values.shape} instead of "
            f"{own.dtype} of shape {own.shape}"
        )

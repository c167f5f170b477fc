"""A run as theorems look at it, and a theorem with the numbers of a run put in."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from novikoff.learners.second_order_perceptron import shrinkage
from novikoff.theory.sequence import Sequence, sequence_of


class Run:
    """One pass of a learner over rows, in order; made when its decisions are first asked for.

    Parameters
    ----------
    model : estimator
        Without a trial so far.
    X : array, CSR matrix or data frame
        Rows as the learner is given them.
    y : array of shape (n_samples,)
    """

    def __init__(self, model: Any, X: Any, y: Any) -> None:
        self.model, self._given, self._y = model, X, y
        self.name = type(model).__name__
        self.X = check_array(X, accept_sparse="csr", dtype=np.float64, order="C")
        y = column_or_1d(y)
        check_consistent_length(self.X, y)
        self.labels, self.codes = np.unique(y, return_inverse=True)
        self.n_classes = self.labels.size

    @cached_property
    def decisions(self) -> np.ndarray:
        """What the predictions were made with."""
        return self.model.run_trials(self._given, self._y, classes=self.labels)

    @cached_property
    def n_mistakes(self) -> int:
        """How many trials were mistaken, as the learner counts them."""
        if hasattr(self.model, "run_trials"):
            _ = self.decisions  # makes the run
        else:  # a batch learner: its one pass is fit
            self.model.set_params(n_epochs=1, shuffle=False).fit(self._given, self._y)
        return int(self.model.n_mistakes_)

    @property
    def prototypes(self) -> bool:
        """Whether there is one vector a class."""
        return self.n_classes > 2

    @cached_property
    def sequence(self) -> Sequence:
        """The rows as the learner sees them."""
        return sequence_of(self.model, self.X, self._scale)

    def _scale(self, lengths: np.ndarray) -> np.ndarray:
        """The factors that rows of these lengths are learnt with."""
        if self.name == "ALMA" or getattr(self.model, "normalize", False):
            return np.divide(1.0, lengths, out=np.ones_like(lengths), where=lengths > 0.0)
        if self.name == "SecondOrderPerceptron":
            return np.asarray(shrinkage(float(self.model.a), lengths**2))
        return np.ones_like(lengths)

    @cached_property
    def signs(self) -> np.ndarray:
        """Labels -1 and +1, of two classes."""
        return np.where(self.codes == 1, 1.0, -1.0)

    @cached_property
    def margins(self) -> np.ndarray:
        """y_t f_{t-1}(x_t), of two classes."""
        return self.signs * self.decisions

    @cached_property
    def updated(self) -> np.ndarray:
        """Which trials were mistaken on a row that is not zero, of two classes."""
        return (self.margins <= 0.0) & (self.sequence.lengths > 0.0)

    @cached_property
    def told(self) -> np.ndarray:
        """Numbers of those trials."""
        return np.flatnonzero(self.updated)

    @cached_property
    def eigenvalues(self) -> np.ndarray:
        """Positive ones of the Gram matrix of the mistaken rows."""
        return np.maximum(self.sequence.eigenvalues(self.told), 0.0)


class Guarantee(NamedTuple):
    """A theorem with the numbers of a run put in.

    ``bound(losses, margins, spread)`` is what is left of it: a function of the comparator. Margins
    must be above ``least_margin``. Its last argument is the sum of squares of the comparator's
    values y u.x over the mistaken trials, or what ``spread`` makes of its values over all. Where
    the theorem is about a ``transformed`` sequence, that is (rows, signs) in coordinates of their
    span. ``metric`` is a, where the comparator's norm is a |u|^2 + spread.
    """

    theorem: str
    bound: Callable[[np.ndarray, np.ndarray, float], np.ndarray]
    terms: dict[str, float]
    least_margin: float = 0.0
    spread: Callable[[np.ndarray], float] | None = None
    in_expectation: bool = False
    transformed: tuple[np.ndarray, np.ndarray] | None = None
    metric: float | None = None


def demand(run: Run, fits: bool, name: str, value: Any, wanted: str) -> None:
    """``ValueError`` where a learner's setting is none of its theorem's."""
    if not fits:
        raise ValueError(f"no theorem covers {run.name} with {name}={value!r}: use {wanted}")

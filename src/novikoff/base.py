"""The estimator driver: validate, encode labels, run, save.

A learner names its entry points, its parameters and how it wants its rows; what estimators have in
common is here, and what they show of what they learnt in :mod:`novikoff.learnt`. Bad input changes
nothing: whatever is checked is checked before the first trial, and an error on the way puts the
attributes back.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import assert_all_finite, check_is_fitted

from novikoff.engine.rows import Rows
from novikoff.engine.weights import Layout, Weights
from novikoff.labels.classes import Classes, check_classes, check_labels, classes_of, growth
from novikoff.learnt import Learnt
from novikoff.modelfile import check_fields
from novikoff.progress import slices
from novikoff.rows import LEARNING, Form, as_rows, csr_row, form_of, is_one_row, one_row

NO_DECISIONS = np.zeros((0, 1))
# Parameters that a run does not depend on once it has begun.
BETWEEN_FITS = {"n_epochs", "shuffle", "random_state", "verbose"}
_STATE: dict[str, type | tuple[type, ...]] = {
    "labels": np.ndarray,
    "given": bool,
    "form": tuple,
    "feature_names": (np.ndarray, type(None)),
    "machine": dict,
}


class OnlineClassifier(Learnt):
    """Base of all learners.

    A learner sets ``_entry`` (compiled trials of the primal form), ``_Params`` (the NamedTuple its
    rule takes, filled from the estimator's parameters of the same names) and its own
    ``_parameter_constraints``; ``_n_state`` is how many scalars its rule keeps.
    """

    # What every learner's __init__ takes.
    fit_intercept: bool
    n_epochs: int
    shuffle: bool
    average: str
    multiclass: str
    random_state: Any
    verbose: int

    _machine: Weights
    _begun: dict[str, Any]  # parameters as they were when learning began
    _changed: bool  # whether one of them was set since

    _machine_class: ClassVar[type[Weights]] = Weights
    _entry: ClassVar[Any]
    _Params: ClassVar[Any]
    _n_state: ClassVar[int] = 0
    # Whether a pair's one weight vector can become two prototypes when a third class enters.
    _pair_splits: ClassVar[bool] = True

    # --- what a learner may override ---------------------------------------------------------

    def _rule_params(self, n_features: int) -> Any:
        """Parameters as the rule takes them."""
        # As the fields are declared: margin=1 must not compile the trials anew for an integer.
        kinds = self._Params.__annotations__
        return self._Params(**{name: kind(getattr(self, name)) for name, kind in kinds.items()})

    def _row_norm(self) -> float:
        """The p of the row norm that the rule needs; 0 when it needs none."""
        return 0.0

    def _layout(self, n_features: int, classes: Classes) -> Layout:
        """Shapes and meaning of the state for so many classes."""
        return Layout(
            n_features=n_features,
            n_columns=classes.n_columns,
            n_state=self._n_state,
            prototype=self.multiclass == "prototype" and classes.size > 2,
            bias=bool(self.fit_intercept),
            average=self.average == "mean",
            norm=self._row_norm(),
            link_p=0.0,
            ball=np.inf,
        )

    def _new_machine(self, form: Form, classes: Classes) -> Weights:
        """A machine that has seen nothing."""
        return Weights(self._layout(form.n_features, classes))

    def _entry_point(self) -> Any:
        """The compiled trials of the form in use."""
        return type(self)._entry

    def _vigilant(self) -> bool:
        """Whether the machine in use tells of numbers that are not finite by itself."""
        return self._machine_class.vigilant

    def _begin_epoch(self, order: np.ndarray) -> None:
        """Hear in which order a pass of :meth:`fit` takes the rows."""

    def _check(self) -> None:
        """Check the parameters."""
        self._validate_params()

    # --- parameters that change in mid-stream ------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; a parameter that changes after learning began is looked at later."""
        super().__setattr__(name, value)
        if name in self.__dict__.get("_begun", ()):
            self._changed = True

    def _heed_parameters(self) -> None:
        """Let what was changed since the last trial take effect; ``ValueError`` where it cannot.

        What a rule alone depends on can change between two trials; the state has the shape and
        the meaning that all else gave it when learning began.
        """
        if not self._changed:
            return
        now = {name: getattr(self, name) for name in self._begun}
        changed = [name for name, value in now.items() if value != self._begun[name]]
        if not changed:
            self._changed = False
            return
        self._check()
        rule = self._rule_params(self.n_features_in_)
        shape = self._layout(self.n_features_in_, self._classes)
        bound = [name for name in changed if name not in getattr(rule, "_fields", ())]
        if bound or shape != self._machine.layout:
            name = (bound or changed)[0]
            raise ValueError(
                f"{name} was {self._begun[name]!r} when learning began and is {now[name]!r} now, "
                "but only fit can change it: set it back, or call fit to begin anew"
            )
        self._rule, self._begun, self._changed = tuple(rule), now, False

    # --- learning ----------------------------------------------------------------------------

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from scratch: ``n_epochs`` passes over the rows, in the order given.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n_samples, n_features)
            Rows, in the order of the trials.
        y : array of shape (n_samples,)
            Labels, of at least two classes.

        Returns
        -------
        self
        """
        self._check()
        with self._unchanged_on_error():
            # Trials tell of NaN and infinity by themselves, and a failed fit leaves no trace.
            X = self._validate_rows(X, reset=True, finite=not self._vigilant())
            y = check_labels(y, X.shape[0])
            classes, codes = classes_of(y)
            if classes.size < 2:
                raise ValueError(
                    f"y has only one class, {classes.labels.tolist()[0]!r}; "
                    "fit needs at least two classes"
                )
            self._start(classes, form_of(X))
            rng = check_random_state(self.random_state)
            for _ in range(self.n_epochs):
                order = rng.permutation(X.shape[0]) if self.shuffle else np.arange(X.shape[0])
                rows = as_rows(X[order] if self.shuffle else X, self._machine_merges())
                targets = codes[order] if self.shuffle else codes
                if not self._vigilant():
                    self._machine.check_range(rows)
                self._begin_epoch(order)
                for start, stop in slices(rows.n, 1, self.verbose, type(self).__name__):
                    self._run(rows.part(start, stop), targets[start:stop], NO_DECISIONS)
            if self._machine.suspect:
                assert_all_finite(X if isinstance(X, np.ndarray) else X.data, input_name="X")
                self._machine.check_range(as_rows(X))
                raise ValueError("X has rows whose products overflow float64: scale them down")
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Go on learning: one trial per row, in the order given.

        A parameter of the step alone, such as ``C`` or ``margin``, can be changed between two
        calls; any other that was changed is refused.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n_samples, n_features)
            Rows, in the order of the trials.
        y : array of shape (n_samples,)
            Labels.
        classes : array, optional
            All labels there will be, in the first call only. When it is not given, a label that
            was never seen becomes a new class from that trial on.

        Returns
        -------
        self
        """
        self._trials(X, y, classes, want_decisions=False)
        return self

    def run_trials(self, X: Any, y: Any, classes: Any = None) -> np.ndarray:
        """Do what :meth:`partial_fit` does and return the decision values predictions came from.

        Parameters
        ----------
        X, y, classes
            As for :meth:`partial_fit`.

        Returns
        -------
        decisions : array of shape (n_samples,) or (n_samples, n_classes)
            Values f_{t-1}(x_t), before the row was learnt; a vector when there are two classes. A
            class that had not been met at a trial has the value -inf there.
        """
        decisions = self._trials(X, y, classes, want_decisions=True)
        return decisions[:, 0] if decisions.shape[1] == 1 else decisions

    def learn_one(self, x: Any, y: Any) -> Self:
        """Learn from one row, quickly.

        Parameters
        ----------
        x : array of shape (n_features,), CSR matrix of shape (1, n_features) or dict
            The row; a dict is {feature index: value}.
        y : label

        Returns
        -------
        self
        """
        machine = self.__dict__.get("_machine")
        if machine is None:
            return self._learn_first(x, y)
        rows = one_row(x, *self._row_form, LEARNING)
        try:
            target = self._classes.single.get(y)
        except TypeError:
            raise ValueError(f"y must be one label, got {y!r}") from None
        if target is not None and not machine.guarded and not self._changed:
            machine.run(self._trials_entry, self._rule, rows, target, NO_DECISIONS)
            return self
        with self._unchanged_on_error():
            self._heed_parameters()
            self._check_row(rows)
            if target is None:
                self._run_segments(rows, *self._encode(check_labels([y], 1)), False)
            else:
                self._run(rows, target, NO_DECISIONS)
        return self

    def _check_row(self, rows: Rows) -> None:
        """Refuse a single row that the machine in use cannot take."""
        self._machine.check_range(rows)

    def _learn_first(self, x: Any, y: Any) -> Self:
        if isinstance(x, dict):
            raise ValueError(
                "a dict does not tell how many features there are: give the first row as an array "
                "or a 1 x n CSR matrix"
            )
        X = x.reshape(1, -1) if is_one_row(x) else csr_row(x)
        return self.partial_fit(X, [y])

    def _start(self, classes: Classes, form: Form) -> None:
        """Begin with nothing learnt."""
        self._begun = {
            name: getattr(self, name)
            for name in self._parameter_constraints
            if name not in BETWEEN_FITS
        }
        self._changed = False
        self._classes = classes
        self._form = form
        # A plain tuple enters compiled code faster than the NamedTuple that it becomes there.
        self._rule = tuple(self._rule_params(form.n_features))
        self._machine = self._new_machine(form, classes)
        self._trials_entry = self._entry_point()
        self._row_form = (form.n_features, self._machine_merges(), type(self).__name__)

    def _machine_merges(self) -> bool:
        """Whether rows must have each feature once."""
        layout = self._machine.layout
        return layout.norm > 0.0 or layout.link_p > 0.0

    def _run(self, rows: Rows, codes: np.ndarray, out: np.ndarray) -> None:
        """Run trials whose classes are all known."""
        self._machine.run(self._trials_entry, self._rule, rows, codes, out)

    def _trials(self, X: Any, y: Any, classes: Any, want_decisions: bool) -> np.ndarray:
        first = "_machine" not in self.__dict__
        if first:
            self._check()
        with self._unchanged_on_error():
            X = self._validate_rows(X, reset=first)
            y = check_labels(y, X.shape[0])
            if first:
                if classes is None and self.multiclass == "prototype" and not self._pair_splits:
                    raise ValueError(
                        f"{type(self).__name__} with multiclass='prototype' must know its classes "
                        "from the start: give classes= in the first call"
                    )
                self._start(self._first_classes(classes, y), form_of(X))
            else:
                self._heed_parameters()
                self._same_classes(classes)
            codes, labels = self._encode(y)
            rows = as_rows(X, self._machine_merges())
            return self._run_segments(rows, codes, labels, want_decisions)

    @staticmethod
    def _first_classes(classes: Any, y: np.ndarray) -> Classes:
        if classes is None:
            return Classes(y[:0], given=False)
        labels = np.unique(check_classes(classes))
        if labels.size < 2:
            raise ValueError(f"classes must hold at least two labels, got {labels.tolist()}")
        return Classes(labels, given=True)

    def _same_classes(self, classes: Any) -> None:
        if classes is None:
            return
        labels = np.unique(check_classes(classes))
        if not np.array_equal(labels, self._classes.labels):
            raise ValueError(
                f"classes={labels.tolist()} is not what it was in the first call, "
                f"{self._classes.labels.tolist()}"
            )

    def _encode(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Codes of y, new labels numbered from -1 down by first appearance, and those labels."""
        codes = self._classes.encode(y)
        unknown = codes < 0
        if not unknown.any():
            return codes, y[:0]
        labels, first, inverse = np.unique(y[unknown], return_index=True, return_inverse=True)
        if self._classes.given:
            raise ValueError(
                f"y holds labels that are not among the classes {self._classes.labels.tolist()} "
                f"given in the first call: {labels.tolist()}"
            )
        if not all(label == label for label in labels.tolist()):
            raise ValueError("y contains NaN")
        self._classes.check_new(labels)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        codes[unknown] = -1 - rank[inverse]
        return codes, labels[order]

    def _run_segments(
        self, rows: Rows, codes: np.ndarray, labels: np.ndarray, want_decisions: bool
    ) -> np.ndarray:
        """Run trials in order, a new class entering at the trial that brings its label."""
        # All rows, before the first trial.
        self._machine.check_range(rows)
        n = rows.n
        out = np.zeros((n if want_decisions else 0, self._classes.n_columns))
        entries = [int(np.argmax(codes == -1 - i)) for i in range(len(labels))]
        start = 0
        for i, stop in enumerate(entries):
            self._run_slices(rows, codes, out, start, stop)
            out, codes = self._enter_class(labels[i : i + 1], -1 - i, out, codes)
            start = stop
        self._run_slices(rows, codes, out, start, n)
        if out.shape[1] > 1:
            for trial in entries:
                out[:trial, codes[trial]] = -np.inf
        return out

    def _run_slices(
        self, rows: Rows, codes: np.ndarray, out: np.ndarray, start: int, stop: int
    ) -> None:
        targets = self._classes.targets(codes)
        name = type(self).__name__
        for a, b in slices(stop - start, 1, self.verbose if stop > start else 0, name):
            part = slice(start + a, start + b)
            if b > a:
                self._run(
                    rows.part(part.start, part.stop),
                    targets[part],
                    out[part] if out.shape[0] else out,
                )

    def _enter_class(
        self, label: np.ndarray, code: int, out: np.ndarray, codes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Let the class of one label in; the decisions taken so far and the codes follow."""
        n_old = self._classes.size
        classes, position = self._classes.with_label(label)
        codes = np.where(codes >= position, codes + 1, codes)
        codes[codes == code] = position
        if n_old > 0:
            source, factor = growth(n_old, position, self.multiclass == "prototype")
            layout = self._layout(self.n_features_in_, classes)
            self._machine = self._machine.grown(layout, source, factor)
            old = source >= 0
            wider = np.zeros((out.shape[0], source.size))
            wider[:, old] = out[:, source[old]] * factor[old]
            out = wider
        self._classes = classes
        return out, codes

    @contextmanager
    def _unchanged_on_error(self) -> Iterator[None]:
        """Put all attributes back when an error leaves the block."""
        before = dict(self.__dict__)
        if "_machine" in before and before["_machine"].fragile:
            before["_machine"] = before["_machine"].twin()
        done = False
        try:
            yield
            done = True
        finally:
            if not done:
                self.__dict__.clear()
                self.__dict__.update(before)

    # --- model files -------------------------------------------------------------------------

    def save(self, path: str | PathLike) -> None:
        """Write the model to a file, from which :func:`novikoff.load` goes on bit-exactly.

        Parameters
        ----------
        path : str or path-like
        """
        from novikoff.modelfile import save_model

        check_is_fitted(self)
        self._heed_parameters()  # or the file would hold parameters that its state is not of
        save_model(self, path)

    def _get_state(self) -> dict[str, Any]:
        """All that was learnt, as plain values and arrays."""
        return {
            "labels": self._classes.labels,
            "given": self._classes.given,
            "form": tuple(self._form),
            "feature_names": getattr(self, "feature_names_in_", None),
            "machine": self._machine.arrays(),
        }

    def _set_state(self, state: dict[str, Any]) -> None:
        """Take back what :meth:`_get_state` gave; ``ValueError`` when it does not fit together."""
        check_fields(state, _STATE)
        self._check()
        form = Form.checked(*state["form"])
        labels = state["labels"]
        if labels.ndim != 1 or labels.size == 0 or np.unique(labels).size != labels.size:
            raise ValueError("has labels that are not a list of different ones")
        self.n_features_in_ = form.n_features
        if state["feature_names"] is not None:
            self.feature_names_in_ = state["feature_names"]
        self._start(Classes(labels, given=state["given"]), form)
        self._machine.restore(state["machine"])

"""The driver of learners with a kernel form: machine, budgets that make sense, support."""

import copy
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from novikoff.base import OnlineClassifier
from novikoff.budgets import Budget, Forget, Project, RemoveOldest, RemoveRandom, RemoveSlot
from novikoff.engine import panel
from novikoff.engine.expansion import Expansion, ExpansionLayout
from novikoff.engine.projected import Projected
from novikoff.engine.rows import Rows
from novikoff.engine.stores import (
    DENSE_WIDTH,
    NO_MORE_ROWS,
    DenseStore,
    FunctionStore,
    IndexStore,
    SparseStore,
)
from novikoff.kernels import Kernel, Linear, Precomputed, ProductKernel, resolve_kernel
from novikoff.labels.classes import Classes
from novikoff.params import AT_LEAST_ONE, COMMON, KERNEL_SHAPE
from novikoff.rows import Form

KERNEL_NAMES = {"linear", "rbf", "poly", "precomputed"}
KERNEL = {
    **COMMON,
    "kernel": [StrOptions(KERNEL_NAMES), callable, Kernel],
    **KERNEL_SHAPE,
    "block_size": [*AT_LEAST_ONE, StrOptions({"auto"})],
}
"""What every kernel learner takes."""
KERNEL_OR_PRIMAL = {**KERNEL, "kernel": [*KERNEL["kernel"], None], "budget": [Budget, None]}
"""What learners take that have a primal form too."""

POLICIES: dict[type, int] = {
    RemoveRandom: panel.RANDOM,
    RemoveOldest: panel.OLDEST,
    Forget: panel.FORGET,
    RemoveSlot: panel.SLOT,
}


class KernelClassifier(OnlineClassifier):
    """Base of learners with a kernel form.

    Besides what :class:`OnlineClassifier` asks for, a learner sets ``_panel_entry`` (compiled
    trials over a panel) and, where rows can be projected, ``_project_entry``.
    """

    _panel_entry: ClassVar[Any]
    _project_entry: ClassVar[Any] = None
    # Why Forget does not go with this learner; empty where it does.
    _no_forgetting: ClassVar[str] = ""

    # --- what a learner may override ---------------------------------------------------------

    def _budget(self) -> Budget | None:
        """The policy that bounds the support."""
        return self.budget

    def _ball(self) -> float:
        """Radius of the ball that w is kept in."""
        return np.inf

    def _lazy(self) -> bool:
        """Whether only what is shown is scaled into the ball."""
        return False

    def _unit(self) -> bool:
        """Whether the learner sees rows scaled to unit length."""
        return False

    def _kernel_in_use(self) -> Any:
        """The kernel that the machine runs on; None for the primal form."""
        return self.kernel

    # --- checks ------------------------------------------------------------------------------

    def _check(self) -> None:
        if Budget in self._parameter_constraints.get("budget", ()):
            self._check_policy(self.budget)
        super()._check()
        budget = self._budget()
        if budget is None:
            return
        name = type(self).__name__
        if self._kernel_in_use() is None:
            raise ValueError(
                f"budget={budget!r} bounds stored rows, and kernel=None stores none: "
                "give kernel='linear' to keep an expansion, or budget=None"
            )
        if isinstance(budget, Project) and self._project_entry is None:
            raise ValueError(f"{name} cannot project: use RemoveOldest(size) or budget=None")
        if isinstance(budget, Forget) and self._no_forgetting:
            raise ValueError(
                f"budget={budget!r} does not go with {name}: {self._no_forgetting}; "
                "use RemoveOldest(size)"
            )
        if self.average == "mean" and not isinstance(budget, Project):
            raise ValueError(
                f"average='mean' does not go with budget={budget!r}: the mean of the hypotheses "
                "keeps every row that was ever discarded, so it is not bounded; use Project(eta) "
                "or average='last'"
            )

    @staticmethod
    def _check_policy(budget: Any) -> None:
        """Refuse a mere number, as other learners take, in words that say what is missing."""
        if isinstance(budget, Integral) and not isinstance(budget, bool):
            raise ValueError(
                f"budget={int(budget)} does not say which row leaves when a further one enters: "
                "give a policy of novikoff.budgets, such as RemoveOldest(size)"
            )

    def _vigilant(self) -> bool:
        return self._kernel_in_use() is None and super()._vigilant()

    def _validate_rows(self, X: Any, reset: bool, finite: bool = True) -> Any:
        X = super()._validate_rows(X, reset, finite)
        if reset and self._is_precomputed() and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"X must be square for kernel='precomputed' (kernel values between all training "
                f"rows), got shape {X.shape}"
            )
        return X

    def _trials(self, X: Any, y: Any, classes: Any, want_decisions: bool) -> np.ndarray:
        if self._is_precomputed():
            raise ValueError(NO_MORE_ROWS)
        return super()._trials(X, y, classes, want_decisions)

    def _encode(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        codes, labels = super()._encode(y)
        self._check_forgetting(self._classes.size + len(labels))
        return codes, labels

    def _check_forgetting(self, n_classes: int) -> None:
        budget = self._budget()
        if isinstance(budget, Forget) and self.multiclass == "prototype" and n_classes > 2:
            raise ValueError(
                f"multiclass='prototype' does not go with {n_classes} classes and "
                f"budget={budget!r}, which is about binary steps: use multiclass='ovr'"
            )

    def _check_row(self, rows: Rows) -> None:
        if self._is_precomputed():
            raise ValueError(NO_MORE_ROWS)
        super()._check_row(rows)

    # --- the machine -------------------------------------------------------------------------

    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, Precomputed) or (
            isinstance(self.kernel, str) and self.kernel == "precomputed"
        )

    def _entry_point(self) -> Any:
        if self._kernel_in_use() is None:
            return type(self)._entry
        return type(self)._project_entry if self._projects() else type(self)._panel_entry

    def _projects(self) -> bool:
        return isinstance(self._budget(), Project)

    def _new_machine(self, form: Form, classes: Classes) -> Any:
        if self._kernel_in_use() is None:
            return super()._new_machine(form, classes)
        store, dtype = self._store(form)
        machine = Projected if self._projects() else Expansion
        return machine(self._layout(form.n_features, classes), store, dtype, self._seed())

    def _store(self, form: Form) -> tuple[Any, np.dtype]:
        """Where rows of a form are kept, and the precision of their kernel values."""
        n_features, dtype = form.n_features, np.dtype(form.dtype)
        kernel = resolve_kernel(
            self._kernel_in_use(), n_features, self.gamma, self.degree, self.coef0
        )
        if isinstance(kernel, Precomputed):
            return IndexStore(n_features, dtype), np.dtype(np.float64)
        if not isinstance(kernel, ProductKernel):
            return FunctionStore(kernel, n_features, dtype, form.sparse), np.dtype(np.float64)
        if form.sparse and n_features > DENSE_WIDTH:
            return SparseStore(kernel, n_features, dtype), dtype
        return DenseStore(kernel, n_features, dtype), dtype

    def _seed(self) -> int:
        """A seed for the machine's own draws, where it makes any."""
        if not isinstance(self._budget(), RemoveRandom | RemoveSlot):
            return 0
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _layout(self, n_features: int, classes: Classes) -> Any:
        if self._kernel_in_use() is None:
            return super()._layout(n_features, classes)
        budget = self._budget()
        self._check_forgetting(classes.size)
        return ExpansionLayout(
            n_columns=classes.n_columns,
            n_state=self._n_state,
            prototype=self.multiclass == "prototype" and classes.size > 2,
            bias=bool(self.fit_intercept),
            average=self.average == "mean",
            ball=float(self._ball()),
            lazy=self._lazy(),
            policy=POLICIES.get(type(budget), panel.KEEP_ALL),
            size=getattr(budget, "size", 0),
            eta=getattr(budget, "eta", 0.0),
            unit=self._unit(),
            block_size=0 if self.block_size == "auto" else int(self.block_size),
        )

    def _machine_merges(self) -> bool:
        return self._kernel_in_use() is None and super()._machine_merges()

    def _begin_epoch(self, order: np.ndarray) -> None:
        machine: Any = self._machine
        if self._kernel_in_use() is not None and isinstance(machine.store, IndexStore):
            machine.store.begin(machine.seen, order)

    # --- what was learnt ---------------------------------------------------------------------

    def _expansion(self) -> Expansion:
        machine = self._fitted()
        if not isinstance(machine, Expansion):
            raise AttributeError(f"{type(self).__name__}(kernel=None) keeps weights, no support")
        return machine

    @property
    def support_(self) -> np.ndarray:
        """Trial numbers of the support vectors, in order of entry."""
        machine = self._expansion()
        return machine.born[machine.live]

    @property
    def support_vectors_(self) -> Any:
        """Support vectors, in order of entry."""
        machine = self._expansion()
        return machine.store.vectors(machine.live)

    @property
    def dual_coef_(self) -> np.ndarray:
        """Coefficients of the support vectors, of shape (1 or n_classes, n_support)."""
        machine = self._expansion()
        return machine.coefficients()[:, machine.live]

    @property
    def n_support_(self) -> int:
        """How many rows are stored."""
        return self._expansion().n_support

    @property
    def coef_(self) -> np.ndarray:
        """Weights; of the kernel forms only the linear kernel has them."""
        machine = self._fitted()
        if not isinstance(machine, Expansion):
            return super().coef_
        if not isinstance(machine.store.kernel, Linear):
            raise AttributeError("coef_ exists for kernel=None and kernel='linear' only")
        return self.dual_coef_ @ self.support_vectors_

    @property
    def intercept_(self) -> np.ndarray:
        """Intercepts, of shape (1,) for two classes and (n_classes,) else."""
        machine = self._fitted()
        if not isinstance(machine, Expansion):
            return super().intercept_
        return self.dual_coef_.sum(axis=1) * bool(self.fit_intercept)

    def _set_state(self, state: dict[str, Any]) -> None:
        # Making a machine draws a seed, and a file brings the machine's own: the source of random
        # numbers goes on where it was saved.
        source = self.random_state
        self.random_state = copy.deepcopy(source)
        super()._set_state(state)
        self.random_state = source

    def __sklearn_tags__(self) -> Any:
        """Say to scikit-learn that a precomputed kernel is pairwise."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        return tags

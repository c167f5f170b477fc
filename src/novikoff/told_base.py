"""The driver of learners whose hypothesis is a function of their mistaken rows."""

from abc import abstractmethod
from typing import Any, ClassVar

from novikoff.engine.told import Told
from novikoff.engine.told_kernel import ToldExpansion
from novikoff.kernel_base import KERNEL_OR_PRIMAL, KernelClassifier
from novikoff.labels.classes import Classes
from novikoff.rows import Form

TOLD = {name: allowed for name, allowed in KERNEL_OR_PRIMAL.items() if name != "budget"}
"""What all of them take."""


class ToldClassifier(KernelClassifier):
    """Base of learners that are told of their mistakes only.

    A learner gives the two kinds of memory: :meth:`_memory` for weights and
    :meth:`_kernel_memory` for coefficients (see :mod:`novikoff.engine.told`).
    """

    _machine_class: ClassVar[Any] = Told
    _entry: ClassVar[Any] = None
    _panel_entry: ClassVar[Any] = None

    @abstractmethod
    def _memory(self, inputs: int) -> Any:
        """A memory of the primal form that was told nothing."""

    @abstractmethod
    def _kernel_memory(self) -> Any:
        """A memory of the kernel form that was told nothing."""

    def _budget(self) -> None:
        """No policy bounds the support: the matrix is over all mistaken rows."""

    def _rule_params(self, n_features: int) -> tuple[()]:
        """None: the parameters are in the memories."""
        return ()

    def _machine_merges(self) -> bool:
        """Whether rows must have each feature once."""
        return self._kernel_in_use() is None

    def _new_machine(self, form: Form, classes: Classes) -> Any:
        layout = self._layout(form.n_features, classes)
        if self._kernel_in_use() is None:
            return Told(layout, self._memory)
        # Squares of near-zero distances and ill-conditioned systems: in double precision always.
        store, _ = self._store(form._replace(dtype="float64"))
        return ToldExpansion(layout, store, self._kernel_memory)

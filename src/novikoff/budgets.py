"""Policies that bound a support set: what a learner's ``budget=`` takes.

``RemoveRandom``, ``RemoveOldest`` and ``Forget`` keep at most ``size`` rows; ``Project`` stores a
row only where it lies farther than ``eta`` from the span of the stored ones, which bounds their
number on bounded data, though not by a number known in advance.
"""

from dataclasses import asdict, dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

from novikoff.kernels import positive
from novikoff.modelfile import check_fields

__all__ = ["Forget", "Project", "RemoveOldest", "RemoveRandom", "RemoveSlot"]


class Budget:
    """Base of the policies."""

    # What a model file keeps: the names and types of the parameters.
    _fields: ClassVar[dict[str, type]] = {}

    def to_tree(self) -> dict[str, Any]:
        """The policy as plain values, for model files."""
        return asdict(self)  # type: ignore[call-overload]

    @classmethod
    def from_tree(cls, tree: dict[str, Any]) -> Self:
        """Take back what :meth:`to_tree` gave."""
        check_fields(tree, cls._fields, cls.__name__)
        return cls(**tree)


@dataclass(frozen=True)
class SizedBudget(Budget):
    """A policy that keeps at most ``size`` rows."""

    _fields: ClassVar[dict[str, type]] = {"size": int}

    size: int

    def __post_init__(self) -> None:
        """Check the size."""
        if isinstance(self.size, bool) or not isinstance(self.size, Integral) or self.size < 1:
            raise ValueError(
                f"{type(self).__name__}(size): size must be an integer of at least 1, "
                f"got {self.size!r}"
            )
        object.__setattr__(self, "size", int(self.size))


@dataclass(frozen=True)
class RemoveRandom(SizedBudget):
    """When the support is full, discard a row at random before the next one enters.

    Parameters
    ----------
    size : int
        Rows that may be stored, at least 1.

    Examples
    --------
    >>> from novikoff import PassiveAggressiveI
    >>> from novikoff.budgets import RemoveRandom
    >>> model = PassiveAggressiveI(kernel="rbf", budget=RemoveRandom(100), random_state=0)
    """


@dataclass(frozen=True)
class RemoveOldest(SizedBudget):
    """When the support is full, discard the oldest row before the next one enters.

    Parameters
    ----------
    size : int
        Rows that may be stored, at least 1.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.budgets import RemoveOldest
    >>> model = Perceptron(kernel="rbf", budget=RemoveOldest(100))
    """


@dataclass(frozen=True)
class Forget(SizedBudget):
    """The self-tuned Forgetron's: shrink all weights, then discard the oldest row.

    Parameters
    ----------
    size : int
        Rows that may be stored, at least 1.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.budgets import Forget
    >>> model = Perceptron(kernel="rbf", budget=Forget(100))
    """


@dataclass(frozen=True)
class RemoveSlot(SizedBudget):
    """Before each update empty one of ``size`` slots at random, be it filled or not.

    The removal of P4's Algorithm 1.

    Parameters
    ----------
    size : int
        Slots, at least 1.

    Examples
    --------
    >>> from novikoff.budgets import RemoveSlot
    >>> RemoveSlot(100)
    RemoveSlot(size=100)
    """


@dataclass(frozen=True)
class Project(Budget):
    """Project a row on the span of the stored ones when it lies within ``eta`` of it.

    Parameters
    ----------
    eta : float
        Largest distance that is projected away, positive. Larger values store fewer rows and
        follow the unbounded learner less closely.

    Examples
    --------
    >>> from novikoff import ALMA
    >>> from novikoff.budgets import Project
    >>> model = ALMA(kernel="rbf", budget=Project(0.1))
    """

    _fields: ClassVar[dict[str, type]] = {"eta": float}

    eta: float

    def __post_init__(self) -> None:
        """Check eta."""
        object.__setattr__(self, "eta", positive("eta", self.eta))

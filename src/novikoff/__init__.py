"""Learn linear-threshold functions from a stream, in input space or in a kernel space.

Everything public is reached from here: ``novikoff.Perceptron``, ``novikoff.load``,
``novikoff.feasibility``. Names are loaded on first use, so that ``import novikoff`` itself is
immediate (scikit-learn alone takes most of a second).
"""

from importlib import import_module
from typing import Any

from novikoff.learners import LEARNERS

__version__ = "0.1.0.dev0"

_ROOMS = (
    "budgets",
    "ellipsoids",
    "evaluate",
    "feasibility",
    "kernels",
    "learners",
    "papers",
    "report",
    "streams",
    "theory",
)
_NAMES = {name: f"novikoff.learners.{module}" for name, module in LEARNERS.items()} | {
    "Whitener": "novikoff.learners.whitened_perceptron",
    "load": "novikoff.modelfile",
}

__all__ = ["__version__", *sorted(_NAMES), *_ROOMS]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        value = getattr(import_module(_NAMES[name]), name)
    elif name in _ROOMS:
        value = import_module(f"novikoff.{name}")
    else:
        raise AttributeError(f"module 'novikoff' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

"""Learn linear-threshold functions from a stream, in input space or in a kernel space.

Everything public is reached from here: ``novikoff.Perceptron``, ``novikoff.load``,
``novikoff.feasibility``. Names are loaded on first use, so that ``import novikoff`` itself is
immediate (scikit-learn alone takes most of a second).
"""

from novikoff.lazy import lazy_names
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
_NAMES = {name: f"learners.{module}" for name, module in LEARNERS.items()} | {
    "Whitener": "learners.whitened_perceptron",
    "load": "modelfile",
}

__all__ = ["__version__", *sorted(_NAMES), *_ROOMS]

__getattr__, __dir__ = lazy_names(__name__, _NAMES, _ROOMS)

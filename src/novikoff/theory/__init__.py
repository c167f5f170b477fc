"""What the papers prove, as numbers: margins, complexity, convergence, certificates of a run.

``NAMES`` is the public list; names are loaded on first use.
"""

from importlib import import_module
from typing import Any

NAMES = {  # public name: the file that holds it
    "Certificate": "certificate",
    "certify": "certificate",
    "RescalingConvergence": "rescaling",
    "best_rescaling": "rescaling",
    "cap_probability": "rescaling",
    "learning_complexity": "complexity",
    "margin": "separation",
    "perceptron_beats_ellipsoid": "complexity",
    "rescaling_convergence": "rescaling",
}

__all__ = ["NAMES", *NAMES]


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"module 'novikoff.theory' has no attribute {name!r}")
    value = getattr(import_module(f"novikoff.theory.{NAMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

"""What the papers prove, as numbers: margins, complexity, convergence, certificates of a run.

The papers' mistake bounds, one function each, are in ``bounds``.
"""

from novikoff.lazy import lazy_names

_NAMES = {  # public name: the file that holds it
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

__all__ = [*_NAMES, "bounds"]

__getattr__, __dir__ = lazy_names(__name__, _NAMES, ["bounds"])

"""The experiment P3 lacks: margins small enough for rescaling to matter, all solvers together.

In Table 6.1 the rescaling perceptron never rescales. Here sets of 20 n unit rows around a hidden
centre have margins down to 1e-6, with the cosines to the centre between rho and 3 rho.
"""

import numpy as np

from novikoff.feasibility import METHODS, Halfspaces, solve
from novikoff.papers.experiment import Experiment, Result
from novikoff.theory import margin

DIMENSION = 8
MARGINS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-6)
MOST = 60_000
OPTIONS = {
    "rescaling_perceptron, setting gamma=1/2": ("rescaling_perceptron", {"setting": "gamma=1/2"}),
    "rescaling_perceptron, rho = 0.2, sigma = 0.05": (
        "rescaling_perceptron",
        {"rho": 0.2, "sigma": 0.05},
    ),
    "ellipsoid": ("ellipsoid", {"rho": 1e-8}),
    "deterministic_rescaled_perceptron": ("deterministic_rescaled_perceptron", {"rho": 1e-8}),
}


def thin_set(rho, n=DIMENSION, seed=0):
    """Unit rows whose cosines with a hidden centre lie in [rho, 3 rho]."""
    rng = np.random.default_rng([seed, 1])
    z = rng.standard_normal(n)
    z /= np.linalg.norm(z)
    side = rng.standard_normal((20 * n, n))
    side -= np.outer(side @ z, z)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    cosine = rng.uniform(rho, 3 * rho, (20 * n, 1))
    return cosine * z + np.sqrt(1 - cosine**2) * side


def run(say):
    """Run every method on every set."""
    contestants = {
        name: (name, {})
        for name in METHODS
        if name not in ("modified_perceptron", "rescaling_perceptron")
    } | OPTIONS
    rows = []
    for rho in MARGINS:
        A = thin_set(rho)
        exact, _ = margin(A)
        for name, (method, options) in contestants.items():
            say(f"margin {exact:.2g}: {name}")
            outcome = solve(
                Halfspaces(A), DIMENSION, method, max_updates=MOST, random_state=0, **options
            )
            rows.append(
                [
                    exact,
                    name,
                    outcome.status,
                    outcome.n_updates,
                    outcome.n_rescalings,
                    outcome.seconds,
                ]
            )
    return Result(
        ["margin", "method", "status", "updates", "rescalings", "seconds"],
        rows,
        notes=[
            f"{20 * DIMENSION} rows in dimension {DIMENSION}; at most {MOST} updates. Not in the "
            "thesis: its problems have margins at which the perceptron phase always succeeds.",
        ],
    )


EXPERIMENT = Experiment(
    "beyond P3, Table 6.1", "Small margins: all feasibility solvers side by side", run
)

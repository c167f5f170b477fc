"""P3 Figure 3.2: margins at which the perceptron's bound beats the ellipsoid algorithm's."""

import numpy as np

from novikoff.papers.experiment import Chart, Experiment, Result
from novikoff.theory import perceptron_beats_ellipsoid

DIMENSIONS = (2, 3, 4, 5, 10, 20, 50, 100, 500, 1000)


def run(say):
    """Evaluate the Lambert-W interval of section 3.7."""
    say("the interval of section 3.7")
    rho = np.linspace(0.0, 1.0, 201)[1:-1]
    ends = [perceptron_beats_ellipsoid(n) for n in DIMENSIONS]
    return Result(
        columns=["n", "rho_1", "rho_2", "1 - rho_2", "1/(32 n) inside"],
        rows=[
            [n, low, high, 1 - high, low <= 1 / (32 * n) <= high]
            for n, (low, high) in zip(DIMENSIONS, ends, strict=True)
        ],
        notes=[
            "The thesis prints the figure without numbers; the interval is empty at n = 1.",
            "Algorithm 4's estimate of the margin, 1/(32 n), lies inside only from some n on.",
        ],
        charts=[
            Chart(
                "(a) Where the function lies above 1/(2 n^3)",
                "rho",
                "rho^2 ln(1/rho)",
                {"rho^2 ln(1/rho)": (rho, -(rho**2) * np.log(rho))},
            ),
            Chart(
                "(b) The interval of rho",
                "n",
                "rho",
                {
                    "rho_1": (np.array(DIMENSIONS), np.array([low for low, _ in ends])),
                    "rho_2": (np.array(DIMENSIONS), np.array([high for _, high in ends])),
                },
                log_x=True,
            ),
        ],
    )


EXPERIMENT = Experiment("P3, Figure 3.2", "Where the perceptron beats the ellipsoid", run)

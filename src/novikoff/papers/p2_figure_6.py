"""P2 Figure 6: online error and support of six learners on a9a, Gaussian kernel of width 0.04.

The figure is a plot; the paper gives these numbers in its text: the Projectron ends with 793
support vectors at eta = 0.1, which is then the budget of the Forgetron and of RBP, whose supports
are full after about 3,400 rows; and it says how the curves lie. The author's own code compares the
squared distance with eta, so that the paper's 0.1 is sqrt(0.1) here, where a distance is compared:
at 0.1 itself the support has some 3,500 rows.
"""

import lzma
from collections.abc import Callable
from math import sqrt
from typing import NamedTuple

import numpy as np

from novikoff.papers.experiment import Chart, Experiment, Result
from novikoff.streams.data import data_file

GAMMA, BUDGET, PERMUTATIONS = 0.04, 793, 5
ETA = sqrt(0.1)
PAPER = {
    "PassiveAggressiveI": "best; largest support, linear growth",
    "ProjectronPlusPlus": "better than Perceptron, fewer rows than Projectron",
    "Projectron": "close to Perceptron; 793 rows",
    "Perceptron": "linear growth",
    "Forgetron": "stops improving at 793 rows",
    "RandomizedBudgetPerceptron": "stops improving at 793 rows",
}


class Runs(NamedTuple):
    """One learner over permutations: an array's first axis."""

    error: np.ndarray  # online error in percent after the last trial
    support: np.ndarray  # rows stored then
    trials: np.ndarray  # where the curves are taken, the same for all permutations
    errors: np.ndarray  # online error in percent at those trials
    supports: np.ndarray  # rows stored then


def run(say: Callable[[str], None], permutations: int = PERMUTATIONS) -> Result:
    """Run the six learners over permutations of a9a."""
    from sklearn.datasets import load_svmlight_file

    with lzma.open(data_file("a9a/a9a.xz"), "rb") as file:
        X, y = load_svmlight_file(file, n_features=123)
    return compare(X.toarray(), y, BUDGET, permutations, say)


def compare(
    X: np.ndarray, y: np.ndarray, budget: int, permutations: int, say: Callable[[str], None]
) -> Result:
    """Run the six learners over permutations of these rows."""
    own = {
        "PassiveAggressiveI": {"kernel": "rbf", "C": 1.0},
        "ProjectronPlusPlus": {"eta": ETA},
        "Projectron": {"eta": ETA},
        "Perceptron": {"kernel": "rbf"},
        "Forgetron": {"budget": budget},
        "RandomizedBudgetPerceptron": {"budget": budget, "random_state": 0},
    }
    ours = {name: measure(name, own[name], X, y, permutations, say) for name in own}
    rows = [
        [name, PAPER[name], spread(runs.error, 2), spread(runs.support, 0)]
        for name, runs in ours.items()
    ]
    full = ours["Forgetron"].supports.mean(axis=0) >= budget
    filled = int(ours["Forgetron"].trials[full.argmax()]) if full.any() else None
    notes = [
        f"eta = sqrt(0.1): the paper's code compares the squared distance with 0.1. "
        f"Means and standard deviations over {permutations} permutations.",
        *order_notes(ours),
        f"The Forgetron's support is full by row {filled}; the paper's at about 3,400.",
    ]
    return Result(
        columns=["learner", "paper", "online error, %", "support"],
        rows=rows,
        notes=notes,
        charts=[
            Chart(
                "Average online error",
                "number of samples",
                "errors, %",
                {name: (runs.trials, runs.errors.mean(axis=0)) for name, runs in ours.items()},
            ),
            Chart(
                "Size of the support",
                "number of samples",
                "rows stored",
                {name: (runs.trials, runs.supports.mean(axis=0)) for name, runs in ours.items()},
            ),
        ],
    )


def measure(
    name: str,
    parameters: dict,
    X: np.ndarray,
    y: np.ndarray,
    permutations: int,
    say: Callable[[str], None],
) -> Runs:
    """Run one learner over permutations."""
    import novikoff

    curves, supports = [], []
    for seed in range(permutations):
        say(f"{name}, permutation {seed + 1} of {permutations}")
        order = np.random.default_rng(seed).permutation(len(y))
        model = getattr(novikoff, name)(gamma=GAMMA, **parameters).fit(X[order], y[order])
        curves.append(model.curve_)
        supports.append(model.n_support_)
    trials = curves[0]["trial"]
    errors = np.array([100.0 * curve["mistakes"] / curve["trial"] for curve in curves])
    stored = np.array([curve["support"] for curve in curves])
    return Runs(errors[:, -1], np.array(supports), trials, errors, stored)


def spread(values: np.ndarray, digits: int) -> str:
    """Mean and standard deviation."""
    return f"{values.mean():.{digits}f} ± {values.std():.{digits}f}"


def order_notes(ours: dict[str, Runs]) -> list[str]:
    """Say which of the paper's statements come out."""
    error = {name: runs.error.mean() for name, runs in ours.items()}
    stored = {name: runs.support.mean() for name, runs in ours.items()}
    late = {name: growth(runs) for name, runs in ours.items()}
    budgeted = min(error["Forgetron"], error["RandomizedBudgetPerceptron"])
    gap = abs(error["Projectron"] - error["Perceptron"])
    claims = [
        (
            f"Projectron is nearer to Perceptron ({gap:.2f} points) than Forgetron and RBP are",
            gap < budgeted - error["Perceptron"],
        ),
        (
            "Projectron++ makes fewer mistakes than Perceptron and stores fewer rows",
            error["ProjectronPlusPlus"] < error["Perceptron"]
            and stored["ProjectronPlusPlus"] < stored["Perceptron"],
        ),
        (
            "Projectron++ makes fewer mistakes than Projectron and stores fewer rows",
            error["ProjectronPlusPlus"] < error["Projectron"]
            and stored["ProjectronPlusPlus"] < stored["Projectron"],
        ),
        ("Perceptron makes fewer mistakes than Forgetron and RBP", error["Perceptron"] < budgeted),
        (
            "PA-I makes the fewest mistakes and stores the most rows",
            min(error, key=error.__getitem__)
            == max(stored, key=stored.__getitem__)
            == "PassiveAggressiveI",
        ),
        (
            "In the second half of the samples Perceptron and PA-I store at least three quarters "
            f"as many rows as in the first ({late['Perceptron']:.2f}, "
            f"{late['PassiveAggressiveI']:.2f}), Projectron and Projectron++ at most half "
            f"({late['Projectron']:.2f}, {late['ProjectronPlusPlus']:.2f})",
            min(late["Perceptron"], late["PassiveAggressiveI"]) > 0.75
            and max(late["Projectron"], late["ProjectronPlusPlus"]) < 0.5,
        ),
    ]
    return [f"{claim}: {'HOLDS' if holds else 'DOES NOT HOLD'}." for claim, holds in claims]


def growth(runs: Runs) -> float:
    """Rows stored in the second half of the trials for each one stored in the first."""
    stored = runs.supports.mean(axis=0)
    half = np.interp(runs.trials[-1] / 2, runs.trials, stored)
    return float((stored[-1] - half) / half)


EXPERIMENT = Experiment(
    source="P2, Figure 6",
    title="Online error and support size on a9a",
    run=run,
    needs=("a9a/a9a.xz",),
)

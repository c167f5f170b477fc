"""P0, Table 5.1 and Figure 5.1: the perceptron and the second-order perceptron on two labelings.

Rows are Gaussian with one dominant variance, eight times the others. The labels of the first data
set are those of a hyperplane orthogonal to the dominant direction, of the second one to another
direction. Both are separable with the same margin, which the paper does not tell; here rows
nearer to the hyperplane than ``MARGIN`` are drawn again, other variances being 1. One draw of rows
differs from another as much as the table's lines do, so several are made.
"""

from collections.abc import Callable

import numpy as np

from novikoff.papers.experiment import Experiment, Result

N_FEATURES, N_TRAIN, N_TEST, N_PERMUTATIONS, N_EPOCHS = 100, 9000, 3000, 5, 2
DOMINANT, MARGIN = 8.0, 0.135
N_DRAWS = 5  # of the rows; the paper has one
# The column that labels each data set: column 0 is the dominant one.
LABELED_BY = (0, 1)
A = (1.0, 10.0, 50.0)
SHOWN, CLASSES = 600, ("negative", "positive")  # of Figure 5.1
PAPER = {  # mistakes on the test rows, mean and standard deviation, first and second data set
    "Perceptron": ((30.20, 6.24), (29.80, 8.16)),
    "second order, a = 1": ((9.60, 2.94), (5.60, 2.80)),
    "second order, a = 10": ((10.60, 2.58), (3.20, 1.47)),
    "second order, a = 50": ((14.00, 4.36), (10.40, 6.05)),
}


def draw(column: int, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels, separated by this column with the margin."""
    X = rng.normal(size=(n, N_FEATURES))
    X[:, 0] *= np.sqrt(DOMINANT)
    while (near := np.abs(X[:, column]) < MARGIN).any():
        X[near, column] = rng.normal(size=near.sum()) * (np.sqrt(DOMINANT) if column == 0 else 1.0)
    return X, (X[:, column] > 0).astype(int)


def count_mistakes(column: int, seed: int) -> dict[str, np.ndarray]:
    """Mistakes of each classifier on the test rows, one number a permutation."""
    from novikoff import Perceptron, SecondOrderPerceptron

    rng = np.random.default_rng([seed, column])
    X, y = draw(column, N_TRAIN + N_TEST, rng)
    models = {"Perceptron": Perceptron(n_epochs=N_EPOCHS)} | {
        f"second order, a = {a:g}": SecondOrderPerceptron(a=a, n_epochs=N_EPOCHS) for a in A
    }
    mistakes: dict[str, list[int]] = {name: [] for name in models}
    for _ in range(N_PERMUTATIONS):
        order = rng.permutation(N_TRAIN)
        for name, model in models.items():
            model.fit(X[order], y[order])
            mistakes[name].append(int((model.predict(X[N_TRAIN:]) != y[N_TRAIN:]).sum()))
    return {name: np.array(counts) for name, counts in mistakes.items()}


def run(say: Callable[[str], None]) -> Result:
    """Run the experiment."""
    ours = []
    for number, column in enumerate(LABELED_BY, 1):
        say(f"data set {number} of 2")
        draws = [count_mistakes(column, seed) for seed in range(N_DRAWS)]
        ours.append({name: np.array([draw[name] for draw in draws]) for name in PAPER})
    rows = []
    for name, paper in PAPER.items():
        row: list[object] = [name]
        for (mean, deviation), counts in zip(paper, ours, strict=True):
            row.append(f"{mean:.2f} ({deviation:.2f})")
            means, spread = counts[name].mean(axis=1), counts[name].std(axis=1).mean()
            row.append(f"{means.mean():.2f} ({spread:.2f})")
            row.append(f"{means.min():.1f} to {means.max():.1f}")
        rows.append(row)
    points = {}
    for number, column in enumerate(LABELED_BY, 1):
        X, y = draw(column, SHOWN, np.random.default_rng(number))
        points[f"Figure 5.1, data set {number}: {SHOWN} rows in the columns that label"] = {
            name: (X[y == label, 0], X[y == label, 1]) for label, name in enumerate(CLASSES)
        }
    notes = [
        f"The paper does not give the margin, which decides the size of all numbers. Here it is "
        f"{MARGIN:g}, the other variances being 1 and the dominant one {DOMINANT:g}: that brings "
        "the Perceptron's mean over both sets to the paper's 30.",
        "Mistakes of the final classifier on 3000 test rows, after two epochs over 9000: mean and "
        f"standard deviation over {N_PERMUTATIONS} permutations of the training rows; ours are "
        f"averages over {N_DRAWS} draws of all rows, with the least and the largest mean.",
    ]
    columns = ["classifier"]
    for which in ("1st", "2nd"):
        columns += [f"{which} set, paper", "ours", "over draws"]
    return Result(
        columns,
        rows,
        notes,
        points=points,
        x_label="column 0, the dominant direction",
        y_label="column 1",
    )


EXPERIMENT = Experiment(
    "P0, Table 5.1 and Figure 5.1",
    "test mistakes of first- and second-order perceptrons where one eigenvalue dominates",
    run,
)

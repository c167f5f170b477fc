"""P3, Figure 8.1: precision of the ranking against the number of features."""

from collections.abc import Callable

from novikoff.ellipsoids import microaverage_precision
from novikoff.papers.experiment import Chart, Experiment, Result
from novikoff.papers.reuters import (
    FILE,
    WORDS_NOTE,
    features,
    hard_margin_scores,
    hardest_soft_margin,
    read_documents,
)

CATEGORIES = ("acq", "corn", "grain", "trade", "wheat")
DIMENSIONS = (5, 10, 15, 20, 25, 30, 40)


def run(say: Callable[[str], None]) -> Result:
    """Rank in more and more features, with a hard and a soft margin."""
    say("reading the documents")
    documents = read_documents()
    rows = [[n] for n in DIMENSIONS]
    curves = {}
    for category in CATEGORIES:
        hard, soft = [], []
        for n in DIMENSIONS:
            say(f"{category}, {n} features")
            X, X_test, y, y_test = features(documents, category, n)
            scores, _ = hard_margin_scores(X, y, X_test)
            hard.append(round(100 * microaverage_precision(y_test, scores), 1))
            model, _ = hardest_soft_margin(X, y)
            soft.append(
                float("nan")
                if model is None
                else round(
                    100 * microaverage_precision(y_test, model.decision_function(X_test)), 1
                )
            )
        for row, a, b in zip(rows, hard, soft, strict=True):
            row += [a, b]
        curves[f"{category}, hard"] = (list(DIMENSIONS), hard)
        curves[f"{category}, soft"] = (list(DIMENSIONS), soft)
    return Result(
        columns=["features", *(f"{c}, {kind}" for c in CATEGORIES for kind in ("hard", "soft"))],
        rows=rows,
        charts=[
            Chart(
                "Precision by number of features",
                "Gram-Schmidt features",
                "microaverage precision, %",
                curves,
            )
        ],
        notes=[
            "The thesis's curves are not in the scan; its text says that more features help a "
            "little, that one more can also hurt, and that it stopped at 30 for the cost.",
            "nan: no C separates the training set in so few features.",
            "Hard margin and choice of C as in Table 8.1.",
            WORDS_NOTE,
        ],
    )


EXPERIMENT = Experiment(
    source="P3, Figure 8.1",
    title="Number of Gram-Schmidt features against the precision of the ranking",
    run=run,
    needs=(FILE,),
)

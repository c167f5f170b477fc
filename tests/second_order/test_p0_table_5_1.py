"""P0 Table 5.1: orders and sizes."""

import numpy as np
import pytest

from novikoff.papers import load_experiment
from novikoff.papers.p0_table_5_1 import MARGIN, SHOWN, draw


def test_rows_are_drawn_as_described():
    for column in (0, 1):
        X, y = draw(column, 9000, np.random.default_rng(0))
        assert np.abs(X[:, column]).min() >= MARGIN
        assert set(y) == {0, 1}
        values = np.linalg.eigvalsh(X.T @ X / len(X))
        assert 7.0 < values[-1] / np.median(values) < 9.5


@pytest.mark.slow
def test_table_has_the_paper_s_order():
    result = load_experiment("p0-table-5.1").run(lambda text: None)
    means = {row[0]: [float(row[i].split()[0]) for i in (2, 5)] for row in result.rows}
    for value in means["Perceptron"]:
        assert 20 < value < 45
    for a in ("1", "10"):
        first, second = means[f"second order, a = {a}"]
        assert first < 0.5 * means["Perceptron"][0]
        assert second < 0.2 * means["Perceptron"][1]
        assert second < first
    for panel, groups in result.points.items():
        assert panel.startswith("Figure 5.1")
        assert sum(len(x) for x, _ in groups.values()) == SHOWN

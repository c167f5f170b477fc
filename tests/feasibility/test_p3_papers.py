"""The reproductions of P3, chapters 3 to 6."""

import pytest

from novikoff.papers import load_experiment
from novikoff.papers.p3_table_6_1 import THESIS


def rows_of(key, say=lambda text: None):
    result = load_experiment(key).run(say)
    return [dict(zip(result.columns, row, strict=True)) for row in result.rows], result


def test_figure_3_2():
    rows, result = rows_of("p3-figure-3.2")
    assert rows[0]["n"] == 2
    assert all(row["rho_1"] < row["rho_2"] < 1 for row in rows)
    assert [chart.x_label for chart in result.charts] == ["rho", "n"]
    assert list(result.charts[1].curves) == ["rho_1", "rho_2"]


def test_figure_4_1():
    rows, result = rows_of("p3-figure-4.1")
    assert result.charts[0].x_label == "n"
    fails = [(row["setting"], row["probability"], row["n"]) for row in rows if not row["holds"]]
    assert fails == [("(a) rho = 1/(4n)", "eta = 1/8", n) for n in (1, 2)]


@pytest.mark.slow
def test_table_6_1(data_folder):
    rows, _ = rows_of("p3-table-6.1")
    assert len(rows) == len(THESIS) == 14
    for row in rows:
        assert row["rescalings"] == 0
        if row["isolated"] == 0 and row["problem"] != "maxG11":
            assert row["PRA"] == row["PRA thesis"] - 1
            assert row["EA"] == row["EA thesis"] - 1


@pytest.mark.slow
def test_figure_6_1(data_folder):
    rows, result = rows_of("p3-figure-6.1")
    assert [chart.x_label for chart in result.charts] == ["updates", "seconds"]
    ellipsoid = [row for row in rows if row["method"] == "ellipsoid"]
    assert ellipsoid[1]["objective"] <= 1.06 * 226.1574
    for row in rows:
        assert row["of the optimum"] > 1
        if row["rule"] == "minimize":
            assert row["lower bound"] <= 226.1575


@pytest.mark.slow
def test_small_margin():
    rows, _ = rows_of("p3-small-margin")
    least = min(row["margin"] for row in rows)
    status = {row["method"]: row for row in rows if row["margin"] == least}
    assert status["perceptron"]["status"] == "limit"
    for name in ("ellipsoid", "deterministic_rescaled_perceptron"):
        assert status[name]["status"] == "feasible"
    tuned = status["rescaling_perceptron, rho = 0.2, sigma = 0.05"]
    assert tuned["status"] == "feasible"
    assert tuned["rescalings"] > 0

"""P2 Figure 6: who is compared, what is drawn, and whether the paper's order comes out."""

import numpy as np
import pytest

from novikoff.cli.reproduce import _page
from novikoff.papers import p2_figure_6
from novikoff.papers.p2_figure_6 import Runs, compare, order_notes
from novikoff.streams import make_a9a_like


def silent(text):
    assert text


def runs(error, half, support):
    """A learner that ends with this online error and support, and had some of it half-way."""
    stored = np.array([[half, support]])
    return Runs(
        np.array([error]), stored[:, -1], np.array([50, 100]), np.array([[error] * 2]), stored
    )


PAPER = {
    "PassiveAggressiveI": runs(17.0, 600, 1200),
    "ProjectronPlusPlus": runs(19.0, 60, 70),
    "Projectron": runs(20.2, 70, 80),
    "Perceptron": runs(20.0, 300, 600),
    "Forgetron": runs(21.5, 80, 80),
    "RandomizedBudgetPerceptron": runs(22.0, 80, 80),
}
OTHERWISE = [
    ("Projectron", runs(21.6, 70, 80), "Projectron is nearer to Perceptron (1.60 points)"),
    ("Projectron", runs(18.9, 65, 80), "Projectron++ makes fewer mistakes than Projectron"),
    ("Projectron", runs(20.1, 50, 65), "Projectron++ makes fewer mistakes than Projectron"),
    ("ProjectronPlusPlus", runs(20.1, 60, 70), "Projectron++ makes fewer mistakes than Perc"),
    ("ProjectronPlusPlus", runs(19.0, 500, 601), "Projectron++ makes fewer mistakes than Perc"),
    ("RandomizedBudgetPerceptron", runs(19.9, 80, 80), "Perceptron makes fewer mistakes than F"),
    ("PassiveAggressiveI", runs(19.5, 600, 1200), "PA-I makes the fewest mistakes"),
    ("PassiveAggressiveI", runs(17.0, 300, 590), "PA-I makes the fewest mistakes"),
    ("Projectron", runs(20.2, 50, 80), "In the second half of the samples"),
    ("Perceptron", runs(20.0, 400, 600), "In the second half of the samples"),
]


def test_the_papers_order_holds_where_it_does():
    notes = order_notes(PAPER)
    assert len(notes) == 6
    assert all(note.endswith(": HOLDS.") for note in notes)


@pytest.mark.parametrize(("name", "other", "claim"), OTHERWISE)
def test_each_claim_can_fail(name, other, claim):
    fails = [n for n in order_notes(PAPER | {name: other}) if n.endswith(": DOES NOT HOLD.")]
    assert any(note.startswith(claim) for note in fails)


def test_both_panels_show_the_mean_over_permutations():
    X, y = make_a9a_like(600, random_state=0)
    result = compare(X.toarray(), y, 40, 2, silent)
    assert [row[0] for row in result.rows] == list(p2_figure_6.PAPER)
    assert [row[3] for row in result.rows[4:]] == ["40 ± 0", "40 ± 0"]
    wrong, stored = (chart.curves for chart in result.charts)
    assert list(stored) == list(wrong) == list(p2_figure_6.PAPER)
    for name, _, error, support in result.rows:
        trials, errors = wrong[name]
        assert trials[-1] == 600
        assert f"{errors[-1]:.2f}" == error.split()[0]
        assert f"{stored[name][1][-1]:.0f}" == support.split()[0]
    html = _page("Figure 6", result).html()
    assert html.count("<svg") == 2
    assert "Size of the support" in html


@pytest.mark.slow
def test_the_papers_order_comes_out_on_a9a(data_folder):
    result = p2_figure_6.run(silent, permutations=2)
    assert not [note for note in result.notes if "DOES NOT HOLD" in note]
    (projectron,) = (row for row in result.rows if row[0] == "Projectron")
    assert abs(float(projectron[3].split()[0]) - 793) < 40

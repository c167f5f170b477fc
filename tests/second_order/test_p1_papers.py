"""P1's tables and figure: who is compared, on what, and what comes out."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

from novikoff import HigherOrderPerceptron
from novikoff.papers import (
    higher_order,
    p1_figure_2,
    p1_table_1,
    p1_table_2,
    p1_table_3,
)
from novikoff.papers.higher_order import COLUMNS, Score, algorithms, best, claim, compare, table
from novikoff.papers.reuters import Documents


def silent(text):
    assert text


def score(train, test):
    return Score(np.array(train, float), np.array(test, float), np.array(train, float))


def check_table(rows, settings):
    """Rows are as wide as the columns, and c > 0 has its comparison."""
    for row in rows:
        assert len(row) == len(COLUMNS)
        compared = settings[row[1]] != "c = 0" and not row[1].startswith("SO")
        assert (row[-1] is not None) == (row[-2] is not None) == compared


def test_best_setting_has_the_smallest_test_error_then_the_fewest_updates():
    scores = {"a": score([9, 9], [2, 2]), "b": score([5, 5], [1, 3]), "c": score([1, 1], [2, 3])}
    assert best(scores) == "b"


def test_comparison_counts_every_c_and_measures_the_best():
    zero = score([10, 12], [5, 7])
    scores = {"c = 0.2": score([9, 9], [4, 4]), "c = 0.4": score([20, 20], [5, 5])}
    found = compare("here", scores, zero)
    np.testing.assert_array_equal(found.updates, [1, 3])
    np.testing.assert_array_equal(found.errors, [1, 3])
    assert (found.fewer, found.lower, found.tried) == (1, 2, 2)
    assert found.cells() == ["2.00 ± 1.00 (1 of 2)", "2.00 ± 1.00 (2 of 2)"]


def test_each_seed_has_a_best_setting_of_its_own():
    zero = score([10, 12, 7], [5, 7, 6])
    scores = {"c = 0.2": score([9, 9, 9], [4, 8, 6]), "c = 0.4": score([20, 11, 8], [5, 6, 6])}
    found = compare("here", scores, zero)
    np.testing.assert_array_equal(found.own_errors, [1, 1, 0])
    np.testing.assert_array_equal(found.own_updates, [1, 1, -1])
    sentence = claim([found])[-2]
    assert "of 3 runs 2 have a lower test error than with c = 0 and 0 a higher one" in sentence
    assert "2 have fewer updates and 1 more" in sentence


def test_claim_is_computed():
    zero, better, worse = score([10, 12], [5, 7]), score([4, 6], [1, 3]), score([4, 6], [9, 9])
    good = compare("good", {"c = 0.2": better}, zero)
    bad = compare("bad", {"c = 0.2": worse}, zero)
    assert "HOLDS here" in claim([good])[0]
    first, *others, _, explanation = claim([good, bad])
    assert "DOES NOT HOLD here" in first
    assert "in 1 of 2 comparisons" in first
    assert explanation == higher_order.EXPLANATION
    assert others == ["With the best c the test error is not lower in: bad."]


def test_equal_to_c_0_is_not_better():
    zero = score([10, 12], [5, 7])
    assert "DOES NOT HOLD" in claim([compare("same", {"c = 0.2": zero}, zero)])[0]


def test_first_order_is_ho_2_with_c_0_and_all_values_of_the_paper_are_tried():
    models = algorithms((2, 4, 7, 10), (1.0,), sparse=True)
    assert list(models) == [
        "FO",
        "HO_2",
        "HO_4(0)",
        "HO_4",
        "HO_7(0)",
        "HO_7",
        "HO_10(0)",
        "HO_10",
        "Sparse HO_2",
        "SO",
    ]
    assert [model.c for model in models["HO_7"].values()] == [0.2, 0.4, 0.6, 0.8]
    assert [model.c for model in models["FO"].values()] == [0.0]
    assert {model.p for model in models["HO_10"].values()} == {10}
    assert all(model.sparse_updates for model in models["Sparse HO_2"].values())
    for name in models:
        assert higher_order.zero_of(name) in {**models, None: None}


def test_every_number_of_the_paper_has_an_algorithm_of_ours():
    own = {
        p1_table_1: algorithms(p1_table_1.NORMS, p1_table_1.A),
        p1_table_3: algorithms((2,), p1_table_3.A, sparse=True),
    }
    assert set(p1_table_1.PAPER_BREAST) | {"HO_4(0)", "HO_10(0)"} == set(own[p1_table_1])
    assert p1_table_1.PAPER_LYMPHOMA.keys() == p1_table_1.PAPER_BREAST.keys()
    for numbers in p1_table_3.PAPER.values():
        assert numbers.keys() == own[p1_table_3].keys()
    beside = p1_table_2.paper_beside(["a", "b", "c", "d"])
    assert beside["b"]["SO"] == ("677 (RCV1_101)", 5.48)


def test_table_1_on_a_made_up_study():
    rng = np.random.default_rng(0)
    y = np.arange(24) % 2
    X = 5.0 + rng.normal(size=(24, 40)) + 0.5 * y[:, None]
    for centre in (False, True):
        study = p1_table_1.Study(X, y, 18, centre)
        X_train, y_train, X_test, y_test = study.split(3)
        assert X_train.shape == (18, 40)
        assert X_test.shape == (6, 40)
        assert sorted([*y_train, *y_test]) == sorted(y)
        np.testing.assert_allclose(np.linalg.norm(X_train, axis=1), 1)
        # Without the common part of all rows half of the products are negative.
        products = (X_train @ X_train.T)[np.triu_indices(18, 1)]
        assert (products > 0).all() != centre
    models = algorithms((2, 7), (1.0,), n_epochs=2)
    ours = higher_order.measure(models, (study.split(seed) for seed in range(3)))
    rows, comparisons = table({"made up": p1_table_1.PAPER_BREAST}, {"made up": ours})
    assert [row[1] for row in rows] == ["FO", "HO_2", "HO_7(0)", "HO_7", "SO"]
    check_table(rows, {row[1]: row[2] for row in rows})
    assert [c.where for c in comparisons] == ["made up, HO_2", "made up, HO_7"]
    assert all(c.updates.shape == (3,) for c in comparisons)
    assert rows[0][3] == 45.2


def test_artificial_rows_are_drawn_as_described():
    rng = np.random.default_rng(1)
    u = p1_figure_2.draw_target(rng)
    assert np.linalg.norm(u) == pytest.approx(1)
    assert np.count_nonzero(u) == 50
    for noise in (0.0, 0.1):
        X, y = p1_figure_2.draw(u, noise, 4000, rng)
        assert X.shape == (4000, 500)
        np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1)
        assert np.abs(X @ u).min() >= 0.005
        assert np.mean(np.sign(X @ u) != y) == pytest.approx(noise, abs=0.02)


def test_figure_2_on_few_rows(monkeypatch):
    monkeypatch.setattr(p1_figure_2, "N_ROWS", 60)
    monkeypatch.setattr(p1_figure_2, "NORMS", (2, 7))
    result = p1_figure_2.run(silent, seeds=2, epochs=3)
    assert len(result.rows) == 2 * 5
    assert all(len(row) == len(result.columns) for row in result.rows)
    assert [chart.title for chart in result.charts] == [
        "Artificial 0.0, training: updates up to each epoch",
        "Artificial 0.1, training: updates up to each epoch",
        "Artificial 0.0, test error after each epoch",
        "Artificial 0.1, test error after each epoch",
    ]
    for chart in result.charts:
        assert [name.split("(c")[0] for name in chart.curves] == list(p1_figure_2.DRAWN)
        assert all(len(x) == len(y) == 3 for x, y in chart.curves.values())
        if "training" in chart.title:
            assert chart.y_label == "updates"
            assert all((np.diff(y) >= 0).all() for _, y in chart.curves.values())


def test_figure_2_counts_updates_over_epochs(monkeypatch):
    monkeypatch.setattr(p1_figure_2, "N_ROWS", 80)
    found = p1_figure_2.measure(0.1, 1, 3, (2,), silent)["HO_2"]["c = 0.4"]
    rng = np.random.default_rng([0, 10])
    u = p1_figure_2.draw_target(rng)
    X, y = p1_figure_2.draw(u, 0.1, 80, rng)
    for epochs in (1, 3):
        model = HigherOrderPerceptron(c=0.4, n_epochs=epochs).fit(X, y)
        assert found.train[0, epochs - 1] == model.n_updates_


def test_targets_are_the_second_to_fifth_most_frequent():
    topics = [["a"]] * 9 + [["b", "c"]] * 5 + [["d"]] * 3 + [["f"], ["e"]] + [[]]
    assert p1_table_2.targets(topics) == ["b", "c", "d", "e"]


def test_table_2_on_made_up_documents():
    rng = np.random.default_rng(2)
    X = sparse.random(60, 3000, 0.02, "csr", rng=rng)
    topics = [["x"] if i % 3 else ["y"] for i in range(60)]
    documents = Documents(X[:40], X[40:], topics[:40], topics[40:])
    splits = list(p1_table_2.splits(documents, "y", 2, silent))
    assert [split[0].shape for split in splits] == [(40, 3000)] * 2
    assert not np.array_equal(splits[0][1], splits[1][1])
    ours = {"y": higher_order.measure(algorithms((2,), (1.0,)), splits)}
    rows, _ = table(p1_table_2.paper_beside(["y", "", "", ""]), ours)
    assert [row[1] for row in rows] == ["FO", "HO_2", "SO"]
    check_table(rows, {row[1]: row[2] for row in rows})
    assert rows[0][3:6:2] == ["993 (RCV1_70)", 7.2]


def test_images_of_rows_have_length_1():
    X = np.random.default_rng(3).normal(size=(1, 6))
    X /= np.linalg.norm(X)
    for kernels in p1_table_3.KERNELS.values():
        for parameters in kernels.values():
            model = HigherOrderPerceptron(**parameters).fit(np.vstack([X, -X]), [0, 1])
            assert model.decision_function(X)[0] == pytest.approx(
                float(model.dual_coef_[0] @ _kernel(parameters)(model.support_vectors_, X)[:, 0])
            )
            assert _kernel(parameters)(X, X)[0, 0] == pytest.approx(1)


def _kernel(parameters):
    if parameters["kernel"] == "rbf":
        return lambda X, Z: np.exp(
            -parameters["gamma"] * ((X[:, None] - Z[None]) ** 2).sum(axis=2)
        )
    return lambda X, Z: (
        (parameters["gamma"] * X @ Z.T + parameters["coef0"]) ** (parameters["degree"])
    )


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    X = higher_order.unit_rows(X)
    return (X[:300], y[:300]), (X[300:500], y[300:500])


def test_the_kernel_of_the_smallest_error_left_out_is_chosen(digits):
    models = {
        f"{g:g}": HigherOrderPerceptron(c=0.0, kernel="rbf", gamma=g) for g in (1e-6, 4.0, 1e6)
    }
    assert p1_table_3.choose(models, *digits[0]) == "4"


def test_table_3_on_few_digits(digits):
    kernels = {name: p1_table_3.KERNELS["POLY"][name] for name in ("degree = 3", "degree = 4")}
    ours = p1_table_3.measure(*digits, kernels, 2, silent)
    assert {name: len(of) for name, of in ours.items()} == {
        "FO": 1,
        "HO_2": 4,
        "Sparse HO_2": 4,
        "SO": 4,
    }
    for scores in ours["Sparse HO_2"].values():
        assert (scores.matrix < scores.train).all()
    rows, comparisons = table(p1_table_3.PAPER, {"USPS POLY": ours})
    check_table(rows, {row[1]: row[2].split(",")[0] for row in rows})
    assert len({setting.split(", ")[1] for setting in ours["HO_2"]}) == 1
    assert rows[2][3] == "1081 (551)"
    assert f"({ours['Sparse HO_2'][rows[2][2]].matrix.mean():.0f})" in rows[2][4]
    assert [c.tried for c in comparisons] == [4, 4]
    tuned = p1_table_3.measure(*digits, kernels, 2, silent, tuned_on=60)
    assert {len(of) for of in tuned.values()} == {1}

"""`PseudoinverseSecondOrderPerceptron` against Figure 4.2 and Appendix D."""

import numpy as np
import pytest

from novikoff import PseudoinverseSecondOrderPerceptron
from novikoff.learners.pseudoinverse_second_order_perceptron import TOLERANCE
from tests.laws.cases import FORMS, learn, rows
from tests.second_order.cases import KERNELS, assert_goes_on, follow

NAME = "PseudoinverseSecondOrderPerceptron"
over_forms = pytest.mark.parametrize("form", FORMS)


def low_rank(form, n=150, n_features=6, rank=4, seed=0):
    """Rows that span less than their space."""
    X, y = rows(form, n, seed)
    rng = np.random.default_rng(seed)
    keep = X[:, :rank] @ rng.normal(size=(rank, n_features))
    return keep, y


@over_forms
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("n_features", [6, 40])
def test_weights_follow_the_paper(form, fit_intercept, n_features):
    follow(NAME, form, fit_intercept=fit_intercept, n_features=n_features)


@over_forms
@pytest.mark.parametrize("kernel", [None, "linear"])
def test_rows_of_low_rank_follow_the_paper(form, kernel):
    model, _ = follow(NAME, form, data=low_rank(form), kernel=kernel)
    memory = model._machine.memories[0]
    assert memory.equations.rank == 4


@over_forms
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["kernel"])
def test_coefficients_follow_the_paper(form, kernel):
    # Wide enough that no Gram matrix of the rbf and poly kernels is nearly singular.
    n, n_features = (150, 6) if kernel["kernel"] == "linear" else (60, 30)
    X, y = rows(form, n, n_features=n_features)
    follow(NAME, form, data=(X, y), tolerance=1e-6, **kernel)


def nearly_dependent(distance, n=60):
    """Rows in a plane of three dimensions, and others off it by a share of their length."""
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=(n, 2)), np.zeros(n)])
    X[::2, 2] = distance * np.linalg.norm(X[::2], axis=1)
    return X, (X[:, 0] + 0.5 * rng.normal(size=n) > 0).astype(int)


@pytest.mark.parametrize("kernel", [None, "linear"])
@pytest.mark.parametrize("share", [1e-3, 0.0])
def test_rows_off_the_span_by_less_than_the_tolerance_lie_in_it(kernel, share):
    X, y = nearly_dependent(share * TOLERANCE)
    model = PseudoinverseSecondOrderPerceptron(kernel=kernel).fit(X, y)
    assert model._machine.memories[0].equations.rank == 2
    flat = X * [1.0, 1.0, 0.0]
    other = PseudoinverseSecondOrderPerceptron(kernel=kernel).fit(flat, y)
    assert model.n_mistakes_ == other.n_mistakes_
    np.testing.assert_allclose(
        model.decision_function(flat), other.decision_function(flat), rtol=1e-6, atol=1e-8
    )


def test_rows_off_the_span_by_more_than_the_tolerance_raise_the_rank():
    X, y = nearly_dependent(1e3 * TOLERANCE)
    model, _ = follow(NAME, "binary", data=(X, y), tolerance=1e-4)
    assert model._machine.memories[0].equations.rank == 3
    # Not against the transcription: its pseudo-inverse of G loses the squares of such distances.
    dual = PseudoinverseSecondOrderPerceptron(kernel="linear").fit(X, y)
    assert dual._machine.memories[0].equations.rank == 3
    assert dual.n_mistakes_ == model.n_mistakes_
    np.testing.assert_allclose(dual.decision_function(X), model.decision_function(X), rtol=1e-3)


def polynomial_features(X, gamma):
    """Features whose inner products are (gamma <x, z> + 1)^2."""
    i, j = np.triu_indices(X.shape[1], 1)
    pairs = gamma * np.hstack([X**2, np.sqrt(2.0) * X[:, i] * X[:, j]])
    return np.hstack([np.ones((len(X), 1)), np.sqrt(2.0 * gamma) * X, pairs])


@pytest.mark.parametrize("seed", [2, 4, 8, 17, 23, 31, 36])
def test_rounding_of_kernel_values_does_not_look_like_a_dimension(seed):
    # First rows that nearly depend on each other make distances of later ones a matter of digits.
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 2)) @ rng.normal(size=(2, 3)) * rng.choice([0.1, 1.0, 3.0])
    y = rng.integers(0, 2, 400)
    y[:2] = 0, 1
    features = polynomial_features(X, 1 / 3)
    primal = PseudoinverseSecondOrderPerceptron().fit(features, y)
    dual = PseudoinverseSecondOrderPerceptron(kernel="poly", degree=2).fit(X, y)
    assert dual._machine.memories[0].equations.rank == 6
    assert dual.n_mistakes_ == primal.n_mistakes_
    expected = primal.decision_function(features)
    np.testing.assert_allclose(dual.decision_function(X), expected, atol=1e-4 * expected.max())


def near_pairs(seed, n=150):
    """Rows in a plane, each beside another at a distance of 1e-5."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) @ rng.normal(size=(2, 3))
    X[1::2] = X[::2] * (1.0 + 1e-5 * rng.normal(size=(n // 2, 3)))
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    return X, y


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.filterwarnings("error")
def test_small_pivots_do_not_multiply_in_a_block(seed):
    X, y = near_pairs(seed)
    model = PseudoinverseSecondOrderPerceptron(kernel="rbf", gamma=0.3, block_size=150).fit(X, y)
    memory = model._machine.memories[0]
    assert memory.equations.rank > 40
    # Coordinates of rows of length 1 in an orthonormal basis.
    assert np.linalg.norm(memory.V, axis=0).max() < 1.001


@pytest.mark.parametrize("gamma", [0.05, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_nearly_singular_gram_matrix_leaves_decisions_of_their_size(seed, gamma):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 1))
    y = (np.sin(3.0 * X[:, 0]) + 0.5 * rng.normal(size=200) > 0).astype(int)
    model = PseudoinverseSecondOrderPerceptron(kernel="rbf", gamma=gamma).fit(X, y)
    told = model.support_
    errors = model.decision_function(X[told]) - (2.0 * y[told] - 1.0)
    assert np.mean(errors**2) < 1.1  # w = 0 leaves 1, and w minimises it


@pytest.mark.parametrize("kernel", [None, "linear"])
def test_rows_of_very_different_lengths(kernel):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 60)) * 10.0 ** rng.integers(-3, 4, size=(40, 1))
    y = rng.integers(0, 2, 40)
    model = PseudoinverseSecondOrderPerceptron(kernel=kernel).fit(X, y)
    assert model.n_mistakes_ == 40  # every row lies off the span of those before
    np.testing.assert_allclose(model.decision_function(X), 2.0 * y - 1.0, rtol=1e-7)


def test_weights_are_the_shortest_least_squares_solution():
    X, y = low_rank("binary")
    model = PseudoinverseSecondOrderPerceptron(kernel="linear").fit(X, y)
    told, signs = X[model.support_], np.where(y == 1, 1.0, -1.0)[model.support_]
    expected = np.linalg.pinv(told, rcond=1e-10) @ signs
    np.testing.assert_allclose(model.coef_[0], expected, rtol=1e-8, atol=1e-10)
    primal = PseudoinverseSecondOrderPerceptron().fit(X, y)
    np.testing.assert_allclose(primal.coef_[0], expected, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("kernel", [None, "linear"])
def test_trials_off_the_span_decide_0_and_what_is_shown_does_not(kernel):
    model = PseudoinverseSecondOrderPerceptron(kernel=kernel)
    model.partial_fit([[1.0, 0.0, 0.0]], [1], classes=[0, 1])
    x = np.array([[1.0, 1.0, 0.0]])
    assert model.decision_function(x).tolist() == [1.0]
    assert model.run_trials(x, [1]).tolist() == [0.0]
    assert (model.n_mistakes_, model.n_updates_) == (2, 2)
    np.testing.assert_allclose(model.decision_function(x), [1.0])


@pytest.mark.parametrize("n", [100, 300])
def test_pieces_of_wide_rows_do_not_matter(n):
    X, y = rows("ovr", n, n_features=90)
    whole = learn(PseudoinverseSecondOrderPerceptron(), X, y)
    for size in (1, 41):
        pieces = learn(PseudoinverseSecondOrderPerceptron(), X, y, size)
        np.testing.assert_array_equal(pieces.coef_, whole.coef_)


@pytest.mark.parametrize("average", ["last", "mean"])
@over_forms
@pytest.mark.parametrize("kernel", [None, "rbf"])
def test_saved_models_go_on(tmp_path, average, form, kernel):
    X, y = rows(form, 120, n_features=40)
    kind = {"multiclass": "prototype"} if form == "prototype" else {}
    assert_goes_on(
        tmp_path,
        lambda: PseudoinverseSecondOrderPerceptron(kernel=kernel, average=average, **kind),
        X,
        y,
    )


@pytest.mark.parametrize("kernel", [None, "rbf"])
@pytest.mark.parametrize("multiclass", ["ovr", "prototype"])
def test_classes_enter_in_mid_stream(kernel, multiclass):
    X, y = rows("ovr", n_features=30)
    y = np.where(np.arange(len(y)) < 60, y % 2, y)
    make = PseudoinverseSecondOrderPerceptron
    whole = learn(make(kernel=kernel, multiclass=multiclass), X, y)
    again = learn(make(kernel=kernel, multiclass=multiclass), X, y, 13)
    np.testing.assert_allclose(
        whole.decision_function(X), again.decision_function(X), rtol=1e-7, atol=1e-8
    )

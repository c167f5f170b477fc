"""`WhitenedPerceptron` and `Whitener` against P0 section 2."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import novikoff
from novikoff import Perceptron, WhitenedPerceptron, Whitener
from tests.laws.cases import FORMS, Case, rows, run_reference
from tests.laws.test_reference_law import assert_follows

NAME = "WhitenedPerceptron"
over_forms = pytest.mark.parametrize("form", FORMS)


def of(form):
    return {"multiclass": "prototype"} if form == "prototype" else {}


def followed(form, X, y, tolerance=1e-7, **parameters):
    model = Case(NAME, parameters).make(**of(form)).fit(X, y)
    expected = run_reference(model, Case(NAME, {}).reference, X, y, form)
    assert_follows(model, expected, None, X, tolerance)
    return model, expected


@over_forms
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_weights_follow_the_paper(form, fit_intercept):
    followed(form, *rows(form), fit_intercept=fit_intercept)


LOW = {"linear": {"kernel": "linear"}, "poly": {"kernel": "poly", "degree": 2, "gamma": 0.5}}


@over_forms
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("kernel", LOW)
def test_decisions_of_kernels_follow_the_paper(form, kernel, fit_intercept):
    """Kernels of few dimensions; the transcription's tolerance must cut where the zeros are."""
    X, y = rows(form, 80, n_features=3)
    model = WhitenedPerceptron(fit_intercept=fit_intercept, **of(form), **LOW[kernel]).fit(X, y)
    added = float(fit_intercept)

    def values(A, B):
        return (A @ B.T if kernel == "linear" else (0.5 * A @ B.T + 1.0) ** 2) + added

    given = {"kernel": values, "tolerance": 1e-10}
    reference = Case(NAME, {}).reference
    if form == "binary":
        expected = reference.run(X, np.where(y == 1, 1.0, -1.0), **given)
    else:
        expected = reference.run_multiclass(X, y, 3, form, **given)
    assert model.n_mistakes_ == expected["mistakes"].sum()
    assert model.support_.tolist() == expected["support"]
    ours, theirs = model.decision_function(X), expected["alpha"] @ values(X, X)
    np.testing.assert_allclose(
        ours.reshape(len(X), -1).T, np.atleast_2d(theirs), rtol=1e-6, atol=1e-8
    )
    mean = WhitenedPerceptron(
        fit_intercept=fit_intercept, average="mean", **of(form), **LOW[kernel]
    ).fit(X, y)
    np.testing.assert_allclose(
        mean.decision_function(X), expected["mean_decision"](X), rtol=1e-6, atol=1e-8
    )


def test_orthogonal_rows_are_all_ties():
    """A regular K: every trial of the first pass decides 0, and every row gets its label."""
    X, y = rows(n=40)
    X = X + 1e-3 * np.arange(40)[:, None]
    model = WhitenedPerceptron(kernel="rbf", gamma=1.0).fit(X, y)
    assert model.n_mistakes_ == 40
    np.testing.assert_allclose(model.decision_function(X), np.where(y == 1, 1.0, -1.0), atol=1e-8)


def test_singular_correlation_takes_the_pseudo_inverse():
    X, y = rows()
    rng = np.random.default_rng(0)
    X = X[:, :3] @ rng.normal(size=(3, 6))
    model, _ = followed("binary", X, y)
    assert np.linalg.matrix_rank(model._machine.root) == 3


@pytest.mark.parametrize("kernel", [None, "linear"])
def test_scaling_the_space_changes_no_decision(kernel):
    """What whitening is for: any linear map of the rows is undone."""
    X, y = rows(n=80)
    rng = np.random.default_rng(1)
    map_ = rng.normal(size=(6, 6))
    one = WhitenedPerceptron(kernel=kernel).fit(X, y)
    other = WhitenedPerceptron(kernel=kernel).fit(X @ map_, y)
    assert one.n_mistakes_ == other.n_mistakes_
    np.testing.assert_allclose(
        one.decision_function(X), other.decision_function(X @ map_), rtol=1e-6, atol=1e-8
    )


@over_forms
def test_a_pipeline_of_whitener_and_perceptron_is_the_same(form):
    X, y = rows(form)
    pipeline = make_pipeline(Whitener(), Perceptron(**of(form))).fit(X, y)
    model = WhitenedPerceptron(**of(form)).fit(X, y)
    np.testing.assert_allclose(
        pipeline.decision_function(X), model.decision_function(X), rtol=1e-9, atol=1e-12
    )


def test_whitened_rows_have_the_identity_as_correlation():
    X, _ = rows()
    for store in (np.asarray, sp.csr_matrix):
        Z = Whitener().fit_transform(store(X))
        np.testing.assert_allclose(Z.T @ Z, np.eye(6), atol=1e-12)
    assert Whitener().fit(X).get_feature_names_out().size == 6


def test_whitener_keeps_scikit_learn_s_contract():
    check_estimator(Whitener())


def test_there_is_no_stream():
    for name in ("partial_fit", "run_trials", "learn_one"):
        assert not hasattr(WhitenedPerceptron(), name)


def test_epochs_and_shuffling_whiten_once():
    X, y = rows(n=60)
    for kernel in (None, "linear", "precomputed"):
        model = WhitenedPerceptron(kernel=kernel, n_epochs=3, shuffle=True, random_state=0)
        model.fit(X @ X.T if kernel == "precomputed" else X, y)
        shown = model.decision_function(X @ X.T if kernel == "precomputed" else X)
        if kernel is None:
            expected = shown
        np.testing.assert_allclose(shown, expected, rtol=1e-6, atol=1e-7)
        assert model.n_seen_ == 180


@over_forms
@pytest.mark.parametrize("kernel", [None, "rbf"])
@pytest.mark.parametrize("average", ["last", "mean"])
def test_saved_models_decide_alike(tmp_path, form, kernel, average):
    X, y = rows(form)
    model = WhitenedPerceptron(kernel=kernel, average=average, fit_intercept=True, **of(form))
    model.fit(X, y).save(tmp_path / "model")
    again = novikoff.load(tmp_path / "model")
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert again.n_mistakes_ == model.n_mistakes_
    np.testing.assert_array_equal(again.curve_, model.curve_)
    np.testing.assert_array_equal(
        again.coef_ if kernel is None else again.dual_coef_,
        model.coef_ if kernel is None else model.dual_coef_,
    )


@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_rows_whose_products_overflow_are_refused(store):
    X, y = rows()
    for fit in (lambda X: Whitener().fit(X), lambda X: WhitenedPerceptron().fit(X, y)):
        with pytest.raises(ValueError, match="products of such rows overflow float64"):
            fit(store(1e200 * X))
        fit(store(1e140 * X))


def test_a_column_index_outside_is_refused():
    X = sp.csr_matrix(rows()[0])
    whitener = Whitener().fit(X)
    X.indices[-1] = 6
    for ask in (whitener.transform, Whitener().fit):
        with pytest.raises(ValueError, match="column index outside"):
            ask(X)

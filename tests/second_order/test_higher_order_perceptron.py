"""`HigherOrderPerceptron` against P1 section 2 and its three representations."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff import HigherOrderPerceptron, PNormPerceptron
from tests.laws.cases import FORMS, learn, rows
from tests.second_order.cases import KERNELS, assert_goes_on, follow

over_forms = pytest.mark.parametrize("form", FORMS)
SETTINGS = pytest.mark.parametrize(
    "setting",
    [
        {},
        {"sparse_updates": True},
        {"c": 0.9, "sparse_updates": True, "normalize": False},
        {"c": 0.1, "normalize": False},
    ],
    ids=str,
)


def followed(form, **parameters):
    """One run against the transcription, matrix updates included."""
    model, expected = follow("HigherOrderPerceptron", form, **parameters)
    assert model.n_matrix_updates_ == expected["n_matrix_updates"]
    return model


@SETTINGS
@over_forms
@pytest.mark.parametrize("representation", ["primal", "implicit"])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_weights_follow_the_paper(form, representation, fit_intercept, setting):
    followed(form, representation=representation, fit_intercept=fit_intercept, **setting)


@over_forms
@pytest.mark.parametrize("p", [2.5, 6.0])
@pytest.mark.parametrize("sparse_updates", [False, True])
def test_other_norms_follow_the_paper(form, p, sparse_updates):
    model = followed(form, p=p, sparse_updates=sparse_updates, fit_intercept=True)
    assert model.n_matrix_updates_ > 0
    if sparse_updates:
        assert model.n_matrix_updates_ < model.n_updates_


@SETTINGS
@over_forms
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["kernel"])
def test_coefficients_follow_the_paper(form, kernel, setting):
    followed(form, fit_intercept=True, **kernel, **setting)


def test_terms_in_blocks_follow_the_paper():
    X, y = rows("binary", 250, n_features=80)
    model = followed("binary", data=(X, y), c=0.8)
    assert len(model._machine.memories[0].A.B) == 80


@SETTINGS
@pytest.mark.parametrize("average", ["last", "mean"])
@over_forms
def test_three_representations_are_one_algorithm(form, average, setting):
    X, y = rows(form)
    kind = {"multiclass": "prototype"} if form == "prototype" else {}
    models = [
        HigherOrderPerceptron(representation=name, average=average, **kind, **setting).fit(X, y)
        for name in ("primal", "dual", "implicit")
    ]
    for other in models[1:]:
        assert other.n_mistakes_ == models[0].n_mistakes_
        assert other.n_matrix_updates_ == models[0].n_matrix_updates_
        np.testing.assert_allclose(other.coef_, models[0].coef_, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("p", [2.0, 5.0])
def test_c_0_is_the_p_norm_perceptron(p):
    X, y = rows("ovr")
    model = HigherOrderPerceptron(p=p, c=0.0).fit(X, y)
    other = PNormPerceptron(p=p, normalize=True).fit(X, y)
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-9, atol=1e-12)
    assert model.n_matrix_updates_ == 0
    assert model.n_updates_ == other.n_updates_


def test_auto_takes_the_form_that_fits():
    def memory(width, **parameters):
        model = HigherOrderPerceptron(**parameters)
        X = sp.csr_matrix(np.eye(3, width))
        return type(model.fit(X, [0, 1, 0])._machine.memories[0]).__name__

    assert memory(10) == "PrimalMemory"
    assert memory(3000) == "ImplicitMemory"
    assert memory(10, p=3.0) == "ImplicitMemory"
    assert memory(10, kernel="rbf") == "DualMemory"


def test_wide_sparse_rows_keep_their_factors_sparse():
    X, y = rows(n=200, n_features=30)
    wide = sp.coo_matrix(X)
    wide = sp.csr_matrix((wide.data, (wide.row, 2000 * wide.col)), (len(X), 60_000))
    a = HigherOrderPerceptron().fit(wide, y)
    b = HigherOrderPerceptron().fit(X, y)
    np.testing.assert_allclose(a.coef_[:, ::2000], b.coef_, rtol=1e-7, atol=1e-10)
    assert a._machine.memories[0].B.x.size < 60_000


@pytest.mark.parametrize("average", ["last", "mean"])
@over_forms
@pytest.mark.parametrize(
    "setting",
    [{"p": 3.0}, {"representation": "primal"}, {"kernel": "rbf", "sparse_updates": True}],
    ids=str,
)
def test_saved_models_go_on(tmp_path, average, form, setting):
    X, y = rows(form)
    kind = {"multiclass": "prototype"} if form == "prototype" else {}
    assert_goes_on(
        tmp_path, lambda: HigherOrderPerceptron(average=average, **setting, **kind), X, y
    )


@pytest.mark.parametrize("setting", [{"p": 3.0}, {}, {"kernel": "rbf"}], ids=str)
@pytest.mark.parametrize("multiclass", ["ovr", "prototype"])
def test_classes_enter_and_matrix_updates_go_on_counting(setting, multiclass):
    X, y = rows("ovr")
    y = np.where(np.arange(len(y)) < 60, y % 2, y)
    model = HigherOrderPerceptron(multiclass=multiclass, **setting).partial_fit(X[:60], y[:60])
    before = model.n_matrix_updates_
    model.partial_fit(X[60:61], [7])
    assert before <= model.n_matrix_updates_ <= before + 3
    whole = learn(HigherOrderPerceptron(multiclass=multiclass, **setting), X, y)
    again = learn(HigherOrderPerceptron(multiclass=multiclass, **setting), X, y, 13)
    assert whole.n_matrix_updates_ == again.n_matrix_updates_
    np.testing.assert_allclose(
        whole.decision_function(X), again.decision_function(X), rtol=1e-9, atol=1e-10
    )


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"c": 1.0}, "'c' parameter"),
        ({"c": -0.1}, "'c' parameter"),
        ({"p": 1.5}, "'p' parameter"),
        ({"p": 3.0, "kernel": "rbf"}, "kernel='rbf' goes with p=2 only, got p=3.0"),
        ({"p": 3.0, "representation": "primal"}, "representation='primal' goes with p=2 only"),
        ({"kernel": "rbf", "representation": "implicit"}, "does not go with kernel='rbf'"),
        ({"representation": "sparse"}, "'representation' parameter"),
    ],
)
def test_pairs_that_make_no_sense_are_refused(parameters, words):
    with pytest.raises(ValueError, match=words):
        HigherOrderPerceptron(**parameters).fit(*rows())

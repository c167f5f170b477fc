"""`AdaptiveSecondOrderPerceptron` against Figure 4.1, and its solver."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff import AdaptiveSecondOrderPerceptron, Perceptron
from novikoff.engine import correlation
from novikoff.engine.conjugate import conjugate_gradients
from tests.laws.cases import FORMS, learn, rows
from tests.second_order.cases import KERNELS, assert_goes_on, follow

NAME = "AdaptiveSecondOrderPerceptron"
over_forms = pytest.mark.parametrize("form", FORMS)
C = pytest.mark.parametrize("c", [0.01, 0.1, 2.0])
RADIUS = pytest.mark.parametrize("radius", [None, 9.0])


@pytest.fixture(params=["direct", "conjugate gradients"])
def solver(request, monkeypatch):
    """Both ways to solve, at any size."""
    if request.param != "direct":
        monkeypatch.setattr(correlation, "SMALL", 0)
        monkeypatch.setattr("novikoff.learners.adaptive_second_order_perceptron.SMALL", 0)


@C
@RADIUS
@over_forms
def test_weights_follow_the_paper(form, c, radius, solver):
    follow(NAME, form, c=c, radius=radius, fit_intercept=True)


@RADIUS
@over_forms
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["kernel"])
def test_coefficients_follow_the_paper(form, kernel, radius, solver):
    radius = 25.0 if radius else None
    follow(NAME, form, c=0.1, radius=radius, fit_intercept=True, **kernel)


def test_matrix_and_rows_follow_the_paper():
    """Wide enough for conjugate gradients: first through the rows, then with the matrix."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 140))
    y = rng.integers(0, 2, 150)
    model, _ = follow(NAME, "binary", data=(X, y), c=0.1, tolerance=1e-9)
    assert model._machine.memories[0].correlation.formed
    short, _ = follow(NAME, "binary", data=(X[:40], y[:40]), c=0.1, tolerance=1e-9)
    assert not short._machine.memories[0].correlation.formed


@pytest.mark.parametrize("c", [0.1, 1.0])
def test_steps_depend_on_c_alone(c):
    """The worst case of the bound, at every size: eigenvalues spread over the whole interval."""
    kappa = 1.0 + 1.0 / c
    factor = (np.sqrt(kappa) - 1.0) / (np.sqrt(kappa) + 1.0)
    bound = np.log(1e-14 / (2.0 * np.sqrt(kappa))) / np.log(factor)
    for n in (200, 2000):
        eigenvalues = np.linspace(c, 1.0 + c, n)
        count = [0]

        def times(p, eigenvalues=eigenvalues, count=count):
            count[0] += 1
            return eigenvalues * p

        b = np.random.default_rng(n).normal(size=n)
        x = conjugate_gradients(times, b, np.zeros(n))
        np.testing.assert_allclose(x, b / eigenvalues, rtol=1e-10, atol=1e-12)
        assert count[0] <= bound + 10  # the first residual, and steps that find only rounding


def test_wide_sparse_rows_never_meet_a_matrix():
    X, y = rows(n=200, n_features=30)
    wide = sp.coo_matrix(X)
    wide = sp.csr_matrix((wide.data, (wide.row, 2000 * wide.col)), (len(X), 60_000))
    a = AdaptiveSecondOrderPerceptron().fit(wide, y)
    b = AdaptiveSecondOrderPerceptron().fit(X, y)
    np.testing.assert_allclose(a.coef_[:, ::2000], b.coef_, rtol=1e-8, atol=1e-10)
    assert not a._machine.memories[0].correlation.formed
    assert a._machine.memories[0].correlation.x.size < 60_000


def test_sparse_and_dense_rows_may_alternate():
    X, y = rows(n=200, n_features=140)
    model = AdaptiveSecondOrderPerceptron()
    for first in range(0, 200, 10):
        part = X[first : first + 10]
        model.partial_fit(sp.csr_matrix(part) if first % 20 else part, y[first : first + 10])
    other = AdaptiveSecondOrderPerceptron().partial_fit(X, y)
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-9, atol=1e-12)


def test_primal_and_dual_are_one_learner():
    X, y = rows("ovr")
    primal = AdaptiveSecondOrderPerceptron(average="mean").fit(X, y)
    dual = AdaptiveSecondOrderPerceptron(average="mean", kernel="linear").fit(X, y)
    np.testing.assert_allclose(primal.coef_, dual.coef_, rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("kernel", [None, "linear"])
@pytest.mark.parametrize("scale", [1e-140, 1e140])
@pytest.mark.filterwarnings("error")
def test_the_unit_of_the_rows_does_not_matter(kernel, scale):
    """More inputs, and more mistakes, than are solved directly."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 140)), rng.integers(0, 2, 400)
    one = AdaptiveSecondOrderPerceptron(kernel=kernel).fit(X, y)
    other = AdaptiveSecondOrderPerceptron(kernel=kernel).fit(scale * X, y)
    assert other.n_mistakes_ == one.n_mistakes_ > 140
    expected = one.decision_function(X)
    np.testing.assert_allclose(other.decision_function(scale * X), expected, atol=1e-9)


def test_large_c_is_the_perceptron():
    X, y = rows()
    model = AdaptiveSecondOrderPerceptron(c=1e9, radius=10.0).fit(X, y)
    assert model.n_mistakes_ == Perceptron().fit(X, y).n_mistakes_


def test_pieces_of_wide_rows_do_not_matter():
    X, y = rows("ovr", 200, n_features=140)
    whole = learn(AdaptiveSecondOrderPerceptron(average="mean"), X, y)
    for size in (1, 41):
        pieces = learn(AdaptiveSecondOrderPerceptron(average="mean"), X, y, size)
        np.testing.assert_array_equal(pieces.coef_, whole.coef_)


@pytest.mark.parametrize("average", ["last", "mean"])
@over_forms
@pytest.mark.parametrize("kernel", [None, "rbf"])
def test_saved_models_go_on(tmp_path, average, form, kernel):
    X, y = rows(form, n_features=140)
    kind = {"multiclass": "prototype"} if form == "prototype" else {}
    assert_goes_on(
        tmp_path,
        lambda: AdaptiveSecondOrderPerceptron(kernel=kernel, average=average, **kind),
        X,
        y,
    )


@pytest.mark.parametrize("kernel", [None, "linear"])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_a_row_longer_than_the_radius_is_refused(kernel, store):
    X, y = rows()
    long = X.copy()
    long[80] *= 7.0 / np.linalg.norm(long[80])
    sentence = r"radius=6.5 is exceeded by a row of norm 7 \(row 80 of those given\)"
    fresh = AdaptiveSecondOrderPerceptron(radius=6.5, kernel=kernel)
    with pytest.raises(ValueError, match=sentence):
        fresh.fit(store(long), y)
    assert not hasattr(fresh, "classes_")
    model = AdaptiveSecondOrderPerceptron(radius=6.5, kernel=kernel).partial_fit(store(X), y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match=sentence):
        model.partial_fit(store(long), y)
    with pytest.raises(ValueError, match=r"radius=6\.5 is exceeded"):
        model.learn_one(long[80], 1)
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert model.n_seen_ == len(X)
    model.predict(store(long))


def test_a_row_as_long_as_the_radius_is_welcome():
    X, y = rows()
    X = X[np.any(X, axis=1)]
    X /= np.linalg.norm(X, axis=1)[:, None]
    model = AdaptiveSecondOrderPerceptron(radius=1.0)
    model.fit(X, y[: len(X)]).fit(X.astype(np.float32), y[: len(X)])


@pytest.mark.parametrize(("name", "value"), [("c", 0.0), ("c", -1.0), ("radius", 0.0)])
def test_bad_parameters_are_refused(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of {NAME}"):
        AdaptiveSecondOrderPerceptron(**{name: value}).fit(*rows())

"""A saved ellipsoid is the same one after loading."""

import numpy as np
import pytest
from scipy import sparse

import novikoff
from novikoff.ellipsoids import EllipsoidClassifier, GramSchmidtFeatures
from novikoff.kernels import Polynomial
from tests.ellipsoids.points import shells


@pytest.mark.parametrize("classes", [2, 3])
def test_classifier_comes_back(tmp_path, classes):
    X, y = shells(200, 3, ratio=2.0)
    if classes == 3:
        X = np.vstack([X[y == 1], X[y == 1] + 500.0, X[y == 1] - 500.0])
        y = np.repeat(["a", "b", "c"], np.sum(y == 1))
    model = EllipsoidClassifier(C=0.5, solver="interior-point").fit(X, y)
    model.save(tmp_path / "model")
    again = novikoff.load(tmp_path / "model")
    assert again.get_params() == model.get_params()
    for name, value in vars(model).items():
        np.testing.assert_array_equal(getattr(again, name), value)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
def test_features_come_back(tmp_path, kernel):
    rng = np.random.default_rng(0)
    X = sparse.random(40, 40, density=0.3, rng=rng, format="csr")
    X = X @ X.T if kernel == "precomputed" else X
    features = GramSchmidtFeatures(kernel=kernel, n_components=7).fit(X, rng.random(40) < 0.4)
    features.save(tmp_path / "model")
    again = novikoff.load(tmp_path / "model")
    np.testing.assert_array_equal(again.transform(X), features.transform(X))
    np.testing.assert_array_equal(again.get_feature_names_out(), features.get_feature_names_out())


@pytest.mark.parametrize("kernel", ["poly", Polynomial(gamma=0.5, degree=2)])
def test_classifier_with_features_comes_back(tmp_path, kernel):
    X, y = shells(150, 3, ratio=2.0)
    features = GramSchmidtFeatures(kernel=kernel, n_components=5)
    model = EllipsoidClassifier(C=0.01, features=features).fit(X, y)
    model.save(tmp_path / "model")
    again = novikoff.load(tmp_path / "model")
    assert isinstance(again.features, GramSchmidtFeatures)
    assert str(again.get_params()) == str(model.get_params())
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(again.fit(X, y).factor_, model.factor_)


def test_features_of_an_own_kernel_are_given_again(tmp_path):
    X, y = shells(150, 3, ratio=2.0)
    features = GramSchmidtFeatures(kernel=lambda A, B: (A @ B.T + 1.0) ** 2, n_components=5)
    model = EllipsoidClassifier(C=0.01, features=features).fit(X, y)
    model.save(tmp_path / "model")
    with pytest.raises(ValueError, match="saved without features"):
        novikoff.load(tmp_path / "model")
    again = novikoff.load(tmp_path / "model", features=features)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_a_state_that_does_not_fit_together_is_refused():
    X, y = shells(100, 2)
    model = EllipsoidClassifier().fit(X, y)
    state = model._get_state()
    with pytest.raises(ValueError, match=r"'factor_' of shape \(2, 1\), not \(2, 2\)"):
        EllipsoidClassifier()._set_state({**state, "factor_": model.factor_[:, :1]})
    with pytest.raises(ValueError, match="'ratio_bound_' of type str"):
        EllipsoidClassifier()._set_state({**state, "ratio_bound_": "high"})

"""GramSchmidtFeatures against the thesis's Algorithms 1 and 2, and as a transformer."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.estimator_checks import check_estimator

from novikoff.ellipsoids import GramSchmidtFeatures
from novikoff.kernels import Polynomial
from tests.reference import p3_gram_schmidt

KERNELS = [
    ("linear", {}),
    ("rbf", {"gamma": 0.3}),
    ("poly", {"gamma": 0.5, "degree": 2, "coef0": 2.0}),
]


def text_like(m=60, n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.random(m, n, density=0.2, rng=rng, format="csr")
    return X, np.where(rng.random(m) < 0.3, "yes", "no")


@pytest.mark.parametrize("bias", ["auto", 1.0, 4.0])
@pytest.mark.parametrize(("kernel", "parameters"), KERNELS)
def test_features_are_those_of_algorithms_1_and_2(kernel, parameters, bias):
    X, labels = text_like()
    new, _ = text_like(20, seed=1)
    y = np.where(labels == "yes", 1, -1)
    B = min(10.0, len(y) / np.sum(y == 1)) if bias == "auto" else bias
    K = pairwise_kernels(X, metric=kernel, **parameters)
    K = K.toarray() if sparse.issparse(K) else K
    D, pivots, norms = p3_gram_schmidt.train(K, y, B, 15)
    features = GramSchmidtFeatures(n_components=15, bias=bias, kernel=kernel, **parameters)
    np.testing.assert_allclose(features.fit_transform(X, labels), D, atol=1e-10)
    np.testing.assert_array_equal(features.pivots_, pivots)
    assert features.bias_ == B
    K_new = pairwise_kernels(new, X, metric=kernel, **parameters)
    K_new = K_new.toarray() if sparse.issparse(K_new) else K_new
    expected = [p3_gram_schmidt.new_example(k, D, pivots, norms) for k in K_new]
    np.testing.assert_allclose(features.transform(new), expected, atol=1e-10)


def test_pivots_are_the_same_bit_for_bit_on_integers():
    """Ties go to the lowest row."""
    X = np.array([[3.0, 4.0, 0], [0, 5, 0], [5, 0, 0], [0, 0, 5], [4, 3, 0]])
    D, pivots, _ = p3_gram_schmidt.train(X @ X.T, [-1] * 5, 1.0, 3)
    features = GramSchmidtFeatures(n_components=3)
    np.testing.assert_array_equal(features.fit_transform(X), D)
    np.testing.assert_array_equal(features.pivots_, pivots)
    assert pivots[0] == 0


@pytest.mark.parametrize("bias", [10.0, 1e-6, 1e15])
def test_it_stops_at_the_rank(bias):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4)) @ rng.normal(size=(4, 9))
    features = GramSchmidtFeatures(n_components=30, bias=bias)
    D = features.fit_transform(X, np.arange(50) < 3)
    assert features.n_components_ == 4
    assert D.shape == (50, 4)
    np.testing.assert_allclose(D @ D.T, X @ X.T, atol=1e-10)
    assert list(features.get_feature_names_out()) == [f"gramschmidtfeatures{j}" for j in range(4)]


def test_more_components_than_rows_gives_as_many_as_rows():
    X = np.random.default_rng(0).normal(size=(5, 9))
    features = GramSchmidtFeatures(n_components=30).fit(X)
    assert features.n_components_ == 5


def test_training_rows_transform_to_their_own_features():
    X, y = text_like()
    features = GramSchmidtFeatures(n_components=20)
    D = features.fit_transform(X, y)
    np.testing.assert_allclose(features.transform(X), D, atol=1e-12)
    np.testing.assert_allclose(features.transform(X.toarray()), D, atol=1e-12)


def test_bias_spends_features_on_the_positive_class():
    X, y = text_like(200, 80)
    counts = [
        np.sum(y[GramSchmidtFeatures(n_components=20, bias=b).fit(X, y).pivots_] == "yes")
        for b in (0.01, 1.0, 100.0)
    ]
    assert counts[0] < counts[1] < counts[2] == 20


def test_without_one_positive_class_rows_count_alike():
    X, _ = text_like()
    plain = GramSchmidtFeatures(n_components=5).fit(X)
    three = GramSchmidtFeatures(n_components=5).fit(X, np.arange(60) % 3)
    np.testing.assert_array_equal(plain.pivots_, three.pivots_)
    assert plain.bias_ == three.bias_ == 1.0


def test_own_kernel_and_data_frames():
    X, y = text_like()
    X = X.toarray()
    own = GramSchmidtFeatures(n_components=6, kernel=lambda A, B: (A @ B.T + 1.0) ** 2)
    built_in = GramSchmidtFeatures(n_components=6, kernel="poly", gamma=1.0, degree=2)
    kernel = GramSchmidtFeatures(n_components=6, kernel=Polynomial(gamma=1.0, degree=2))
    np.testing.assert_array_equal(kernel.fit_transform(X, y), built_in.fit_transform(X, y))
    np.testing.assert_allclose(own.fit_transform(X, y), built_in.fit_transform(X, y), atol=1e-12)
    frame = built_in.set_output(transform="pandas").transform(X)
    assert list(frame.columns) == list(built_in.get_feature_names_out())


def test_precomputed_kernel_is_the_kernel():
    X, y = text_like()
    new, _ = text_like(20, seed=1)
    K, K_new = (Z.toarray() @ X.T.toarray() for Z in (X, new))
    linear = GramSchmidtFeatures(n_components=9)
    given = GramSchmidtFeatures(n_components=9, kernel="precomputed")
    np.testing.assert_allclose(given.fit_transform(K, y), linear.fit_transform(X, y), atol=1e-12)
    np.testing.assert_allclose(given.transform(K_new), linear.transform(new), atol=1e-12)
    with pytest.raises(ValueError, match=r"square matrix in fit, got shape \(60, 59\)"):
        given.fit(K[:, :59])


def test_float32_rows_are_taken():
    X, y = text_like()
    D = GramSchmidtFeatures(n_components=8).fit_transform(X, y)
    D32 = GramSchmidtFeatures(n_components=8).fit_transform(X.astype(np.float32), y)
    np.testing.assert_allclose(D32, D, atol=1e-5)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_float32_rows_end_at_their_rank_too(kind):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(200, 4)) @ rng.normal(size=(4, 9))).astype(np.float32)
    K = X.astype(np.float64) @ X.T.astype(np.float64)
    D = GramSchmidtFeatures().fit_transform(kind(X))
    assert D.shape == (200, 4)
    np.testing.assert_allclose(D @ D.T, K, atol=1e-4)
    given = GramSchmidtFeatures(kernel="precomputed").fit_transform(K.astype(np.float32))
    np.testing.assert_allclose(given, D, atol=1e-3)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_rows_too_long_for_their_kernel_are_refused(kernel):
    X, _ = text_like()
    features = GramSchmidtFeatures(kernel=kernel, n_components=4).fit(X)
    for call in (features.transform, GramSchmidtFeatures(kernel=kernel).fit):
        for Z in (X * 1e200, X.toarray() * 1e200):
            with pytest.raises(ValueError, match="overflow float64: scale the rows down"):
                call(Z)


@pytest.mark.parametrize(
    "bad",
    [
        {"n_components": 0},
        {"n_components": 2.5},
        {"bias": 0.0},
        {"bias": "equal"},
        {"kernel": "sigmoid"},
        {"gamma": -1.0},
        {"degree": 0},
    ],
)
def test_bad_parameters_are_refused(bad):
    with pytest.raises(ValueError, match=f"'{next(iter(bad))}' parameter of GramSchmidtFeatures"):
        GramSchmidtFeatures(**bad).fit(np.eye(3))


def test_what_has_no_feature_space_is_refused():
    with pytest.raises(ValueError, match="not positive semidefinite"):
        GramSchmidtFeatures(kernel=lambda A, B: -(A @ B.T)).fit(np.eye(3))
    K = np.array([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match="not positive semidefinite"):
        GramSchmidtFeatures(kernel="precomputed").fit(K)
    with pytest.raises(ValueError, match="nothing to span"):
        GramSchmidtFeatures().fit(np.zeros((3, 2)))


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_checks(kernel):
    results = check_estimator(
        GramSchmidtFeatures(kernel=kernel, n_components=4), on_skip=None, on_fail=None
    )
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []

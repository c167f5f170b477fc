"""Generators keep what their documentation promises."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from novikoff import Perceptron, streams

GENERATORS = {
    "make_a9a_like": {"n_samples": 200},
    "make_dekel": {"n_samples": 200},
    "make_drifting": {"n_samples": 200},
    "make_noisy": {"n_samples": 200},
    "make_separable": {"n_samples": 200},
    "make_sparse_target": {"n_samples": 200},
    "make_text_like": {"n_samples": 200, "n_features": 2000},
}


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def test_every_generator_is_listed():
    assert set(GENERATORS) == {name for name in streams.__all__ if name.startswith("make_")}


@pytest.mark.parametrize("name", GENERATORS)
def test_same_seed_same_rows(name):
    make, sizes = getattr(streams, name), GENERATORS[name]
    X, y = make(**sizes, random_state=3)
    again, y_again = make(**sizes, random_state=np.random.RandomState(3))
    other, _ = make(**sizes, random_state=4)
    assert_array_equal(dense(X), dense(again))
    assert_array_equal(y, y_again)
    assert (dense(X) != dense(other)).any()


@pytest.mark.parametrize("name", GENERATORS)
def test_shapes_and_labels(name):
    X, y = getattr(streams, name)(**GENERATORS[name], random_state=0)
    assert X.shape[0] == 200
    assert X.dtype == np.float64
    assert np.isfinite(dense(X)).all()
    assert y.dtype.kind == "i"
    assert set(y.tolist()) == ({0, 1} if name == "make_text_like" else {-1, 1})


@pytest.mark.parametrize("name", GENERATORS)
def test_a_negative_number_of_rows_is_refused(name):
    with pytest.raises(ValueError, match="n_samples must be an integer of at least 1, got -1"):
        getattr(streams, name)(n_samples=-1)


@pytest.mark.parametrize(("n_features", "margin"), [(2, 0.5), (20, 0.1), (500, 0.3), (500, 0.0)])
def test_separable_rows_keep_their_margin_and_fill_it(n_features, margin):
    X, y, u = streams.make_separable(2000, n_features, margin, random_state=0, return_target=True)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0, rtol=1e-12)
    smallest = (y * (X @ u)).min()
    assert margin - 1e-12 <= smallest < margin + 0.01


def test_separable_rows_without_margin_are_uniform_on_the_sphere():
    X, _, u = streams.make_separable(50_000, 6, 0.0, random_state=0, return_target=True)
    np.testing.assert_allclose(X.T @ X / len(X), np.eye(6) / 6, atol=0.004)
    # Fourth moment of a coordinate of a uniform unit vector: 3 / (n (n + 2)).
    assert abs(((X @ u) ** 4).mean() - 3 / 48) < 0.002


def test_novikoffs_theorem_holds_on_separable_rows():
    X, y = streams.make_separable(3000, 10, margin=0.1, random_state=1)
    assert Perceptron().partial_fit(X, y).n_mistakes_ <= 1 / 0.1**2


def test_noise_flips_labels_only():
    X, clean = streams.make_separable(5000, random_state=2)
    X_noisy, y = streams.make_noisy(5000, noise=0.2, random_state=2)
    assert_array_equal(X, X_noisy)
    assert abs((y != clean).mean() - 0.2) < 0.02


def test_sparse_target_is_p1_figure_2():
    X, y, u = streams.make_sparse_target(random_state=0, return_target=True)
    assert X.shape == (1000, 500)
    np.testing.assert_allclose(np.abs(u[:50]), 50**-0.5)
    assert not u[50:].any()
    assert (y * (X @ u)).min() >= 0.005
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0, rtol=1e-12)
    _, noisy, u = streams.make_sparse_target(noise=0.1, random_state=0, return_target=True)
    assert abs((noisy != y).mean() - 0.1) < 0.03


def test_sparse_target_refuses_a_margin_that_no_row_has():
    with pytest.raises(ValueError, match=r"margin=0\.9 is too large"):
        streams.make_sparse_target(10, 500, margin=0.9, random_state=0)


def test_sparse_target_refuses_more_relevant_features_than_there_are():
    with pytest.raises(ValueError, match="n_relevant must be at most n_features=20, got 50"):
        streams.make_sparse_target(10, 20)


def test_drift_turns_the_target_round():
    X, y = streams.make_drifting(4000, 5, turn=np.pi, random_state=0)
    model = Perceptron().fit(X[:200], y[:200])
    assert model.score(X[:200], y[:200]) > 0.9
    # The targets of the first and the last 200 rows lie 171 degrees apart: 5 % agree.
    assert model.score(X[-200:], y[-200:]) < 0.15


def test_without_drift_one_hyperplane_serves():
    X, y = streams.make_drifting(1000, 5, turn=0, random_state=0)
    assert Perceptron(n_epochs=200).fit(X, y).score(X, y) > 0.99


def test_dekel_has_the_papers_means_and_covariances():
    X, y = streams.make_dekel(100_000, noise=0.0, random_state=0)
    for label in (-1, 1):
        rows = X[y == label]
        np.testing.assert_allclose(rows.mean(axis=0), [label, label], atol=0.03)
        np.testing.assert_allclose(np.cov(rows.T), np.diag([0.2, 2.0]), atol=0.05)


def test_text_rows_look_like_text():
    X, y = streams.make_text_like(5000, n_classes=20, random_state=0)
    assert X.shape == (5000, 47_236)
    assert X.has_canonical_format
    assert 65 < X.nnz / 5000 < 79
    assert X.data.min() > 0.0
    np.testing.assert_allclose(np.asarray(X.multiply(X).sum(axis=1)).ravel(), 1.0, rtol=1e-12)
    assert set(y.tolist()) == set(range(20))
    frequency = np.sort(np.bincount(X.indices, minlength=X.shape[1]))[::-1]
    assert frequency[0] > 50 * frequency[2000]
    half = X[:2500], y[:2500]
    assert Perceptron().fit(*half).score(X[2500:], y[2500:]) > 0.8


def test_text_rows_refuse_to_be_nearly_full():
    with pytest.raises(ValueError, match="n_nonzeros must be at most half of n_features=100"):
        streams.make_text_like(10, 100, 72)


def test_a9a_like_rows_have_fourteen_ones_one_for_each_attribute():
    X, y = streams.make_a9a_like(random_state=0)
    assert X.shape == (32_561, 123)
    assert X.has_canonical_format
    assert set(np.diff(X.indptr)) == {14}
    assert set(X.data) == {1.0}
    _, clean = streams.make_a9a_like(noise=0.0, random_state=0)
    assert abs((clean == 1).mean() - 0.24) < 0.001
    assert abs((y != clean).mean() - 0.1) < 0.01

"""The picture of Figure 7.2 shows what was learnt."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from novikoff.ellipsoids import EllipsoidClassifier, EllipsoidDisplay
from tests.ellipsoids.points import shells


@pytest.mark.parametrize("C", [np.inf, 0.1])
def test_curves_lie_at_the_three_radii(C):
    X, y = shells(120, 2, ratio=1.6)
    model = EllipsoidClassifier(C=C).fit(X, y)
    display = EllipsoidDisplay.from_estimator(model, X, y)
    radii = [model.inner_radius_, None, model.outer_radius_]
    radii[1] = (radii[0] + radii[2]) / 2
    for line, radius in zip(display.ellipsoids_, radii, strict=True):
        points = line.get_xydata()
        q = np.sum(((points - model.center_) @ model.factor_) ** 2, axis=1)
        np.testing.assert_allclose(q, radius**2, rtol=1e-9)
    middle = display.ellipsoids_[1].get_xydata()
    np.testing.assert_allclose(model.decision_function(middle), 0.0, atol=1e-9)
    assert "separation ratio" in display.ax_.get_title()
    plt.close(display.figure_)


def test_it_draws_where_it_is_told_to():
    X, y = shells(60, 2, ratio=1.6)
    _, ax = plt.subplots()
    model = EllipsoidClassifier().fit(X, y)
    display = EllipsoidDisplay.from_estimator(model, X, y, ax=ax, feature_names=["a", "b"])
    assert display.ax_ is ax
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "b")
    plt.close(ax.figure)


def test_an_endless_ellipsoid_does_not_push_the_points_out_of_sight():
    X = np.random.default_rng(1).normal(size=(60, 2))
    y = np.arange(60) < 30
    X[y] += 6
    model = EllipsoidClassifier().fit(X, y)
    display = EllipsoidDisplay.from_estimator(model, X, y)
    assert np.ptp(display.ellipsoids_[-1].get_xydata()) > 1000 * np.ptp(X)
    for low, high, values in zip(
        *np.transpose([display.ax_.get_xlim(), display.ax_.get_ylim()]), X.T, strict=True
    ):
        assert low < values.min() < values.max() < high
        assert high - low < 2 * np.ptp(values)
    plt.close(display.figure_)


def test_other_dimensions_are_refused():
    X, y = shells(60, 3)
    with pytest.raises(ValueError, match="two features, got 2 classes and 3 features"):
        EllipsoidDisplay.from_estimator(EllipsoidClassifier().fit(X, y), X, y)


def test_other_points_are_refused():
    X, y = shells(60, 2, ratio=1.6)
    model = EllipsoidClassifier().fit(X, y)
    with pytest.raises(ValueError, match="points that fit was given, got 2 points"):
        EllipsoidDisplay.from_estimator(model, X[:2], y[:2])
    with pytest.raises(ValueError, match="one label a row"):
        EllipsoidDisplay.from_estimator(model, X, y[:2])

"""Rows, kernels and comparisons that the tests of second-order learners share."""

import numpy as np

from tests.laws.cases import Case, learn, rows, run_reference
from tests.laws.test_reference_law import assert_follows

KERNELS = (
    {"kernel": "linear"},
    {"kernel": "rbf", "gamma": 0.3},
    {"kernel": "poly", "degree": 2, "gamma": 0.5},
)


def follow(name, form, n=150, n_features=6, tolerance=1e-7, seed=0, data=None, **parameters):
    """Hold one pass against the literal transcription; return the model and the reference."""
    X, y = rows(form, n, seed, n_features=n_features) if data is None else data
    multiclass = {"multiclass": "prototype"} if form == "prototype" else {}
    model = Case(name, parameters).make(**multiclass)
    expected = run_reference(model, Case(name, {}).reference, X, y, form)
    decisions = model.run_trials(X, y, classes=np.unique(y))
    assert_follows(model, expected, decisions, X, tolerance)
    curve = model.curve_
    np.testing.assert_array_equal(
        curve["mistakes"], np.cumsum(expected["mistakes"])[curve["trial"] - 1]
    )
    return model, expected


def assert_goes_on(tmp_path, make, X, y):
    """Saved in mid-stream and loaded, a model goes on bit for bit."""
    import novikoff

    classes = np.unique(y)
    whole = learn(make(), X, y, classes=classes)
    half = learn(make(), X[:70], y[:70], classes=classes)
    half.save(tmp_path / "half")
    again = novikoff.load(tmp_path / "half").partial_fit(X[70:], y[70:])
    half.partial_fit(X[70:], y[70:])
    np.testing.assert_array_equal(again.decision_function(X), half.decision_function(X))
    np.testing.assert_allclose(
        again.decision_function(X), whole.decision_function(X), rtol=1e-9, atol=1e-9
    )
    assert again.n_mistakes_ == whole.n_mistakes_

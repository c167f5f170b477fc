"""Kernel learners and budgets against their literal transcriptions, trial by trial."""

import numpy as np
import pytest

from tests.kernels.common import (
    FIRST_ORDER,
    PROJECTED,
    SETTINGS,
    assert_close,
    drawer,
    options,
    over,
    over_forms,
    rbf,
    rows,
)


def assert_follows(model, decisions, expected):
    """Decisions, counters, support and coefficients are the reference's."""
    assert_close(decisions, expected["decisions"], 1e-8)
    assert model.n_mistakes_ == expected["mistakes"].sum()
    updates = expected["n_updates"] if "n_updates" in expected else expected["updates"].sum()
    assert model.n_updates_ == updates
    assert model.support_.tolist() == list(expected["support"])
    theirs = np.atleast_2d(expected["alpha"])
    assert model.dual_coef_.shape == theirs.shape == (len(theirs), model.n_support_)
    assert_close(model.dual_coef_, theirs, 1e-8)
    curve = model.curve_
    made = np.cumsum(expected["mistakes"])
    np.testing.assert_array_equal(curve["mistakes"], made[curve["trial"] - 1])


@pytest.mark.parametrize("block_size", [1, 16])
@over_forms(SETTINGS)
def test_trials_are_those_of_the_reference(setting, form, block_size):
    X, y = rows(form)
    expected = setting.reference(X, y, rbf, form)
    assert expected["mistakes"].sum() > 20
    model = setting.make(block_size=block_size, **options(form))
    decisions = model.run_trials(X, y, classes=np.unique(y))
    assert_follows(model, decisions, expected)


@over([s for s in SETTINGS if s.parameters.get("lazy") is None])
def test_trials_with_an_intercept_are_those_of_the_reference(setting):
    X, y = rows(seed=3)
    expected = setting.reference(X, y, lambda A, B: rbf(A, B) + 1.0)
    model = setting.make(fit_intercept=True, block_size=16)
    assert_follows(model, model.run_trials(X, y, classes=[0, 1]), expected)
    assert_close(model.intercept_, model.dual_coef_.sum(axis=1))


@pytest.mark.parametrize("kernel", ["linear", "poly"])
@over([s for s in SETTINGS if s.parameters.get("lazy") is None])
def test_other_kernels_follow_the_reference(setting, kernel):
    X, y = rows(seed=4, n=120)
    # Long rows would leave the small balls of the budget learners and make steps of one nothing.
    X /= 2.0
    k = {"linear": lambda A, B: A @ B.T, "poly": lambda A, B: (0.3 * A @ B.T + 0.5) ** 2}[kernel]
    expected = setting.reference(X, y, k)
    model = setting.make(kernel=kernel, degree=2, coef0=0.5, block_size=16)
    assert_follows(model, model.run_trials(X, y, classes=[0, 1]), expected)


@over_forms([s for s in [*FIRST_ORDER, *PROJECTED] if s.bounded is None])
def test_mean_hypothesis_is_that_of_the_reference(setting, form):
    X, y = rows(form, n=120)
    probe, _ = rows(seed=9, n=40)
    theirs = setting.reference(X, y, rbf, form)["mean_decision"](probe)
    for block_size in (1, 50):
        model = setting.make(average="mean", block_size=block_size, **options(form))
        model.partial_fit(X, y, classes=np.unique(y))
        assert_close(model.decision_function(probe), theirs, 1e-8)


def test_draws_are_uniform_and_below_their_size():
    pick = drawer(7)
    drawn = np.array([pick(5) for _ in range(5000)])
    assert drawn.min() == 0
    assert drawn.max() == 4
    assert np.abs(np.bincount(drawn) / 5000 - 0.2).max() < 0.02

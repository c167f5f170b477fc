"""Every learner against its literal transcription, trial by trial."""

import inspect

import numpy as np
import pytest

from tests.laws.cases import (
    ALL,
    DEFAULTS,
    PARAMETERS,
    Case,
    is_online,
    make,
    over,
    over_forms,
    rows,
    run_reference,
)


def reference_of(model, case, X, y, form):
    """The reference's run; the test is skipped where the paper defines no such form."""
    try:
        return run_reference(model, case.reference, X, y, form)
    except ValueError as refusal:
        if form != "prototype":
            raise
        pytest.skip(f"no reference: {refusal}")


def weights(model):
    """Weights and intercept side by side, as the reference keeps them."""
    W = model.coef_
    return np.column_stack([W, model.intercept_]) if model.fit_intercept else W


def assert_follows(model, expected, decisions, X, tolerance):
    """Trials, counters and what was learnt are the reference's."""
    scale = np.abs(expected["decisions"]).max()
    if decisions is not None:
        np.testing.assert_allclose(
            decisions, expected["decisions"], rtol=tolerance, atol=tolerance * scale
        )
    assert model.n_mistakes_ == expected["mistakes"].sum()
    updates = expected["n_updates"] if "n_updates" in expected else expected["updates"].sum()
    assert model.n_updates_ == updates
    if "support" in expected:
        assert model.support_.tolist() == list(expected["support"])
        ours, theirs = model.dual_coef_, np.atleast_2d(expected["alpha"])
    else:
        ours, theirs = weights(model), np.atleast_2d(expected.get("w", expected.get("W")))
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance * np.abs(theirs).max())


@over_forms()
@over(ALL)
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_trials_are_those_of_the_reference(case, form, fit_intercept):
    X, y = rows(form)
    model = make(case, form, fit_intercept=fit_intercept)
    expected = reference_of(model, case, X, y, form)
    if is_online(case.name):
        decisions = model.run_trials(X, y, classes=np.unique(y))
        curve = model.curve_
        np.testing.assert_array_equal(
            curve["mistakes"], np.cumsum(expected["mistakes"])[curve["trial"] - 1]
        )
    else:
        decisions = None
        model.fit(X, y)
    assert_follows(model, expected, decisions, X, 1e-8)


@over_forms()
@over(ALL)
def test_mean_hypothesis_is_that_of_the_reference(case, form):
    X, y = rows(form)
    model = make(case, form, average="mean")
    expected = reference_of(model, case, X, y, form)
    probe, _ = rows(seed=7)
    theirs = expected["mean_decision"](probe)
    np.testing.assert_allclose(
        model.fit(X, y).decision_function(probe), theirs, rtol=1e-8, atol=1e-8 * abs(theirs).max()
    )


@pytest.mark.parametrize("p", [2.5, 21.5, 300.0, 600.0])
@pytest.mark.parametrize("name", ["ALMA", "PNormPerceptron"])
@over_forms()
def test_links_of_any_p_follow_rows_of_unlike_sizes(name, form, p):
    """Powers that change by many orders of magnitude spoil neither w nor the mean hypothesis."""
    X, y = rows(form, n=400)
    X *= 10.0 ** np.random.default_rng(3).uniform(-3, 3, len(X))[:, None]
    case = Case(name, {"p": p})
    model, mean = make(case, form), make(case, form, average="mean")
    expected = run_reference(model, case.reference, X, y, form)
    decisions = model.run_trials(X, y, classes=np.unique(y))
    assert_follows(model, expected, decisions, X, 1e-8)
    probe, _ = rows(seed=7)
    theirs = expected["mean_decision"](probe)
    np.testing.assert_allclose(
        mean.fit(X, y).decision_function(probe), theirs, rtol=1e-8, atol=1e-8 * abs(theirs).max()
    )


@over_forms()
@over(DEFAULTS)
def test_integer_rows_are_learnt_exactly(case, form):
    X, y = rows(form, integer=True)
    model = make(case, form)
    expected = reference_of(model, case, X, y, form)
    decisions = expected["decisions"]
    if not np.array_equal(decisions, np.round(decisions)):
        assert case.name != "Perceptron"
        pytest.skip("its steps are no integers")
    if is_online(case.name):
        ours = model.run_trials(X, y, classes=np.unique(y))
        np.testing.assert_array_equal(ours, decisions)
    else:
        model.fit(X, y)
    assert_follows(model, expected, None, X, 0.0)


@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_settings_of_the_reference_law_name_real_parameters(name):
    case = next(case for case in DEFAULTS if case.name == name)
    known = inspect.signature(type(case.make()).__init__).parameters
    assert {key for setting in PARAMETERS[name] for key in setting} <= set(known)

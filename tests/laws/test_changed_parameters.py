"""A parameter that changes in mid-stream takes effect at the next trial, or is refused there."""

import numpy as np
import pytest

import novikoff
from novikoff.budgets import RemoveOldest
from tests.laws.cases import ONLINE, assert_same_model, make, over, rows

OTHERS = {  # another legal value of each parameter
    "B": 0.3,
    "C": 0.01,
    "a": 0.5,
    "alpha": 0.5,
    "average": "mean",
    "block_size": 5,
    "budget": 7,
    "c": 0.9,
    "coef0": 0.25,
    "degree": 2,
    "eta": 0.01,
    "fit_intercept": True,
    "gamma": 0.77,
    "kernel": "poly",
    "lazy": True,
    "margin": 0.3,
    "multiclass": "prototype",
    "n_epochs": 2,
    "p": 3.0,
    "radius": 3.0,
    "random_state": 3,
    "representation": "implicit",
    "shuffle": True,
    "sparse_updates": True,
}
BETWEEN_FITS = {"n_epochs", "random_state", "shuffle", "verbose"}
STEPS = {  # what each learner's rule reads in every trial, and nothing else depends on
    "ALMA": {"B", "C", "alpha"},
    "ModifiedBudgetPerceptron": {"eta"},
    "PassiveAggressiveI": {"C"},
    "PassiveAggressiveII": {"C"},
    "Perceptron": {"margin"},
    "SimplifiedForgetron": {"eta"},
}
X, Y = rows(n=60)


def other(name, value):
    """A value that a parameter does not have."""
    if isinstance(value, bool):
        return not value
    if name == "budget" and value is None:
        return RemoveOldest(3)
    return OTHERS[name]


@over(ONLINE)
def test_only_parameters_of_the_step_change_in_mid_stream(case, tmp_path):
    for name, value in make(case).get_params().items():
        if name == "verbose":
            continue
        model, one_by_one, as_before = (make(case).partial_fit(X[:30], Y[:30]) for _ in range(3))
        model.set_params(**{name: other(name, value)})
        setattr(one_by_one, name, other(name, value))
        if name in BETWEEN_FITS | STEPS.get(case.name, set()):
            model.partial_fit(X[30:45], Y[30:45])
            for x, label in zip(X[30:45], Y[30:45], strict=True):
                one_by_one.learn_one(x, label)
            assert_same_model(one_by_one, model)
            model.save(tmp_path / "model")
            loaded = novikoff.load(tmp_path / "model")
            assert_same_model(loaded.partial_fit(X, Y), model.partial_fit(X, Y), exact=True)
            continue
        for go_on in (
            lambda model=model: model.partial_fit(X[30:], Y[30:]),
            lambda model=model: model.learn_one(X[30], Y[30]),
            lambda model=model: model.save(tmp_path / "refused"),
        ):
            with pytest.raises(ValueError, match=name):
                go_on()
        assert not (tmp_path / "refused").exists()
        model.set_params(**{name: value})
        assert_same_model(model.partial_fit(X[30:], Y[30:]), as_before.partial_fit(X[30:], Y[30:]))


def test_a_changed_step_is_taken_at_the_next_trial():
    model = novikoff.PassiveAggressiveI(C=1.0).partial_fit(X[:30], Y[:30])
    before = model.coef_
    model.C = 1e-3
    model.partial_fit(X[30:], Y[30:])
    moved = np.linalg.norm(model.coef_ - before)
    assert 0 < moved <= 1e-3 * np.linalg.norm(X[30:], axis=1).sum()


def test_a_changed_parameter_is_checked():
    model = novikoff.PassiveAggressiveI().partial_fit(X, Y)
    model.C = -1.0
    with pytest.raises(ValueError, match="'C' parameter of PassiveAggressiveI must be"):
        model.learn_one(X[0], Y[0])
    assert model.n_seen_ == len(Y)


def test_fit_begins_anew_with_changed_parameters():
    model = novikoff.Perceptron().partial_fit(X, Y)
    model.set_params(fit_intercept=True, average="mean").fit(X, Y)
    assert_same_model(model, novikoff.Perceptron(fit_intercept=True, average="mean").fit(X, Y))


def test_single_rows_are_quick_again_once_a_change_was_heeded(tmp_path, monkeypatch):
    model = novikoff.PassiveAggressiveI(random_state=0).partial_fit(X, Y)
    model.save(tmp_path / "model")
    loaded = novikoff.load(tmp_path / "model")
    model.set_params(C=0.5, random_state=1).learn_one(X[0], Y[0])
    looked_at = []
    monkeypatch.setattr(type(model), "_check_row", lambda self, rows: looked_at.append(rows))
    model.learn_one(X[1], Y[1])
    loaded.learn_one(X[1], Y[1])
    assert looked_at == []
    model.set_params(C=0.25).learn_one(X[2], Y[2])
    assert len(looked_at) == 1

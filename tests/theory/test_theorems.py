"""On any data at all, mistakes <= bound, whatever the comparator."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff
from novikoff.budgets import Project
from novikoff.theory import certify
from novikoff.theory.bounds import alma_bound
from novikoff.theory.certificate import best_of
from novikoff.theory.guarantees import GUARANTEES, guarantee_of
from tests.theory.runs import (
    contrary_labels,
    is_there,
    learner_run,
    random_comparators,
    sequences,
    transcribed_run,
)

# (alpha, B, C) with C^2 + 2 (1 - alpha) B C = 1.
ALMA = {"alpha": 0.5, "B": 1.0, "C": (5**0.5 - 1.0) / 2.0}
SETTINGS = [
    ("Perceptron", {}),
    ("Perceptron", {"normalize": True, "fit_intercept": True}),
    ("Perceptron", {"kernel": "rbf"}),
    ("Perceptron", {"kernel": "poly", "normalize": True, "fit_intercept": True}),
    ("Perceptron", {"kernel": "rbf", "budget": Project(0.4)}),
    ("Projectron", {"eta": 0.3}),
    ("Projectron", {"eta": 0.5, "kernel": "poly"}),
    ("ProjectronPlusPlus", {"eta": 0.3}),
    ("ProjectronPlusPlus", {"eta": 0.7, "gamma": 0.05}),
    ("ProjectronPlusPlus", {"eta": 0.5, "kernel": "linear", "fit_intercept": True}),
    ("PassiveAggressiveI", {"C": 1.0, "kernel": "rbf"}),
    ("PassiveAggressiveI", {"C": 0.01}),
    ("PassiveAggressiveI", {"C": 1.0}),
    ("ALMA", ALMA),
    ("ALMA", {**ALMA, "kernel": "rbf", "fit_intercept": True}),
    ("ALMA", {**ALMA, "kernel": "rbf", "budget": Project(0.2)}),
    ("SimplifiedForgetron", {}),
    ("SecondOrderPerceptron", {"a": 1.0}),
    ("SecondOrderPerceptron", {"a": 0.05}),
    ("SecondOrderPerceptron", {"a": 0.2, "kernel": "rbf"}),
    ("AdaptiveSecondOrderPerceptron", {"c": 0.1}),
    ("AdaptiveSecondOrderPerceptron", {"c": 2.0, "radius": 30.0}),
    ("AdaptiveSecondOrderPerceptron", {"c": 0.5, "kernel": "rbf"}),
    ("PseudoinverseSecondOrderPerceptron", {}),
    ("PseudoinverseSecondOrderPerceptron", {"kernel": "rbf"}),
    ("HigherOrderPerceptron", {"c": 0.4}),
    ("HigherOrderPerceptron", {"c": 0.8, "sparse_updates": True}),
    ("HigherOrderPerceptron", {"c": 0.6, "kernel": "rbf"}),
    ("WhitenedPerceptron", {}),
    ("WhitenedPerceptron", {"kernel": "rbf"}),
]
DEFAULTS = {  # of the transcriptions that are run
    "AdaptiveSecondOrderPerceptron": {"radius": None},
    "HigherOrderPerceptron": {"p": 2.0, "sparse_updates": False, "normalize": True},
    "PseudoinverseSecondOrderPerceptron": {"tolerance": 1e-6},
    "SecondOrderPerceptron": {},
    "WhitenedPerceptron": {},
}
PROTOTYPES = [
    ("Perceptron", {}),
    ("Perceptron", {"kernel": "rbf", "budget": Project(0.3)}),
    ("Projectron", {"eta": 0.3}),
    ("ProjectronPlusPlus", {"eta": 0.5}),
]


def label(case):
    return "-".join([case[0], *(f"{k}={v}" for k, v in case[1].items())])


def over(cases):
    return pytest.mark.parametrize("case", cases, ids=label)


def assert_within_bounds(run, seed):
    """The mistakes of a run, beside its theorem with many comparators and margins."""
    rng = np.random.default_rng(seed)
    guarantee = guarantee_of(run)
    mistakes = run.n_mistakes
    if guarantee.transformed is None:
        counted, values = run.updated if not run.prototypes else [], random_comparators(run, rng)
    else:
        Z, signs = guarantee.transformed
        counted = np.ones(len(Z), bool)
        U = rng.normal(size=(8, Z.shape[1])) if Z.shape[1] else np.zeros((8, 0))
        U[::2] += signs @ Z
        lengths = np.linalg.norm(U, axis=1, keepdims=True)
        values = signs * (np.divide(U, lengths, where=lengths > 0, out=U) @ Z.T)
    for v in values:
        scale = np.abs(v).max() or 1.0
        margins = guarantee.least_margin * (1 + 1e-9) + scale * np.geomspace(1e-4, 1e2, 60)
        losses = np.maximum(0.0, margins[:, None] - v).sum(axis=1)
        spread = float((v[counted] ** 2).sum()) if len(counted) else 0.0
        if guarantee.spread is not None:
            spread = guarantee.spread(v)
        bound = guarantee.bound(losses, margins, spread)
        assert mistakes <= bound.min() * (1 + 1e-9), (mistakes, bound.min())


@over([case for case in SETTINGS if is_there(case[0])])
@settings(max_examples=25, deadline=None)
@given(data=sequences(), seed=st.integers(0, 1000))
def test_no_comparator_gives_a_bound_below_the_mistakes(case, data, seed):
    name, parameters = case
    assert_within_bounds(learner_run(name, *data, **parameters), seed)


@over([case for case in SETTINGS if case[0] in DEFAULTS])
@settings(max_examples=15, deadline=None)
@given(data=sequences(), seed=st.integers(0, 1000))
def test_the_transcriptions_keep_within_the_same_bounds(case, data, seed):
    name, parameters = case
    run = transcribed_run(name, *data, **{**DEFAULTS[name], **parameters})
    assert_within_bounds(run, seed)


@over(PROTOTYPES)
@settings(max_examples=15, deadline=None)
@given(data=sequences(), seed=st.integers(0, 1000))
def test_no_joint_comparator_gives_a_bound_below_the_mistakes(case, data, seed):
    name, parameters = case
    X, y = data
    y = np.where(X[:, 0] > 0.5, 2, y)
    y[:1] = 2
    if np.unique(y).size < 3:
        y[:3] = np.arange(3)[: len(y)]
    if np.unique(y).size == 3:
        assert_within_bounds(learner_run(name, X, y, multiclass="prototype", **parameters), seed)


@over([case for case in SETTINGS if is_there(case[0]) and case[0] != "WhitenedPerceptron"])
def test_an_adversary_cannot_break_a_bound(case):
    name, parameters = case
    X = np.random.default_rng(5).normal(size=(50, 4))
    y = contrary_labels(getattr(novikoff, name)(**parameters), X)
    run = learner_run(name, X, y, **parameters)
    assert run.n_mistakes >= 49
    assert_within_bounds(run, 0)
    assert certify(getattr(novikoff, name)(**parameters), X, y).holds


def alma_s_adversary(C, margin, against, n_features=40):
    """Unit rows of sign 1, each a tie for ALMA_2(0; B, C): some against e_1, then all with it."""
    rng = np.random.default_rng(0)
    w, rows = np.zeros(n_features), []
    while True:
        if len(rows) < against:
            x = -np.eye(n_features)[0]
        else:
            rest, side = w[1:], rng.normal(size=n_features - 1)
            length = np.linalg.norm(rest)
            along = rest / length if length else 0.0 * rest
            side -= (side @ along) * along
            # <w, x> is a rounding below 0.
            cosine = (-1e-9 - margin * w[0]) / np.sqrt(1.0 - margin**2) / (length or np.inf)
            if cosine < -1.0:
                return np.array(rows)
            part = cosine * along + np.sqrt(1.0 - cosine**2) * side / np.linalg.norm(side)
            x = np.append(margin, np.sqrt(1.0 - margin**2) * part)
        rows.append(x)
        w = w + C / np.sqrt(len(rows)) * x
        w /= max(1.0, np.linalg.norm(w))


@pytest.mark.parametrize("kernel", [None, "linear"])
@pytest.mark.parametrize(("C", "margin"), [(0.95, 0.3), (0.99, 0.5), (0.9, 0.2)])
def test_a_sequence_that_begins_against_its_comparator_breaks_the_printed_bound_alone(
    kernel, C, margin
):
    rows = alma_s_adversary(C, margin, 1)
    signs = np.where(np.arange(len(rows)) % 2, 1, -1)
    X, y = rows * signs[:, None], (signs + 1) // 2
    model = novikoff.ALMA(alpha=0.0, B=(1.0 - C**2) / (2.0 * C), C=C, kernel=kernel)
    certificate = certify(model, X, y)
    m = certificate.mistakes
    assert m == len(rows)
    assert certificate.holds
    loss = 1.0 + margin
    setback = np.sqrt(m + 1.0) - 1.0
    assert m > 1.05 * alma_bound(loss, margin, C)
    assert m <= alma_bound(loss, margin, C, setback=setback)


@over([case for case in SETTINGS if is_there(case[0])])
def test_certificates_hold(case):
    name, parameters = case
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 4))
    X[7] = 0.0
    for noise in (0.0, 0.5):
        y = (X[:, 0] + noise * rng.normal(size=80) > 0).astype(int)
        model = getattr(novikoff, name)(**parameters)
        certificate = certify(model, X, y)
        assert certificate.holds
        assert certificate.mistakes == model.fit(X, y).n_mistakes_
        assert certificate.n_trials == 80


def test_every_learner_with_a_theorem_is_put_to_the_test():
    tested = {name for name, _ in SETTINGS} | {"ModifiedBudgetPerceptron"}
    assert tested == set(GUARANTEES)


def test_the_mean_over_draws_keeps_within_the_bound_in_expectation():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] + 0.3 * rng.normal(size=300) > 0).astype(int)
    runs = [
        certify(novikoff.ModifiedBudgetPerceptron(budget=20, random_state=seed), X, y)
        for seed in range(10)
    ]
    assert all(run.in_expectation for run in runs)
    assert np.mean([run.mistakes for run in runs]) <= runs[0].bound


# Learner, settings, and by how much the bound may exceed the mistakes on orthonormal rows, where
# the proofs lose nothing but what is named.
TIGHT = [
    ("Perceptron", {}, 1.0),
    ("Perceptron", {"kernel": "linear", "normalize": True}, 1.0),
    ("Projectron", {"eta": 0.01, "kernel": "linear"}, 1.0 / (1.0 - 0.03) ** 2),
    ("ProjectronPlusPlus", {"eta": 0.01, "kernel": "linear"}, 1.0 / (1.0 - 0.03) ** 2),
    ("PassiveAggressiveI", {"C": 1.0}, 1.0),
    ("SecondOrderPerceptron", {"a": 100.0}, 1.01),  # (1 + 1/a) a ln(1 + 1/a) <= 1 + 1/a
    ("AdaptiveSecondOrderPerceptron", {"c": 100.0, "radius": 1.0}, 1.01),
    ("AdaptiveSecondOrderPerceptron", {"c": 100.0, "radius": None}, 1.01),
    ("PseudoinverseSecondOrderPerceptron", {}, 2.0**0.5),  # ln(1 + x) <= x
    ("HigherOrderPerceptron", {"c": 0.0}, 1.0),
    ("HigherOrderPerceptron", {"c": 0.5}, 9.0),  # alpha^2
    ("WhitenedPerceptron", {}, 1.0),
]


@pytest.mark.parametrize(("name", "parameters", "slack"), TIGHT)
def test_orthonormal_rows_come_near_the_bound(name, parameters, slack):
    X, y = np.eye(9), np.arange(9) % 2
    if is_there(name):
        run = learner_run(name, X, y, **parameters)
    else:
        run = transcribed_run(name, X, y, **{**DEFAULTS[name], **parameters})
    bound = best_of(run, guarantee_of(run)).bound
    assert run.n_mistakes == 9
    assert 9 * (1 - 1e-9) <= bound <= 9 * slack * (1 + 1e-3)

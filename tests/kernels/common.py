"""Kernel learners with their settings and references, and the rows they are tested on."""

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pytest

import novikoff
from novikoff.budgets import Forget, Project, RemoveOldest, RemoveRandom
from novikoff.learners import LEARNERS
from tests.laws.cases import drawer

GAMMA = 0.3
FORMS = ("binary", "ovr", "prototype")


class Setting(NamedTuple):
    """A learner with parameters, and what its reference is told instead of some of them."""

    name: str
    parameters: dict
    told: dict  # of the reference; its "draw" is filled in by `reference`
    forms: tuple = FORMS

    def make(self, **common):
        """An estimator."""
        common = {"kernel": "rbf", "gamma": GAMMA, "random_state": 0} | common
        return getattr(novikoff, self.name)(**self.parameters, **common)

    @property
    def label(self):
        """Name in test reports."""
        return "-".join([self.name, *(f"{k}={v}" for k, v in self.parameters.items())])

    @property
    def bounded(self):
        """Most rows that may be stored; None without such a bound."""
        budget = self.parameters.get("budget")
        return getattr(budget, "size", budget if isinstance(budget, int) else None)

    def reference(self, X, y, kernel, form="binary", seed=0):
        """The transcription's account of one pass."""
        told = dict(self.told)
        file = "projected" if "learner" in told else LEARNERS[self.name]
        module = import_module(f"tests.reference.{file}")
        if "draw" in told:
            told["draw"] = told["draw"](seed)
        if form == "binary":
            return module.run(X, np.where(y == 1, 1.0, -1.0), kernel=kernel, **told)
        return module.run_multiclass(X, y, 3, form, kernel=kernel, **told)


def oldest(_seed):
    """Draws that always name the oldest row."""
    return lambda _size: 0


def _budgets(name, parameters):
    told = {"budget": 12}
    return [
        Setting(name, parameters, parameters),
        Setting(
            name,
            parameters | {"budget": RemoveRandom(12)},
            parameters | told | {"draw": drawer},
        ),
        Setting(
            name, parameters | {"budget": RemoveOldest(12)}, parameters | told | {"draw": oldest}
        ),
        Setting(
            name, parameters | {"budget": Project(0.4)}, parameters | {"learner": name, "eta": 0.4}
        ),
    ]


FIRST_ORDER = [
    *_budgets("Perceptron", {}),
    *_budgets("Perceptron", {"margin": 0.2}),
    *_budgets("Perceptron", {"margin": 0.2, "normalize": True}),
    *_budgets("PassiveAggressive", {}),
    *_budgets("PassiveAggressiveI", {"C": 0.5}),
    *_budgets("PassiveAggressiveII", {"C": 0.5}),
    *_budgets("ALMA", {"alpha": 0.5}),
    Setting(
        "ALMA",
        {"alpha": 0.5, "budget": Project(0.3)},
        {"alpha": 0.5, "project": 0.3},
        ("binary", "ovr"),
    ),
]


def _sized(name, forms=FORMS, draws=False, **parameters):
    told = parameters | ({"draw": drawer} if draws else {})
    return Setting(name, parameters, told, forms)


BUDGETED = [
    _sized("RandomizedBudgetPerceptron", draws=True, budget=12),
    _sized("RandomizedBudgetPerceptron", draws=True, budget=40),
    _sized("Forgetron", ("binary", "ovr"), budget=12),
    _sized("Forgetron", ("binary", "ovr"), budget=40),
    *(
        _sized(name, draws=draws, budget=budget, lazy=lazy, **more)
        for name, draws, more in (
            ("SimplifiedForgetron", False, {}),
            ("SimplifiedForgetron", False, {"radius": 0.3, "eta": 0.2}),
            ("ModifiedBudgetPerceptron", True, {}),
            ("ModifiedBudgetPerceptron", True, {"radius": 0.5, "eta": 0.4}),
        )
        for budget in (12, 40)
        for lazy in (False, True)
    ),
]
PROJECTED = [
    _sized(name, eta=eta)
    for name in ("Projectron", "ProjectronPlusPlus")
    for eta in (0.6, 0.3, 0.05)
]
SETTINGS = [*FIRST_ORDER, *BUDGETED, *PROJECTED]
# One of each kind, for laws that need not see every parameter.
FEW = [
    Setting("Perceptron", {}, {}),
    Setting("Perceptron", {"budget": Forget(12)}, {}, ("binary", "ovr")),
    Setting("Perceptron", {"budget": RemoveOldest(12), "margin": 0.2}, {}),
    Setting("Perceptron", {"budget": Project(0.4)}, {}),
    Setting("PassiveAggressive", {"budget": RemoveRandom(12)}, {}),
    Setting("PassiveAggressiveI", {"C": 0.5}, {}),
    Setting("PassiveAggressiveII", {"C": 0.5, "budget": RemoveOldest(12)}, {}),
    Setting("ALMA", {"alpha": 0.5}, {}),
    Setting("ALMA", {"alpha": 0.5, "budget": Project(0.3)}, {}),
    _sized("RandomizedBudgetPerceptron", budget=12),
    _sized("Forgetron", ("binary", "ovr"), budget=12),
    _sized("SimplifiedForgetron", budget=12, radius=0.5, eta=0.2),
    _sized("SimplifiedForgetron", budget=12, lazy=True),
    _sized("ModifiedBudgetPerceptron", budget=12, radius=0.5, eta=0.4),
    _sized("ModifiedBudgetPerceptron", budget=12, lazy=True, radius=0.5, eta=0.4),
    _sized("Projectron", eta=0.4),
    _sized("ProjectronPlusPlus", eta=0.4),
]
HAVE_PRIMAL = (
    "Perceptron",
    "PassiveAggressive",
    "PassiveAggressiveI",
    "PassiveAggressiveII",
    "ALMA",
)


def over(settings):
    """Parametrise a test over settings."""
    return pytest.mark.parametrize("setting", settings, ids=lambda s: s.label)


def over_forms(settings):
    """Parametrise a test over settings, each in the forms it has."""
    pairs = [(setting, form) for setting in settings for form in setting.forms]
    return pytest.mark.parametrize(
        ("setting", "form"), pairs, ids=[f"{s.label}-{form}" for s, form in pairs]
    )


def options(form):
    """Constructor arguments that choose the form."""
    return {"multiclass": "prototype"} if form == "prototype" else {}


def rows(form="binary", n=200, seed=0, d=4, integer=False) -> Any:
    """Noisy rows, and labels 0, 1(, 2)."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, d)).astype(float) if integer else rng.standard_normal((n, d))
    k = 1 if form == "binary" else 3
    scores = X @ rng.standard_normal((d, k)) + rng.standard_normal((n, k))
    return X, (scores[:, 0] > 0).astype(int) if k == 1 else scores.argmax(axis=1)


def rbf(A, B):
    """The Gaussian kernel, as the transcriptions take it."""
    return np.exp(-GAMMA * ((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2))


def learn(model, X, y, size, classes):
    """Learn in pieces of this size."""
    for start in range(0, len(y), size):
        part = slice(start, start + size)
        model.partial_fit(X[part], y[part], classes=classes if start == 0 else None)
    return model


def assert_same_run(ours, theirs, tolerance=1e-9):
    """The same trials and support; coefficients alike (bit for bit with tolerance 0)."""
    for name in ("n_seen_", "n_mistakes_", "n_updates_", "n_support_"):
        assert getattr(ours, name) == getattr(theirs, name), name
    np.testing.assert_array_equal(ours.curve_, theirs.curve_)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    assert_close(ours.dual_coef_, theirs.dual_coef_, tolerance)


def assert_close(ours, theirs, tolerance=1e-9):
    """Equal up to a share of the largest value."""
    scale = np.abs(theirs).max(initial=0.0)
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance * scale)

"""scikit-learn's own checks, and the tools that rely on its contract."""

import inspect

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.laws.cases import DEFAULTS, make, over, rows

EXPECTED_FAILURES = {}
"""{class: {check: reason}}; empty: no learner fails a check.

PassiveAggressive and ModifiedBudgetPerceptron declare scikit-learn's tag ``poor_score`` (reasons
stand there), which leaves out the thresholds on the accuracy of a default fit.
"""


@parametrize_with_checks(
    [case.make() for case in DEFAULTS],
    expected_failed_checks=lambda model: EXPECTED_FAILURES.get(type(model).__name__, {}),
)
def test_estimator_checks(estimator, check):
    check(estimator)


@over(DEFAULTS)
def test_all_parameters_are_keyword_only_and_constrained(case):
    model = make(case)
    parameters = inspect.signature(type(model).__init__).parameters
    own = {name: p for name, p in parameters.items() if name != "self"}
    assert all(p.kind is p.KEYWORD_ONLY for p in own.values())
    assert set(own) == set(model._parameter_constraints)
    common = ["fit_intercept", "n_epochs", "shuffle", "average", "multiclass", "random_state"]
    assert set(common) <= set(own)
    assert (own["fit_intercept"].default, own["shuffle"].default) == (False, False)
    assert (own["n_epochs"].default, own["average"].default) == (1, "last")


@over(DEFAULTS)
def test_learners_work_in_pipelines_and_searches(case):
    X, y = rows()
    assert is_classifier(make(case))
    search = GridSearchCV(
        make_pipeline(StandardScaler(with_mean=False), make(case)),
        {f"{case.name.lower()}__n_epochs": [1, 2]},
        cv=2,
    )
    assert search.fit(X, y).predict(X).shape == y.shape
    scores = cross_val_score(make(case), X, np.where(y == 1, "spam", "ham"), cv=2)
    assert scores.shape == (2,)
    assert scores.mean() > 0.5


def test_no_other_learner_declares_a_poor_score():
    declared = {
        case.name for case in DEFAULTS if case.make().__sklearn_tags__().classifier_tags.poor_score
    }
    assert declared == {"PassiveAggressive", "ModifiedBudgetPerceptron"}

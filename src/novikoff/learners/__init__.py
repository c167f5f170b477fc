"""What is learnt: one algorithm a file.

``LEARNERS`` is the public list. A learner is one file here, one literal transcription in
``tests/reference/`` and one line in this table; tests, documentation, the command line and the
comparison find it by themselves.
"""

from importlib import import_module
from typing import Any

LEARNERS = {  # public class: the file that holds it
    "ALMA": "alma",
    "AdaptiveSecondOrderPerceptron": "adaptive_second_order_perceptron",
    "Forgetron": "forgetron",
    "HigherOrderPerceptron": "higher_order_perceptron",
    "ModifiedBudgetPerceptron": "modified_budget_perceptron",
    "OnlineRidgeClassifier": "online_ridge",
    "PNormPerceptron": "p_norm_perceptron",
    "PassiveAggressive": "passive_aggressive",
    "PassiveAggressiveI": "passive_aggressive_1",
    "PassiveAggressiveII": "passive_aggressive_2",
    "Perceptron": "perceptron",
    "Projectron": "projectron",
    "ProjectronPlusPlus": "projectron_plus_plus",
    "PseudoinverseSecondOrderPerceptron": "pseudoinverse_second_order_perceptron",
    "RandomizedBudgetPerceptron": "randomized_budget_perceptron",
    "SecondOrderPerceptron": "second_order_perceptron",
    "SimplifiedForgetron": "simplified_forgetron",
    "WhitenedPerceptron": "whitened_perceptron",
}

__all__ = ["LEARNERS", *LEARNERS]


def __getattr__(name: str) -> Any:
    if name not in LEARNERS:
        raise AttributeError(f"module 'novikoff.learners' has no attribute {name!r}")
    return getattr(import_module(f"novikoff.learners.{LEARNERS[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)

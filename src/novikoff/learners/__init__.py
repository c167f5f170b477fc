"""What is learnt: one algorithm a file.

``LEARNERS`` is the public list. A learner is one file here, one literal transcription in
``tests/reference/`` and one line in this table; tests, documentation, the command line and the
comparison find it by themselves.
"""

from novikoff.lazy import lazy_names

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

__getattr__, __dir__ = lazy_names(__name__, LEARNERS)

"""The constraints that parameters share, in scikit-learn's declarative form."""

from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

POSITIVE = [Interval(Real, 0, None, closed="neither")]
NON_NEGATIVE = [Interval(Real, 0, None, closed="left")]
AT_LEAST_ONE = [Interval(Integral, 1, None, closed="left")]
FLAG = ["boolean"]

COMMON = {
    "fit_intercept": FLAG,
    "n_epochs": AT_LEAST_ONE,
    "shuffle": FLAG,
    "average": [StrOptions({"last", "mean"})],
    "multiclass": [StrOptions({"ovr", "prototype"})],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}
"""What every learner takes."""

KERNEL_SHAPE = {
    "gamma": [*POSITIVE, StrOptions({"auto"})],
    "degree": AT_LEAST_ONE,
    "coef0": NON_NEGATIVE,
}
"""What kernels that are given by name take."""

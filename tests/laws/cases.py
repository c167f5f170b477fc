"""What the generic laws run over: every learner of the public list, found by itself.

A learner needs no line here: it is tested with its defaults. ``PARAMETERS`` adds settings that its
reference transcription must reproduce as well. Rows are drawn so that all tests share few array
types: compiling is what a test costs.
"""

import inspect
from importlib import import_module
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import check_random_state

import novikoff
from novikoff.engine.panel import draw
from novikoff.learners import LEARNERS

PARAMETERS = {
    "ALMA": [
        {"alpha": 0.5},
        {"alpha": 0.0, "B": 1.0, "C": 0.7},
        {"p": 3.0, "alpha": 0.7},
        {"p": 6.5, "B": 0.5, "C": 0.3},
    ],
    "OnlineRidgeClassifier": [{"a": 0.3}, {"a": 20.0}],
    "PNormPerceptron": [{"p": 2.0}, {"p": 4.0, "normalize": True}, {"normalize": True}],
    "PassiveAggressiveI": [{"C": 0.05}, {"C": 0.4}, {"C": 0.4, "kernel": "rbf", "gamma": 0.3}],
    "PassiveAggressiveII": [{"C": 0.05}, {"C": 3.0}],
    "Perceptron": [
        {"margin": 0.5},
        {"margin": 0.2, "normalize": True},
        {"normalize": True},
        {"margin": 0.1, "kernel": "poly", "degree": 2, "coef0": 0.5},
    ],
}
FORMS = ("binary", "ovr", "prototype")
N_FEATURES = 6


class Case(NamedTuple):
    """A learner with some of its parameters set."""

    name: str
    parameters: dict

    def make(self, **common):
        """An estimator."""
        return getattr(novikoff, self.name)(**self.parameters, **common)

    @property
    def reference(self):
        """The module of its literal transcription."""
        return import_module(f"tests.reference.{reference_name(self.name)}")

    @property
    def label(self):
        """Name of the case in test reports."""
        return "-".join([self.name, *(f"{k}={v}" for k, v in self.parameters.items())])


def reference_name(name):
    """The file in tests/reference: it bears the name of the learner's file."""
    return LEARNERS[name]


def is_online(name):
    """Whether the learner takes its rows in pieces."""
    return hasattr(getattr(novikoff, name)(), "partial_fit")


DEFAULTS = [Case(name, {}) for name in sorted(LEARNERS)]
ONLINE = [case for case in DEFAULTS if is_online(case.name)]
ALL = [
    case
    for default in DEFAULTS
    for case in [default, *(Case(default.name, p) for p in PARAMETERS.get(default.name, []))]
]


def over(cases):
    """Parametrise a test over cases."""
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.label)


def over_forms(forms=FORMS):
    """Parametrise a test over the forms of the problem."""
    return pytest.mark.parametrize("form", forms)


# --- data ------------------------------------------------------------------------------------


def rows(form="binary", n=150, seed=0, integer=False, n_features=N_FEATURES):
    """Rows and labels 0, 1(, 2): noisy, a few zeros, some rows all zero."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, n_features)).astype(float) if integer else None
    if X is None:
        X = rng.normal(size=(n, n_features))
        X[rng.random(X.shape) < 0.3] = 0.0
    X[[3, 40 % n]] = 0.0
    if form == "binary":
        y = (X[:, 0] + X[:, 1] - 0.5 * X[:, 2] + 0.3 * rng.normal(size=n) > 0).astype(int)
    else:
        y = np.argmax(X[:, :3] + 0.5 * rng.normal(size=(n, 3)), axis=1)
    return X, y


def options(form):
    """Constructor arguments that choose the form."""
    return {"multiclass": "prototype"} if form == "prototype" else {}


def refused(model, X, y):
    """The words with which a learner refuses to be fitted; None when it does not."""
    try:
        clone(model).fit(X, y)
    except ValueError as error:
        return str(error)
    return None


def make(case, form="binary", **common):
    """An estimator for a form; the test is skipped where the algorithm knows no such form."""
    model = case.make(**options(form), **({"random_state": 0} | common))
    if (form == "prototype" or common.get("average") == "mean") and (
        refusal := refused(model, *rows(form, 12))
    ):
        assert "multiclass" in refusal or "average" in refusal, refusal
        pytest.skip(refusal)
    return model


def learn(model, X, y, sizes=None, classes=None):
    """Learn in pieces of the given size."""
    step = sizes or len(y)
    for start in range(0, len(y), step):
        stop = start + step
        model.partial_fit(X[start:stop], y[start:stop], classes=classes if start == 0 else None)
    return model


def ways_to_store(X):
    """The same rows in every form a user may have them in."""
    csr = sp.csr_matrix(X)
    wide = csr.copy()
    wide.indices, wide.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    frozen = X.copy()
    frozen.flags.writeable = False
    return {
        "csr": csr,
        "csr with 64-bit indices": wide,
        "csr array": sp.csr_array(X),
        "unsorted csr": unsorted(X),
        "csr with duplicates and stored zeros": duplicated(X),
        "csc": sp.csc_matrix(X),
        "coo": sp.coo_matrix(X),
        "Fortran order": np.asfortranarray(X),
        "strided": np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
        "reversed": X[::-1, ::-1].copy()[::-1, ::-1],
        "read-only": frozen,
        "lists": X.tolist(),
    }


def unsorted(X):
    """CSR rows whose column indices fall."""
    columns = np.arange(X.shape[1])[::-1]
    indices = np.tile(columns, len(X)).astype(np.int32)
    indptr = np.arange(len(X) + 1) * X.shape[1]
    return sp.csr_matrix((X[:, columns].ravel(), indices, indptr.astype(np.int32)), X.shape)


def duplicated(X):
    """CSR rows that store each entry as two halves, zeros included."""
    indices = np.tile(np.repeat(np.arange(X.shape[1]), 2), len(X)).astype(np.int32)
    indptr = (np.arange(len(X) + 1) * 2 * X.shape[1]).astype(np.int32)
    return sp.csr_matrix((np.repeat(X / 2, 2, axis=1).ravel(), indices, indptr), X.shape)


# --- comparing -------------------------------------------------------------------------------


def learnt(model):
    """All public fitted attributes, by name."""
    return {
        name: getattr(model, name)
        for name in dir(model)
        if name.endswith("_") and not name.startswith("_") and hasattr(model, name)
    }


def assert_same_model(a, b, exact=False):
    """Bit for bit the same public attributes and decisions.

    A kernel learner takes its products in blocks, which other pieces cut elsewhere: there floats
    are equal up to rounding, counters and support exactly; ``exact`` asks for all bits even so.
    """
    ours, theirs = learnt(a), learnt(b)
    if not exact and getattr(a, "kernel", None) is not None:
        np.testing.assert_array_equal(a.support_, b.support_)
        np.testing.assert_allclose(a.dual_coef_, b.dual_coef_, rtol=1e-7, atol=1e-9)
        assert_close_model(a, b, rtol=1e-7)
        return
    assert ours.keys() == theirs.keys()
    for name, value in ours.items():
        if sp.issparse(value):
            assert (value != theirs[name]).nnz == 0, name
        else:
            np.testing.assert_array_equal(value, theirs[name], err_msg=name)
    probe, _ = rows(seed=99, n_features=a.n_features_in_)
    np.testing.assert_array_equal(a.decision_function(probe), b.decision_function(probe))


def assert_close_model(a, b, rtol=1e-9):
    """The same counters and curve, and decisions equal up to rounding."""
    for name in ("n_seen_", "n_mistakes_", "n_updates_", "classes_", "curve_"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    probe, _ = rows(seed=99, n_features=a.n_features_in_)
    ours, theirs = a.decision_function(probe), b.decision_function(probe)
    np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=rtol * np.abs(theirs).max())


# --- the reference's side --------------------------------------------------------------------


def kernel_function(model, n_features):
    """The kernel of an estimator as a function of two sets of rows; None in the primal form."""
    name = getattr(model, "kernel", None)
    if name is None:
        return None
    gamma = getattr(model, "gamma", "auto")
    gamma = 1.0 / n_features if gamma == "auto" else gamma
    degree, coef0 = getattr(model, "degree", 3), getattr(model, "coef0", 1.0)
    added = 1.0 if model.fit_intercept else 0.0

    def kernel(A, B):
        if name == "rbf":
            squares = ((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2)
            return np.exp(-gamma * squares) + added
        if name == "poly":
            return (gamma * A @ B.T + coef0) ** degree + added
        assert name == "linear", name
        return A @ B.T + added

    return kernel


def drawer(seed):
    """The estimator's own draws, from a machine seeded as it seeds one."""
    state = np.array([check_random_state(seed).randint(np.iinfo(np.int32).max)], np.uint64)
    return lambda size: draw(state, size)


def reference_parameters(model, module, n_features):
    """Those parameters of an estimator that its reference knows, as the reference takes them."""
    known = inspect.signature(module.run).parameters
    values = {k: v for k, v in model.get_params(deep=False).items() if k in known}
    if values.get("p") == "log":
        values["p"] = max(2.0, 2.0 * np.log(n_features))
    kernel = kernel_function(model, n_features)
    values.pop("kernel", None)
    if values.get("budget", 0) is None:
        del values["budget"]
    if kernel is not None:
        values["kernel"] = kernel
    if "draw" in known and known["draw"].default is inspect.Parameter.empty:
        values["draw"] = drawer(model.random_state)
    return values


def run_reference(model, module, X, y, form):
    """The reference's account of one pass over the rows."""
    parameters = reference_parameters(model, module, X.shape[1])
    if model.fit_intercept and "kernel" not in parameters:
        X = np.column_stack([X, np.ones(len(X))])
    if form == "binary":
        return module.run(X, np.where(y == 1, 1.0, -1.0), **parameters)
    return module.run_multiclass(X, y, 3, form, **parameters)

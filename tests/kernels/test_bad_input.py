"""Bad input of the kernel learners: one sentence that names what is wrong, the model as it was."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff
from novikoff.budgets import Forget, Project, RemoveOldest, RemoveRandom
from novikoff.engine.stores import DENSE_WIDTH
from novikoff.kernels import RBF, FunctionKernel, Kernel, Polynomial, resolve_kernel
from tests.kernels.common import FEW, assert_same_run, over, rbf, rows

X, Y = rows(n=80, seed=40)


def frozen(model):
    """All that the model is, as bytes, but for the kernel it was given."""
    machine = model.__dict__.get("_machine")
    state = dict(model.__dict__)
    state.pop("kernel")
    if machine is not None:
        del state["_machine"]
        state["_begun"] = {k: v for k, v in state["_begun"].items() if k != "kernel"}
        arrays = machine.arrays()
        return pickle.dumps((state, arrays))
    return pickle.dumps(state)


PARAMETERS = [
    ("Projectron", {"eta": 0.0}, "'eta' parameter of Projectron must be"),
    ("ProjectronPlusPlus", {"eta": -1.0}, "'eta' parameter of ProjectronPlusPlus must be"),
    ("SimplifiedForgetron", {"eta": 0.0}, "'eta' parameter"),
    ("SimplifiedForgetron", {"eta": 9.0}, "eta=9.0 .* must be below 1: use a smaller eta"),
    ("SimplifiedForgetron", {"radius": 0.0}, "'radius' parameter"),
    ("ModifiedBudgetPerceptron", {"eta": -1.0}, "'eta' parameter"),
    ("ModifiedBudgetPerceptron", {"radius": -1.0}, "'radius' parameter"),
    ("ModifiedBudgetPerceptron", {"lazy": "yes"}, "'lazy' parameter"),
    *(
        (name, {"budget": budget}, f"'budget' parameter of {name} must be")
        for name in (
            "Forgetron",
            "RandomizedBudgetPerceptron",
            "SimplifiedForgetron",
            "ModifiedBudgetPerceptron",
        )
        for budget in (0, -3, 2.5, RemoveOldest(5))
    ),
    ("Perceptron", {"budget": 10}, "give a policy of novikoff.budgets, such as RemoveOldest"),
    ("ALMA", {"kernel": "rbf", "budget": np.int64(3)}, "budget=3 does not say which row leaves"),
    ("Perceptron", {"budget": 2.5}, "'budget' parameter of Perceptron must be"),
    *(
        (name, {"kernel": None}, f"'kernel' parameter of {name} must be")
        for name in (
            "Forgetron",
            "RandomizedBudgetPerceptron",
            "SimplifiedForgetron",
            "ModifiedBudgetPerceptron",
            "Projectron",
            "ProjectronPlusPlus",
        )
    ),
    ("Perceptron", {"kernel": "gaussian"}, "'kernel' parameter"),
    ("Perceptron", {"kernel": "rbf", "gamma": 0.0}, "'gamma' parameter"),
    ("Perceptron", {"kernel": "rbf", "gamma": -1.0}, "'gamma' parameter"),
    ("Perceptron", {"kernel": "rbf", "gamma": "scale"}, "'gamma' parameter"),
    ("Perceptron", {"kernel": "poly", "coef0": -0.5}, "'coef0' parameter"),
    ("Perceptron", {"kernel": "poly", "degree": 0}, "'degree' parameter"),
    ("Perceptron", {"kernel": "poly", "degree": 2.5}, "'degree' parameter"),
    ("Perceptron", {"kernel": "rbf", "block_size": 0}, "'block_size' parameter"),
    ("Perceptron", {"kernel": "rbf", "block_size": "large"}, "'block_size' parameter"),
    ("ALMA", {"kernel": "rbf", "p": 3.0}, "p=3.0 has no kernel form"),
    # Pairs that make no sense, each with what would.
    ("Perceptron", {"budget": RemoveOldest(5)}, "kernel=None stores none: give kernel='linear'"),
    (
        "Perceptron",
        {"kernel": "rbf", "budget": Forget(5), "margin": 0.1},
        r"margin=0 and normalize=False only, .* use RemoveOldest\(size\)",
    ),
    (
        "Perceptron",
        {"kernel": "rbf", "budget": Forget(5), "normalize": True},
        r"margin=0 and normalize=False only, .* use RemoveOldest\(size\)",
    ),
    *(
        (
            name,
            {"kernel": "rbf", "budget": Forget(5)},
            rf"Forget\(size=5\) does not go with {name}: .* use RemoveOldest\(size\)",
        )
        for name in ("PassiveAggressive", "PassiveAggressiveI", "PassiveAggressiveII", "ALMA")
    ),
    *(
        (
            "Perceptron",
            {"kernel": "rbf", "budget": budget, "average": "mean"},
            r"the mean of the hypotheses keeps every row .* use Project\(eta\) or average='last'",
        )
        for budget in (RemoveOldest(5), RemoveRandom(5), Forget(5))
    ),
    *(
        (name, {"average": "mean"}, "average='mean' does not go with budget=")
        for name in ("Forgetron", "RandomizedBudgetPerceptron")
    ),
]


@pytest.mark.parametrize(("name", "parameters", "words"), PARAMETERS, ids=str)
def test_parameters_are_refused_by_name(name, parameters, words):
    model = getattr(novikoff, name)(**parameters)
    before = frozen(model)
    for learn in (model.fit, model.partial_fit, model.run_trials):
        with pytest.raises(ValueError, match=words):
            learn(X, Y)
    with pytest.raises(ValueError, match=words):
        model.learn_one(X[0], 1)
    assert frozen(model) == before


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: RBF(0.0), "gamma must be a positive number, got 0.0"),
        (lambda: RBF(np.inf), "gamma must be a positive number"),
        (lambda: RBF(np.nan), "gamma must be a positive number"),
        (lambda: RBF("auto"), "gamma must be a positive number, got 'auto'"),
        (lambda: Polynomial(-1.0), "gamma must be a positive number"),
        (lambda: Polynomial(1.0, 0), "degree must be an integer of at least 1"),
        (lambda: Polynomial(1.0, 1.5), "degree must be an integer of at least 1"),
        (lambda: Polynomial(1.0, "3"), "degree must be an integer of at least 1"),
        (lambda: Polynomial(1.0, 2, -1.0), "coef0 must be a number of at least 0"),
        (lambda: Polynomial(1.0, 2, None), "coef0 must be a number of at least 0"),
        (lambda: Project(0.0), "eta must be a positive number"),
        (lambda: Project(-1), "eta must be a positive number"),
        (lambda: Project("small"), "eta must be a positive number, got 'small'"),
        (lambda: RemoveOldest(0), r"RemoveOldest\(size\): size must be an integer of at least 1"),
        (lambda: RemoveRandom(-1), r"RemoveRandom\(size\): size must be"),
        (lambda: Forget(2.0), r"Forget\(size\): size must be"),
        (lambda: Forget(True), r"Forget\(size\): size must be"),
        (lambda: resolve_kernel("gauss", 3), "kernel='gauss' is unknown"),
        (lambda: resolve_kernel(RBF, 3), "kernel=RBF is a class: give an instance of it"),
    ],
)
def test_kernels_and_policies_check_what_they_are_made_of(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_forgetting_with_prototypes_is_refused_before_the_trials_of_its_batch():
    three = np.minimum(rows("ovr", n=80)[1], 2)
    three[:30] %= 2
    for make in (
        lambda: novikoff.Forgetron(multiclass="prototype"),
        lambda: novikoff.Perceptron(kernel="rbf", budget=Forget(9), multiclass="prototype"),
    ):
        for given in ({}, {"classes": [0, 1, 2]}):
            with pytest.raises(ValueError, match="use multiclass='ovr'"):
                make().partial_fit(X, three, **given)
        with pytest.raises(ValueError, match="use multiclass='ovr'"):
            make().fit(X, three)
        model = make().partial_fit(X[:30], three[:30])
        before = frozen(model)
        with pytest.raises(ValueError, match="use multiclass='ovr'"):
            model.partial_fit(X, three)
        with pytest.raises(ValueError, match="use multiclass='ovr'"):
            model.learn_one(X[0], 2)
        assert frozen(model) == before
        model.partial_fit(X[30:], three[30:] % 2)


# --- kernels that are none -----------------------------------------------------------------------


class Faulty(Kernel):
    """A user's kernel that goes wrong after a number of good answers."""

    def __init__(self, fault, good):
        self.fault, self.good, self.asked = fault, good, 0

    def __call__(self, A, B):
        self.asked += 1
        K = rbf(A, B)
        return K if self.asked <= self.good else self.fault(K)


def nan(K):
    K[0, 0] = np.nan
    return K


FAULTS = [
    (lambda K: K[:-1], "kernel returned shape"),
    (lambda K: K.ravel(), "kernel returned shape"),
    (lambda K: K[0, 0], "kernel returned shape"),
    (nan, "kernel returned NaN or infinity"),
    (lambda K: K * np.inf, "kernel returned NaN or infinity"),
    (lambda K: np.full(K.shape, "a"), "kernel returned a ndarray that is no matrix of numbers"),
    (lambda K: K * 1j, "kernel returned a ndarray that is no matrix of numbers"),
    (lambda K: [[1.0], []], "kernel returned a list that is no matrix of numbers"),
]


@pytest.mark.parametrize(("fault", "words"), FAULTS)
@over(FEW)
def test_a_kernel_that_fails_in_mid_stream_leaves_the_model_as_it_was(setting, fault, words):
    kernel = Faulty(fault, 10**9)
    model = setting.make(kernel=kernel, block_size=8).partial_fit(X[:30], Y[:30])
    before, asked = frozen(model), kernel.asked
    for method in ("partial_fit", "run_trials"):
        kernel.asked, kernel.good = 0, 5  # in the third block
        with pytest.raises(ValueError, match=words):
            getattr(model, method)(X[30:], Y[30:])
        assert frozen(model) == before
    kernel.good = 0
    with pytest.raises(ValueError, match=words):
        model.learn_one(X[30], Y[30])
    with pytest.raises(ValueError, match=words):
        model.decision_function(X)
    assert frozen(model) == before
    kernel.good = 10**9
    model.partial_fit(X[30:], Y[30:])
    other = setting.make(kernel=FunctionKernel(rbf), block_size=8)
    assert_same_run(model, other.partial_fit(X[:30], Y[:30]).partial_fit(X[30:], Y[30:]), 0.0)
    assert asked > 0


def test_a_kernel_that_fails_in_fit_leaves_the_model_as_it_was():
    kernel = Faulty(nan, 10**9)
    model = novikoff.Perceptron(kernel=kernel, block_size=8).fit(X, Y)
    before = frozen(model)
    kernel.asked, kernel.good = 0, 9
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X[::-1], Y)
    assert frozen(model) == before


def sigmoid(A, B):
    """Looks like a kernel, and is none."""
    return np.tanh(2.0 * A @ B.T - 1.0)


def distances(A, B):
    """Squared distances: zero diagonal, and no kernel."""
    return ((A[:, None] - B[None]) ** 2).sum(axis=2) + 1.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["Projectron", "ProjectronPlusPlus"])
def test_values_a_little_off_a_kernel_are_refused_where_rows_are_projected(name, dtype):
    """A squared distance of -0.002 is more than rounding of either precision."""

    def stretched(A, B):
        return (1.001 * rbf(A, B) - 0.001 * (A[:, None] == B[None]).all(axis=2)).astype(dtype)

    Z = np.repeat(X[:20], 2, axis=0) + np.tile([[0.0], [1e-9]], (20, 1))
    model = getattr(novikoff, name)(kernel=stretched, eta=0.5, block_size=4)
    with pytest.raises(ValueError, match="kernel is not positive semidefinite"):
        model.fit(Z, np.tile([0, 1], 20))
    with pytest.raises(ValueError, match="kernel is not positive semidefinite"):
        getattr(novikoff, name)(kernel="precomputed").fit(stretched(Z, Z), np.tile([0, 1], 20))


@pytest.mark.parametrize("name", ["Projectron", "ProjectronPlusPlus"])
def test_a_kernel_that_is_not_semidefinite_is_refused_where_rows_are_projected(name):
    for kernel in (distances, FunctionKernel(distances)):
        model = getattr(novikoff, name)(kernel=kernel, block_size=4)
        with pytest.raises(ValueError, match="kernel is not positive semidefinite"):
            model.fit(X, Y)
        assert not hasattr(model, "n_seen_")
        model.partial_fit(X[:1], Y[:1])
        before = frozen(model)
        for method in ("partial_fit", "run_trials"):
            with pytest.raises(ValueError, match="kernel is not positive semidefinite"):
                getattr(model, method)(X[1:], Y[1:])
            assert frozen(model) == before
    with pytest.raises(ValueError, match="kernel is not positive semidefinite"):
        getattr(novikoff, name)(kernel="precomputed").fit(distances(X, X), Y)


@over(FEW)
def test_a_negative_square_is_refused_by_every_learner(setting):
    with pytest.raises(ValueError, match=r"kernel is not positive semidefinite: k\(x, x\) = -"):
        setting.make(kernel=sigmoid).partial_fit(0.1 * X, Y)
    with pytest.raises(ValueError, match="kernel is not positive semidefinite"):
        setting.make(kernel="precomputed").fit(-rbf(X, X), Y)


@pytest.mark.parametrize("fit_intercept", [False, True])
@over(FEW)
def test_distances_are_no_kernel_to_any_learner(setting, fit_intercept):
    """k(x, x) = 0 with k(x, z) > 0: no row would ever be learnt."""
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    model = setting.make(kernel="precomputed", fit_intercept=fit_intercept)
    with pytest.raises(ValueError, match=r"not positive semidefinite: k\(x, x\) = 0 for a row"):
        model.fit(squares, Y)
    assert not hasattr(model, "n_seen_")
    K = rbf(X, X)
    K[5] = K[:, 5] = 0.0  # a row of zeros is one of k(x, x) = 0 that is none of these
    assert 5 not in model.fit(K, Y).support_ or fit_intercept


@pytest.mark.parametrize("name", ["Projectron", "ProjectronPlusPlus"])
def test_rounding_is_not_taken_for_an_indefinite_kernel(name):
    """Rows that lie in the span up to rounding, among nearly dependent ones."""
    rng = np.random.default_rng(41)
    directions = rng.standard_normal((60, 5))
    Z = directions[rng.integers(0, 60, 1500)] * rng.uniform(0.5, 2.0, (1500, 1))
    labels = rng.integers(0, 2, 1500)
    for kernel in ("rbf", "poly", rbf, lambda A, B: (A @ B.T + 1.0) ** 3):
        model = getattr(novikoff, name)(eta=1e-6, kernel=kernel, gamma=0.2).fit(Z, labels)
        assert np.isfinite(model.decision_function(Z)).all()


@over(FEW)
def test_precomputed_values_of_another_shape_are_refused(setting):
    K = rbf(X, X)
    model = setting.make(kernel="precomputed")
    for bad in (K[:, :-1], K[:-1], X):
        before = frozen(model)
        with pytest.raises(ValueError, match="X must be square for kernel='precomputed'"):
            model.fit(bad, Y[: len(bad)])
        assert frozen(model) == before
    model.fit(K, Y)
    for bad in (K[:, :-1], X):
        with pytest.raises(ValueError, match="is expecting 80 features"):
            model.decision_function(bad)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(nan(K.copy()), Y)


# --- values that overflow ------------------------------------------------------------------------

WIDE = sp.csr_matrix((80, DENSE_WIDTH))


def long_row(size, dtype=np.float64):
    """Rows of which the one before the last is far too long."""
    Z = X.astype(dtype)
    Z[-2] *= size
    return Z


@pytest.mark.parametrize(
    ("kernel", "size", "dtype"),
    [
        ("poly", 1e60, np.float64),
        ("linear", 1e160, np.float64),
        ("rbf", 1e160, np.float64),
        ("poly", 1e7, np.float32),
        ("linear", 1e18, np.float32),
        ("rbf", 1e18, np.float32),
    ],
)
@pytest.mark.parametrize("wide", [False, True])
@over(FEW[::5])
def test_values_that_overflow_are_refused_before_the_first_trial(
    setting, wide, kernel, size, dtype
):
    def form(Z):
        return (
            sp.hstack([sp.csr_matrix(Z), WIDE[: len(Z)].astype(dtype)], format="csr")
            if wide
            else Z
        )

    model = setting.make(kernel=kernel, gamma=1.0, block_size=8)
    good, bad = form(X.astype(dtype)), form(long_row(size, dtype))
    model.partial_fit(good, Y)
    before = frozen(model)
    words = r"X has a row of squared norm .* overflow float(32|64): scale the rows"
    for learn in (model.partial_fit, model.run_trials, model.fit):
        with pytest.raises(ValueError, match=words):
            learn(bad, Y)
        assert frozen(model) == before
    if size < 1e150:  # where the check for NaN does not overflow itself
        with pytest.raises(ValueError, match=words):
            model.learn_one(bad[-2], 1)
    with pytest.raises(ValueError, match=words):
        model.decision_function(bad)
    # A third class that enters after the first rows of the batch does not change that.
    labels = Y.copy()
    labels[40] = 2
    with pytest.raises(ValueError, match=words):
        model.partial_fit(bad, labels)
    assert frozen(model) == before
    model.partial_fit(good, Y)
    assert np.isfinite(model.dual_coef_).all()


def test_rows_as_long_as_values_allow_are_learnt():
    for kernel, size in (("poly", 1e45), ("linear", 1e140), ("rbf", 1e140)):
        model = novikoff.Perceptron(kernel=kernel, gamma=1.0).partial_fit(size * X, Y)
        assert np.isfinite(model.decision_function(size * X)).all()

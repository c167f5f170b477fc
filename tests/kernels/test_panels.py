"""What must not matter: blocks, pieces, the form of rows, and how the expansion is written."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff
from novikoff.budgets import Forget, Project, RemoveOldest, RemoveRandom
from tests.kernels.common import (
    FEW,
    HAVE_PRIMAL,
    assert_close,
    assert_same_run,
    learn,
    options,
    over,
    over_forms,
    rows,
)

# Steps of 1 on rows of small integers: products and sums are exact, whatever their order.
EXACT = [
    ("Perceptron", {}),
    ("Perceptron", {"margin": 2.0}),
    ("Perceptron", {"budget": RemoveOldest(9)}),
    ("Perceptron", {"budget": RemoveRandom(9)}),
    ("Perceptron", {"budget": Project(1e-3)}),
    ("RandomizedBudgetPerceptron", {"budget": 9}),
]


def run(setting, X, y, form="binary", **common):
    """A model and its decisions."""
    model = setting.make(**options(form), **common)
    return model, model.run_trials(X, y, classes=np.unique(y))


@over_forms(FEW)
def test_block_sizes_agree(setting, form):
    X, y = rows(form, n=300)
    one, decisions = run(setting, X, y, form, block_size=1)
    for size in (7, 64, 300, "auto"):
        other, theirs = run(setting, X, y, form, block_size=size)
        assert_same_run(other, one)
        assert_close(theirs, decisions)


@pytest.mark.parametrize("kernel", ["linear", "poly"])
@pytest.mark.parametrize("budget", [RemoveOldest(30), RemoveRandom(30), Forget(30)], ids=str)
def test_rows_that_share_nothing_with_the_support_are_ties_in_every_block(budget, kernel):
    """Rows that left in mid-block leave nothing behind, not even rounding: f = 0 is a mistake."""
    rng = np.random.default_rng(0)
    X = sp.random(400, 6000, 0.004, random_state=0, format="csr")
    X.data = rng.standard_normal(X.nnz)
    y = rng.integers(0, 2, 400)

    def run(size):
        model = novikoff.Perceptron(
            kernel=kernel, gamma=0.2, budget=budget, random_state=1, block_size=size
        )
        return model, model.run_trials(X, y)

    one, decisions = run(1)
    assert np.count_nonzero(decisions == 0.0) > 10
    for size in (7, 64, 400):
        other, theirs = run(size)
        assert_same_run(other, one)
        assert_close(theirs, decisions)
        np.testing.assert_array_equal(theirs == 0.0, decisions == 0.0)


@over_forms(FEW)
def test_pieces_agree(setting, form):
    X, y = rows(form, n=200, seed=1)
    classes = np.unique(y)
    whole = learn(setting.make(**options(form)), X, y, 200, classes)
    for size in (1, 37):
        assert_same_run(learn(setting.make(**options(form)), X, y, size, classes), whole)
    one_by_one = setting.make(**options(form)).partial_fit(X[:1], y[:1], classes=classes)
    for x, label in zip(X[1:], y[1:], strict=True):
        one_by_one.learn_one(x, label)
    assert_same_run(one_by_one, whole)
    assert one_by_one.predict_one(X[0]) == whole.predict(X[:1])[0]


@pytest.mark.parametrize("form", ["binary", "ovr", "prototype"])
@pytest.mark.parametrize("kernel", ["linear", "poly"])
@pytest.mark.parametrize(("name", "parameters"), EXACT, ids=str)
def test_integers_agree_bit_for_bit(name, parameters, kernel, form):
    if isinstance(parameters.get("budget"), Project):
        if kernel == "poly":
            pytest.skip("projections are no integers")
        X, y = np.eye(40).repeat(4, axis=0), rows(form, n=160, integer=True)[1]
    else:
        X, y = rows(form, n=200, integer=True)
    common = {"kernel": kernel, "gamma": 1.0, "degree": 2, "random_state": 3, **options(form)}
    classes = np.unique(y)

    def make(**more):
        return getattr(novikoff, name)(**parameters, **common, **more)

    whole = make()
    decisions = whole.run_trials(X, y, classes=classes)
    for size in (1, 7, 64, 200):
        other = make(block_size=size)
        np.testing.assert_array_equal(other.run_trials(X, y, classes=classes), decisions)
        assert_same_run(other, whole, 0.0)
    for size in (1, 37):
        assert_same_run(learn(make(), X, y, size, classes), whole, 0.0)
    assert_same_run(learn(make(), sp.csr_matrix(X), y, 37, classes), whole, 0.0)
    assert_same_run(learn(make(), X.astype(np.float32), y, 37, classes), whole, 0.0)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("average", ["last", "mean"])
@pytest.mark.parametrize("form", ["binary", "ovr", "prototype"])
@pytest.mark.parametrize("name", HAVE_PRIMAL)
def test_linear_kernel_is_the_primal_form(name, form, average, fit_intercept):
    X, y = rows(form, n=150, seed=2)
    common = {"average": average, "fit_intercept": fit_intercept, **options(form)}
    for parameters in ({}, {"normalize": True, "margin": 0.1}):
        if parameters and name != "Perceptron":
            continue
        primal = getattr(novikoff, name)(**parameters, **common)
        dual = getattr(novikoff, name)(kernel="linear", **parameters, **common)
        ours = dual.run_trials(X, y, classes=np.unique(y))
        assert_close(ours, primal.run_trials(X, y, classes=np.unique(y)))
        assert dual.n_mistakes_ == primal.n_mistakes_
        assert dual.n_updates_ == primal.n_updates_
        assert_close(dual.coef_, primal.coef_)
        assert_close(dual.intercept_, primal.intercept_)
        assert_close(dual.decision_function(X), primal.decision_function(X))
    assert not hasattr(primal, "support_")
    assert not hasattr(getattr(novikoff, name)(kernel="rbf").fit(X, y), "coef_")


@pytest.mark.parametrize("form", ["binary", "ovr", "prototype"])
def test_projectron_with_almost_no_tolerance_is_the_kernel_perceptron(form):
    X, y = rows(form, n=250, seed=5)
    free = novikoff.Perceptron(kernel="rbf", gamma=1.0, **options(form))
    decisions = free.run_trials(X, y, classes=np.unique(y))
    for make in (
        lambda **o: novikoff.Projectron(eta=1e-9, **o),
        lambda **o: novikoff.Perceptron(budget=Project(1e-9), **o),
    ):
        model = make(kernel="rbf", gamma=1.0, **options(form))
        assert_close(model.run_trials(X, y, classes=np.unique(y)), decisions, 1e-6)
        assert model.n_mistakes_ == free.n_mistakes_
        np.testing.assert_array_equal(model.support_, free.support_)


@pytest.mark.parametrize("form", ["binary", "ovr", "prototype"])
@pytest.mark.parametrize("budget", [RemoveRandom, RemoveOldest, Forget])
@pytest.mark.parametrize("name", HAVE_PRIMAL)
def test_a_budget_no_smaller_than_the_support_changes_nothing(name, budget, form):
    if budget is Forget and (name != "Perceptron" or form == "prototype"):
        pytest.skip("refused")
    X, y = rows(form, n=200, seed=6)
    common = {"kernel": "rbf", **options(form)}
    free = getattr(novikoff, name)(**common)
    decisions = free.run_trials(X, y, classes=np.unique(y))
    bounded = getattr(novikoff, name)(budget=budget(free.n_support_), **common)
    np.testing.assert_array_equal(bounded.run_trials(X, y, classes=np.unique(y)), decisions)
    assert_same_run(bounded, free, 0.0)
    tighter = getattr(novikoff, name)(budget=budget(free.n_support_ - 1), **common)
    assert tighter.partial_fit(X, y, classes=np.unique(y)).n_support_ == free.n_support_ - 1


@pytest.mark.parametrize("name", ["RandomizedBudgetPerceptron", "Forgetron"])
def test_a_large_budget_makes_the_budget_learners_the_perceptron(name):
    X, y = rows(n=200, seed=6)
    free = novikoff.Perceptron(kernel="rbf").partial_fit(X, y)
    bounded = getattr(novikoff, name)(budget=free.n_support_).partial_fit(X, y)
    assert_same_run(bounded, free, 0.0)


@over_forms([s for s in FEW if s.bounded])
def test_the_budget_is_never_exceeded(setting, form):
    X, y = rows(form, n=300, seed=7)
    model = setting.make(**options(form))
    sizes = []
    for t in range(150):
        model.partial_fit(X[t : t + 1], y[t : t + 1], classes=np.unique(y) if t == 0 else None)
        sizes.append(model.n_support_)
        assert len(model.support_) == len(model.support_vectors_) == model.n_support_
    assert max(sizes) == setting.bounded
    whole = setting.make(**options(form)).partial_fit(X, y, classes=np.unique(y))
    assert whole.curve_["support"].max() == setting.bounded
    early = whole.curve_[whole.curve_["trial"] <= 150]
    np.testing.assert_array_equal(early["support"], np.array(sizes)[early["trial"] - 1])


@over_forms(FEW)
def test_dense_and_sparse_rows_agree(setting, form):
    X, y = rows(form, n=150, seed=8)
    X[np.abs(X) < 0.4] = 0.0
    dense, decisions = run(setting, X, y, form)
    sparse, theirs = run(setting, sp.csr_matrix(X), y, form)
    assert_same_run(sparse, dense)
    assert_close(theirs, decisions)
    assert_close(sparse.decision_function(X), dense.decision_function(sp.csr_matrix(X)))
    np.testing.assert_array_equal(sparse.support_vectors_, dense.support_vectors_)


@over(FEW)
def test_single_precision_is_close(setting):
    X, y = rows(n=150, seed=9)
    double, decisions = run(setting, X.astype(np.float32).astype(np.float64), y)
    single, theirs = run(setting, X.astype(np.float32), y)
    assert single.support_vectors_.dtype == np.float32
    assert np.mean(np.sign(theirs) == np.sign(decisions)) > 0.99
    assert np.median(np.abs(theirs - decisions)) < 1e-4 * np.abs(decisions).max()
    assert abs(single.n_mistakes_ - double.n_mistakes_) <= 1


def test_predictions_in_blocks_are_those_of_single_rows():
    X, y = rows("ovr", n=700, seed=10)
    for setting in FEW[::3]:
        model = setting.make().partial_fit(X[:200], y[:200], classes=[0, 1, 2])
        together = model.decision_function(X)
        assert together.shape == (700, 3)
        one = np.vstack([model.decision_function(X[t : t + 1]) for t in range(0, 700, 50)])
        assert_close(one, together[::50], 1e-12)
        expected = np.exp(
            -0.3 * ((X[:, None] - model.support_vectors_[None]) ** 2).sum(axis=2)
        ) @ (model.dual_coef_.T)
        assert_close(together, expected)
        np.testing.assert_array_equal(model.predict(X), together.argmax(axis=1))


@over_forms(FEW)
def test_shapes_of_the_support(setting, form):
    X, y = rows(form, n=100, seed=11)
    model, decisions = run(setting, X, y, form)
    k, n = (1 if form == "binary" else 3), model.n_support_
    assert decisions.shape == ((100,) if k == 1 else (100, 3))
    assert model.support_.shape == (n,)
    assert model.support_vectors_.shape == (n, 4)
    assert model.dual_coef_.shape == (k, n)
    assert (np.diff(model.support_) > 0).all()
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    assert model.intercept_.tolist() == [0.0] * k
    for shown in (model.support_, model.support_vectors_, model.dual_coef_):
        shown[...] = 0  # a copy: the model stays as it was
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])


def test_rows_far_from_the_origin_have_kernel_values_up_to_one():
    # Squared distances are differences of huge numbers there; none may come out negative.
    X, y = rows(n=60, seed=12)
    for factor in (1e8, 1e100):
        model = novikoff.Perceptron(kernel="rbf", gamma=1.0)
        decisions = model.run_trials(np.vstack([X, X]) * factor, np.tile(y, 2))
        assert np.isfinite(decisions).all()
        assert np.abs(decisions).max() <= model.n_support_

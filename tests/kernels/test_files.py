"""A kernel learner saved in mid-stream goes on as if it had never been saved."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff
from novikoff import budgets, kernels
from novikoff.budgets import Forget, Project, RemoveOldest, RemoveRandom, RemoveSlot
from novikoff.engine.stores import DENSE_WIDTH
from novikoff.kernels import RBF, FunctionKernel, Kernel, Linear, Polynomial, Precomputed
from novikoff.modelfile import ModelFileError, read_container, write_container
from tests.kernels.common import (
    FEW,
    FIRST_ORDER,
    assert_close,
    assert_same_run,
    options,
    over,
    over_forms,
    rbf,
    rows,
)


def saved(model, folder, **parameters):
    """The model after a journey through a file."""
    path = folder / "model.novikoff"
    model.save(path)
    return novikoff.load(path, **parameters)


def travelled(model, X, y, folder, size=60, **parameters):
    """A model that goes through a file after every piece of a stream."""
    for start in range(0, len(y), size):
        part = slice(start, start + size)
        model.partial_fit(X[part], y[part], classes=np.unique(y) if start == 0 else None)
        model = saved(model, folder, **parameters)
    return model


def stayed(model, X, y, size=60):
    """The same pieces, without files."""
    for start in range(0, len(y), size):
        part = slice(start, start + size)
        model.partial_fit(X[part], y[part], classes=np.unique(y) if start == 0 else None)
    return model


STORES = {
    "dense": lambda X: X,
    "narrow sparse": sp.csr_matrix,
    "float32": lambda X: X.astype(np.float32),
    "wide sparse": lambda X: sp.hstack(
        [sp.csr_matrix(X), sp.csr_matrix((len(X), DENSE_WIDTH))], format="csr"
    ),
}


@pytest.mark.parametrize("store", ["dense", "wide sparse"])
@over_forms(FEW)
def test_saved_is_never_saved(setting, form, store, tmp_path):
    X, y = rows(form, n=200, seed=20)
    X[np.abs(X) < 0.3] = 0.0
    X = STORES[store](X)
    there = travelled(setting.make(**options(form)), X, y, tmp_path)
    here = stayed(setting.make(**options(form)), X, y)
    assert_same_run(there, here, 0.0)
    np.testing.assert_array_equal(there.decision_function(X), here.decision_function(X))
    for t in range(20):
        there.learn_one(X[t], y[t])
        here.learn_one(X[t], y[t])
    assert_same_run(there, here, 0.0)
    for name, value in here.get_params().items():
        assert getattr(there, name) == value


@pytest.mark.parametrize("store", ["narrow sparse", "float32"])
@over(FEW)
def test_saved_is_never_saved_whatever_the_rows(setting, store, tmp_path):
    X, y = rows(n=120, seed=30)
    X = STORES[store](X)
    there = travelled(setting.make(), X, y, tmp_path)
    here = stayed(setting.make(), X, y)
    assert_same_run(there, here, 0.0)
    np.testing.assert_array_equal(there.decision_function(X), here.decision_function(X))


@over([s for s in FIRST_ORDER if "budget" not in s.parameters] + FEW[-2:])
def test_mean_hypotheses_are_saved(setting, tmp_path):
    X, y = rows(n=150, seed=21)
    there = travelled(setting.make(average="mean", fit_intercept=True), X, y, tmp_path)
    here = stayed(setting.make(average="mean", fit_intercept=True), X, y)
    assert_same_run(there, here, 0.0)
    np.testing.assert_array_equal(there.decision_function(X), here.decision_function(X))


def own_kernel(A, B):
    """A user's function."""
    return rbf(A, B)


class Bell(Kernel):
    """A user's class."""

    def __call__(self, A, B):
        return rbf(A, B)


@pytest.mark.parametrize(
    "kernel", [own_kernel, Bell(), FunctionKernel(own_kernel)], ids=lambda k: type(k).__name__
)
@over(FEW[::4])
def test_a_kernel_of_ones_own_is_given_again(setting, kernel, tmp_path):
    X, y = rows(n=150, seed=22)
    there = travelled(setting.make(kernel=kernel), X, y, tmp_path, kernel=kernel)
    assert_same_run(there, stayed(setting.make(kernel=kernel), X, y), 0.0)
    there.save(tmp_path / "again")
    with pytest.raises(ValueError, match="was saved without kernel"):
        novikoff.load(tmp_path / "again")
    with pytest.raises(TypeError, match="code"):
        FunctionKernel(own_kernel).to_tree()


def test_a_kernel_of_ones_own_over_sparse_rows(tmp_path):
    def product(A, B):
        return (A @ B.T).toarray()

    X, y = rows(n=150, seed=23)
    X = sp.csr_matrix(X)
    there = travelled(novikoff.Perceptron(kernel=product), X, y, tmp_path, kernel=product)
    assert_same_run(there, stayed(novikoff.Perceptron(kernel=product), X, y), 0.0)


@pytest.mark.parametrize(
    "kernel", [RBF(0.3), Linear(), Polynomial(0.3, 2, 0.5), Polynomial(np.float32(0.5))], ids=repr
)
def test_kernel_objects_are_found_again(kernel, tmp_path):
    X, y = rows(n=150, seed=24)
    there = travelled(novikoff.Perceptron(kernel=kernel), X, y, tmp_path)
    here = stayed(novikoff.Perceptron(kernel=kernel), X, y)
    assert_same_run(there, here, 0.0)
    assert type(there.kernel) is type(kernel)
    assert vars(there.kernel) == vars(kernel)


def test_precomputed_models_are_saved(tmp_path):
    X, y = rows(n=60, seed=25)
    for kernel in ("precomputed", Precomputed()):
        model = novikoff.Projectron(kernel=kernel, eta=0.3).fit(rbf(X, X), y)
        loaded = saved(model, tmp_path)
        assert_same_run(loaded, model, 0.0)
        K = rbf(rows(n=9)[0], X)
        np.testing.assert_array_equal(loaded.decision_function(K), model.decision_function(K))
        with pytest.raises(ValueError, match="in fit only"):
            loaded.partial_fit(K, y[:9])


@pytest.mark.parametrize(
    "policy",
    [
        RemoveRandom(3),
        RemoveOldest(np.int64(3)),
        Forget(3),
        RemoveSlot(3),
        Project(np.float32(0.5)),
    ],
)
def test_policies_are_plain_data(policy):
    tree = policy.to_tree()
    assert {type(value) for value in tree.values()} <= {int, float}
    assert type(policy).from_tree(tree) == policy
    for bad in ({}, {**tree, "more": 1}, dict.fromkeys(tree, "a"), dict.fromkeys(tree, -1), 3):
        with pytest.raises(ValueError):
            type(policy).from_tree(bad)


@pytest.mark.parametrize("kernel", [RBF(0.3), Linear(), Polynomial(0.3, 2, 0.5), Precomputed()])
def test_kernels_are_plain_data(kernel):
    tree = kernel.to_tree()
    assert vars(type(kernel).from_tree(tree)) == vars(kernel)
    for bad in ({**tree, "more": 1}, {**tree, "gamma": -1.0}, {"gamma": "a"}, 3):
        with pytest.raises(ValueError):
            type(kernel).from_tree(bad)


def test_public_names():
    assert set(budgets.__all__) >= {"RemoveRandom", "RemoveOldest", "Forget", "Project"}
    for module in (budgets, kernels):
        assert all(hasattr(module, name) for name in module.__all__)


def test_the_source_of_random_numbers_goes_on_where_it_was_saved(tmp_path):
    X, y = rows(n=150, seed=26)
    for make in (np.random.RandomState, lambda seed: seed):
        model = novikoff.RandomizedBudgetPerceptron(budget=9, random_state=make(3), shuffle=True)
        model.fit(X, y)
        loaded = saved(model, tmp_path)
        assert_same_run(loaded, model, 0.0)
        assert_same_run(loaded.fit(X, y), model.fit(X, y), 0.0)


def test_classes_enter_after_loading(tmp_path):
    X, y = rows("ovr", n=150, seed=27)
    early = np.minimum(y, 1)
    for setting in FEW:
        model = setting.make().partial_fit(X[:60], early[:60])
        loaded = saved(model, tmp_path)
        for each in (model, loaded):
            each.partial_fit(X[60:], y[60:])
        assert_same_run(loaded, model, 0.0)
        assert_close(loaded.decision_function(X), model.decision_function(X), 0.0)


def spoil(path, change):
    """Rewrite a model file after a change of its tree."""
    tree = read_container(path)
    change(tree["state"]["machine"])
    write_container(path, tree)


CHANGES = {
    "a missing array": lambda m: m.pop("A"),
    "coefficients of another shape": lambda m: m.update(A=m["A"][:, :-1]),
    "order outside": lambda m: m.update(order=m["order"] + 1),
    "order twice": lambda m: m.update(order=np.zeros_like(m["order"])),
    "too many live rows": lambda m: m.update(sizes=m["sizes"] + 1),
    "fewer live rows": lambda m: m.update(sizes=m["sizes"] - 1000),
    "no store": lambda m: m.update(store={}),
    "born of another type": lambda m: m.update(born=m["born"].astype(float)),
    "seed of another type": lambda m: m.update(rng=m["rng"].astype(np.int64)),
}
OWN_CHANGES = {
    "dense": {
        "rows missing": lambda m: m["store"].update(left=m["store"]["left"][1:]),
        "another precision": lambda m: m["store"].update(
            left=m["store"]["left"].astype(np.float32)
        ),
        "NaN": lambda m: m["store"].update(left=m["store"]["left"] * np.nan),
    },
    "wide sparse": {
        "another precision": lambda m: m["store"].update(
            data=m["store"]["data"].astype(np.float32)
        ),
        "NaN": lambda m: m["store"].update(data=m["store"]["data"] * np.nan),
        "index outside": lambda m: m["store"].update(indices=m["store"]["indices"] + 10**6),
        "negative index": lambda m: m["store"].update(indices=m["store"]["indices"] - 10**6),
        "fractions as indices": lambda m: m["store"].update(
            indices=m["store"]["indices"].astype(float)
        ),
        "pointer": lambda m: m["store"].update(indptr=m["store"]["indptr"][::-1].copy()),
        "fractions as pointer": lambda m: m["store"].update(
            indptr=m["store"]["indptr"].astype(float)
        ),
        "data missing": lambda m: m["store"].update(data=m["store"]["data"][1:]),
        "nothing": lambda m: m["store"].pop("data"),
    },
}
FACTOR_CHANGES = {
    "no factor": lambda m: m.update(factors=[]),
    "factor of another shape": lambda m: m.update(factors=[m["factors"][0][1:]]),
    "span outside": lambda m: m.update(spans=[m["spans"][0] + 1]),
    "span of numbers": lambda m: m.update(spans=[3]),
    "span no vector": lambda m: m.update(spans=[m["spans"][0][None]]),
    "span twice": lambda m: m.update(spans=[np.zeros_like(m["spans"][0])]),
    "singular": lambda m: m.update(factors=[0.0 * m["factors"][0]]),
    "not finite": lambda m: m.update(factors=[np.nan * m["factors"][0]]),
}
EACH = [
    *(
        ("Perceptron", store, what, change)
        for store in OWN_CHANGES
        for what, change in CHANGES.items()
    ),
    *(
        ("Perceptron", store, what, change)
        for store, changes in OWN_CHANGES.items()
        for what, change in changes.items()
    ),
    *(("Projectron", "dense", what, change) for what, change in FACTOR_CHANGES.items()),
]


@pytest.mark.parametrize(
    ("name", "store", "change"),
    [(name, store, change) for name, store, _, change in EACH],
    ids=[f"{name}-{store}-{what}" for name, store, what, _ in EACH],
)
def test_a_file_that_does_not_fit_together_is_refused(name, store, change, tmp_path):
    X, y = rows(n=60, seed=28)
    path = tmp_path / "model"
    getattr(novikoff, name)(kernel="rbf").partial_fit(STORES[store](X), y).save(path)
    spoil(path, change)
    with pytest.raises(ModelFileError, match="does not hold a state of"):
        novikoff.load(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.update(stored=s["stored"][1:]),
        lambda s: s.update(stored=s["stored"].astype(np.float32)),
        lambda s: s.update(stored=sp.csr_matrix(s["stored"])),
        lambda s: s.clear(),
    ],
    ids=["rows missing", "another precision", "sparse", "nothing"],
)
def test_a_file_of_a_users_kernel_that_does_not_fit_is_refused(change, tmp_path):
    X, y = rows(n=60, seed=29)
    path = tmp_path / "model"
    novikoff.Perceptron(kernel=own_kernel).partial_fit(X, y).save(path)
    spoil(path, lambda m: change(m["store"]))
    with pytest.raises(ModelFileError, match="does not hold a state of"):
        novikoff.load(path, kernel=own_kernel)

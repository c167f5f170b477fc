"""Where support vectors are kept: wide sparse rows, precomputed values, a user's own kernel."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff
from novikoff.budgets import Forget, Project, RemoveOldest, RemoveRandom
from novikoff.engine.stores import DENSE_WIDTH, DenseStore, FunctionStore, SparseStore
from novikoff.kernels import RBF, FunctionKernel, Kernel, Linear, Polynomial, Precomputed
from tests.kernels.common import (
    FEW,
    GAMMA,
    assert_close,
    assert_same_run,
    learn,
    options,
    over,
    over_forms,
    rbf,
    rows,
)

WIDTH = DENSE_WIDTH + 500
KERNELS = ["linear", "rbf", "poly"]


def text(form="binary", n=300, seed=0, integer=False):
    """Wide sparse rows in which a few features tell the classes."""
    rng = np.random.default_rng(seed)
    k = 2 if form == "binary" else 3
    y = rng.integers(0, k, n)
    columns = np.concatenate(
        [rng.integers(0, 60, (n, 6)), rng.integers(60, WIDTH, (n, 4))], axis=1
    )
    columns[:, 0] = 20 * y + rng.integers(0, 25, n)
    values = rng.integers(1, 4, columns.shape).astype(float)
    if not integer:
        values *= rng.random(columns.shape)
    X = sp.csr_matrix((n, WIDTH))
    X = sp.coo_matrix(
        (values.ravel(), (np.repeat(np.arange(n), 10), columns.ravel())), shape=(n, WIDTH)
    ).tocsr()
    return X, y


def both(setting, form, kernel, X, y, **common):
    """The same run behind the inverted index and over dense rows."""
    made = []
    for rows_, store in ((X, SparseStore), (X.toarray(), DenseStore)):
        model = setting.make(kernel=kernel, **options(form), **common)
        decisions = model.run_trials(rows_, y, classes=np.unique(y))
        assert type(model._machine.store) is store
        made.append((model, decisions))
    return made


@over_forms(FEW)
def test_wide_sparse_rows_are_learnt_as_dense_ones(setting, form):
    X, y = text(form)
    (sparse, ours), (dense, theirs) = both(setting, form, "rbf", X, y, fit_intercept=True)
    assert_same_run(sparse, dense)
    assert_close(ours, theirs)
    assert (sparse.support_vectors_ != sp.csr_matrix(dense.support_vectors_)).nnz == 0
    probe, _ = text(seed=5, n=50)
    assert_close(sparse.decision_function(probe), dense.decision_function(probe.toarray()))
    assert_close(sparse.decision_function(probe.toarray()), dense.decision_function(probe))


@pytest.mark.parametrize("kernel", ["linear", "poly"])
@pytest.mark.parametrize(
    "budget", [None, RemoveRandom(9), RemoveOldest(9), Forget(9), Project(1.0)]
)
def test_wide_integer_rows_are_learnt_bit_for_bit(kernel, budget):
    X, y = text(integer=True, seed=1)
    exact = not isinstance(budget, Forget | Project)
    made = []
    for rows_ in (X, X.toarray()):
        model = novikoff.Perceptron(
            kernel=kernel, gamma=1.0, degree=2, budget=budget, random_state=2
        )
        decisions = model.run_trials(rows_, y, classes=[0, 1])
        made.append((model, decisions))
    (sparse, ours), (dense, theirs) = made
    assert_close(ours, theirs, 0.0 if exact else 1e-8)
    assert_same_run(sparse, dense, 0.0 if exact else 1e-8)
    if kernel == "linear":
        assert_close(np.asarray(sparse.coef_), np.asarray(dense.coef_), 1e-8)


@pytest.mark.parametrize("budget", [RemoveRandom(5), RemoveOldest(5)])
def test_the_pool_is_squeezed_when_most_of_it_is_dead(budget):
    X, y = text(n=900, seed=2)
    y = np.random.default_rng(0).integers(0, 2, 900)  # nothing to learn: an update every other row
    model = novikoff.Perceptron(kernel="linear", budget=budget, random_state=0, block_size=3)
    dense = novikoff.Perceptron(kernel="linear", budget=budget, random_state=0, block_size=3)
    store, squeezed, room = None, 0, []
    for start in range(0, 900, 30):
        part = slice(start, start + 30)
        before = None if store is None else store.filled
        ours = model.run_trials(X[part], y[part], classes=[0, 1] if start == 0 else None)
        store = model._machine.store
        squeezed += before is not None and store.filled < before
        room.append(store.data.size)
        theirs = dense.run_trials(
            X[part].toarray(), y[part], classes=[0, 1] if start == 0 else None
        )
        assert_close(ours, theirs)
    assert squeezed >= 2
    assert model.n_updates_ > 300
    assert store.starts.size <= 2 * (5 + 3)  # slots are used again, and grow by doubling
    assert max(room) == max(room[: len(room) // 3])
    assert_same_run(model, dense)


def test_single_precision_wide_rows():
    X, y = text(seed=3)
    double = novikoff.Perceptron(kernel="rbf").partial_fit(X, y)
    single = novikoff.Perceptron(kernel="rbf").partial_fit(X.astype(np.float32), y)
    assert single.support_vectors_.dtype == np.float32
    assert abs(single.n_mistakes_ - double.n_mistakes_) <= 2
    # Rows of the other precision are taken as the model's own.
    mixed = novikoff.Perceptron(kernel="rbf").partial_fit(X[:150].astype(np.float32), y[:150])
    mixed.partial_fit(X[150:], y[150:])
    assert_same_run(mixed, single)
    assert mixed.support_vectors_.dtype == np.float32


@pytest.mark.parametrize("width", [WIDTH, 50])
@pytest.mark.parametrize(
    "kernel",
    [*KERNELS, RBF(0.5), lambda A, B: (A @ B.T).toarray()],
    ids=lambda k: getattr(k, "__name__", str(k)),
)
def test_unsorted_and_repeated_entries_are_merged_in_a_copy(kernel, width):
    X, y = text(seed=4, n=80)
    X = X[:, :width].tocsr()
    order = np.concatenate(
        [np.arange(b - 1, a - 1, -1) for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)]
    )
    halves = sp.csr_matrix(
        (
            np.repeat(X.data[order] / 2, 2),
            np.repeat(X.indices[order], 2),
            2 * X.indptr,
        ),
        shape=X.shape,
    )
    assert not halves.has_canonical_format
    kept = [part.copy() for part in (halves.data, halves.indices, halves.indptr)]
    model = novikoff.Perceptron(kernel=kernel).partial_fit(halves, y)
    for part, before in zip((halves.data, halves.indices, halves.indptr), kept, strict=True):
        np.testing.assert_array_equal(part, before)
    assert_same_run(model, novikoff.Perceptron(kernel=kernel).partial_fit(X, y))
    assert_close(model.decision_function(halves), model.decision_function(X))


def test_sparse_rows_without_entries():
    X = sp.csr_matrix((4, WIDTH))
    model = novikoff.Perceptron(kernel="rbf").partial_fit(X, [0, 1, 1, 0])
    assert model.n_mistakes_ == 4  # values of 1 among empty rows: 0, -1, 0, 1 are all mistakes
    linear = novikoff.Perceptron(kernel="linear").partial_fit(X, [0, 1, 1, 0])
    assert linear.n_support_ == 0
    assert linear.decision_function(X).tolist() == [0.0] * 4


# --- a user's kernel -----------------------------------------------------------------------------


class Bell(Kernel):
    """The Gaussian kernel, written by a user."""

    def __call__(self, A, B):
        A, B = (Z.toarray() if sp.issparse(Z) else Z for Z in (A, B))
        return rbf(A, B)


@over_forms(FEW)
def test_a_kernel_of_ones_own_is_as_good_as_the_built_in_one(setting, form):
    X, y = rows(form, n=150)
    X[np.abs(X) < 0.3] = 0.0
    built_in = setting.make(**options(form))
    theirs = built_in.run_trials(X, y, classes=np.unique(y))
    for kernel in (RBF(GAMMA), Bell(), Bell().__call__, FunctionKernel(rbf)):
        model = setting.make(kernel=kernel, block_size=20, **options(form))
        assert_close(model.run_trials(X, y, classes=np.unique(y)), theirs)
        assert_same_run(model, built_in)
        assert_close(model.decision_function(X), built_in.decision_function(X))
    sparse = setting.make(kernel=Bell(), **options(form))
    assert_close(sparse.run_trials(sp.csr_matrix(X), y, classes=np.unique(y)), theirs)
    assert type(sparse._machine.store) is FunctionStore
    assert sp.issparse(sparse.support_vectors_)
    np.testing.assert_array_equal(sparse.support_vectors_.toarray(), built_in.support_vectors_)
    mixed = setting.make(kernel=Bell(), **options(form))
    mixed.partial_fit(sp.csr_matrix(X[:70]), y[:70], classes=np.unique(y)).partial_fit(
        X[70:], y[70:]
    )
    assert_same_run(mixed, built_in)


@over(FEW)
def test_a_kernel_of_ones_own_is_asked_by_blocks(setting):
    """k(x, x) stands in the panel: a call for each row would cost more than all values."""
    asked = []

    def counted(A, B):
        asked.append((len(A), len(B)))
        return rbf(A, B)

    X, y = rows(n=160)
    model = setting.make(kernel=counted, block_size=32).fit(X, y)
    assert len(asked) <= 2 * 5
    asked.clear()
    model.decision_function(X)
    assert len(asked) == 1
    asked.clear()
    assert FunctionKernel(counted).diagonal(X).shape == (160,)
    assert len(asked) == 5


@pytest.mark.parametrize(
    ("kernel", "name", "more"),
    [
        (Linear(), "linear", {}),
        (RBF(0.7), "rbf", {"gamma": 0.7}),
        (Polynomial(0.7, 2, 0.5), "poly", {"gamma": 0.7, "degree": 2, "coef0": 0.5}),
        (Polynomial(0.25), "poly", {}),
    ],
    ids=["linear", "rbf", "poly", "auto"],
)
def test_kernel_objects_and_names_are_the_same(kernel, name, more):
    X, y = rows(n=120)
    by_name = novikoff.Perceptron(kernel=name, **more).partial_fit(X, y)
    by_object = novikoff.Perceptron(kernel=kernel).partial_fit(X, y)
    assert_same_run(by_object, by_name, 0.0)
    assert hasattr(by_object, "coef_") == (name == "linear")
    if name == "linear":
        np.testing.assert_array_equal(by_object.coef_, by_name.coef_)
    K = kernel(X[:5], X[5:9])
    expected = {
        "linear": lambda: X[:5] @ X[5:9].T,
        "rbf": lambda: np.exp(-0.7 * ((X[:5, None] - X[None, 5:9]) ** 2).sum(axis=2)),
        "poly": lambda: (kernel.gamma * X[:5] @ X[5:9].T + kernel.coef0) ** kernel.degree,
    }[name]()
    assert_close(K, expected, 1e-12)
    assert_close(kernel.diagonal(X[:5]), np.diag(kernel(X[:5], X[:5])), 1e-12)


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 5, 6, 7, 12])
def test_powers_by_squaring(degree):
    P = np.array([[2.0, -3.0, 0.5]])
    expected = P**degree
    Polynomial(1.0, degree).finish(P)
    assert_close(P, expected, 1e-14)


# --- precomputed values --------------------------------------------------------------------------


@over_forms(FEW)
def test_precomputed_values_are_the_kernel(setting, form):
    X, y = rows(form, n=150, seed=13)
    probe, _ = rows(form, n=40, seed=14)
    common = {"n_epochs": 2, "shuffle": True, "random_state": 4, **options(form)}
    direct = setting.make(**common).fit(X, y)
    K = rbf(X, X)
    for kernel in ("precomputed", Precomputed()):
        model = setting.make(kernel=kernel, **common).fit(K, y)
        assert_same_run(model, direct)
        assert_close(model.decision_function(rbf(probe, X)), direct.decision_function(probe))
        np.testing.assert_array_equal(X[model.support_vectors_], direct.support_vectors_)
        assert model.n_features_in_ == 150
        assert model.predict_one(rbf(probe[:1], X)[0]) == direct.predict_one(probe[0])
    sparse = setting.make(kernel="precomputed", **common).fit(sp.csr_matrix(K), y)
    assert_same_run(sparse, direct)


@over(FEW)
def test_precomputed_values_take_no_further_rows(setting):
    X, y = rows(n=30)
    K = rbf(X, X)
    model = setting.make(kernel="precomputed")
    for learn_ in (model.partial_fit, model.run_trials):
        with pytest.raises(ValueError, match="knows its training rows in fit only"):
            learn_(K, y)
    model.fit(K, y)
    before = model.dual_coef_
    for call in (
        lambda: model.partial_fit(K, y),
        lambda: model.learn_one(K[0], 1 - y[0]),
        lambda: model.learn_one(K[0], 7),
    ):
        with pytest.raises(ValueError, match="knows its training rows in fit only"):
            call()
    np.testing.assert_array_equal(model.dual_coef_, before)
    assert model.n_seen_ == 30


def test_pieces_of_wide_rows_agree():
    X, y = text(seed=6, integer=True)
    for kernel in ("linear", "poly"):
        common = {"kernel": kernel, "budget": RemoveRandom(20), "random_state": 1, "gamma": 1.0}
        whole = learn(novikoff.Perceptron(**common), X, y, 300, [0, 1])
        for size in (1, 37):
            assert_same_run(learn(novikoff.Perceptron(**common), X, y, size, [0, 1]), whole, 0.0)

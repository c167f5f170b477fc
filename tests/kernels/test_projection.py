"""The growing factor of Projectron: as good after many insertions as one made anew."""

import numpy as np
import pytest

import novikoff
from novikoff.budgets import Project
from novikoff.engine.blas import (
    few_threads,
    solve_lower,
    solve_lower_transposed,
    solve_lower_transposed_vector,
    solve_lower_vector,
)
from tests.kernels.common import assert_close, assert_same_run, learn, options, rows


def residuals(model):
    """|L L' - K| for each class, as a share of the largest value of K."""
    machine = model._machine
    kernel, X = machine.store.kernel, machine.store.vectors(np.arange(machine.used))
    found = []
    for L, span in zip(machine.factors, machine.spans, strict=True):
        n = span.size
        K = kernel(X[span], X[span]) + (1.0 if machine.layout.bias else 0.0)
        L = np.tril(L[:n, :n])
        assert (L.diagonal() > 0).all()
        found.append(np.abs(L @ L.T - K).max() / K.max())
    return found


def nearly_dependent(n, kind, seed=0):
    """Rows that hardly add to the span of those before them."""
    rng = np.random.default_rng(seed)
    if kind == "copies":
        return rng.standard_normal((60, 5))[rng.integers(0, 60, n)]
    if kind == "scaled copies":
        directions = rng.standard_normal((60, 5))
        return directions[rng.integers(0, 60, n)] * rng.uniform(0.5, 2.0, (n, 1))
    plane = rng.standard_normal((n, 2)) @ rng.standard_normal((2, 12))
    return plane + 1e-7 * rng.standard_normal((n, 12))


@pytest.mark.parametrize("kind", ["copies", "scaled copies", "plane"])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("name", ["Projectron", "ProjectronPlusPlus"])
def test_factor_stays_accurate_on_nearly_dependent_rows(name, kernel, kind):
    X = nearly_dependent(3000, kind)
    y = np.random.default_rng(1).integers(0, 2, 3000)  # noise: mistakes never end
    model = getattr(novikoff, name)(eta=1e-6, kernel=kernel, gamma=0.2, block_size=32)
    decisions = model.run_trials(X, y)
    assert np.isfinite(decisions).all()
    assert model.n_mistakes_ > 1000
    if kernel == "linear":
        assert model.n_support_ <= 12 if kind == "plane" else model.n_support_ == 5
    if kind == "copies":
        assert model.n_support_ <= 60
    assert max(residuals(model)) < 1e-12


@pytest.mark.parametrize("form", ["binary", "ovr", "prototype"])
def test_factor_stays_accurate_over_many_insertions(form):
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, (4000, 3))
    y = rng.integers(0, 2 if form == "binary" else 3, 4000)
    model = novikoff.ProjectronPlusPlus(eta=1e-3, kernel="rbf", gamma=2.0, **options(form))
    learn(model, X, y, 500, np.unique(y))
    assert model.n_support_ > 200
    assert max(residuals(model)) < 1e-13
    # Decisions are those of a factor made anew, in the middle of the stream.
    machine = model._machine
    for c, span in enumerate(machine.spans):
        rows_ = machine.store.vectors(span)
        K = machine.store.kernel(rows_, rows_)
        fresh = np.linalg.cholesky(K + 1e-300 * np.eye(len(K)))
        n = span.size
        difference = np.abs(np.tril(machine.factors[c][:n, :n]) - fresh).max()
        assert difference < 1e-16 / machine.factors[c].diagonal()[:n].min() ** 2 * n


def hard_rows(kind):
    """Rows that fill a plane, or lie at all distances from 1e-9 to 0.1 from 40 of them."""
    rng = np.random.default_rng(8)
    if kind == "plane":
        X = rng.uniform(-1, 1, (1200, 2))
    else:
        X = rng.standard_normal((40, 6))[rng.integers(0, 40, 1200)]
        X += 10.0 ** rng.uniform(-9, -1, (1200, 1)) * rng.standard_normal((1200, 6))
    return X, np.where(rng.random(1200) < 0.5, 1, -1)


def extended_precision(X, y, eta, plus):
    """Decisions and support of one pass, every number extended, kernel values included."""
    X = X.astype(np.longdouble)
    L, a, support, decisions = np.zeros((400, 400), np.longdouble), np.zeros(0), [], []
    for t, x in enumerate(X):
        k = np.exp(-0.3 * ((X[support] - x) ** 2).sum(axis=1))
        n, m = len(support), y[t] * (a @ k)
        decisions.append(y[t] * m)
        if m > 0 and not (plus and m < 1):
            continue
        v = k.copy()
        for i in range(n):
            v[i] /= L[i, i]
            v[i + 1 :] -= v[i] * L[i + 1 : n, i]
        distance = np.sqrt(max(1.0 - v @ v, 0.0))
        loss = 1.0 - m
        if m <= 0 and (n == 0 or distance > eta):
            L[n, :n], L[n, n] = v, distance
            support, a = [*support, t], np.append(a, y[t])
            continue
        if m > 0 and loss < distance / eta:
            continue
        inside = v @ v
        tau = 1.0 if m <= 0 else min(1.0, loss / inside, 2 * (loss - distance / eta) / inside)
        for i in range(n - 1, -1, -1):
            v[i] /= L[i, i]
            v[:i] -= v[i] * L[i, :i]
        a = a + y[t] * tau * v
    return np.array(decisions, float), support


@pytest.mark.skipif(
    np.finfo(np.longdouble).eps > 1e-18, reason="long double is no longer than double here"
)
@pytest.mark.parametrize(
    ("name", "eta", "accuracy"),
    [("Projectron", 1e-4, 1e-8), ("Projectron", 1e-2, 1e-11), ("ProjectronPlusPlus", 1e-2, 1e-8)],
)
@pytest.mark.parametrize("kind", ["neighbours", "plane"])
def test_trials_on_nearly_dependent_rows_are_those_of_extended_precision(
    name, eta, accuracy, kind
):
    X, y = hard_rows(kind)
    expected, support = extended_precision(X, y, eta, name == "ProjectronPlusPlus")
    model = getattr(novikoff, name)(eta=eta, kernel="rbf", gamma=0.3)
    decisions = model.run_trials(X, y)
    assert model.n_mistakes_ > 500
    np.testing.assert_array_equal(model.support_, support)
    assert_close(decisions, expected, accuracy)


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(
    ("degree", "dimension", "eta"),
    [(1, 5, 1e-7), (2, 15, 1e-6), (3, 35, 1e-6), (4, 70, 1e-5), (4, 70, 0.1)],
)
@pytest.mark.parametrize("form", ["binary", "ovr", "prototype"])
@pytest.mark.parametrize("name", ["Projectron", "ProjectronPlusPlus"])
def test_no_class_stores_more_rows_than_its_space_has_dimensions(
    name, form, degree, dimension, eta, seed
):
    """Past the rank all that is left of a row is rounding, however ill-conditioned K is by then.

    With prototypes a row enters both classes as soon as it is far from one of them.
    """
    X, y = rows(form, n=400, seed=seed)
    y = np.random.default_rng(3).permutation(y)  # noise: mistakes never end
    kernel = {"kernel": "poly", "degree": degree, "gamma": 0.3, "fit_intercept": True}
    runs = []
    for size in (1, 7, 64, 400, "auto"):
        model = getattr(novikoff, name)(eta=eta, block_size=size, **kernel, **options(form))
        runs.append((model, model.run_trials(X, y, classes=np.unique(y))))
        assert max(span.size for span in model._machine.spans) <= dimension
        assert max(residuals(model)) < 1e-12
    assert model.n_support_ >= 0.9 * dimension
    one, decisions = runs[0]
    for other, theirs in runs[1:]:
        assert_same_run(other, one, 1e-3)
        assert_close(theirs, decisions, 1e-6)


@pytest.mark.parametrize("kind", ["plane", "neighbours"])
@pytest.mark.parametrize("eta", [1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("name", ["Projectron", "ProjectronPlusPlus"])
def test_values_in_single_precision_of_any_kernel_are_taken_as_such(name, eta, kind):
    """What rounding makes of them is neither an indefinite kernel nor a row to store."""
    X, y = hard_rows(kind)
    X = X.astype(np.float32)

    def own(A, B):
        return np.exp(np.float32(-0.3) * ((A[:, None] - B[None]) ** 2).sum(axis=2))

    built_in = getattr(novikoff, name)(eta=eta, kernel="rbf", gamma=0.3).fit(X, y)
    for kernel, Z in ((own, X), ("precomputed", own(X, X))):
        assert own(X[:2], X).dtype == np.float32
        model = getattr(novikoff, name)(eta=eta, kernel=kernel).fit(Z, y)
        assert abs(model.n_support_ - built_in.n_support_) <= 0.05 * built_in.n_support_ + 2
        assert abs(model.n_mistakes_ - built_in.n_mistakes_) <= 0.02 * len(y)
        assert np.abs(model.dual_coef_).max() < 3 * np.abs(built_in.dual_coef_).max()


def test_projection_loses_nothing_where_rows_lie_in_the_span():
    """On copies of few rows, Projectron decides as the unbounded perceptron, for ever."""
    X = nearly_dependent(2000, "copies", seed=3)
    y = np.random.default_rng(4).integers(0, 2, 2000)
    free = novikoff.Perceptron(kernel="rbf", gamma=0.5)
    decisions = free.run_trials(X, y)
    model = novikoff.Projectron(eta=1e-6, kernel="rbf", gamma=0.5)
    ours = model.run_trials(X, y)
    assert model.n_support_ <= 60 < free.n_support_
    # Ties of integers in real arithmetic are decided by rounding in both, and may differ.
    differ = np.flatnonzero(np.abs(ours - decisions) > 1e-8)
    first = differ[0] if differ.size else len(y)
    assert first > 100
    np.testing.assert_array_equal(np.sign(ours[: first - 1]), np.sign(decisions[: first - 1]))


def test_projection_step_is_the_projection():
    """A mistake near the span moves the hypothesis by the projection, and stores nothing."""
    X, y = rows(n=400, seed=15)
    model = novikoff.Projectron(eta=0.5, kernel="rbf", gamma=0.3)
    moved = 0
    for t in range(400):
        before = model.decision_function(X) if t else np.zeros(400)
        support = set(model.support_.tolist()) if t else set()
        model.partial_fit(X[t : t + 1], y[t : t + 1], classes=[0, 1] if t == 0 else None)
        sign = 1.0 if y[t] else -1.0
        if sign * before[t] > 0:
            continue
        change = sign * (model.decision_function(X) - before)
        kernel = np.exp(-0.3 * ((X - X[t]) ** 2).sum(axis=1))
        if t in model.support_:
            assert_close(change, kernel)
            continue
        assert set(model.support_.tolist()) == support
        # Along the support the projection has the row's own kernel values.
        assert_close(change[model.support_], kernel[model.support_], 1e-8)
        assert change[t] >= 1.0 - 0.5**2 - 1e-12
        moved += 1
    assert moved > 20


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["copies", "scaled copies", "plane"])
def test_single_precision_projects_what_it_cannot_tell_apart(dtype, kind):
    X = nearly_dependent(2000, kind, seed=5).astype(dtype)
    y = np.random.default_rng(6).integers(0, 2, 2000)
    for kernel in ("linear", "rbf", "poly"):
        model = novikoff.Projectron(eta=1e-9, kernel=kernel, gamma=0.2).partial_fit(X, y)
        assert np.isfinite(model.dual_coef_).all()
        assert np.isfinite(model.decision_function(X)).all()
        assert max(residuals(model)) < (1e-4 if dtype == np.float32 else 1e-12)


def test_projected_alma_stays_in_its_ball():
    X, y = rows(n=300, seed=16)
    model = novikoff.ALMA(alpha=0.5, kernel="rbf", gamma=0.3, budget=Project(0.3))
    for t in range(0, 300, 10):
        part = slice(t, t + 10)
        model.partial_fit(X[part], y[part], classes=[0, 1] if t == 0 else None)
        a, S = model.dual_coef_[0], model.support_vectors_
        K = np.exp(-0.3 * ((S[:, None] - S[None]) ** 2).sum(axis=2))
        assert a @ K @ a <= 1.0 + 1e-9


def test_triangular_solves_in_the_corner_of_a_larger_array():
    rng = np.random.default_rng(7)
    room = rng.standard_normal((9, 9))
    for n in (0, 1, 5, 9):
        L = np.tril(room[:n, :n]) + 3 * np.eye(n)
        place = room.copy()
        place[:n, :n] = L + np.triu(room[:n, :n], 1)  # what is above the diagonal is not read
        B, z = rng.standard_normal((n, 4)), rng.standard_normal(n)
        down, up, one_down, one_up = B.copy(), B.copy(), z.copy(), z.copy()
        with few_threads():
            solve_lower(place, n, down)
            solve_lower_transposed(place, n, up)
            solve_lower_vector(place, n, one_down)
            solve_lower_transposed_vector(place, n, one_up)
        assert_close(L @ down, B, 1e-12)
        assert_close(L.T @ up, B, 1e-12)
        assert_close(L @ one_down, z, 1e-12)
        assert_close(L.T @ one_up, z, 1e-12)

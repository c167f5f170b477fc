"""The transcriptions of P0's and P1's learners against hand-computed trials and identities."""

import numpy as np
import pytest

from tests.reference import (
    adaptive_second_order_perceptron,
    higher_order_perceptron,
    p_norm_perceptron,
    perceptron,
    pseudoinverse_second_order_perceptron,
    second_order_perceptron,
    whitened_perceptron,
)

MODULES = [
    (whitened_perceptron, {}),
    (second_order_perceptron, {"a": 0.7}),
    (adaptive_second_order_perceptron, {"c": 0.2}),
    (adaptive_second_order_perceptron, {"c": 0.2, "radius": 5.0}),
    (pseudoinverse_second_order_perceptron, {}),
    (higher_order_perceptron, {"c": 0.4}),
    (higher_order_perceptron, {"c": 0.3, "sparse_updates": True, "normalize": False}),
]


def linear(A, B):
    return A @ B.T


def rbf(A, B):
    return np.exp(-0.5 * np.sum((A[:, None, :] - B[None, :, :]) ** 2, axis=2))


def random_rows(n=60, dim=4, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, dim)) * np.arange(1, dim + 1)
    y = np.where(X @ np.arange(dim, 0, -1) >= 0, 1.0, -1.0)
    return X, np.where(rng.random(n) < noise, -y, y)


def random_classes(n=60, dim=4, k=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, dim))
    return X, np.argmax(X[:, :k] + 0.3 * rng.normal(size=(n, k)), axis=1)


@pytest.mark.parametrize(("module", "parameters"), MODULES)
def test_linear_kernel_is_the_primal_form(module, parameters):
    X, y = random_rows()
    X[5] = 0.0
    primal, dual = module.run(X, y, **parameters), module.run(X, y, kernel=linear, **parameters)
    assert primal["mistakes"][5]
    assert not primal["updates"][5]
    assert dual["decisions"] == pytest.approx(primal["decisions"], abs=1e-7)
    assert dual["mistakes"].tolist() == primal["mistakes"].tolist()
    assert dual["alpha"] @ X[dual["support"]] == pytest.approx(primal["w"], abs=1e-7)
    assert dual["mean_decision"](X) == pytest.approx(primal["mean_decision"](X), abs=1e-7)
    if "paper_margins" in primal:
        assert dual["paper_margins"] == pytest.approx(primal["paper_margins"], abs=1e-7)


@pytest.mark.parametrize("multiclass", ["ovr", "prototype"])
@pytest.mark.parametrize(("module", "parameters"), MODULES)
def test_linear_kernel_is_the_primal_form_in_multiclass(module, parameters, multiclass):
    X, y = random_classes()
    X[5] = 0.0
    primal = module.run_multiclass(X, y, 3, multiclass, **parameters)
    dual = module.run_multiclass(X, y, 3, multiclass, kernel=linear, **parameters)
    assert primal["mistakes"][0]
    assert primal["mistakes"][5]
    assert dual["decisions"] == pytest.approx(primal["decisions"], abs=1e-7)
    assert dual["mistakes"].tolist() == primal["mistakes"].tolist()
    assert dual["n_updates"] == primal["n_updates"]
    assert dual["alpha"] @ X[dual["support"]] == pytest.approx(primal["W"], abs=1e-7)
    assert dual["mean_decision"](X) == pytest.approx(primal["mean_decision"](X), abs=1e-7)


def test_second_order_by_hand():
    # a = 1: v = (1, 0), A = diag(2, 1): w = (1/2, 0). x = (1, 1), y = -1: w.x = 1/2,
    # x' A^{-1} x = 3/2, the figure's margin 1/5. Then v = (0, -1), A = [[3, 1], [1, 2]].
    X, y = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([1.0, -1.0])
    out = second_order_perceptron.run(X, y, a=1.0)
    assert out["decisions"] == pytest.approx([0, 0.5])
    assert out["paper_margins"] == pytest.approx([0, 0.2])
    assert out["w"] == pytest.approx([1 / 5, -3 / 5])


@pytest.mark.parametrize(("module", "parameters"), MODULES[1:5])
def test_the_papers_margin_has_the_sign_of_the_linear_threshold_form(module, parameters):
    X, y = random_rows()
    out = module.run(X, y, **parameters)
    inside = out["decisions"] != 0
    assert inside.sum() > len(X) // 2
    ratio = out["paper_margins"][inside] / out["decisions"][inside]
    assert np.all((ratio > 0) & (ratio < 1))
    assert np.all(out["paper_margins"][~inside] == 0)


def test_second_order_with_a_large_a_is_the_perceptron():
    X, y = random_rows()
    expected = perceptron.run(X, y)
    out = second_order_perceptron.run(X, y, a=1e9)
    assert out["mistakes"].tolist() == expected["mistakes"].tolist()
    assert out["w"] * 1e9 == pytest.approx(expected["w"], rel=1e-4)


def test_second_order_mistake_bound_of_theorem_3_1():
    X, y = random_rows(n=200, noise=0.0)
    u = np.arange(4, 0, -1) / np.linalg.norm(np.arange(4, 0, -1))
    for a in (0.1, 1.0, 10.0):
        out = second_order_perceptron.run(X, y, a=a)
        rows = X[out["mistakes"]]
        spectrum = np.linalg.eigvalsh(rows.T @ rows)
        size = np.sqrt((a + np.sum((rows @ u) ** 2)) * np.log1p(spectrum / a).sum())
        for gamma in (0.1, 0.5, 1.0, 3.0):
            loss = np.maximum(0, gamma - y * (X @ u)).sum()
            assert out["mistakes"].sum() <= (loss + size) / gamma


def test_adaptive_second_order_by_hand():
    # c = 1/2, first mistake on (2, 0): R = 2, k = 2, a = 4; A = diag(8, 4), w = (1/4, 0).
    X, y = np.array([[2.0, 0.0], [1.0, 3.0]]), np.array([1.0, -1.0])
    out = adaptive_second_order_perceptron.run(X, y, c=0.5)
    assert out["decisions"] == pytest.approx([0, 0.25])
    assert out["paper_margins"] == pytest.approx([0, 0.25 / (1 + 1 / 8 + 9 / 4)])
    # then R^2 = 10, k = 3, a = 15: A = [[20, 3], [3, 24]], v = (1, -3).
    assert out["k"] == 3
    assert out["w"] == pytest.approx(np.linalg.solve([[20, 3], [3, 24]], [1, -3]))
    given = adaptive_second_order_perceptron.run(X[:1], y[:1], c=0.5, radius=1.0)
    assert given["w"] == pytest.approx([2 / 5, 0])  # a = 1


def test_pseudoinverse_by_hand():
    # (1, 0), then (1, 1) outside its span: margin 0, a mistake although w.x = 1 agrees with y.
    X, y = np.array([[1.0, 0.0], [1.0, 1.0], [2.0, 5.0]]), np.array([1.0, 1.0, 1.0])
    out = pseudoinverse_second_order_perceptron.run(X, y)
    assert out["decisions"][:2].tolist() == [0, 0]
    assert out["mistakes"].tolist() == [True, True, False]
    # XX' = [[2, 1], [1, 1]], v = (2, 1): w = (1, 0); x = (2, 5): x' (XX')^{-1} x = 34.
    assert out["decisions"][2] == pytest.approx(2)
    assert out["paper_margins"][2] == pytest.approx(2 / 35)


def test_pseudoinverse_meets_each_new_direction_with_a_mistake():
    X, y = random_rows(n=40, dim=4)
    plane = X[:, :2] @ np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 1.0, -1.0]])
    out = pseudoinverse_second_order_perceptron.run(plane, y)
    assert out["mistakes"][:2].tolist() == [True, True]
    assert np.all(out["decisions"][2:] != 0)
    S = plane[out["updates"]].T
    assert out["w"] == pytest.approx(np.linalg.pinv(S @ S.T) @ out["v"])


def test_pseudoinverse_is_the_limit_of_small_a():
    X, y = random_rows()
    out = pseudoinverse_second_order_perceptron.run(X, y)
    v, S = out["v"], X[out["updates"]].T
    assert second_order_perceptron.weights(S, v, 1e-9) == pytest.approx(out["w"], rel=1e-6)


def test_whitened_perceptron_sees_the_identity_as_correlation():
    X, y = random_rows()
    out = whitened_perceptron.run(X, y)
    whitened = X @ out["whitener"]
    assert whitened.T @ whitened == pytest.approx(np.eye(4), abs=1e-12)
    expected = perceptron.run(whitened, y)
    assert out["decisions"] == pytest.approx(expected["decisions"])
    assert X @ out["w"] == pytest.approx(whitened @ expected["w"])
    # A repeated column makes M singular: its weight is shared, the decisions are the same.
    twice = np.column_stack([X, X[:, 0]])
    wide = whitened_perceptron.run(twice, y)
    assert wide["decisions"] == pytest.approx(out["decisions"])
    assert wide["w"][0] == pytest.approx(wide["w"][4])


def test_higher_order_by_hand():
    # c = 1/2; x1 = (1, 0): rho = 1/2, B = diag(1/2, 1), v = (1, 0), w = (1/4, 0).
    X, y = np.array([[2.0, 0.0], [3.0, 4.0]]), np.array([1.0, -1.0])
    out = higher_order_perceptron.run(X, y, c=0.5)
    assert out["decisions"] == pytest.approx([0, 0.75])
    # x2 = (3/5, 4/5): rho = 1/4, v = (2/5, -4/5).
    x = np.array([0.6, 0.8])
    B = np.diag([0.5, 1.0]) @ (np.eye(2) - 0.25 * np.outer(x, x))
    assert out["w"] == pytest.approx(B.T @ B @ [0.4, -0.8])
    assert out["n_matrix_updates"] == 2
    # sparse: y v.x = -3/5 < 0 on the second mistake, so B stays diag(1/2, 1).
    out = higher_order_perceptron.run(X, y, c=0.5, sparse_updates=True)
    assert out["n_matrix_updates"] == 1
    assert out["k"] == 3
    assert out["w"] == pytest.approx([0.1, -0.8])


@pytest.mark.parametrize("sparse_updates", [False, True])
@pytest.mark.parametrize("normalize", [False, True])
def test_the_three_implementations_of_higher_order_agree(sparse_updates, normalize):
    X, y = random_rows()
    X = X if normalize else X / 5
    parameters = {"c": 0.6, "sparse_updates": sparse_updates, "normalize": normalize}
    expected = higher_order_perceptron.run(X, y, **parameters)
    primal = higher_order_perceptron.run_primal(X, y, **parameters)
    implicit = higher_order_perceptron.run_implicit(X, y, **parameters)
    dual = higher_order_perceptron.run_dual(X, y, linear, **parameters)
    for out in (primal, implicit, dual):
        assert out["decisions"] == pytest.approx(expected["decisions"], abs=1e-9)
        assert out["n_matrix_updates"] == expected["n_matrix_updates"]
    assert primal["A"] == pytest.approx(expected["A"])
    assert 0 < expected["n_matrix_updates"] <= expected["updates"].sum()
    if sparse_updates:
        assert expected["n_matrix_updates"] < expected["updates"].sum()


@pytest.mark.parametrize("p", [3.0, 7.0])
def test_implicit_higher_order_agrees_with_the_matrix_for_any_p(p):
    X, y = random_rows()
    expected = higher_order_perceptron.run(X, y, p=p, c=0.6)
    out = higher_order_perceptron.run_implicit(X, y, p=p, c=0.6)
    assert out["decisions"] == pytest.approx(expected["decisions"], abs=1e-9)


@pytest.mark.parametrize("p", [2.0, 5.0])
def test_higher_order_with_c_0_is_the_normalised_p_norm_perceptron(p):
    X, y = random_rows()
    expected = p_norm_perceptron.run(X, y, p=p, normalize=True)
    for run in (higher_order_perceptron.run, higher_order_perceptron.run_implicit):
        out = run(X, y, p=p, c=0.0)
        assert out["decisions"] == pytest.approx(expected["decisions"])
        assert out["n_matrix_updates"] == 0
    if p == 2:
        normalised = perceptron.run(X, y, normalize=True)
        assert out["w"] == pytest.approx(normalised["w"])


def test_higher_order_mistake_bound_of_theorem_1():
    X, y = random_rows(n=200, noise=0.0)
    X = X / np.linalg.norm(X, axis=1)[:, None]
    u = np.arange(4, 0, -1) / np.linalg.norm(np.arange(4, 0, -1))
    out = higher_order_perceptron.run(X, y, c=0.4)
    assert np.linalg.eigvalsh(out["A"]).max() <= 1 + 1e-12
    # The transformed rows B_{k-1} x of Theorem 1, with its c = 1 - 0.4.
    B, rows = np.eye(4), []
    for k, t in enumerate(np.flatnonzero(out["updates"]), start=1):
        rows.append(y[t] * (B @ X[t]))
        B = B @ (np.eye(4) - 0.4 / k * np.outer(X[t], X[t]))
    alpha = (2 - 0.6) / 0.6
    for gamma in (0.05, 0.1, 0.3):
        loss = alpha * np.maximum(0, gamma - np.array(rows) @ u).sum() / gamma
        bound = loss + alpha**2 / (2 * gamma**2)
        bound += alpha / gamma * np.sqrt(loss + alpha**2 / (4 * gamma**2))
        assert out["updates"].sum() <= bound


def test_kernel_higher_order_normalises_in_feature_space():
    X, y = random_rows(n=30)
    scaled = higher_order_perceptron.run(X * 3, y, kernel=lambda A, B: linear(A, B) ** 2)
    plain = higher_order_perceptron.run(X, y, kernel=lambda A, B: linear(A, B) ** 2)
    assert scaled["mistakes"].tolist() == plain["mistakes"].tolist()
    assert scaled["decisions"] == pytest.approx(9 * plain["decisions"])


@pytest.mark.parametrize("module", [second_order_perceptron, adaptive_second_order_perceptron])
def test_gaussian_kernel_runs_by_the_dual_identity(module):
    X, y = random_rows(n=30)
    out = module.run(X, y, kernel=rbf)
    # In feature coordinates L (G = L L') the primal form is the same run.
    L = np.linalg.cholesky(rbf(X, X))
    primal = module.run(L, y)
    assert out["decisions"] == pytest.approx(primal["decisions"], abs=1e-8)
    assert out["mistakes"].tolist() == primal["mistakes"].tolist()

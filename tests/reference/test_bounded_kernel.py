"""The transcriptions of the kernel learners against hand-computed trials and laws of P2 and P4."""

import numpy as np
import pytest

from tests.reference import (
    alma,
    forgetron,
    modified_budget_perceptron,
    passive_aggressive,
    passive_aggressive_1,
    passive_aggressive_2,
    perceptron,
    projectron,
    projectron_plus_plus,
    randomized_budget_perceptron,
    simplified_forgetron,
)

FIRST_ORDER = [
    (perceptron, {}),
    (perceptron, {"margin": 0.5, "normalize": True}),
    (passive_aggressive, {}),
    (passive_aggressive_1, {"C": 0.3}),
    (passive_aggressive_2, {"C": 0.3}),
    (alma, {"alpha": 0.6}),
]


def linear(A, B):
    return A @ B.T


def rbf(A, B):
    return np.exp(-0.5 * np.sum((A[:, None, :] - B[None, :, :]) ** 2, axis=2))


def random_rows(n=80, dim=3, noise=0.2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, dim))
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * X[:, 1] >= 0, 1.0, -1.0)
    return X, np.where(rng.random(n) < noise, -y, y)


def random_classes(n=80, dim=3, k=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, dim))
    return X, np.argmax(X[:, :k] ** 2 + 0.3 * rng.normal(size=(n, k)), axis=1)


def drawer(seed=0):
    rng = np.random.default_rng(seed)
    return lambda size: int(rng.integers(size))


def norm(kernel, X, out):
    alpha = np.atleast_2d(out["alpha"])
    G = kernel(X[out["support"]], X[out["support"]])
    return np.sqrt(np.sum((alpha @ G) * alpha))


@pytest.mark.parametrize(("module", "parameters"), FIRST_ORDER)
def test_linear_kernel_is_the_primal_form(module, parameters):
    X, y = random_rows()
    X[5] = 0.0
    primal, dual = module.run(X, y, **parameters), module.run(X, y, kernel=linear, **parameters)
    assert dual["decisions"] == pytest.approx(primal["decisions"], abs=1e-9)
    assert dual["updates"].tolist() == primal["updates"].tolist()
    assert dual["alpha"] @ X[dual["support"]] == pytest.approx(primal["w"], abs=1e-9)
    assert dual["mean_decision"](X) == pytest.approx(primal["mean_decision"](X), abs=1e-9)
    X, y = random_classes()
    X[5] = 0.0
    for multiclass in ("ovr", "prototype"):
        primal = module.run_multiclass(X, y, 3, multiclass, **parameters)
        dual = module.run_multiclass(X, y, 3, multiclass, kernel=linear, **parameters)
        assert dual["decisions"] == pytest.approx(primal["decisions"], abs=1e-9)
        assert dual["mistakes"].tolist() == primal["mistakes"].tolist()
        assert dual["n_updates"] == primal["n_updates"]
        assert dual["alpha"] @ X[dual["support"]] == pytest.approx(primal["W"], abs=1e-9)


def test_kernel_perceptron_by_hand():
    X, y = np.array([[0.0], [1.0], [1.0]]), np.array([1.0, -1.0, -1.0])
    out = perceptron.run(X, y, kernel=rbf)
    # f(x2) = exp(-1/2) is a mistake; then f(x3) = exp(-1/2) - 1 < 0 is right.
    assert out["decisions"] == pytest.approx([0, np.exp(-0.5), np.exp(-0.5) - 1])
    assert out["support"] == [0, 1]
    assert out["alpha"].tolist() == [1, -1]


def test_randomized_budget_perceptron_by_hand():
    X, y = np.eye(5), np.ones(5)  # orthogonal rows: every trial is a mistake
    slots = iter([1, 0])
    out = randomized_budget_perceptron.run(X, y, linear, 3, lambda size: next(slots))
    assert out["support"] == [2, 3, 4]  # 0 1 2, drop 1: 0 2 3, drop 0: 2 3 4
    slots = iter([1, 2])
    out = randomized_budget_perceptron.run(X, y, linear, 3, lambda size: next(slots))
    assert out["support"] == [0, 2, 4]
    assert out["mean_decision"](X) == pytest.approx([1.0, 0.4, 0.6, 0.2, 0.2])
    assert randomized_budget_perceptron.run_remove_oldest(X, y, linear, 2)["support"] == [3, 4]


@pytest.mark.parametrize("multiclass", ["ovr", "prototype"])
def test_budget_on_the_perceptron_is_the_randomized_budget_perceptron(multiclass):
    X, y = random_rows()
    expected = randomized_budget_perceptron.run(X, y, rbf, 7, drawer())
    out = perceptron.run(X, y, kernel=rbf, budget=7, draw=drawer())
    assert out["decisions"] == pytest.approx(expected["decisions"])
    assert out["support"] == expected["support"]
    assert out["mean_decision"](X) == pytest.approx(expected["mean_decision"](X))
    X, y = random_classes()
    expected = randomized_budget_perceptron.run_multiclass(X, y, 3, multiclass, rbf, 7, drawer())
    out = perceptron.run_multiclass(X, y, 3, multiclass, kernel=rbf, budget=7, draw=drawer())
    assert out["decisions"] == pytest.approx(expected["decisions"])
    assert out["support"] == expected["support"]
    assert len(out["support"]) == 7
    assert out["n_updates"] == expected["n_updates"]


def test_budget_that_is_never_filled_changes_nothing():
    X, y = random_rows()
    expected = perceptron.run(X, y, kernel=rbf)
    rbp = randomized_budget_perceptron.run(X, y, rbf, len(X), drawer())
    old = forgetron.run(X, y, rbf, len(X))
    assert rbp["decisions"] == pytest.approx(expected["decisions"])
    assert old["decisions"] == pytest.approx(expected["decisions"])
    X, y = random_classes()
    expected = perceptron.run_multiclass(X, y, 3, "ovr", kernel=rbf)
    out = forgetron.run_multiclass(X, y, 3, "ovr", rbf, len(X))
    assert out["decisions"] == pytest.approx(expected["decisions"])
    assert out["n_updates"] == expected["n_updates"]


@pytest.mark.parametrize("budget", [1, 3, 10])
def test_budget_is_never_exceeded(budget):
    X, y = random_rows()
    codes = (y > 0).astype(int)
    for t in range(1, len(X), 3):
        rows, signs, labels = X[:t], y[:t], codes[:t]
        runs = [
            randomized_budget_perceptron.run(rows, signs, rbf, budget, drawer()),
            forgetron.run(rows, signs, rbf, budget),
            forgetron.run_multiclass(rows, labels, 2, "ovr", rbf, budget),
            modified_budget_perceptron.run(rows, signs, rbf, drawer(), budget),
            simplified_forgetron.run(rows, signs, rbf, budget, radius=2.0),
        ]
        assert max(len(out["support"]) for out in runs) <= budget


def test_forgetron_by_hand():
    # Orthogonal rows, B = 1: at the second mistake sigma = mu = 1, Psi(p, p) = 2p - p^2, M = 2:
    # p^2 - 2p + 15/16 = 0 gives phi = 1 - 1/4; r leaves, and the newcomer keeps 3/4.
    out = forgetron.run(np.eye(3), np.ones(3), linear, 1)
    assert out["phi"][1] == pytest.approx(0.75)
    # Then Q = 15/16; at the third, sigma = mu = 3/4: (9/16)(-phi^2) + (3/2) phi = 45/32 - 15/16.
    phi = (1.5 - np.sqrt(2.25 - 4 * 9 / 16 * 15 / 32)) / (2 * 9 / 16)
    assert out["phi"][2] == pytest.approx(phi)
    assert out["support"] == [2]
    assert out["alpha"] == pytest.approx([phi])


def test_forgetron_takes_the_largest_phi_that_keeps_its_invariant():
    rng = np.random.default_rng(1)
    grid = np.linspace(1e-5, 1, 100_000)
    for _ in range(300):
        sigma, mu, M = rng.uniform(0, 2), rng.normal() * 2, rng.integers(1, 30)
        Q = 15 / 32 * (M - 1) * rng.uniform()
        allowed = forgetron.psi(grid * sigma, grid * mu) + Q <= 15 / 32 * M
        assert forgetron.largest_phi(sigma, mu, Q, M) == pytest.approx(
            grid[allowed].max(), abs=2e-5
        )
    X, y = random_rows(n=120)
    out = forgetron.run(X, y, rbf, 8)
    assert out["phi"].min() < 1
    assert out["Q"] <= 15 / 32 * out["M"] + 1e-12


def test_simplified_forgetron_by_hand():
    # B = 2, eta = 1/4, radius 1: lambda = 1/4, shrink by 15/16. Orthogonal rows, all mistakes.
    out = simplified_forgetron.run(np.eye(3), np.ones(3), linear, 2, eta=0.25, radius=1.0)
    assert out["support"] == [1, 2]
    assert out["alpha"] == pytest.approx([0.25 * 15 / 16, 0.25])
    # radius 1/2: lambda = 1, eta = 3/4: the first is cut to 1/2, then shrunk by 1/4.
    out = simplified_forgetron.run(np.eye(2), np.ones(2), linear, 2, eta=0.75, radius=0.5)
    raw = np.array([0.125, 0.75])
    assert out["alpha"] == pytest.approx(raw * 0.5 / np.linalg.norm(raw))


def test_simplified_forgetron_uses_theorem_2():
    U = np.sqrt(500 / (32 * np.log2(4000)))
    X, y = random_rows()
    out = simplified_forgetron.run(X, y, rbf)
    expected = simplified_forgetron.run(X, y, rbf, 500, 1 / 32, U / 2)
    assert out["alpha"].tolist() == expected["alpha"].tolist()
    last, before = out["alpha"][-1], out["alpha"][-2]
    assert abs(before / last) == pytest.approx(1 - 1 / (32 * U**2))


def test_modified_budget_perceptron_by_hand():
    # B = 4, slots 3 (empty), 0 (row 0), 3 (empty), 0 (row 1).
    slots = iter([3, 3, 0, 3, 0])
    out = modified_budget_perceptron.run(
        np.eye(5), np.ones(5), linear, lambda size: next(slots), budget=4, eta=0.5, radius=10.0
    )
    assert out["support"] == [2, 3, 4]
    assert out["alpha"].tolist() == [0.5, 0.5, 0.5]
    out = modified_budget_perceptron.run(
        np.eye(2), np.ones(2), linear, lambda size: size - 1, budget=4, eta=0.5, radius=0.5
    )
    assert out["alpha"] == pytest.approx([0.5 / np.sqrt(2)] * 2)


@pytest.mark.parametrize("lazy", [False, True])
def test_what_is_shown_lies_in_the_ball(lazy):
    X, y = random_rows()
    a = modified_budget_perceptron.run(X, y, rbf, drawer(), 20, 0.5, 0.7, lazy)
    b = simplified_forgetron.run(X, y, rbf, 20, 0.1, 0.4, lazy)
    assert norm(rbf, X, a) <= 0.7 + 1e-12
    assert norm(rbf, X, b) <= 0.4 + 1e-12
    labels = (y > 0).astype(int) + (X[:, 2] > 0)
    for multiclass in ("ovr", "prototype"):
        a = modified_budget_perceptron.run_multiclass(
            X, labels, 3, multiclass, rbf, drawer(), 20, 0.5, 0.7, lazy
        )
        b = simplified_forgetron.run_multiclass(X, labels, 3, multiclass, rbf, 20, 0.1, 0.4, lazy)
        times = np.sqrt(3) if multiclass == "ovr" else 1
        assert norm(rbf, X, a) <= 0.7 * times + 1e-12
        assert norm(rbf, X, b) <= 0.4 * times + 1e-12


def test_lazy_projection_scales_what_an_unbounded_run_decides():
    X, y = random_rows()
    lazy = modified_budget_perceptron.run(X, y, rbf, drawer(), 20, 0.5, 0.7, True)
    free = modified_budget_perceptron.run(X, y, rbf, drawer(), 20, 0.5, 1e9)
    assert lazy["mistakes"].tolist() == free["mistakes"].tolist()
    assert lazy["alpha_unprojected"].tolist() == free["alpha"].tolist()
    assert np.all(np.abs(lazy["decisions"]) <= np.abs(free["decisions"]) + 1e-12)


@pytest.mark.parametrize("kernel", [linear, rbf])
def test_projectron_with_eta_0_is_the_kernel_perceptron(kernel):
    X, y = random_rows()
    expected = perceptron.run(X, y, kernel=kernel)
    out = projectron.run(X, y, kernel, 0.0)
    assert out["decisions"] == pytest.approx(expected["decisions"], abs=1e-8)
    assert out["mistakes"].tolist() == expected["mistakes"].tolist()
    if kernel is linear:
        assert len(out["support"]) == 3  # the dimension
    X, y = random_classes()
    expected = perceptron.run_multiclass(X, y, 3, "prototype", kernel=kernel)
    out = projectron.run_multiclass(X, y, 3, "prototype", kernel=kernel, eta=0.0)
    assert out["decisions"] == pytest.approx(expected["decisions"], abs=1e-8)
    assert out["mistakes"].tolist() == expected["mistakes"].tolist()


def test_projectron_by_hand():
    # (1, 0) enters; (1, 1/2): delta = 1/2 > eta = 0.4, enters; on the plane's third row delta = 0.
    X, y = np.array([[1.0, 0.0], [1.0, 0.5], [0.0, 1.0]]), np.array([1.0, -1.0, 1.0])
    out = projectron.run(X, y, linear, 0.4)
    # d of (0, 1) on the two rows: (-2, 2); f(x3) = -1/2 is a mistake.
    assert out["decisions"] == pytest.approx([0, 1, -0.5])
    assert out["support"] == [0, 1]
    assert out["alpha"] == pytest.approx([1 - 2, -1 + 2])
    assert out["projected"].tolist() == [False, False, True]
    # With eta = 1/2 the second is projected: d = 1, alpha = 1 - 1.
    out = projectron.run(X[:2], y[:2], linear, 0.5)
    assert out["support"] == [0]
    assert out["alpha"] == pytest.approx([0])


def test_projectron_plus_plus_by_hand():
    # w = (1, 0); x = (1/2, 1/10): f = 1/2, loss 1/2, delta = 1/10, ||Pk||^2 = 1/4.
    X, y = np.array([[1.0, 0.0], [0.5, 0.1]]), np.array([1.0, 1.0])
    # eta = 1/4: delta/eta = 0.4; loss/||Pk||^2 = 2, 2 * 0.1 / 0.25 = 0.8: tau = 0.8, d = 1/2.
    out = projectron_plus_plus.run(X, y, linear, 0.25)
    assert out["alpha"] == pytest.approx([1.4])
    assert out["mistakes"].tolist() == [True, False]
    assert out["updates"].tolist() == [True, True]
    # eta = 0.19: delta/eta > loss, nothing. eta = 1: tau = min(2, 3.2, 1) = 1.
    assert projectron_plus_plus.run(X, y, linear, 0.19)["updates"].tolist() == [True, False]
    assert projectron_plus_plus.run(X, y, linear, 1.0)["alpha"] == pytest.approx([1.5])


def test_projectron_plus_plus_prototypes_by_hand():
    # Rows 0 and 1 of class 0 and 1; then a margin error of class 0 against rival 1.
    X = np.array([[1.0, 0.0], [0.25, 0.1]])
    out = projectron_plus_plus.run_multiclass(
        X, np.array([0, 0]), 2, "prototype", kernel=linear, eta=1.0
    )
    # Both classes hold row 0 with +-1; scores 1/4, -1/4: loss 1/2; each ||Pk||^2 = 1/16, each
    # delta = 1/10; the pair's delta = 0.1 sqrt 2: tau = min(4, 2 (1/2 - 0.1414) 8, 1) = 1.
    assert out["mistakes"].tolist() == [True, False]
    assert out["alpha"] == pytest.approx(np.array([[1.25], [-1.25]]))
    out = projectron_plus_plus.run_multiclass(
        X, np.array([0, 0]), 2, "prototype", kernel=linear, eta=0.3
    )
    tau = 2 * (0.5 - 0.1 * np.sqrt(2) / 0.3) * 8
    assert out["alpha"] == pytest.approx(np.array([[1 + tau / 4], [-1 - tau / 4]]))


def test_projectron_plus_plus_only_grows_on_mistakes():
    X, y = random_rows()
    out = projectron_plus_plus.run(X, y, rbf, 0.5)
    assert out["mistakes"][out["support"]].all()
    assert (out["updates"] & ~out["mistakes"]).any()
    kept = X[out["support"]]
    for i in range(1, len(kept)):  # each newcomer was farther than eta from its elders' span
        G, row = rbf(kept[:i], kept[:i]), rbf(kept[:i], kept[i : i + 1])[:, 0]
        assert 1 - row @ np.linalg.solve(G, row) > 0.25


def test_class_in_whose_span_the_row_lies_gets_its_projection():
    # All scores tie in the first two trials: classes 0 and 1 take (1, 0), 2 and 0 take (0, 1).
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    out = projectron.run_multiclass(
        X, np.array([0, 2, 1]), 3, "prototype", kernel=linear, eta=0.01
    )
    # Third trial: scores (0, -1, 1): true 1, rival 2, and (1, 1) lies in neither's span.
    assert out["supports"] == [[0, 1], [0, 2], [1, 2]]
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -2.0]])
    out = projectron.run_multiclass(
        X, np.array([0, 2, 1]), 3, "prototype", kernel=linear, eta=0.01
    )
    # Scores (1, 1, -2): true 1 takes the row, rival 0, whose span it lies in, does not.
    assert out["supports"] == [[0, 1], [0, 2], [1]]
    assert out["alpha"] == pytest.approx(np.array([[2, 1, 0], [-1, 0, 1], [0, 1, 0]]))


def test_projected_alma_by_hand():
    # alpha = 0, B = 1, C = 1/2: first w = x^_1 / 2; x^_2 = (4/5, 3/5), delta = 3/5.
    X, y = np.array([[2.0, 0.0], [4.0, 3.0]]), np.array([1.0, -1.0])
    parameters = {"alpha": 0.0, "B": 1.0, "C": 0.5, "kernel": linear}
    out = alma.run(X, y, project=0.6 + 1e-9, **parameters)
    eta = 0.5 / np.sqrt(2)
    assert out["support"] == [0]
    assert out["alpha"] == pytest.approx([0.25 - eta * 0.4])
    assert alma.run(X, y, project=0.59, **parameters)["support"] == [0, 1]


def test_projected_alma_with_a_tiny_eta_is_alma():
    X, y = random_rows()
    expected = alma.run(X, y, kernel=linear, alpha=0.7)
    out = alma.run(X, y, kernel=linear, alpha=0.7, project=1e-6)
    assert out["decisions"] == pytest.approx(expected["decisions"], abs=1e-8)
    assert len(out["support"]) == 3
    assert norm(linear, X, out) <= 1 + 1e-12
    X, y = random_classes()
    out = alma.run_multiclass(X, y, 3, "ovr", kernel=linear, project=1e-6)
    expected = alma.run_multiclass(X, y, 3, "ovr", kernel=linear)
    assert out["decisions"] == pytest.approx(expected["decisions"], abs=1e-8)


@pytest.mark.parametrize("module", [projectron, projectron_plus_plus])
def test_theorem_3_and_4_hold(module):
    X, y = random_rows(n=150, noise=0.05)
    eta = 0.1
    out = module.run(X, y, rbf, eta)
    g = np.linalg.solve(rbf(X, X) + 0.5 * np.eye(len(X)), y)
    size = np.sqrt(g @ rbf(X, X) @ g)
    for scale in np.linspace(0.05, 0.95, 19) / (eta * size):
        loss = np.maximum(0, 1 - y * scale * (rbf(X, X) @ g)).sum()
        rest = 1 - eta * scale * size
        bound = (scale * size / rest) ** 2 + loss / rest
        bound += scale * size / rest * np.sqrt(loss / rest)
        assert out["mistakes"].sum() <= bound


@pytest.mark.parametrize("module", [randomized_budget_perceptron, modified_budget_perceptron])
def test_zero_rows_draw_nothing_and_store_nothing(module):
    X, y = random_rows(n=30)
    with_zeros, signs = np.insert(X, [7, 20], 0.0, axis=0), np.insert(y, [7, 20], 1.0)
    out = module.run(with_zeros, signs, kernel=linear, budget=4, draw=drawer())
    expected = module.run(X, y, kernel=linear, budget=4, draw=drawer())
    assert out["mistakes"][7]
    assert not out["updates"][7]
    assert out["alpha"].tolist() == expected["alpha"].tolist()

"""The transcriptions of the first-order primal family against hand-computed trials and laws."""

import numpy as np
import pytest

from tests.reference import (
    alma,
    online_ridge,
    p_norm_perceptron,
    passive_aggressive,
    passive_aggressive_1,
    passive_aggressive_2,
    perceptron,
)

MODULES = [
    perceptron,
    passive_aggressive,
    passive_aggressive_1,
    passive_aggressive_2,
    alma,
    p_norm_perceptron,
    online_ridge,
]
# Four rows whose runs are worked out by hand below.
ROWS = np.array([[3.0, 4.0], [0.0, 0.0], [1.0, -1.0], [2.0, 0.0]])
SIGNS = np.array([1.0, -1.0, 1.0, -1.0])


def random_rows(n=60, dim=4, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, dim))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] >= 0, 1.0, -1.0)
    return X, np.where(rng.random(n) < noise, -y, y)


def random_classes(n=60, dim=4, k=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, dim))
    return X, np.argmax(X[:, :k] + 0.3 * rng.normal(size=(n, k)), axis=1)


def test_perceptron_by_hand():
    out = perceptron.run(ROWS, SIGNS)
    # w: (3,4), (3,4) after the zero row, f = -1 is a mistake -> (4,3), f = 8 is one -> (2,3)
    assert out["decisions"].tolist() == [0, 0, -1, 8]
    assert out["mistakes"].tolist() == [True, True, True, True]
    assert out["updates"].tolist() == [True, False, True, True]
    assert out["w"].tolist() == [2, 3]
    # held: (3,4), (3,4), (4,3), (2,3), mean (3, 3.5)
    assert out["mean_decision"](np.eye(2)).tolist() == [3, 3.5]


def test_normalised_perceptron_by_hand():
    out = perceptron.run(np.array([[3.0, 4.0], [0.0, 5.0]]), np.array([1.0, -1.0]), normalize=True)
    assert out["decisions"] == pytest.approx([0, 4])
    assert out["w"] == pytest.approx([0.6, -0.2])


def test_margin_is_compared_with_the_normalised_decision():
    X, y = np.array([[3.0, 4.0], [3.0, 4.0]]), np.array([1.0, 1.0])
    raw = perceptron.run(X, y, margin=2.0)  # y f = 25
    scaled = perceptron.run(X, y, margin=2.0, normalize=True)  # y f / ||x|| = 1
    assert raw["updates"].tolist() == [True, False]
    assert scaled["updates"].tolist() == [True, True]


def test_perceptron_prototypes_by_hand():
    X = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    out = perceptron.run_multiclass(X, np.array([1, 0, 2, 2]), 3, "prototype")
    # W: rows 1 += x1, 0 -= x1 (lowest tied rival); zero row: a mistake without update;
    # third: scores 0, rival 0: row 2 += x3, row 0 -= x3; fourth: scores -2, 1, 1: rival 1 ties.
    assert out["decisions"].tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 0], [-2, 1, 1]]
    assert out["mistakes"].tolist() == [True, True, True, True]
    assert out["W"].tolist() == [[-1, -1], [0, -1], [1, 2]]
    assert out["n_updates"] == 3


def test_passive_aggressive_by_hand():
    X, y = np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([1.0, -1.0])
    # First: loss 1, ||x||^2 = 4. PA: w = (1/2, 0); then f = 1/2, loss 3/2, ||x||^2 = 2, tau 3/4.
    assert passive_aggressive.run(X, y)["w"].tolist() == [-0.25, -0.75]
    # PA-I, C = 1/8: both steps are cut to 1/8.
    assert passive_aggressive_1.run(X, y, C=0.125)["w"].tolist() == [0.125, -0.125]
    # PA-II, C = 1/8: tau = 1/(4 + 4), w = (1/4, 0); loss 5/4, tau = 5/4 / 6.
    out = passive_aggressive_2.run(X, y, C=0.125)
    assert out["w"] == pytest.approx([0.25 - 1.25 / 6, -1.25 / 6])


@pytest.mark.parametrize("multiclass", [False, True])
def test_passive_aggressive_makes_the_loss_vanish(multiclass):
    if multiclass:
        X, y = random_classes()
        for t in range(1, 20):
            W = passive_aggressive.run_multiclass(X[:t], y[:t], 3, "prototype")["W"]
            before = passive_aggressive.run_multiclass(X[:t], y[:t], 3, "prototype")["decisions"]
            others = before[-1].copy()
            others[y[t - 1]] = -np.inf
            gap = (W[y[t - 1]] - W[np.argmax(others)]) @ X[t - 1]
            assert gap >= 1 - 1e-12
    else:
        X, y = random_rows()
        for t in range(1, 20):
            assert y[t - 1] * (passive_aggressive.run(X[:t], y[:t])["w"] @ X[t - 1]) >= 1 - 1e-12


def test_passive_aggressive_1_and_2_with_a_large_c_are_passive_aggressive():
    X, y = random_rows()
    expected = passive_aggressive.run(X, y)["w"]
    assert passive_aggressive_1.run(X, y, C=1e9)["w"] == pytest.approx(expected)
    assert passive_aggressive_2.run(X, y, C=1e9)["w"] == pytest.approx(expected, rel=1e-6)


def test_alma_2_by_hand():
    # alpha = 1/2, B = 1, C = 1/2: the first row has x^ = (3/5, 4/5), eta_1 = 1/2.
    X, y = np.array([[3.0, 4.0], [3.0, 4.0], [6.0, 8.0]]), np.ones(3)
    out = alma.run(X, y, alpha=0.5, B=1.0, C=0.5)
    # After one step w.x^ = 1/2 > (1/2) / sqrt 2, so nothing more happens.
    assert out["decisions"] == pytest.approx([0, 2.5, 5])
    assert out["updates"].tolist() == [True, False, False]
    assert out["w"] == pytest.approx([0.3, 0.4])
    # With alpha = 0, w.x^ = 1/2 <= 1/sqrt 2: step 1/(2 sqrt 2), then 0.854 > 1/sqrt 3.
    out = alma.run(X, y, alpha=0.0, B=1.0, C=0.5)
    assert out["updates"].tolist() == [True, True, False]
    assert out["w"] == pytest.approx(np.array([0.6, 0.8]) * (0.5 + 0.5 / np.sqrt(2)))


@pytest.mark.parametrize("p", [2.0, 3.0, 6.5])
def test_alma_stays_in_the_dual_ball(p):
    X, y = random_rows()
    q = p / (p - 1)
    for t in range(1, 30):
        out = alma.run(X[:t], y[:t], p=p)
        assert np.sum(np.abs(out["w"]) ** q) ** (1 / q) <= 1 + 1e-12
    assert out["k"] == 1 + out["updates"].sum()


@pytest.mark.parametrize("p", [2.0, 4.0])
def test_alma_reaches_the_margin_it_promises(p):
    # Gentile (2001), Theorem 3: separable rows are separated with (1 - alpha) of the best margin.
    X = np.array([[1.0, 0.2], [0.9, -0.3], [-1.0, 0.1], [0.4, 0.1], [-0.5, -0.2]])
    y = np.sign(X[:, 0])
    lengths = np.sum(np.abs(X) ** p, axis=1) ** (1 / p)
    angles = np.linspace(0, 2 * np.pi, 20001)
    U = np.column_stack([np.cos(angles), np.sin(angles)])
    q = p / (p - 1)
    U /= (np.sum(np.abs(U) ** q, axis=1) ** (1 / q))[:, None]
    best = np.min(y * (U @ X.T) / lengths, axis=1).max()
    alpha = 0.3
    out = alma.run(np.tile(X, (2000, 1)), np.tile(y, 2000), p=p, alpha=alpha)
    assert not out["updates"][-len(X) :].any()
    assert np.min(y * (X @ out["w"]) / lengths) >= (1 - alpha) * best


@pytest.mark.parametrize("p", [2.0, 3.0, 7.3])
def test_link_is_the_gradient_of_half_the_squared_p_norm(p):
    theta = np.array([0.5, -2.0, 1.5])
    step = 1e-6
    half = [
        (p_norm_perceptron.p_norm(theta + step * e, p) ** 2) / 2
        - (p_norm_perceptron.p_norm(theta - step * e, p) ** 2) / 2
        for e in np.eye(3)
    ]
    assert p_norm_perceptron.g(theta, p) == pytest.approx(np.array(half) / (2 * step), rel=1e-6)
    assert alma.g(theta, p).tolist() == p_norm_perceptron.g(theta, p).tolist()


def test_p_norm_perceptron_at_2_is_the_perceptron():
    X, y = random_rows()
    for normalize in (False, True):
        out = p_norm_perceptron.run(X, y, p=2.0, normalize=normalize)
        expected = perceptron.run(X, y, normalize=normalize)
        assert out["decisions"] == pytest.approx(expected["decisions"])
        assert out["mistakes"].tolist() == expected["mistakes"].tolist()
    X, y = random_classes()
    out = p_norm_perceptron.run_multiclass(X, y, 3, "prototype", p=2.0)
    expected = perceptron.run_multiclass(X, y, 3, "prototype")
    assert out["W"] == pytest.approx(expected["W"])


def test_p_norm_perceptron_by_hand():
    # p = 4: theta = (1, 2), ||theta||_4^2 = sqrt 17, w = (1, 8) / sqrt 17.
    out = p_norm_perceptron.run(np.array([[1.0, 2.0], [1.0, 0.0]]), np.array([1.0, -1.0]), p=4.0)
    assert out["decisions"] == pytest.approx([0, 1 / np.sqrt(17)])
    assert out["w"] == pytest.approx([0, 2])
    assert out["theta"].tolist() == [0, 2]


def test_online_ridge_minimises_the_regularised_squares():
    X, y = random_rows(n=12)
    out = online_ridge.run(X, y, a=0.7)
    stacked = np.vstack([X, np.sqrt(0.7) * np.eye(4)])
    expected = np.linalg.lstsq(stacked, np.append(y, np.zeros(4)), rcond=None)[0]
    assert out["w"] == pytest.approx(expected)
    assert np.sign(out["forward_decisions"]).tolist() == np.sign(out["decisions"]).tolist()
    one = online_ridge.run(np.array([[2.0], [1.0]]), np.array([1.0, 1.0]), a=1.0)
    assert one["decisions"] == pytest.approx([0, 0.4])  # w = 2 / (1 + 4)
    assert one["forward_decisions"] == pytest.approx([0, 2 / 6])


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__.rpartition(".")[2])
def test_one_versus_rest_counts_a_tie_as_a_mistake(module):
    X, y = random_classes()
    out = module.run_multiclass(X, y, 3, "ovr")
    assert out["mistakes"][0]  # all scores are zero
    assert out["W"].shape == (3, 4)
    assert out["n_updates"] >= 3
    assert out["mean_decision"](X[:5]).shape == (5, 3)


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__.rpartition(".")[2])
def test_zero_rows_change_nothing(module):
    X, y = random_rows(n=20)
    with_zeros = np.insert(X, 7, 0.0, axis=0)
    out = module.run(with_zeros, np.insert(y, 7, 1.0))
    assert out["mistakes"][7]
    assert not out["updates"][7]
    assert out["w"].tolist() == module.run(X, y)["w"].tolist()

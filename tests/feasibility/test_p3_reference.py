"""The solvers against literal transcriptions of P3's algorithms, update by update."""

import math

import numpy as np
import pytest

from novikoff.feasibility import (
    Halfspaces,
    dilated_perceptron,
    ellipsoid,
    margin_perceptron,
    modified_perceptron,
    perceptron,
    rescaling_perceptron,
)
from novikoff.feasibility.oracles.cholesky import pivoted_counterexample
from novikoff.feasibility.solvers.modified_perceptron import random_unit
from tests.reference import (
    p3_cholesky,
    p3_dilated_perceptron,
    p3_ellipsoid,
    p3_modified_perceptron,
    p3_perceptron,
    p3_rescaling_perceptron,
)

from .instances import feasible_matrices, separable_rows, symmetric


class Spy:
    """Half-spaces that note which row they answered with."""

    takes_level = True

    def __init__(self, A, normalize=True, inner=None, trail=None):
        self.inner = Halfspaces(A, normalize=normalize) if inner is None else inner
        self.trail = [] if trail is None else trail
        self.pending = None

    def __call__(self, x, level=0.0):
        a = self.inner(x, level)
        if a is not None:
            self.trail.append(int(np.flatnonzero((self.inner.rows == a).all(axis=1))[0]))
        return a

    def contains(self, x):
        return self.inner.contains(x)

    def rescaled(self, H):
        return Spy(None, inner=self.inner.rescaled(H), trail=self.trail)


def draws(seed, n):
    rng = np.random.default_rng(seed)
    return lambda: random_unit(rng, n)


def instances(count=4, rho=0.02, rows=6):
    for seed in range(count):
        rng = np.random.default_rng([seed, 7])  # not the solvers' stream: it would draw the centre
        n = 2 + seed
        yield seed, n, separable_rows(rng, rows * n, n, rho)[0]


def test_algorithm_1():
    for _, n, A in instances():
        spy = Spy(A)
        outcome = perceptron(spy, n)
        x, trail = p3_perceptron.run(A)
        assert spy.trail == trail
        assert np.allclose(outcome.x, x, rtol=1e-12, atol=1e-12)


def test_algorithm_1_is_bitwise_where_rows_are_axes():
    A = np.array([[1.0, 0, 0], [0, -1.0, 0], [0, 0, 1.0], [0, 0, 1.0]])
    x, trail = p3_perceptron.run(A)
    outcome = perceptron(Halfspaces(A), 3)
    assert outcome.n_updates == len(trail)
    assert np.array_equal(outcome.x, x)


@pytest.mark.parametrize("tau", [0.0, 0.7, 2.9])
def test_perceptron_with_margins(tau):
    for _, n, A in instances():
        spy = Spy(A)
        outcome = margin_perceptron(spy, n, tau=tau)
        x, trail = p3_perceptron.run_with_margin(A, tau)
        assert spy.trail == trail
        assert np.allclose(outcome.x, x, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("lam", [None, 1.05, 1.3])
def test_space_dilation(lam):
    for _, n, A in instances():
        spy = Spy(A)
        outcome = dilated_perceptron(spy, n, lam=lam)
        x, trail = p3_dilated_perceptron.run(A, lam or math.sqrt((n + 1) / (n - 1)))
        assert spy.trail == trail
        assert np.allclose(outcome.x, x, rtol=1e-8)


@pytest.mark.parametrize("constants", ["printed", "rounding-safe"])
def test_algorithm_2(constants):
    for _, n, A in instances():
        spy = Spy(A)
        outcome = ellipsoid(spy, n, constants=constants)
        x, trail, states = p3_ellipsoid.run(A, 1e-6, constants == "rounding-safe")
        assert spy.trail == trail
        assert np.allclose(outcome.x, x, rtol=1e-8)
        _, eta, B = states[-1]
        state = outcome.state
        assert np.allclose(state["r"] / (n + 1) * state["B"], eta * B, rtol=1e-8)
        empty = np.vstack([A, -A[:1]])
        spy = Spy(empty)
        assert ellipsoid(spy, n, rho=0.1, constants=constants).status == "unseparable"
        x, trail, _ = p3_ellipsoid.run(empty, 0.1, constants == "rounding-safe")
        assert x is None
        assert spy.trail[:-1] == trail  # the last answer came with the end


@pytest.mark.parametrize("sigma", [0.05, 0.2])
@pytest.mark.parametrize("theta", [None, 0.3])
def test_algorithms_3_and_5(sigma, theta):
    for seed, n, A in instances():
        lengths = np.random.default_rng(seed).uniform(0.5, 2.0, (len(A), 1))
        spy = Spy(A * lengths)
        outcome = modified_perceptron(spy, n, sigma=sigma, theta=theta, random_state=seed)
        if theta is None:
            x, trail = p3_modified_perceptron.algorithm_3(A * lengths, sigma, draws(seed, n))
        else:
            x, trail = p3_modified_perceptron.algorithm_5(
                A * lengths, sigma, theta, draws(seed, n)
            )
        assert spy.trail[: len(trail)] == trail
        assert outcome.n_updates == len(trail)
        assert np.allclose(outcome.x, x, atol=1e-10)


@pytest.mark.parametrize("theta", [0.8, 0.9])
def test_algorithm_8(theta):
    restarted = 0
    for seed, n, A in instances(8):
        lengths = np.random.default_rng(seed).uniform(0.5, 4.0, (len(A), 1))
        spy = Spy(A * lengths, normalize=False)
        outcome = modified_perceptron(spy, n, sigma=0.6, theta=theta, random_state=seed)
        x, trail = p3_modified_perceptron.algorithm_8(A * lengths, 0.6, theta, draws(seed, n))
        assert outcome.n_updates == len(trail)
        assert spy.trail[: len(trail)] == trail
        assert np.allclose(outcome.x, x, atol=1e-10)
        restarted += outcome.state["counters"]["failures"] > 0
    assert restarted > 0  # the budget with 1/|a|^2 was put to use


def test_algorithm_4():
    A, _ = separable_rows(np.random.default_rng(0), 12, 2, 1e-4)
    spy = Spy(A)
    outcome = rescaling_perceptron(spy, 2, random_state=3)
    x, trail, matrices = p3_rescaling_perceptron.algorithm_4(A, draws(3, 2))
    assert outcome.n_updates == len(trail)
    assert outcome.n_rescalings == len(matrices) - 1
    assert np.allclose(outcome.x, x, rtol=1e-6)


@pytest.mark.parametrize(
    ("rho", "sigma", "theta"), [(0.2, 0.3, 0.4), (0.1, 0.2, 0.5), (0.3, 0.1, 0.3)]
)
def test_algorithm_6(rho, sigma, theta):
    rescaled = 0
    for seed, n, A in instances(3, rho=1e-3, rows=12):
        spy = Spy(A)
        outcome = rescaling_perceptron(
            spy, n, rho=rho, sigma=sigma, theta=theta, random_state=seed
        )
        x, trail, matrices = p3_rescaling_perceptron.algorithm_6(
            A, rho, sigma, theta, draws(seed, n)
        )
        assert outcome.n_updates == len(trail)
        assert outcome.n_rescalings == len(matrices) - 1
        assert np.allclose(outcome.x / np.linalg.norm(x), x / np.linalg.norm(x), atol=1e-6)
        if outcome.n_rescalings and outcome.state["H"] is not None:
            assert np.allclose(outcome.state["H"], matrices[-1])
        rescaled += outcome.n_rescalings
    assert rescaled > 0


def test_algorithm_7():
    rng = np.random.default_rng(0)
    definite = 0
    for number in range(300):
        n = int(rng.integers(1, 9))
        A = symmetric(rng, n)
        if number % 2:
            A = A @ A + (rng.uniform(-1, 1)) * np.eye(n)
        if number % 5 == 0:
            A = np.round(A)
        if number % 7 == 0:
            A = A - np.diag(np.diag(A))  # zero diagonal: the misprint
        expected = p3_cholesky.algorithm_7(A)
        v = pivoted_counterexample(A)
        if expected is None:
            # Semidefinite: definite, or a null vector where the strict question needs a cut.
            if v is None:
                definite += 1
                assert np.linalg.eigvalsh(A)[0] > 0
            else:
                assert abs(v @ A @ v) < 1e-9
        else:
            assert v is not None
            assert v @ A @ v < 1e-12
            if number % 5 and number % 7:
                assert np.allclose(v, expected / np.linalg.norm(expected), atol=1e-8)
    assert definite > 20


def test_algorithm_7_on_matrices_of_a_pencil():
    rng = np.random.default_rng(1)
    for _ in range(20):
        matrices, z = feasible_matrices(rng, 3, 6)
        F = sum(x * F for x, F in zip(z, matrices, strict=True))
        assert p3_cholesky.algorithm_7(F) is None
        assert pivoted_counterexample(F) is None

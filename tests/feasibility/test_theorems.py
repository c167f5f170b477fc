"""The theorems of P3, chapters 2 to 4 and 6, as properties of runs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff.feasibility import (
    Halfspaces,
    deterministic_rescaled_perceptron,
    ellipsoid,
    margin_perceptron,
    modified_perceptron,
    perceptron,
    rescaling_perceptron,
    smooth_perceptron,
)
from novikoff.feasibility.solvers.deterministic_rescaled_perceptron import _log_growth
from novikoff.feasibility.solvers.ellipsoid import factors
from novikoff.theory import margin, rescaling_convergence

from .instances import separable_rows

SEEDS = st.integers(0, 10**6)
DIMENSIONS = st.integers(2, 7)
MARGINS = st.floats(0.02, 0.5)
CHOICES = st.sampled_from(["first", "most-violated", "random"])
law = settings(max_examples=40, deadline=None)


def instance(seed, n, rho, choice="first"):
    rng = np.random.default_rng([seed, 1])
    A, z = separable_rows(rng, int(rng.integers(2, 30)), n, rho)
    return A, z, Halfspaces(A, choice, random_state=seed)


@law
@given(seed=SEEDS, n=DIMENSIONS, rho=MARGINS, choice=CHOICES)
def test_theorem_2_7_and_its_start_point(seed, n, rho, choice):
    A, _, oracle = instance(seed, n, rho, choice)
    exact, _ = margin(A)
    assert exact >= rho - 1e-9
    outcome = perceptron(oracle, n)
    assert outcome.status == "feasible"
    assert outcome.n_updates <= 1 / exact**2 + 1e-6
    # Given a margin that the set has, no run is cut short, from any start.
    x0 = 5 * np.random.default_rng(seed).standard_normal(n)
    assert perceptron(oracle, n, rho=rho, x0=x0).status == "feasible"


@law
@given(seed=SEEDS, n=DIMENSIONS, rho=MARGINS, tau=st.floats(0, 5))
def test_perceptron_with_margins(seed, n, rho, tau):
    A, _, oracle = instance(seed, n, rho)
    outcome = margin_perceptron(oracle, n, tau=tau, rho=rho)
    assert outcome.status == "feasible"
    assert (A @ outcome.x > tau - 1e-9).all()
    assert outcome.n_updates <= (1 + 2 * tau) / rho**2 + 1e-6


@law
@given(seed=SEEDS, n=st.integers(1, 7), rho=MARGINS, choice=CHOICES)
@pytest.mark.parametrize("constants", ["printed", "rounding-safe"])
def test_theorem_2_9_with_the_ball_that_there_is(constants, seed, n, rho, choice):
    _, _, oracle = instance(seed, n, rho, choice)
    outcome = ellipsoid(oracle, n, rho=rho, constants=constants)
    assert outcome.status == "feasible"
    twice = 1 if constants == "printed" else 2
    assert outcome.n_updates <= twice * 2 * n**2 * math.log((1 + rho) / rho) + 1


@law
@given(seed=SEEDS, n=DIMENSIONS, rho=st.floats(0.01, 0.3))
def test_ellipsoids_keep_the_feasible_ball(seed, n, rho):
    """Every ellipsoid holds the ball of radius rho/(1+rho) about z/(1+rho)."""
    _, z, oracle = instance(seed, n, rho)
    for steps in range(1, 12):
        outcome = ellipsoid(oracle, n, max_updates=steps)
        if outcome.status != "limit":
            break
        state = outcome.state
        shape = state["r"] * state["B"]
        for u in np.vstack([np.eye(n), -np.eye(n)]):
            point = (z + rho * u) / (1 + rho)
            inside = np.linalg.solve(shape, point - outcome.x)
            assert np.linalg.norm(inside) <= 1 + 1e-9


@pytest.mark.parametrize("n", [1, 2, 3, 10, 100, 1000])
def test_volume_decrease(n):
    for constants, share in (("printed", 1.0), ("rounding-safe", 0.5)):
        grow, shrink = factors(n, constants)
        log_volume = n * math.log(grow) + math.log(shrink)
        assert log_volume <= -share / (2 * n) + 1e-12
        if n > 1:
            assert grow * shrink == pytest.approx(n / (n + 1))
    A = Halfspaces(np.vstack([np.eye(max(n, 1)), -np.ones(n)]))
    if n <= 10:
        outcome = ellipsoid(A, n, rho=0.1, max_updates=3 * n)
        volume = abs(np.linalg.det(outcome.state["r"] * outcome.state["B"]))
        assert math.log(volume) / n == pytest.approx(outcome.state["log_size"], rel=1e-9)


def test_footnote_9_as_printed_never_ends():
    n = 5
    printed = math.sqrt(2 * n**2 + 3) / (n**2 * math.sqrt(2))
    # The step shrinks n times too fast: the centres converge at once, wherever the set is.
    assert printed < 1 / (n - 1)
    assert factors(n, "rounding-safe")[0] == pytest.approx(n * printed)


@law
@given(seed=SEEDS, n=DIMENSIONS, rho=st.floats(0.001, 0.3), sigma=st.floats(0.05, 0.4))
def test_theorems_2_10_3_2_and_4_2(seed, n, rho, sigma):
    """A start with z.x >= theta > 0 succeeds within the budget and stays as close to z."""
    A, z, oracle = instance(seed, n, rho)
    theta = 1 / math.sqrt(n)
    x0 = np.random.default_rng(seed).standard_normal(n)
    x0 /= np.linalg.norm(x0)
    side = x0 - (x0 @ z) * z
    x0 = theta * z + math.sqrt(1 - theta**2) * side / np.linalg.norm(side)
    outcome = modified_perceptron(oracle, n, sigma=sigma, x0=x0, random_state=seed)
    assert outcome.status in ("almost", "feasible")
    assert outcome.state["counters"]["failures"] == 0
    assert outcome.n_updates <= 2 / sigma**2 * math.log(1 / theta) + 1
    assert (A @ outcome.x >= -sigma - 1e-9).all()
    assert z @ outcome.x >= theta - 1e-9
    assert np.linalg.norm(outcome.x) == pytest.approx(1.0)


@law
@given(seed=SEEDS, n=DIMENSIONS, factor=st.floats(0.5, 4))
def test_theorem_6_5(seed, n, factor):
    """The same without normalised vectors, the budget being the sum of 1/|a|^2."""
    A, z, _ = instance(seed, n, 0.05)
    A = A * np.random.default_rng(seed).uniform(0.3, factor + 0.3, (len(A), 1))
    theta, sigma = 1 / math.sqrt(n), 0.2
    x0 = theta * z + math.sqrt(1 - theta**2) * np.linalg.svd(z[None])[2][-1]
    oracle = Halfspaces(A, normalize=False)
    outcome = modified_perceptron(oracle, n, sigma=sigma, x0=x0, random_state=seed)
    assert outcome.state["counters"]["failures"] == 0
    assert (A @ outcome.x >= -sigma - 1e-9).all()
    assert z @ outcome.x >= theta - 1e-9


def test_success_of_random_starts_is_at_least_eta():
    """Theorem 4.2's probability, with the closed form, on a hard set."""
    n, theta, sigma = 4, 0.5, 0.05
    A, _ = separable_rows(np.random.default_rng(0), 60, n, 1e-4)
    eta = rescaling_convergence(n, kappa=theta * math.sqrt(n)).eta
    first = [
        modified_perceptron(
            Halfspaces(A), n, sigma=sigma, theta=theta, random_state=1000 + seed
        ).state["counters"]["failures"]
        == 0
        for seed in range(200)
    ]
    assert np.mean(first) >= eta - 3 * math.sqrt(eta * (1 - eta) / 200)


def rescaled_margin(A, x):
    return margin(A + np.outer(A @ x, x))[0]


@law
@given(seed=SEEDS, n=DIMENSIONS, rho=st.floats(1e-4, 0.05), sigma=st.floats(0.01, 0.15))
def test_lemmas_3_3_and_4_3(seed, n, rho, sigma):
    """A round multiplies the margin by at least q_-, and by q_+ where z.x >= theta."""
    A, _, _ = instance(seed, n, rho)
    exact, z = margin(A)
    x = modified_perceptron(Halfspaces(A), n, sigma=sigma, random_state=seed).x
    theta = 1 / math.sqrt(n)
    common = (1 - sigma) * (1 - 1.5 * sigma**2)
    q_minus = common * (1 - exact**2 / 6)
    q_plus = common * (1 - exact**2 / 8 - exact * theta / 4 + 3 * theta**2 / 8)
    after = rescaled_margin(A, x)
    assert after >= q_minus * exact - 1e-9
    if z @ x >= theta and exact / 3 <= theta:
        assert after >= q_plus * exact - 1e-9


def test_lemma_3_3_numbers():
    """1 + 1/(3n) follows from (4.11) for n >= 3 only: (1-a)(1+c) is less than 1-a+c."""
    for n in (1, 2, 3, 4, 5, 20, 100):
        found = rescaling_convergence(n)  # Algorithm 4's setting
        assert (found.q_plus >= 1 + 1 / (3 * n)) == (n >= 3)
        assert found.q_minus >= 1 - 1 / (32 * n) - 1 / (512 * n**2)


@law
@given(seed=SEEDS, n=DIMENSIONS, rho=st.floats(0.01, 0.3), nu=st.floats(0.1, 100))
def test_lemma_3_5(seed, n, rho, nu):
    """Rescaling along the centre itself brings the margin to rho(1+nu)/sqrt(1+(2nu+nu^2)rho^2)."""
    A, _, _ = instance(seed, n, rho)
    exact, z = margin(A)
    image = A + nu * np.outer(A @ z, z)
    expected = exact * (1 + nu) / math.sqrt(1 + (2 * nu + nu**2) * exact**2)
    assert margin(image)[0] >= expected - 1e-8


def test_theorem_4_4_rounds():
    """Rounds stay below T on sets of small margin."""
    rounds = 0
    for n, rho in ((2, 1e-3), (3, 1e-4), (5, 1e-5)):
        A, _ = separable_rows(np.random.default_rng(n), 20 * n, n, rho)
        outcome = rescaling_perceptron(
            Halfspaces(A), n, setting="gamma=1", sigma=1 / (8 * n), random_state=11
        )
        assert outcome.status == "feasible"
        rounds += outcome.n_rescalings
        assert outcome.n_rescalings <= rescaling_convergence(n, c=4.0, d=32.0).iterations(rho)
    assert rounds > 0


@law
@given(seed=SEEDS, n=st.integers(1, 5), power=st.floats(1, 6))
def test_deterministic_rescaling_bound(seed, n, power):
    rho = 10.0**-power
    _, _, oracle = instance(seed, n, rho)
    outcome = deterministic_rescaled_perceptron(oracle, n, rho=rho / 2)
    assert outcome.status == "feasible"
    assert outcome.n_rescalings <= n * math.log((1 + rho) / rho) / _log_growth(n) + 1
    assert outcome.n_updates <= 24 * n**4 * (outcome.n_rescalings + 1)


@law
@given(seed=SEEDS, n=DIMENSIONS, rho=st.floats(0.002, 0.5))
def test_smooth_perceptron_bound(seed, n, rho):
    A, _, oracle = instance(seed, n, rho)
    exact, _ = margin(A)
    outcome = smooth_perceptron(oracle, n, rho=rho / 2)
    assert outcome.status == "feasible"
    assert outcome.n_updates <= max(0.0, 2 * math.sqrt(math.log(len(A))) / exact)

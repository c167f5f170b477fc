"""Margins, learning complexity, and the convergence of rescaling."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import brentq

from novikoff.theory import (
    best_rescaling,
    cap_probability,
    learning_complexity,
    margin,
    perceptron_beats_ellipsoid,
    rescaling_convergence,
)


def test_margin_against_a_conic_solver():
    clarabel = pytest.importorskip("clarabel")
    from scipy import sparse

    rng = np.random.default_rng(0)
    for power in range(4):
        n, m = 4, 25
        z = rng.standard_normal(n)
        z /= np.linalg.norm(z)
        side = rng.standard_normal((m, n))
        side -= np.outer(side @ z, z)
        A = 10.0**-power * z + side
        A /= np.linalg.norm(A, axis=1, keepdims=True)
        rho, direction = margin(A * rng.uniform(0.1, 10, (m, 1)))
        # minimise |w|^2 / 2 subject to A w >= 1
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        solver = clarabel.DefaultSolver(
            sparse.csc_matrix(np.eye(n)),
            np.zeros(n),
            sparse.csc_matrix(-A),
            -np.ones(m),
            [clarabel.NonnegativeConeT(m)],
            settings,
        )
        w = np.array(solver.solve().x)
        assert rho == pytest.approx(1 / np.linalg.norm(w), rel=1e-4)
        assert np.linalg.norm(direction) == pytest.approx(1.0)
        assert (A @ direction).min() == pytest.approx(rho, rel=1e-9)


def test_margin_is_met_by_a_convex_combination():
    """Any convex combination of the rows is at least the margin long; the nearest one just so."""
    rng = np.random.default_rng(1)
    for power in range(8):
        z = rng.standard_normal(4)
        z /= np.linalg.norm(z)
        side = rng.standard_normal((25, 4))
        A = 10.0**-power * z + side - np.outer(side @ z, z)
        A /= np.linalg.norm(A, axis=1, keepdims=True)
        rho, direction = margin(A)
        active = A[np.abs(A @ direction - rho) <= 1e-6 * rho + 1e-15]
        weights = np.linalg.lstsq(
            np.vstack([active.T, np.ones(len(active))]),
            np.append(rho * direction, 1.0),
            rcond=None,
        )[0]
        assert (weights >= -1e-6).all()
        assert np.linalg.norm(weights @ active) == pytest.approx(rho, rel=1e-4)


def test_margin_by_hand():
    rho, z = margin([[3.0, 0.0]])
    assert rho == pytest.approx(1.0)
    assert z == pytest.approx([1.0, 0.0])
    t = 1e-5
    rho, z = margin([[1.0, t], [-1.0, t]])
    assert rho == pytest.approx(t / math.hypot(1, t), rel=1e-9)
    for empty in ([[1.0, 0], [-1.0, 0]], [[1.0, 0], [0, 1.0], [-1.0, -1.0]], [[1.0], [-1.0]]):
        rho, z = margin(empty)
        assert rho <= 0
        assert np.linalg.norm(z) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="zero"):
        margin([[0.0, 0.0]])
    assert margin(np.eye(200))[0] == pytest.approx(1 / math.sqrt(200))


def test_positive_margin_is_one_of_the_rows_as_given():
    """Scaling to unit length may separate by rounding what is not separable."""
    rng = np.random.default_rng(0)
    positive = 0
    for _ in range(1500):
        n = int(rng.integers(1, 5))
        pair = rng.standard_normal((2, n))
        weights = rng.random((int(rng.integers(1, 7)), 2))
        A = np.vstack([weights @ pair, -(weights[:1] @ pair)])
        rho, z = margin(A)
        positive += rho > 0
        exact = [Fraction(v) for v in z.tolist()]
        scores = [
            sum(Fraction(a) * b for a, b in zip(row, exact, strict=True)) for row in A.tolist()
        ]
        assert rho <= 0 or min(scores) > 0
    assert positive < 1500


def test_learning_complexity():
    assert learning_complexity(10, 0.5) == pytest.approx((4.0, 3))
    assert learning_complexity(10, 0.2) == (10.0, 2)
    assert learning_complexity(10, 0.1) == pytest.approx((10 * math.log(12.0), 1))
    assert learning_complexity(4, 0.5).regime == 3  # rho = 1/sqrt n belongs to the third
    assert learning_complexity(1, 1.0).regime == 3
    for bad in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match="n must be an integer"):
            learning_complexity(bad, 0.1)
    for bad in (0.0, 1.1, math.nan):
        with pytest.raises(ValueError, match="rho"):
            learning_complexity(3, bad)


@pytest.mark.parametrize("n", [2, 3, 10, 100, 1000])
def test_perceptron_beats_ellipsoid(n):
    low, high = perceptron_beats_ellipsoid(n)
    assert 0 < low < high < 1
    f = lambda rho: rho**2 * -math.log(rho) - 1 / (2 * n**3)  # noqa: E731
    top = math.exp(-0.5)
    assert low == pytest.approx(brentq(f, 1e-9, top, xtol=1e-15), rel=1e-8)
    assert 1 - high == pytest.approx(1 - brentq(f, top, 1 - 1e-12, xtol=1e-15), rel=1e-4)
    with pytest.raises(ValueError, match="n must be an integer >= 2"):
        perceptron_beats_ellipsoid(1)


def test_cap_probability():
    assert cap_probability(3, 0.2) == pytest.approx(0.4)  # Archimedes
    assert cap_probability(2, 0.5) == pytest.approx(1 / 3)
    assert cap_probability(1, 1.0) == cap_probability(1, 0.3) == 0.5
    assert cap_probability(5, 0.0) == pytest.approx(0.5)
    assert cap_probability(5, -0.3) == pytest.approx(1 - cap_probability(5, 0.3))
    assert cap_probability(5, 1.0) == 0.0
    rng = np.random.default_rng(0)
    for n, theta in ((2, 0.7), (7, 0.3), (50, 0.14)):
        x = rng.standard_normal((200_000, n))
        share = (x[:, 0] / np.linalg.norm(x, axis=1) >= theta).mean()
        assert cap_probability(n, theta) == pytest.approx(share, abs=0.005)
    # P3's 1/8 at theta = 1/sqrt n is a valid lower estimate for every n.
    assert all(cap_probability(n, 1 / math.sqrt(n)) >= 1 / 8 for n in range(1, 2000))


SETTINGS = [{"gamma": 1.0, "c": 4.0}, {"gamma": 0.5, "c": 16.0}]


def test_section_4_6_with_the_papers_eta_and_with_the_exact_one():
    dimensions = [*range(1, 60), 100, 1000, 10_000, 10**6]
    fails = [
        n
        for n in dimensions
        if not rescaling_convergence(n, b=1024, eta=1 / 8, **SETTINGS[0]).holds
    ]
    assert fails == [1, 2]
    for setting, n in itertools.product(SETTINGS, dimensions):
        assert rescaling_convergence(n, b=1024, **setting).holds
        assert rescaling_convergence(n, **setting).b <= 1024


def test_theorem_4_1_number():
    found = rescaling_convergence(10, eta=1 / 8, b=1024)
    assert found.iterations(1e-3) == pytest.approx(4096 * 10 * math.log(1e3))
    assert found.q_plus > 1 > found.q_minus


def test_formulas_4_11_and_4_12():
    found = rescaling_convergence(9, gamma=0.5, c=7.0, beta=1.0, d=41.0, kappa=0.8, epsilon=0.2)
    rho, sigma, theta = 1 / 21, 1 / 369, 0.8 / 3
    assert (found.rho, found.sigma, found.theta) == pytest.approx((rho, sigma, theta))
    common = (1 - sigma) * (1 - 1.5 * sigma**2)
    plus = common * (1 - rho**2 / 8 - rho * theta / 4 + 3 * theta**2 / 8)
    minus = common * (1 - rho**2 / 6)
    assert (found.q_plus, found.q_minus) == pytest.approx((plus, minus))
    share = cap_probability(9, theta) * 0.8
    assert found.left_side == pytest.approx(share * math.log(plus) + (1 - share) * math.log(minus))
    assert found.b == pytest.approx(1 / (9 * found.left_side))
    expected = max(2 / (0.04 * found.eta), found.b) * 9 * math.log(1e4)
    assert found.iterations(1e-4) == pytest.approx(expected)


def test_result_unpacks_as_left_side_b_and_rounds():
    found = rescaling_convergence(10)
    left_side, b, rounds = found
    assert (left_side, b) == (found.left_side, found.b) == (found[0], found[1])
    assert rounds(1e-3) == found.iterations(1e-3) == found[2](1e-3)


def test_corollary_4_5_is_the_stronger_condition():
    for n, eta in itertools.product((1, 2, 5, 50, 1000), (None, 1 / 8)):
        for setting in ({}, *SETTINGS):
            found = rescaling_convergence(n, eta=eta, **setting)
            share = found.eta * 15 / 16
            p_plus, p_minus = 1 / (found.q_plus - 1), 1 / (1 - found.q_minus)
            expected = share / (p_plus + 1) - (1 - share) / (p_minus - 1)
            assert found.corollary_side == pytest.approx(expected, rel=1e-6)
            assert found.corollary_side <= found.left_side


def test_setting_that_does_not_converge():
    found = rescaling_convergence(10, d=1.0)  # sigma too large: every round loses
    assert not found.holds
    assert found.left_side < 0
    assert found.b == math.inf
    assert found.iterations(0.1) == math.inf


def test_search_for_the_best_setting():
    for n in (2, 10, 100):
        setting, best = best_rescaling(n)
        assert best.holds
        for other in (
            {},
            *SETTINGS,
            *({**setting, name: setting[name] * f} for name in setting for f in (0.8, 1.2)),
        ):
            try:
                rival = rescaling_convergence(n, **other)
            except ValueError:
                continue
            assert best.updates(1e-6) <= rival.updates(1e-6) * (1 + 1e-3)
        _, fewest = best_rescaling(n, fewest="iterations")
        assert fewest.iterations(1e-6) <= rescaling_convergence(n).iterations(1e-6)
    with pytest.raises(ValueError, match="fewest"):
        best_rescaling(3, fewest="seconds")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"c": 0.0}, "c must be a positive"),
        ({"epsilon": 1.0}, "epsilon"),
        ({"eta": 0.0}, "eta"),
        ({"b": -1.0}, "b must be"),
        ({"d": "32"}, "d must be a positive"),
        ({"epsilon": "x"}, "epsilon"),
        ({"eta": "x"}, "eta"),
        ({"d": 0.05}, "Lemma 4.3"),
        ({"kappa": 10.0}, "Lemma 4.3"),
        ({"c": 0.01}, "Lemma 4.3"),
    ],
)
def test_bad_settings(options, message):
    with pytest.raises(ValueError, match=message):
        rescaling_convergence(10, **options)
    with pytest.raises(ValueError, match="rho"):
        rescaling_convergence(10).iterations(1.0)

"""The solvers on data of awkward shapes: certified, and in few rounds."""

import numpy as np
import pytest

from novikoff.ellipsoids.interior_point import certified_bound, solve
from novikoff.ellipsoids.margin import penalties
from novikoff.ellipsoids.whitening import whiten
from novikoff.ellipsoids.working_set import solve_working_set

HARD = (np.inf, np.inf)


def on_spheres(m, n, rng):
    X = rng.normal(size=(m, n))
    return X / np.linalg.norm(X, axis=1)[:, None]


def whitened(X, positive):
    return whiten(X[positive], "inside").rows(X)


def gap(solution):
    return (solution.bound - solution.value) / solution.bound


@pytest.mark.parametrize("solver", [solve, solve_working_set])
def test_thousands_of_points_near_both_surfaces(solver):
    """The weights of such rows span twelve orders of magnitude at the end."""
    rng = np.random.default_rng(0)
    X = on_spheres(20_000, 2, rng)
    positive = np.arange(len(X)) % 2 == 1
    X[positive] *= np.sqrt(rng.random((positive.sum(), 1)))
    X[~positive] *= 1.00001
    solution = solver(whitened(X, positive), positive, HARD, 1e-9)
    assert abs(gap(solution)) < 1e-8
    assert 1.00001 < np.sqrt(solution.value) < 1.0001


def test_a_soft_margin_may_lean_on_far_more_points_than_there_are_unknowns():
    """Heavy tails across, a slab along: where the tails are shows only round by round."""
    rng = np.random.default_rng(0)
    positive = rng.random(40_000) < 0.5
    X = rng.standard_t(3, size=(len(positive), 2))
    X[:, 0] = rng.normal(size=len(X))
    X[~positive, 0] = np.sign(X[~positive, 0]) * (2.5 + np.abs(X[~positive, 0]))
    X[~positive, 1] *= 2
    positive ^= rng.random(len(X)) < 0.001
    Z, C = whitened(X, positive), penalties(0.001, positive)
    few, full = solve_working_set(Z, positive, C, 1e-9), solve(Z, positive, C, 1e-9)
    assert gap(few) < 1e-8
    assert few.value == pytest.approx(full.value, rel=1e-8)
    assert few.n_rounds < 20


@pytest.mark.parametrize("spread", [0.0, 1e-9, 1e-3])
def test_near_duplicates_do_not_crowd_the_working_set(spread):
    rng = np.random.default_rng(0)
    X = on_spheres(200, 12, rng)
    X[100:] *= 1.4
    X = np.repeat(X, 50, axis=0) + spread * rng.normal(size=(10_000, 12))
    positive = np.arange(len(X)) < 5000
    largest = []
    solution = solve_working_set(
        whitened(X, positive), positive, HARD, 1e-8, lambda *event: largest.append(event[3])
    )
    assert gap(solution) < 1e-8
    assert solution.n_rounds <= 8
    assert max(largest) < 700


@pytest.mark.parametrize("seed", [0, 13])
def test_where_almost_a_pair_of_planes_is_optimal(seed):
    """Classes far apart: eight of nine axes near infinity, the Newton matrix near singular."""
    X = np.random.default_rng(seed).normal(size=(315, 9))
    positive = np.arange(315) < 157
    X[positive] += 8
    solution = solve_working_set(whitened(X, positive), positive, HARD, 1e-9)
    assert abs(gap(solution)) < 1e-8


def test_a_bound_that_was_certified_is_not_lost_again():
    """Five of thousands of points on a circle carry the dual, whose last iterates rounding spoils.

    The bound of an iterate is certified by what its multipliers are, not by what they should be.
    """
    rng = np.random.default_rng(702)
    X = on_spheres(4918, 2, rng)
    positive = np.arange(len(X)) % 2 == 1
    X[~positive] *= 1.5
    X[~positive, 0] += 0.2
    Z = whitened(X, positive)
    solution = solve(Z, positive, HARD, 1e-9)
    assert certified_bound(Z, positive, solution.lam) == pytest.approx(solution.value, rel=1e-8)
    assert np.sqrt(solution.value) == pytest.approx(1.3, rel=1e-6)

"""Mistake bounds of P2 and P4 hold on random sequences, against many comparators.

A comparator is a function g in the span of the rows, g = sum of c_i k(x_i, .), scaled to a norm
that the theorem allows: regularised least squares, the kernel perceptron itself, a random one.
"""

import math
from functools import cache

import numpy as np
import pytest

import novikoff
from novikoff.budgets import Project
from tests.kernels.common import rbf, rows

SEQUENCES = ["noisy", "separable", "random"]


@cache
def sequence(kind, seed):
    """Rows, labels and kernel values."""
    X, y = rows(n=300, seed=60 + seed)
    if kind == "separable":
        y = (X[:, 0] > 0).astype(int)
        X[:, 0] += np.where(y == 1, 0.7, -0.7)
    if kind == "random":
        y = np.random.default_rng(seed).integers(0, 2, 300)
    return X, y, rbf(X, X)


@cache
def directions(kind, seed):
    """Functions of norm 1, as their values y g(x)."""
    _, y, K = sequence(kind, seed)
    rng = np.random.default_rng(0)
    signs = np.where(y == 1, 1.0, -1.0)
    chosen = [np.linalg.solve(K + r * np.eye(len(K)), signs) for r in (1e-2, 0.3, 3.0, 30.0)]
    chosen += [signs, rng.standard_normal(len(y))]
    return [signs * (K @ c) / math.sqrt(c @ K @ c) for c in chosen]


def comparators(kind, seed, largest):
    """Pairs of a norm and the values y g(x), for norms up to the largest."""
    for unit in directions(kind, seed):
        for norm in largest * np.array([0.0, 0.01, 0.03, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0]):
            yield norm, norm * unit


def hinge(values, margin=1.0):
    """D: the sum of hinge losses at a margin."""
    return np.maximum(0.0, margin - values).sum()


def projectron_bound(norm, D, eta, B=0.0):
    """P2 Theorem 3; with B, Theorem 4."""
    c = 1.0 - eta * norm
    return norm**2 / c**2 + D / c + norm / c * math.sqrt(max(0.0, D / c - B))


def gain(model, decisions, kind, seed):
    """B of P2 Theorem 4, each margin error taken from the rows stored before it."""
    _, y, K = sequence(kind, seed)
    margins = np.where(y == 1, 1.0, -1.0) * decisions
    total = 0.0
    for t in np.flatnonzero((margins > 0) & (margins < 1)):
        span = model.support_[model.support_ < t]
        inside = K[span, t] @ np.linalg.solve(K[np.ix_(span, span)], K[span, t])
        distance = math.sqrt(max(0.0, K[t, t] - inside))
        loss = 1.0 - margins[t]
        spare = loss - distance / model.eta
        if spare >= 0:
            tau = min(loss / inside, 2 * spare / inside, 1.0)
            gained = tau * (2 * loss - tau * inside - 2 * distance / model.eta)
            assert gained >= -1e-9
            total += gained
    return total


def least(bounds, mistakes):
    """Check the smallest bound, and return it."""
    smallest = min(bounds)
    assert mistakes <= smallest
    assert mistakes > 0
    return smallest


over_sequences = pytest.mark.parametrize("kind", SEQUENCES)


@pytest.mark.parametrize("eta", [0.01, 0.1, 0.3, 0.6])
@over_sequences
def test_theorem_3_projectron(kind, eta):
    for seed in range(3):
        X, y, _ = sequence(kind, seed)
        model = novikoff.Projectron(eta=eta, kernel="rbf", gamma=0.3).partial_fit(X, y)
        bounds = [
            projectron_bound(norm, hinge(values), eta)
            for norm, values in comparators(kind, seed, min(20.0, 0.99 / eta))
        ]
        smallest = least(bounds, model.n_mistakes_)
        if kind == "separable" and eta <= 0.1:
            assert smallest < 150


@pytest.mark.parametrize("eta", [0.01, 0.1, 0.3, 0.6])
@over_sequences
def test_theorem_4_projectron_plus_plus(kind, eta):
    for seed in range(3):
        X, y, _ = sequence(kind, seed)
        model = novikoff.ProjectronPlusPlus(eta=eta, kernel="rbf", gamma=0.3)
        decisions = model.run_trials(X, y)
        B = gain(model, decisions, kind, seed)
        assert B > 0 or eta < 0.3 or kind == "separable"  # few margin errors lie near enough
        bounds = [
            projectron_bound(norm, hinge(values), eta, B)
            for norm, values in comparators(kind, seed, min(20.0, 0.99 / eta))
        ]
        least(bounds, model.n_mistakes_)


@pytest.mark.parametrize("alpha", [0.5, 0.9])
@pytest.mark.parametrize("eta", [0.05, 0.2])
@over_sequences
def test_theorem_7_projected_alma(kind, eta, alpha):
    B = 1.0
    C = -(1 - alpha) * B + math.sqrt(((1 - alpha) * B) ** 2 + 1.0)
    assert C**2 + 2 * (1 - alpha) * B * C == pytest.approx(1.0)
    for seed in range(3):
        X, y, _ = sequence(kind, seed)
        model = novikoff.ALMA(
            alpha=alpha, B=B, C=C, kernel="rbf", gamma=0.3, budget=Project(eta)
        ).partial_fit(X, y)
        bounds = []
        for unit in directions(kind, seed):
            for margin in eta + np.array([0.01, 0.03, 0.1, 0.3, 1.0]):
                D = hinge(unit, margin) / (margin - eta)
                rho2 = 1.0 / (C * (margin - eta)) ** 2
                bounds.append(D + rho2 / 2 + math.sqrt(rho2**2 / 4 + rho2 * D + rho2))
        least(bounds, model.n_mistakes_)


@pytest.mark.parametrize("budget", [30, 150])
@over_sequences
def test_p4_theorem_1_modified_budget_perceptron_in_the_mean(kind, budget):
    for seed in range(2):
        X, y, _ = sequence(kind, seed)
        counts = [
            novikoff.ModifiedBudgetPerceptron(budget=budget, gamma=0.3, random_state=state)
            .partial_fit(X, y)
            .n_mistakes_
            for state in range(12)
        ]
        bounds = [
            (hinge(values) + budget / 2) / 0.75
            for _, values in comparators(kind, seed, math.sqrt(budget) / 8)
        ]
        least(bounds, np.mean(counts))


@pytest.mark.parametrize("lazy", [False, True])
@over_sequences
def test_p4_theorem_2_simplified_forgetron(kind, lazy):
    U2 = 500 / (32 * math.log2(8 * 500))
    for seed in range(3):
        X, y, _ = sequence(kind, seed)
        Z, labels = np.tile(X, (6, 1)), np.tile(y, 6)  # more mistakes than rows are kept
        model = novikoff.SimplifiedForgetron(gamma=0.3, lazy=lazy).partial_fit(Z, labels)
        bounds = [
            2 * (6 * hinge(values) + 16 * U2)
            for _, values in comparators(kind, seed, math.sqrt(U2) / 2)
        ]
        least(bounds, model.n_mistakes_)
        if kind == "random":
            assert model.n_support_ == 500


def test_support_of_projectron_is_bounded_by_the_packing_number():
    """P2 Theorem 1: stored rows lie pairwise farther than eta in the kernel's space."""
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-1, 1, (4000, 2)), rng.integers(0, 2, 4000)
    model = novikoff.Projectron(eta=0.5, kernel="rbf", gamma=1.0).partial_fit(X[:2000], y[:2000])
    early = model.n_support_
    model.partial_fit(X[2000:], y[2000:])
    assert model.n_support_ <= early + 1 < 25
    S = model.support_vectors_
    squared = 2.0 - 2.0 * np.exp(-((S[:, None] - S[None]) ** 2).sum(axis=2))
    assert squared[~np.eye(len(S), dtype=bool)].min() >= 0.5**2

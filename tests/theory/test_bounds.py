"""Each bound at values worked out by hand, and what it refuses."""

import numpy as np
import pytest

from novikoff.theory import bounds as b

BY_HAND = [
    # (R/gamma)^2
    (b.novikoff_bound, {"margin": 0.25, "radius": 0.5}, 4.0),
    # |g| = 2, D_1 = 4: 4 + 4 + 2 * 2
    (b.perceptron_bound, {"loss": 2.0, "margin": 0.5}, 12.0),
    # R = 3, |g| = 1, D_1 = 4: 9 + 4 + 3 * 2
    (b.perceptron_bound, {"loss": 4.0, "margin": 1.0, "radius": 3.0}, 19.0),
    # |g| = 1, s = 1/2, D_1/s = 4: 4 + 4 + 2 * 2
    (b.projectron_bound, {"loss": 2.0, "margin": 1.0, "eta": 0.5}, 12.0),
    # the same, B = 3: 4 + 4 + 2 * sqrt(4 - 3)
    (
        b.projectron_plus_plus_bound,
        {"loss": 2.0, "margin": 1.0, "eta": 0.5, "progress": 3.0},
        10.0,
    ),
    # B above D_1/s counts as equal: 4 + 4
    (b.projectron_plus_plus_bound, {"loss": 2.0, "margin": 1.0, "eta": 0.5, "progress": 9.0}, 8.0),
    # R = 2: 16 + 4 + 2 * sqrt(4 * 4 - 7)
    (
        b.projectron_plus_plus_bound,
        {"loss": 2.0, "margin": 1.0, "eta": 0.5, "progress": 7.0, "radius": 2.0},
        26.0,
    ),
    # C = R = 1, |g| = 1: Theorem 4's 1 + 5 + sqrt(5 - 1)
    (b.passive_aggressive_1_bound, {"loss": 5.0, "margin": 1.0, "progress": 1.0}, 8.0),
    # C = 1/2: B/C^2 = 4: max(1/C, 1 + sqrt(5 - 4)) + 5
    (b.passive_aggressive_1_bound, {"loss": 5.0, "margin": 1.0, "C": 0.5, "progress": 1.0}, 7.0),
    # |g|^2/C is the larger: 10 + 1
    (b.passive_aggressive_1_bound, {"loss": 1.0, "margin": 1.0, "C": 0.1}, 11.0),
    # C R^2 > 1: R^2 (|g|^2 + 2 C D_1) = 4 (1 + 4)
    (b.passive_aggressive_1_bound, {"loss": 2.0, "margin": 1.0, "radius": 2.0}, 20.0),
    # rho^2 = 1, D/(gamma - eta) = 1: 1 + 1/2 + sqrt(1/4 + 1 + 1)
    (b.alma_bound, {"loss": 1.0, "margin": 1.5, "C": 1.0, "eta": 0.5}, 3.0),
    # L = (1/2 + 3/2)/(1/2) = 4, rho^2 = 4: 4 + 2 + sqrt(4 + 16 + 4)
    (
        b.alma_bound,
        {"loss": 0.5, "margin": 1.0, "C": 1.0, "eta": 0.5, "setback": 1.5},
        6.0 + np.sqrt(24.0),
    ),
    # rho^2 = 1/(C^2 gamma^2) = 16: 8 + sqrt(64 + 16)
    (b.alma_bound, {"loss": 0.0, "margin": 0.5, "C": 0.5}, 8.0 + np.sqrt(80.0)),
    # 4/3 (2 + 32 + 6 * 1 * 8)
    (
        b.modified_budget_perceptron_bound,
        {"loss": 2.0, "margin": 1.0, "budget": 64, "shift": 1.0},
        4.0 / 3.0 * 82.0,
    ),
    # U^2 = 512 / (32 * 12) = 4/3: 2 (3 + 16 * 4/3)
    (b.simplified_forgetron_bound, {"loss": 6.0, "margin": 2.0, "budget": 512}, 6.0 + 128.0 / 3.0),
    # (1 + sqrt((2 + 2) * 2 ln 2)) / 0.5 with eigenvalues a, a
    (
        b.second_order_bound,
        {"loss": 1.0, "margin": 0.5, "a": 2.0, "spread": 2.0, "eigenvalues": [2.0, 2.0]},
        2.0 + 2.0 * np.sqrt(8.0 * np.log(2.0)),
    ),
    # sqrt((1 + 3) (ln 2 + 3 ln 2)) / 2
    (
        b.adaptive_second_order_bound,
        {
            "loss": 0.0,
            "margin": 2.0,
            "a": 1.0,
            "spread": 3.0,
            "eigenvalues": [7.0],
            "growth": np.log(2.0),
        },
        np.sqrt(16.0 * np.log(2.0)) / 2.0,
    ),
    # r = 2, r(r+1) = 6: sqrt(4 (2 + 3 ln(1 + 2 * 4 * 6 / (2 * 6))))
    (
        b.pseudoinverse_second_order_bound,
        {
            "loss": 0.0,
            "margin": 1.0,
            "spread": 4.0,
            "rank": 2,
            "smallest": 2.0,
            "n_mistakes": 6,
            "radius": 2.0,
        },
        2.0 * np.sqrt(2.0 + 3.0 * np.log(5.0)),
    ),
    # alpha = 1: 2 + 2 + 2 sqrt(2 + 1), the perceptron's own form
    (b.higher_order_bound, {"loss": 1.0, "margin": 0.5, "c": 0.0}, 4.0 + 2.0 * np.sqrt(3.0)),
    # alpha = 3, D = 0: (alpha/gamma)^2
    (b.higher_order_bound, {"loss": 0.0, "margin": 0.5, "c": 0.5}, 36.0),
]


@pytest.mark.parametrize(("bound", "given", "expected"), BY_HAND)
def test_value_worked_out_by_hand(bound, given, expected):
    assert bound(**given) == pytest.approx(expected, rel=1e-12)


def test_the_projectron_without_projection_is_the_perceptron():
    loss, margin = np.array([0.0, 1.0, 7.0]), np.array([0.3, 0.7, 2.0])
    np.testing.assert_array_equal(
        b.projectron_bound(loss, margin, eta=0.0), b.perceptron_bound(loss, margin)
    )
    np.testing.assert_allclose(
        b.perceptron_bound(0.0, margin, radius=3.0), b.novikoff_bound(margin, radius=3.0)
    )


def test_margin_errors_only_lower_the_bound():
    loss, margin = np.array([0.0, 1.0, 7.0]), np.array([0.3, 0.7, 2.0])
    without = b.projectron_bound(loss, margin, eta=0.2)
    np.testing.assert_array_equal(b.projectron_plus_plus_bound(loss, margin, eta=0.2), without)
    assert (b.projectron_plus_plus_bound(loss, margin, eta=0.2, progress=0.5) <= without).all()


def test_the_adaptive_growth_is_bounded_by_the_printed_one():
    for c in (0.05, 0.5, 3.0):
        for m in (1, 2, 10, 100):
            a = c * 4.0 * np.arange(1, m + 1)
            growth = b.adaptive_growth_of(a, np.full(m, 4.0))
            assert 0.0 <= growth <= b.adaptive_growth(c, m) + 1e-12


def test_adaptive_growth_by_hand():
    # B(1/2, 4) = 2 ln((4 + 2) / (1 + 2))
    assert b.adaptive_growth(0.5, 4) == pytest.approx(2.0 * np.log(2.0))
    # k = 2: ln(2 (1 + 1) / (1 (2 + 1)))
    assert b.adaptive_growth_of([1.0, 2.0], [1.0, 5.0]) == pytest.approx(np.log(4.0 / 3.0))


def test_orthonormal_rows_attain_novikoffs_bound():
    from novikoff.theory import certify

    n = 9
    y = np.arange(n) % 2
    from novikoff import Perceptron

    certificate = certify(Perceptron(), np.eye(n), y)
    assert certificate.mistakes == n
    assert certificate.bound == pytest.approx(n, rel=1e-6)
    assert certificate.margin == pytest.approx(n**-0.5, rel=1e-4)


REFUSED = [
    (b.novikoff_bound, {"margin": 0.0}, "margin must be positive, got 0.0"),
    (b.perceptron_bound, {"loss": -1.0, "margin": 1.0}, "loss must not be negative"),
    (b.perceptron_bound, {"loss": 0.0, "margin": float("nan")}, "margin must be positive"),
    (b.projectron_bound, {"loss": 0.0, "margin": 0.5, "eta": 0.5}, "above eta=0.5"),
    (b.projectron_bound, {"loss": 0.0, "margin": 0.5, "eta": -0.1}, "eta must not be negative"),
    (b.projectron_plus_plus_bound, {"loss": 0.0, "margin": 1.0, "eta": 0.0}, "eta must be pos"),
    (
        b.projectron_plus_plus_bound,
        {"loss": 0.0, "margin": 1.0, "eta": 0.1, "radius": 0.5},
        "radius must be at least 1",
    ),
    (b.passive_aggressive_1_bound, {"loss": 0.0, "margin": 1.0, "C": 0.0}, "C must be positive"),
    (b.alma_bound, {"loss": 0.0, "margin": 0.1, "C": 1.0, "eta": 0.2}, "above eta=0.2"),
    (b.alma_bound, {"loss": 0.0, "margin": 1.0, "C": 1.0, "setback": -1.0}, "setback must not"),
    (
        b.modified_budget_perceptron_bound,
        {"loss": 0.0, "margin": 0.9, "budget": 64},
        "at least 1, or the comparator is longer",
    ),
    (b.simplified_forgetron_bound, {"loss": 0.0, "margin": 9.0, "budget": 499}, "at least 500"),
    (b.simplified_forgetron_bound, {"loss": 0.0, "margin": 1.0, "budget": 512}, "at least 1.73"),
    (
        b.second_order_bound,
        {"loss": 0.0, "margin": 1.0, "a": 0.0, "spread": 0.0, "eigenvalues": []},
        "a must be positive",
    ),
    (b.adaptive_growth, {"c": 0.0, "n_mistakes": 3}, "c must be positive"),
    (b.adaptive_growth_of, {"a": [2.0, 1.0], "squares": [1.0, 1.0]}, "never fall"),
    (b.higher_order_bound, {"loss": 0.0, "margin": 1.0, "c": 1.0}, r"c must be in \[0, 1\)"),
]


@pytest.mark.parametrize(("bound", "given", "words"), REFUSED)
def test_bad_input_is_refused_in_a_sentence(bound, given, words):
    with pytest.raises(ValueError, match=words):
        bound(**given)

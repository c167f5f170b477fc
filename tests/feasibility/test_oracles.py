"""Oracles: what they answer, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from novikoff.feasibility import Halfspaces, Intersection, Rescaled, Semidefinite
from novikoff.feasibility.oracles.cholesky import minor_counterexample, pivoted_counterexample

from .instances import plain, symmetric

CHOICES = ["first", "most-violated", "random"]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), choice=st.sampled_from(CHOICES), level=st.floats(-1, 1))
def test_halfspaces_answer_the_question(seed, choice, level):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 30), rng.integers(1, 6)
    A = rng.standard_normal((m, n))
    x = rng.standard_normal(n)
    dense = Halfspaces(A, choice, random_state=0)
    csr = Halfspaces(sparse.csr_array(A), choice, random_state=0)
    unit = A / np.linalg.norm(A, axis=1, keepdims=True)
    scores = unit @ x
    a, b = dense(x, level), csr(x, level)
    if (scores > level).all():
        assert a is None
        assert b is None
        return
    assert a @ x <= level + 1e-12
    assert np.allclose(a, b)
    expected = {"first": np.flatnonzero(scores <= level)[0], "most-violated": scores.argmin()}
    if choice in expected:
        assert np.allclose(a, unit[expected[choice]])


def test_most_violated_ties_go_to_the_lowest_row():
    rows = Halfspaces([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]], "most-violated", normalize=False)
    assert rows([-1.0, -1.0]).tolist() == [0.0, 1.0]
    assert Halfspaces([[0.0, 2.0], [1.0, 0.0]])([-1.0, -1.0]).tolist() == [0.0, 1.0]


def test_first_looks_through_every_block_of_rows():
    A = np.ones((50_000, 4))
    A[40_000, 0] = -10.0
    rows = Halfspaces(A, normalize=False)
    assert rows(np.ones(4))[0] == -10.0
    assert Halfspaces(sparse.csr_array(A), normalize=False)(np.ones(4))[0] == -10.0
    assert rows(np.array([0.1, 1, 1, 1])) is None


def test_equality_is_a_violation():
    assert Halfspaces([[1.0, -1.0]])([1.0, 1.0]) is not None
    assert Semidefinite([np.ones((2, 2))])([1.0]) is not None  # singular, so not definite
    assert Semidefinite([np.ones((2, 2))], pivoting=True)([1.0]) is not None


@pytest.mark.parametrize("pivoting", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.coo_matrix])
def test_semidefinite_answers_the_question(pivoting, form):
    rng = np.random.default_rng(0)
    answers = 0
    for number in range(200):
        m, n = rng.integers(1, 5), rng.integers(1, 7)
        matrices = [symmetric(rng, n) for _ in range(m)]
        if number % 3 == 0 and n > 2:  # two blocks
            for F in matrices:
                F[:2, 2:] = F[2:, :2] = 0.0
        if number % 2:
            matrices[0] = matrices[0] @ matrices[0]
        x = rng.standard_normal(m)
        level = 0.0 if number % 4 else rng.uniform(-1, 1)
        oracle = Semidefinite([form(F) for F in matrices], pivoting=pivoting)
        F = sum(xi * Fi for xi, Fi in zip(x, matrices, strict=True))
        assert np.allclose(oracle.matrix(x), F)
        a = oracle(x, level)
        least = np.linalg.eigvalsh(F)[0]
        assert (a is None) == (least > level)
        if a is not None:
            answers += 1
            assert a @ x <= level + 1e-12
            # A vector of the set, unit v: a_i lies between the extreme eigenvalues of F_i.
            for ai, Fi in zip(a, matrices, strict=True):
                values = np.linalg.eigvalsh(Fi)
                assert values[0] - 1e-9 <= ai <= values[-1] + 1e-9
    assert 50 < answers < 200


def test_diagonal_comes_first_and_ties_to_the_lowest_row():
    F = [np.diag([1.0, 2.0, 2.0]), np.ones((3, 3))]
    assert Semidefinite(F)([-1.0, 0.0]).tolist() == [2.0, 1.0]
    for pivoting in (False, True):
        assert Semidefinite(F, pivoting=pivoting)(np.zeros(2)).tolist() == [1.0, 1.0]


def test_algorithm_7_as_printed_would_accept_this():
    swap = np.array([[0.0, 1.0], [1.0, 0.0]])
    for pivoting in (False, True):
        oracle = Semidefinite([swap], pivoting=pivoting)
        assert oracle([1.0]) is not None
        assert oracle([-1.0]) is not None
    v = pivoted_counterexample(swap)
    assert v @ swap @ v == pytest.approx(-1.0)
    # The same below a positive pivot.
    v = pivoted_counterexample(np.array([[1.0, 1, 1], [1, 1, 2], [1, 2, 1]]))
    assert v @ np.array([[1.0, 1, 1], [1, 1, 2], [1, 2, 1]]) @ v < 0


def test_semidefinite_is_not_definite():
    null = np.array([[1.0, -1.0], [-1.0, 1.0]])
    for find in (minor_counterexample, pivoted_counterexample):
        v = find(np.array(null, order="F"))
        assert v @ null @ v == pytest.approx(0.0, abs=1e-15)
        assert find(np.asfortranarray(null + 1e-8 * np.eye(2))) is None


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_potrf_calls_nan_a_success_and_we_do_not(bad):
    from scipy.linalg.lapack import dpotrf

    A = np.full((3, 3), bad, order="F")
    with pytest.raises(ValueError, match="NaN or infinity"):
        minor_counterexample(A)
    # What the check is for: LAPACK reports no failing minor on some such matrices.
    hidden = np.array([[1.0, 0.0], [0.0, np.inf]], order="F")
    assert dpotrf(hidden, lower=0)[1] == 0
    with pytest.raises(ValueError, match="NaN or infinity"):
        minor_counterexample(hidden)
    for oracle in (Semidefinite([np.eye(2)]), Halfspaces([[1.0]])):
        with pytest.raises(ValueError, match="finite"):
            oracle([bad])
        assert not oracle.contains([bad])


def test_points_at_the_end_of_the_range():
    x = np.array([1e308, 1e308, -1.7e308])
    A = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 1.9]])
    assert np.allclose(Halfspaces(A, normalize=False)(x), A[1])
    oracle = Semidefinite([np.eye(2), np.eye(2), np.ones((2, 2))])
    assert oracle(x) is not None


def test_contains_allows_for_rounding():
    A = np.array([[1.0, 1.0, 1.0]])
    assert not Halfspaces(A).contains([1e16, -1e16, 1e-3])
    assert Halfspaces(A).contains([1.0, -1.0, 1e-3])
    F = [np.array([[1.0, 1.0], [1.0, 1.0]]), np.eye(2)]
    assert not Semidefinite(F).contains([1.0, 1e-17])
    assert Semidefinite(F).contains([1.0, 1e-10])
    assert not Semidefinite(F).contains([1.0])


def test_contains_allows_for_underflow():
    """0.6 + 0.6 - 1.3 < 0, but 1 + 1 - 1 > 0 when rounded to multiples of the smallest number."""
    A, x = np.array([[0.6, 0.6, -1.3]]) * 2.0**-500, np.full(3, 2.0**-574)
    for normalize in (True, False):
        assert not Halfspaces(A, normalize=normalize).contains(x)
        assert Halfspaces(-A, normalize=normalize).contains(x)
        assert Halfspaces(A, normalize=normalize)(x) is not None
    F = [np.array([[0.6, 1.3], [1.3, 0.6]]) * 2.0**-500]
    assert not Semidefinite(F).contains([2.0**-574])
    assert Semidefinite([np.eye(2) * 1e-320]).contains([1e-320])


def test_entries_given_twice_count_as_their_sum():
    twice = sparse.csr_matrix(
        (np.array([1.0, 1.0, 2.0, 3.0]), np.array([1, 1, 1, 0]), np.array([0, 2, 4])), shape=(2, 2)
    )
    data = twice.data.copy()
    assert np.allclose(Halfspaces(twice).rows.toarray(), [[0, 1], [3 / 13**0.5, 2 / 13**0.5]])
    assert np.array_equal(twice.data, data)
    cancelled = sparse.csr_matrix((np.array([1.0, -1.0]), np.array([0, 0]), np.array([0, 2])))
    with pytest.raises(ValueError, match="row 0 of A is zero"):
        Halfspaces(cancelled)


def test_answers_are_the_askers():
    A = np.array([[1.0, 2.0]])
    rows = Halfspaces(A, normalize=False)
    rows([-1.0, 0.0])[:] = 7.0
    assert A.tolist() == [[1.0, 2.0]]
    assert rows([-1.0, 0.0]).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("choice", CHOICES)
def test_rows_of_wildly_different_lengths(choice):
    rng = np.random.default_rng(0)
    for _ in range(100):
        A = rng.standard_normal((6, 3))
        raw = A * 10.0 ** rng.integers(-300, 300, (6, 1))
        x = rng.standard_normal(3)
        a = Halfspaces(raw, choice, normalize=False, random_state=0)(x)
        assert (a is None) == (A @ x > 0).all()
        if choice == "most-violated" and a is not None:
            assert a.tolist() == raw[(raw @ x).argmin()].tolist()
        b = Halfspaces(raw, "first", normalize=False)(x, level=1e-250)
        assert (
            b.tolist() == raw[np.flatnonzero(raw @ x <= 1e-250)[0]].tolist()
            if (raw @ x <= 1e-250).any()
            else b is None
        )


def test_zero_answers_are_exact():
    """v'Fv of a float v may cancel to 0 although F is definite: a zero would prove too much."""
    F = np.array(
        [
            [3.3061224489795924, 2.938775510204082, -0.5510204081632654],
            [2.938775510204082, 2.653061224489796, -0.42857142857142855],
            [-0.5510204081632654, -0.42857142857142855, 0.18367346938775508],
        ]
    )
    assert Semidefinite([F])([1.0]).any()
    shared = [np.ones((2, 2)), 3 * np.ones((2, 2))]
    assert not Semidefinite(shared)([1.0, 1.0]).any()


def test_pivots_that_all_but_vanish():
    F = np.array([[1e-320, 1.0], [1.0, 1e-320]])
    for pivoting in (False, True):
        a = Semidefinite([F, np.eye(2)], pivoting=pivoting)([1.0, 0.0])
        assert np.isfinite(a).all()
        assert a[0] < 0


def test_ambroladze_example():
    """P3 (6.4): unit cuts cannot answer the normalised question; levels are unnormalised."""
    F = [np.diag([-1.0, -2.0]), np.diag([0.0, 50.0]), np.diag([1e-3, 0.0])]
    a = Semidefinite(F)([1.0, 0.0, 0.0], level=-0.5)
    assert a.tolist() == [-2.0, 50.0, 0.0]
    assert a @ [1.0, 0, 0] / np.linalg.norm(a) > -0.5


def test_intersection():
    both = Intersection([Halfspaces([[1.0, 0.0]]), Halfspaces([[0.0, 1.0]])])
    assert both.dim == 2
    assert both.takes_level
    assert both([1.0, 1.0]) is None
    assert both([1.0, -1.0]).tolist() == [0.0, 1.0]
    assert both([-1.0, -1.0]).tolist() == [1.0, 0.0]
    assert both([1.0, 1.0], level=2.0).tolist() == [1.0, 0.0]
    assert both.contains([1.0, 1.0])
    assert not both.contains([1.0, 0.0])
    image = both.rescaled(np.array([[2.0, 0.0], [0.0, 3.0]]))
    assert image([-1.0, 1.0]).tolist() == [1.0, 0.0]
    mixed = Intersection([Halfspaces([[1.0, 0.0]]), plain(np.array([[0.0, 1.0]]))])
    assert not mixed.takes_level
    assert mixed([1.0, -1.0]).tolist() == [0.0, 1.0]
    with pytest.raises(TypeError, match="level"):
        mixed([1.0, 1.0], level=1.0)


def test_rescaled():
    rng = np.random.default_rng(0)
    A, H = rng.standard_normal((9, 3)), rng.standard_normal((3, 3))
    generic = Rescaled(Halfspaces(A, "most-violated"), H)
    own = Halfspaces(A, normalize=False).rescaled(H)
    for _ in range(20):
        y = rng.standard_normal(3)
        a = generic(y)
        assert (a is None) == (own(y) is None)
        if a is not None:
            assert a @ y <= 0
    unit = Halfspaces(A).rescaled(H)
    assert np.allclose(np.linalg.norm(unit.rows, axis=1), 1.0)


@pytest.mark.parametrize(
    ("A", "error", "message"),
    [
        (np.zeros((0, 3)), ValueError, "at least one row"),
        (np.zeros((3, 0)), ValueError, "at least one row and one column"),
        ([[1.0, 2.0], [0.0, 0.0]], ValueError, "row 1 of A is zero"),
        (sparse.csr_array([[1.0, 2.0], [0.0, 0.0]]), ValueError, "row 1 of A is zero"),
        ([[np.nan, 1.0]], ValueError, "finite"),
        ([[np.inf, 1.0]], ValueError, "finite"),
        ([1.0, 2.0], ValueError, "two dimensions"),
        ([["a", "b"]], TypeError, "numbers"),
        (None, ValueError, "two dimensions"),
    ],
)
def test_bad_rows(A, error, message):
    with pytest.raises(error, match=message):
        Halfspaces(A)


def test_bad_choice_and_points():
    with pytest.raises(ValueError, match="most-violated"):
        Halfspaces([[1.0]], choice="last")
    with pytest.raises(ValueError, match=r"shape \(1,\), got \(2,\)"):
        Halfspaces([[1.0]])([1.0, 2.0])
    with pytest.raises(ValueError, match="finite"):
        Halfspaces([[1.0]])([1.0], level=np.nan)
    for oracle in (Halfspaces([[1.0]]), Semidefinite([np.eye(2)])):
        for ask in (oracle, oracle.contains):
            with pytest.raises(TypeError, match="x must be a vector of numbers, got 'ab'"):
                ask("ab")
    with pytest.raises(ValueError, match=r"shape \(1,\), got \(2,\)"):
        Semidefinite([np.eye(2)]).matrix([1.0, 2.0])


@pytest.mark.parametrize(
    ("matrices", "error", "message"),
    [
        ([], ValueError, "at least one"),
        ([[[1.0, 2.0], [0.0, 1.0]]], ValueError, "matrix 0 must be symmetric"),
        ([np.eye(2), np.eye(3)], ValueError, r"one size, got sizes \[2, 3\]"),
        ([np.eye(2), np.ones((2, 3))], ValueError, "matrix 1 must be square"),
        ([np.ones(3)], ValueError, "two dimensions"),
        ([np.zeros((0, 0))], ValueError, "not empty"),
        ([np.full((2, 2), np.nan)], ValueError, "NaN"),
        ([sparse.csr_array([[np.nan]])], ValueError, "finite"),
        ([np.full((1, 1), np.inf)], ValueError, "finite"),
        ([np.full((1, 1), 1e200)], ValueError, "below 1e"),
        ([[["x"]]], TypeError, "numbers"),
        (5, TypeError, "F_0, ..., F_m, got int"),
    ],
)
def test_bad_matrices(matrices, error, message):
    with pytest.raises(error, match=message):
        Semidefinite(matrices)


def test_bad_intersections():
    with pytest.raises(ValueError, match="at least one"):
        Intersection([])
    with pytest.raises(ValueError, match=r"one dimension, got \[1, 2\]"):
        Intersection([Halfspaces([[1.0]]), Halfspaces([[1.0, 2.0]])])
    with pytest.raises(TypeError, match="callable"):
        Intersection([3])

"""What every solver promises: true statuses, checked points, limits, callbacks, resumption."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from novikoff.feasibility import (
    METHODS,
    Halfspaces,
    Intersection,
    Outcome,
    Semidefinite,
    dilated_perceptron,
    ellipsoid,
    margin_perceptron,
    perceptron,
    solve,
)
from novikoff.theory import margin

from .instances import (
    LEVELS,
    MISFITS,
    ORACLES,
    PAIRS,
    ROWS,
    feasible_matrices,
    is_inside,
    separable_rows,
)

LIMIT = 3000
BOUNDED = ("ellipsoid", "deterministic_rescaled_perceptron")  # end by themselves on every set
WITH_RHO = ("perceptron", "margin_perceptron", "smooth_perceptron")


def run(method, oracle, kind, **options):
    return solve(ORACLES[oracle](kind), 3, method, random_state=0, **options)


@pytest.mark.parametrize(("method", "oracle"), PAIRS)
def test_feasible(method, oracle):
    outcome = run(method, oracle, "feasible", max_updates=20000)
    if method == "modified_perceptron" and outcome.status == "almost":
        return  # feasible up to sigma was all that was asked for; see test_theorems
    assert outcome.status == "feasible"
    assert is_inside(oracle, "feasible", outcome.x)
    assert outcome.n_oracle_calls > outcome.n_updates


@pytest.mark.parametrize("kind", ["infeasible", "degenerate"])
@pytest.mark.parametrize(("method", "oracle"), PAIRS)
def test_no_strictly_feasible_point(method, oracle, kind):
    outcome = run(method, oracle, kind, max_updates=LIMIT)
    expected = {"unseparable", "limit"}
    if method == "modified_perceptron":
        expected.add("almost")
    assert outcome.status in expected
    if outcome.status == "limit" and method in ("perceptron", "margin_perceptron"):
        assert outcome.n_updates == LIMIT  # others may reach the end of the arithmetic first
    if method in BOUNDED and oracle != "random":
        ended = run(method, oracle, kind, rho=1e-3)
        assert ended.status == "unseparable"


@pytest.mark.parametrize("method", WITH_RHO)
def test_rho_ends_a_run_on_an_empty_set(method):
    outcome = run(method, "first", "infeasible", rho=0.05)
    assert outcome.status == "unseparable"
    assert outcome.n_updates <= 3 / 0.05**2 + 1
    margin = 0.05
    A, _ = separable_rows(np.random.default_rng(0), 20, 4, margin)
    assert solve(Halfspaces(A), 4, method, rho=margin).status == "feasible"


def test_modified_perceptron_gives_up_on_an_empty_set():
    outcome = run("modified_perceptron", "first", "infeasible", sigma=0.2)
    assert outcome.status == "unseparable"
    assert run("rescaling_perceptron", "first", "infeasible", sigma=0.2).status == "unseparable"


@pytest.mark.parametrize(("method", "oracle"), MISFITS)
def test_oracle_that_the_method_cannot_ask(method, oracle):
    with pytest.raises(TypeError, match=r"level|Halfspaces"):
        run(method, oracle, "feasible")


@pytest.mark.parametrize("method", METHODS)
def test_one_dimension(method):
    assert solve(Halfspaces([[-2.0]]), 1, method, random_state=1).x[0] < 0
    empty = solve(Halfspaces([[1.0], [-1.0]]), 1, method, max_updates=100, random_state=1)
    assert empty.status in ("unseparable", "limit")


@pytest.mark.parametrize("method", METHODS)
def test_max_updates(method):
    A, _ = separable_rows(np.random.default_rng(3), 40, 5, 0.01)
    free = solve(Halfspaces(A), 5, method, random_state=0)
    assert free.n_updates > 0
    exact = solve(Halfspaces(A), 5, method, random_state=0, max_updates=free.n_updates)
    assert (exact.status, exact.n_updates) == (free.status, free.n_updates)
    short = solve(Halfspaces(A), 5, method, random_state=0, max_updates=free.n_updates - 1)
    assert (short.status, short.n_updates) == ("limit", free.n_updates - 1)
    none = solve(Halfspaces(A), 5, method, random_state=0, max_updates=0)
    assert none.n_updates == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stop", [1, 7, 40])
@pytest.mark.parametrize("choice", ["first", "random"])
def test_stopped_run_goes_on_as_if_it_had_not_been(method, stop, choice):
    A, _ = separable_rows(np.random.default_rng(5), 30, 4, 1e-2)
    options = {"random_state": 0}
    if method in ("modified_perceptron", "rescaling_perceptron"):
        options["sigma"] = 0.05
    if method == "rescaling_perceptron":
        options["rho"] = 0.2  # so that the interruptions fall into both phases and rescalings
    free = solve(Halfspaces(A, choice, random_state=8), 4, method, **options)
    oracle = Halfspaces(A, choice, random_state=8)
    outcome = solve(oracle, 4, method, max_updates=stop, **options)
    for go_on in [stop] * 20 + [None]:
        if outcome.status != "limit":
            break
        stored = pickle.loads(pickle.dumps(outcome))
        outcome = solve(oracle, 4, method, x0=stored, max_updates=go_on, **options)
    assert outcome.status == free.status
    assert outcome.n_updates == free.n_updates
    assert outcome.n_rescalings == free.n_rescalings
    assert outcome.n_oracle_calls == free.n_oracle_calls
    assert np.array_equal(outcome.x, free.x)
    assert outcome.seconds > 0
    assert (np.diff(outcome.history["n_updates"]) > 0).all()


@pytest.mark.parametrize("method", METHODS)
def test_callback(method):
    A, _ = separable_rows(np.random.default_rng(7), 30, 4, 0.02)
    seen = []

    def callback(event):
        seen.append((event.n_updates, event.x, event.elapsed))
        return event.n_updates >= 5

    outcome = solve(Halfspaces(A), 4, method, callback=callback, random_state=0)
    assert (outcome.status, outcome.n_updates) == ("limit", 5)
    assert [n for n, *_ in seen] == [1, 2, 3, 4, 5]
    assert all(x.shape == (4,) and elapsed >= 0 for _, x, elapsed in seen)
    assert not np.array_equal(seen[0][1], seen[-1][1])  # copies, not the array that is updated
    if method != "modified_perceptron":
        assert np.allclose(seen[-1][1], outcome.x)


@pytest.mark.parametrize("method", METHODS)
def test_start_point(method):
    A, z = separable_rows(np.random.default_rng(11), 30, 4, 0.05)
    outcome = solve(Halfspaces(A), 4, method, x0=1000 * z, random_state=0)
    assert (outcome.status, outcome.n_updates) == ("feasible", 0)
    for distance in (3, 100):
        away = solve(Halfspaces(A), 4, method, x0=-distance * z, random_state=0)
        assert away.status in ("feasible", "almost")


@pytest.mark.parametrize("method", METHODS)
def test_same_seed_same_run(method):
    A, _ = separable_rows(np.random.default_rng(13), 30, 4, 0.01)
    one, two = (
        solve(Halfspaces(A, choice="random", random_state=1), 4, method, random_state=2)
        for _ in range(2)
    )
    assert one.n_updates == two.n_updates
    assert np.array_equal(one.x, two.x)


def test_history_is_short():
    outcome = perceptron(Halfspaces(ROWS["infeasible"]), 3, max_updates=20000)
    assert len(outcome.history) < 150
    assert outcome.history["n_updates"][-1] == 20000


def exactly_inside(A, x):
    """A x > 0 in the arithmetic of rationals."""
    if not np.isfinite(x).all():
        return False
    exact = [Fraction(v) for v in x.tolist()]
    return all(
        sum(Fraction(a) * b for a, b in zip(row, exact, strict=True)) > 0 for row in A.tolist()
    )


def exactly_definite(matrices, x):
    """Whether sum x_i F_i is positive definite, by elimination in rationals."""
    weights = [Fraction(float(v)) for v in x]
    n = len(matrices[0])
    M = [
        [sum(Fraction(float(F[i, j])) * w for F, w in zip(matrices, weights, strict=True))
         for j in range(n)]
        for i in range(n)
    ]  # fmt: skip
    for k in range(n):
        if M[k][k] <= 0:
            return False
        for i in range(k + 1, n):
            factor = M[i][k] / M[k][k]
            for j in range(k, n):
                M[i][j] -= factor * M[k][j]
    return True


def hard_rows(rng, kind):
    """Sets of many shapes, most of them at some end of the arithmetic."""
    m, n = int(rng.integers(1, 9)), int(rng.integers(1, 6))
    A = rng.standard_normal((m, n))
    if kind == 1:  # small margin
        A, _ = separable_rows(rng, 8, n, 10.0 ** -rng.integers(1, 15))
    elif kind == 2:  # degenerate: opposite rows, perhaps up to rounding
        A = np.vstack([A, -A[0] + rng.choice([0.0, 1e-16, -1e-16]) * rng.standard_normal(n)])
    elif kind == 3:  # small integers: many ties
        A = rng.integers(-2, 3, (m, n)).astype(float)
    elif kind == 4:  # rows of wildly different lengths
        A *= 10.0 ** rng.integers(-320, 300, (m, 1))
    elif kind == 5:  # entries of wildly different sizes
        A *= 10.0 ** rng.integers(-160, 150, (m, n))
    elif kind == 6:  # multiples of the smallest number
        A = rng.integers(-3, 4, (m, n)) * 5e-324
    elif kind == 7:  # both ends of the range
        A = rng.choice([1.7e308, -1.7e308, 1e308, 0.0, 1e-308], (m, n))
    elif kind == 8:  # a cone and the negative of a vector in it, perhaps up to rounding
        cone = rng.random((m, 2)) @ rng.standard_normal((2, n))
        A = np.vstack([cone, -cone[0] + rng.choice([0.0, 1e-17, 1e-16]) * A[0]])
    return A[A.any(axis=1)] if A.any() else np.ones((1, n))


@pytest.mark.parametrize("part", range(5))
def test_ten_thousand_random_instances(part):
    """No x that fails an exact check is called feasible, whatever the set's shape."""
    rng = np.random.default_rng(part)
    names = list(METHODS)
    claimed = 0
    for number in range(2000):
        A = hard_rows(rng, number % 9)
        n = A.shape[1]
        method = names[int(rng.integers(len(names)))]
        oracle = Halfspaces(
            sparse.csr_array(A) if number % 7 == 0 else A,
            choice=("first", "most-violated", "random")[number % 4 % 3],
            normalize=rng.random() < 0.5,
            random_state=number,
        )
        x0 = None
        if number % 5 == 0:
            x0 = rng.standard_normal(n) * 10.0 ** rng.choice([-200, 0, 200, 307])
        outcome = solve(oracle, n, method, x0=x0, max_updates=40, random_state=number)
        assert outcome.status in ("feasible", "unseparable", "limit") or (
            outcome.status == "almost" and method == "modified_perceptron"
        )
        if outcome.status == "feasible":
            claimed += 1
            assert exactly_inside(A, outcome.x)
    assert claimed > 500


@pytest.mark.parametrize("method", ["ellipsoid", "deterministic_rescaled_perceptron"])
def test_no_set_of_the_margin_asked_for_is_called_unseparable(method):
    """Margins down to 1e-15, where a bound that forgets rounding would speak too early."""
    rng = np.random.default_rng(0)
    for _ in range(150):
        n, rho = int(rng.integers(2, 7)), 10.0 ** -rng.uniform(1, 15)
        A, z = separable_rows(rng, int(rng.integers(2, 25)), n, rho)
        if not exactly_inside(A, z):
            continue
        asked = 0.9 * (A @ z).min() / (np.linalg.norm(z) * (1 + 1e-12))
        if asked > 1e-14:  # as exact as a product in floating point says
            status = solve(Halfspaces(A), n, method, rho=asked, max_updates=3000).status
            assert status in ("feasible", "limit")


@pytest.mark.parametrize("method", WITH_RHO)
def test_margin_asked_for_may_be_the_exact_one(method):
    """Two rows symmetric to the centre attain the theorem's bound: rounding must not decide."""
    for t in np.linspace(0.1, 1.0, 25):
        A = np.array([[1.0, t], [-1.0, t]])
        for tau in (0.5, 3.0, 10.0) if method == "margin_perceptron" else (None,):
            options = {} if tau is None else {"tau": tau}
            outcome = solve(Halfspaces(A), 2, method, rho=margin(A)[0], **options)
            assert outcome.status == "feasible"


@pytest.mark.parametrize("method", METHODS)
def test_ties_up_to_rounding_do_not_end_a_run(method):
    """Rows of small integers meet a.x = 0 all the time, and a.x > 0 by rounding half of it."""
    rng = np.random.default_rng(0)
    right_angle = [[1.0, 1.0], [-1.0, 1.0]]
    sets = [np.array(right_angle)]
    while len(sets) < 150:
        n = int(rng.integers(2, 6))
        A = rng.integers(-3, 4, (8, n)).astype(float)
        A = A[A @ rng.integers(1, 4, n) > 0]
        sets += [A] if len(A) else []
    for number, A in enumerate(sets):
        n = A.shape[1]
        oracles = [Halfspaces(A, ("first", "most-violated")[number % 2])]
        if method != "smooth_perceptron":
            oracles += [
                Intersection([Halfspaces(A[:1]), Halfspaces(A)]),
                Semidefinite([np.diag(column) for column in A.T], pivoting=number % 3 == 0),
            ]
        for oracle in oracles:
            outcome = solve(oracle, n, method, max_updates=5000, random_state=0)
            if outcome.status == "feasible":
                assert exactly_inside(A, outcome.x)
            else:
                assert (outcome.status, method) == ("almost", "modified_perceptron")


def test_matrices_that_are_singular_up_to_rounding():
    """Neither an exception, nor feasible or unseparable without its being so."""
    rng = np.random.default_rng(0)
    statuses = set()
    for number in range(400):
        n = int(rng.integers(2, 6))
        G = rng.integers(-9, 10, (n, n - 1)) / 7
        F = G @ G.T + rng.choice([0.0, 1e-17, 1e-16, 1e-13]) * np.eye(n)
        F = np.triu(F) + np.triu(F, 1).T
        for method in ("perceptron", "ellipsoid"):
            oracle = Semidefinite([F], pivoting=number % 2 == 0)
            status = solve(oracle, 1, method, max_updates=50).status
            statuses.add(status)
            if status != "limit":
                assert (status == "feasible") == exactly_definite([F], [1.0])
    assert statuses == {"feasible", "unseparable", "limit"}


def test_random_matrix_inequalities():
    rng = np.random.default_rng(0)
    claimed = 0
    for number in range(600):
        m, n = int(rng.integers(1, 4)), int(rng.integers(1, 5))
        matrices, _ = feasible_matrices(rng, m, n, room=10.0 ** -rng.integers(0, 12))
        matrices = [np.triu(F) + np.triu(F, 1).T for F in matrices]  # symmetric to the last digit
        if number % 5 == 0:
            size = 10.0 ** rng.integers(-160, 70, n)
            matrices = [F * np.outer(size, size) for F in matrices]
        if number % 3 == 0:
            matrices = [np.diag(np.diag(F)) for F in matrices]
        method = ["perceptron", "ellipsoid", "rescaling_perceptron"][number % 3]
        oracle = Semidefinite(matrices, pivoting=number % 2 == 0)
        outcome = solve(oracle, m + 1, method, max_updates=60, random_state=number)
        if outcome.status == "feasible":
            claimed += 1
            if number % 5:
                F = sum(x * F for x, F in zip(outcome.x, matrices, strict=True))
                assert np.linalg.eigvalsh(F)[0] > 0
            assert exactly_definite(matrices, outcome.x)
    assert claimed > 300


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e308, 1e160, 1e-160, 5e-320])
def test_the_ends_of_the_floating_point_range(method, scale):
    A = scale * np.array([[1.0, 1.0], [1.0, 0.9]])
    outcome = solve(Halfspaces(A), 2, method, max_updates=50, random_state=0)
    assert outcome.status in ("feasible", "almost", "limit")
    if outcome.status == "feasible":
        assert exactly_inside(A, outcome.x)


@pytest.mark.parametrize("method", METHODS)
def test_rows_longer_than_the_largest_number(method):
    A = np.array([[1.7e308, 1.7e308], [1.7e308, -1.6e308]])
    outcome = solve(Halfspaces(A, normalize=False), 2, method, max_updates=50, random_state=0)
    if method != "modified_perceptron":  # whose sigma is in the rows' scale: rounding exceeds it
        assert outcome.status == "feasible"
        assert exactly_inside(A, outcome.x)


def test_oracle_may_change_the_point_it_is_given():
    rows = Halfspaces(ROWS["feasible"])

    def oracle(x):
        x /= max(np.linalg.norm(x), 1.0)
        return rows(x)

    assert np.array_equal(ellipsoid(oracle, 3).x, ellipsoid(rows, 3).x)


@pytest.mark.parametrize("method", METHODS)
def test_events_may_be_kept(method):
    A, _ = separable_rows(np.random.default_rng(7), 30, 4, 1e-3)
    options = {"rho": 0.3, "sigma": 0.1} if method == "rescaling_perceptron" else {}
    kept, seen = [], []
    callback = lambda event: kept.append(event) or seen.append(event.x)  # noqa: E731
    solve(Halfspaces(A), 4, method, callback=callback, random_state=0, max_updates=60, **options)
    assert len(kept) > 2
    for event, x in zip(kept, seen, strict=True):
        assert np.array_equal(event.x, x)


def test_overflow_is_a_limit():
    huge = 1e308 * np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.01]])
    outcome = perceptron(Halfspaces(huge, normalize=False), 2, normalize=False, max_updates=100)
    assert outcome.status == "limit"
    # An oracle that has nothing to say about NaN is not believed.
    careless = lambda x: None if not (x <= 0).any() else np.array([1e308, 1e308])  # noqa: E731
    outcome = perceptron(careless, 2, normalize=False, max_updates=100)
    assert outcome.status == "limit" or np.isfinite(outcome.x).all()


def test_fixed_dilation_of_two_ends_with_a_status():
    empty = Halfspaces(ROWS["infeasible"])
    outcome = solve(empty, 3, "dilated_perceptron", lam=2.0, max_updates=5000)
    assert outcome.status == "limit"
    assert np.isfinite(outcome.x).all()


def test_zero_counterexample_proves_that_the_set_is_empty():
    # The matrices share a null vector: v'F(x)v = 0 for every x.
    shared = Semidefinite([np.diag([1.0, 0.0]), np.diag([2.0, 0.0])])
    for method in METHODS:
        if method != "smooth_perceptron":
            found = solve(shared, 2, method, max_updates=50, random_state=0).status
            assert found == ("almost" if method == "modified_perceptron" else "unseparable")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (lambda x: np.ones(3), r"shape \(2,\), got shape \(3,\)"),
        (lambda x: np.array([1.0, 1.0]), "does not cut"),
        (lambda x: np.array([np.nan, 1.0]), "NaN"),
        (lambda x: np.array([-np.inf, -1.0]), "NaN or infinity"),
        (lambda x: None, "accepts x = 0"),
    ],
)
def test_oracle_that_breaks_its_word(bad, message):
    x0 = None if bad(None) is None else [1.0, 1.0]
    with pytest.raises(ValueError, match=message):
        perceptron(bad, 2, x0=x0, max_updates=10)


def test_oracle_that_returns_words():
    with pytest.raises(TypeError, match="numbers"):
        perceptron(lambda x: "no", 2)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"dim": 4}, ValueError, "dim is 4"),
        ({"dim": 0}, ValueError, "dim"),
        ({"dim": 2.5}, ValueError, "dim"),
        ({"max_updates": -1}, ValueError, "max_updates"),
        ({"max_updates": 1.5}, ValueError, "max_updates"),
        ({"x0": [1.0, 2.0]}, ValueError, "x0 must have shape"),
        ({"x0": [np.nan, 0, 0]}, ValueError, "x0 must be finite"),
        ({"x0": "abc"}, TypeError, "x0"),
        ({"oracle": 3}, TypeError, r"callable|Halfspaces"),
        ({"callback": 3}, TypeError, "callback must be callable, got int"),
    ],
)
def test_bad_arguments_of_every_method(method, options, error, message):
    options = {"oracle": Halfspaces(ROWS["feasible"]), "dim": 3, **options}
    with pytest.raises(error, match=message):
        solve(method=method, **options)


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("perceptron", {"rho": 1.0}, "rho"),
        ("margin_perceptron", {"tau": -1.0}, "tau"),
        ("margin_perceptron", {"tau": np.nan}, "tau"),
        ("margin_perceptron", {"tau": "1"}, "tau"),
        ("margin_perceptron", {"rho": 0.0}, "rho"),
        ("dilated_perceptron", {"lam": "2"}, "lam"),
        ("dilated_perceptron", {"lam": math.inf}, "lam"),
        ("modified_perceptron", {"sigma": 1.0}, "Lemma 4.3"),
        ("modified_perceptron", {"theta": 0.0}, "Lemma 4.3"),
        ("rescaling_perceptron", {"theta": 1.0}, "Lemma 4.3"),
        ("dilated_perceptron", {"lam": 1.0}, "lam must be a finite number > 1"),
        ("ellipsoid", {"rho": 0.0}, "rho"),
        ("ellipsoid", {"rho": np.nan}, "rho"),
        ("ellipsoid", {"constants": "exact"}, "printed, rounding-safe"),
        ("modified_perceptron", {"sigma": 0.0}, "sigma"),
        ("modified_perceptron", {"theta": 1.0}, "Lemma 4.3"),
        ("modified_perceptron", {"x0": [0.0, 0, 0]}, "x0 must not be zero"),
        ("rescaling_perceptron", {"rho": 1.5}, "rho"),
        ("rescaling_perceptron", {"sigma": 1.0}, "Lemma 4.3"),
        ("rescaling_perceptron", {"rho": 0.9, "theta": 0.2}, "at least rho/3"),
        ("rescaling_perceptron", {"setting": "best"}, "gamma=1/2"),
        ("deterministic_rescaled_perceptron", {"rho": 2}, "rho"),
        ("smooth_perceptron", {"rho": -0.1}, "rho"),
    ],
)
def test_bad_parameters(method, options, message):
    with pytest.raises(ValueError, match=message):
        run(method, "first", "feasible", **options)


def test_outcome_of_another_method_is_refused():
    outcome = run("perceptron", "first", "feasible")
    with pytest.raises(ValueError, match="outcome of perceptron"):
        run("ellipsoid", "first", "feasible", x0=outcome)
    with pytest.raises(ValueError, match="method must be one of"):
        solve(Halfspaces(ROWS["feasible"]), 3, "newton")
    with pytest.raises(TypeError, match="random_state"):
        solve(Halfspaces(ROWS["feasible"]), 3, "modified_perceptron", random_state="dice")


def test_numbers_of_numpy_are_numbers():
    rows = Halfspaces(ROWS["feasible"])
    assert margin_perceptron(rows, np.int8(3), tau=np.int64(1)).status == "feasible"
    assert dilated_perceptron(rows, np.int64(3), lam=np.float32(1.5)).status == "feasible"
    assert ellipsoid(rows, 3, rho=np.float32(0.01), max_updates=np.int32(500)).status == "feasible"


def test_levels_are_documented_by_the_methods_that_need_them():
    for method in METHODS:
        assert ("level=" in METHODS[method].__doc__) == (method in LEVELS)


def test_outcome_is_a_plain_record():
    outcome = Outcome(np.zeros(2), "limit")
    assert outcome.n_updates == 0
    assert math.isnan(outcome.objective)

"""SDPA files and semidefinite programs."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from novikoff.feasibility import (
    SemidefiniteProgram,
    ellipsoid,
    find_feasible,
    maxcut_program,
    minimize,
    perceptron,
    read_sdpa,
    rescaling_perceptron,
    write_sdpa,
)
from novikoff.feasibility.dual import DualBound, dual_bound

SMALL = """"a comment
* another
 2 =mDIM
 2 =nBLOCK
 (2, -3) = bLOCKsTRUCT
{+1.0, -2.5e0}
0 1 1 1 1.0
0 1 1 2 0.5
1 1 2 2 {3.0}
1,2,1,1,-1.0
2 2 3 3 4
"""


def write(tmp_path, text):
    path = tmp_path / "problem.dat-s"
    path.write_text(text)
    return path


def test_every_liberty_of_the_format(tmp_path):
    program = read_sdpa(write(tmp_path, SMALL))
    assert program.c.tolist() == [1.0, -2.5]
    assert program.blocks == [2, -3]
    assert len(program.matrices) == 3
    assert program.size == 5
    F0 = program.matrices[0].toarray()
    assert F0[0, 0] == 1.0
    assert F0[0, 1] == F0[1, 0] == 0.5
    assert np.count_nonzero(F0) == 3
    assert program.matrices[1].toarray().diagonal().tolist() == [0.0, 3.0, -1.0, 0.0, 0.0]
    assert program.matrices[2].toarray()[4, 4] == 4.0
    slack = program.slack([2.0, 3.0])
    expected = 2 * program.matrices[1] + 3 * program.matrices[2] - program.matrices[0]
    assert np.allclose(slack, expected.toarray())


def test_a_program_prints_its_sizes_only(tmp_path):
    program = read_sdpa(write(tmp_path, SMALL))
    assert repr(program) == "SemidefiniteProgram of 2 unknowns, blocks=[2, -3]"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (" 2 =mDIM", "x", "line 3: the number of matrices"),
        (" 2 =mDIM", "2.5", "line 3: the number of matrices"),
        (" 2 =mDIM", "2e1", "line 3: the number of matrices"),
        ("0 1 1 2 0.5", "0 1 1 2 1_0", "line 8: a value must be a number, got '1_0'"),
        ("0 1 1 2 0.5", "0 1 1 0_2 1", "line 8: an index must be an integer, got '0_2'"),
        (" 2 =mDIM", "0", "line 3: the number of matrices"),
        (" 2 =nBLOCK", "-1", "line 4: the number of blocks"),
        ("(2, -3) = b", "(2) = b", "line 5: 2 block sizes are expected, got 3"),
        ("(2, -3)", "(2, 0)", "line 5: a block size must not be 0"),
        ("(2, -3)", "(2, 2.5)", "line 5: a block size must be an integer, got '2.5'"),
        ("{+1.0, -2.5e0}", "{+1.0, -2.5e0, 3}", "line 6: 2 numbers of c are expected, got 3"),
        ("{+1.0, -2.5e0}", "{+1.0, nan}", "line 6: a number of c must be finite"),
        ("0 1 1 2 0.5", "0 1 1 2", "line 8: an entry is"),
        ("0 1 1 2 0.5", "0 1 1 2 abc", "line 8: a value must be a number, got 'abc'"),
        ("0 1 1 2 0.5", "0 1 1 2 inf", "line 8: a value must be finite"),
        ("0 1 1 2 0.5", "3 1 1 2 0.5", r"line 8: matrix 3 is not among 0, \.\.\., 2"),
        ("0 1 1 2 0.5", "0 3 1 2 0.5", r"line 8: block 3 is not among 1, \.\.\., 2"),
        ("0 1 1 2 0.5", "0 1 1 3 0.5", r"line 8: \(1, 3\) is outside block 1 of size 2"),
        ("0 1 1 2 0.5", "0 2 1 2 0.5", "line 8: .* off the diagonal"),
        ("0 1 1 2 0.5", "0 1 1 1 0.5", "line 8: entry .* was 1.0 before"),
        ("0 1 1 2 0.5", "0 1 1.5 2 0.5", "line 8: an index must be an integer, got '1.5'"),
    ],
)
def test_bad_lines_are_named(tmp_path, old, new, message):
    assert old in SMALL
    with pytest.raises(ValueError, match=r"problem\.dat-s, " + message):
        read_sdpa(write(tmp_path, SMALL.replace(old, new)))


def test_marks_at_the_beginning_and_ends_of_lines(tmp_path):
    path = tmp_path / "problem.dat-s"
    path.write_bytes(b"\xef\xbb\xbf" + SMALL.replace("\n", "\r\n").encode())
    assert read_sdpa(path).c.tolist() == [1.0, -2.5]


@pytest.mark.parametrize("lines", [0, 2, 3, 4, 5])
def test_files_that_end_early(tmp_path, lines):
    with pytest.raises(ValueError, match="the file ends"):
        read_sdpa(write(tmp_path, "\n".join(SMALL.split("\n")[:lines])))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_round_trip(seed, tmp_path_factory):
    rng = np.random.default_rng(seed)
    blocks = [int(size) for size in rng.choice([-3, -1, 1, 2, 4], rng.integers(1, 4))]
    owners = np.concatenate(
        [
            np.full(b, i + 100) if b > 0 else 1000 * (i + 1) + np.arange(-b)
            for i, b in enumerate(blocks)
        ]
    )
    same = owners[:, None] == owners[None, :]
    m = int(rng.integers(1, 4))
    matrices = []
    for _ in range(m + 1):
        F = rng.standard_normal(same.shape) * (rng.random(same.shape) < 0.6)
        matrices.append((F + F.T) * same)
    program = SemidefiniteProgram(rng.standard_normal(m), blocks, matrices)
    path = tmp_path_factory.mktemp("sdpa") / "p.dat-s"
    write_sdpa(path, program)
    back = read_sdpa(path)
    assert back.blocks == blocks
    assert np.array_equal(back.c, program.c)
    for F, G in zip(matrices, back.matrices, strict=True):
        assert np.array_equal(F, G.toarray())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0], [2], [np.eye(2)]), "F_0, ..., F_m with m = 1"),
        (([1.0], [3], [np.eye(2), np.eye(2)]), "matrix 0 must have shape"),
        (([1.0], [1, 1], [np.eye(2), np.ones((2, 2))]), "matrix 1 has an entry outside"),
        (([1.0], [-2], [np.eye(2), np.ones((2, 2))]), "matrix 1 has an entry outside"),
        (([1.0], [2], [np.eye(2), np.triu(np.ones((2, 2)))]), "matrix 1 must be symmetric"),
        (([np.nan], [1], [[[1.0]], [[1.0]]]), "finite"),
        (([1.0], [], [[[1.0]], [[1.0]]]), "blocks"),
        (([1.0], [2.5], [np.eye(2), np.eye(2)]), "blocks must be whole numbers"),
        (("ab", [2], [np.eye(2), np.eye(2)]), "c must be a vector of numbers"),
        (([1.0], [2], [np.eye(2), "x"]), "matrix 1 must be a matrix of numbers"),
    ],
)
def test_bad_programs(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        SemidefiniteProgram(*arguments)


def test_homogenised_program():
    program = SemidefiniteProgram(
        [1.0, 2.0], [2], [[[1.0, 0.5], [0.5, 0.0]], np.eye(2), np.diag([0.0, 1.0])]
    )
    oracle = program.homogenized(below=7.0)
    assert oracle(np.zeros(3)).tolist() == [1.0, 0.0, 0.0]  # x_0 comes first
    x = np.array([2.0, 3.0, 5.0])
    F = oracle.matrix(x)
    assert F[0, 0] == 2.0
    assert np.allclose(F[1:3, 1:3], 2.0 * program.slack([1.5, 2.5]))
    assert F[3, 3] == pytest.approx(2 * 7.0 - 13.0)


def test_find_feasible_by_every_method():
    rng = np.random.default_rng(0)
    C = np.triu(rng.random((12, 12)) < 0.4, 1).astype(float)
    program = maxcut_program(C + C.T)
    for method in ("perceptron", "margin-perceptron", "dilated_perceptron", "ellipsoid"):
        outcome = find_feasible(program, method)
        assert outcome.status == "feasible"
        assert np.linalg.eigvalsh(program.slack(outcome.x))[0] > 0
        assert outcome.objective == pytest.approx(outcome.x.sum())
    outcome = find_feasible(program, "rescaling_perceptron", random_state=0, below=200.0)
    assert outcome.objective < 200.0
    assert program.contains(outcome.x)


def test_find_feasible_stops_and_goes_on():
    program = maxcut_program(np.ones((9, 9)) - np.eye(9))
    free = find_feasible(program)
    seen = []
    stopped = find_feasible(
        program, callback=lambda event: seen.append(event.x) or event.n_updates == 4
    )
    assert stopped.status == "limit"
    assert seen[-1].shape == (9,)
    outcome = find_feasible(program, x0=stopped)
    assert (outcome.status, outcome.n_updates) == ("feasible", free.n_updates)
    assert np.array_equal(outcome.x, free.x)
    assert find_feasible(program, x0=free.x).n_updates == 0


def test_bad_arguments_of_programs():
    program = maxcut_program(np.ones((5, 5)) - np.eye(5))
    for x in ([1.0, 2.0, 3.0], np.ones((5, 1))):
        for use in (
            program.contains,
            program.slack,
            program.objective,
            lambda x: find_feasible(program, x0=x),
            lambda x: minimize(program, x0=x),
        ):
            with pytest.raises(ValueError, match=r"x must have shape \(5,\), got"):
                use(x)
    with pytest.raises(TypeError, match="x must be a vector of numbers"):
        find_feasible(program, x0="abc")
    for use in (find_feasible, minimize):
        with pytest.raises(TypeError, match="program must be a SemidefiniteProgram, got list"):
            use([np.eye(2)])
    for below in (math.nan, math.inf, "x"):
        with pytest.raises(ValueError, match="below must be None or a finite number"):
            find_feasible(program, below=below)
    with pytest.raises(ValueError, match="max_updates"):
        minimize(program, max_updates=-1)
    with pytest.raises(TypeError, match="random_state"):
        minimize(program, random_state="dice")
    with pytest.raises(ValueError, match="not an outcome of minimize"):
        minimize(program, x0=find_feasible(program))
    with pytest.raises(ValueError, match="not an outcome of find_feasible"):
        find_feasible(program, x0=ellipsoid(program.homogenized(), 6))


def test_infeasible_program_is_recognised():
    program = SemidefiniteProgram([1.0], [2], [np.diag([1.0, 1.0]), np.diag([1.0, -1.0])])
    assert find_feasible(program).status == "unseparable"
    outcome = minimize(program)
    assert outcome.status == "unseparable"
    assert math.isnan(outcome.objective)
    assert outcome.lower_bound == -math.inf


@pytest.mark.parametrize("optimum", [-10.0, 10.0, 1e-3])
def test_shrinking_alone_ends_within_rel_tol(monkeypatch, optimum):
    """Past an objective of 0, too, and after a step that was too large."""
    nothing = DualBound(-math.inf, math.inf)
    monkeypatch.setattr("novikoff.feasibility.sequence.dual_bound", lambda *_: nothing)
    program = SemidefiniteProgram([1.0], [2], [optimum * np.eye(2), np.eye(2)])
    outcome = minimize(program, x0=[20.0])
    assert outcome.status == "feasible"
    assert outcome.lower_bound == -math.inf
    assert optimum <= outcome.objective <= optimum + 0.0501 * abs(outcome.objective)
    assert outcome.objective - outcome.state["demand"] <= 0.0501 * abs(outcome.objective)
    assert len(outcome.history) < 300


def test_unbounded_program_has_no_lower_bound():
    program = SemidefiniteProgram([1.0], [1], [[[0.0]], [[-1.0]]])
    outcome = minimize(program, max_updates=300)
    assert outcome.lower_bound == -math.inf
    assert outcome.objective < 0


def test_unbounded_along_a_line_has_no_lower_bound():
    """F_1 and F_2 are multiples, c_1 and c_2 are not: tr(F_i Y) = c_i has no solution."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        f, c, x = rng.standard_normal(2), rng.standard_normal(2), rng.standard_normal(2)
        program = SemidefiniteProgram(c, [1], [[[f @ x - 1.0]], [[f[0]]], [[f[1]]]])
        if abs(f[0] * c[1] - f[1] * c[0]) > 1e-6:
            assert dual_bound(program, x, 1e-3).value == -math.inf


def test_dependent_matrices_have_a_lower_bound():
    """F_1, F_2 and F_3 of one row are multiples; with c_i = f_i y the optimum is f_0 y."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        f, x, y = rng.standard_normal(3), rng.standard_normal(3), rng.uniform(0.5, 2.0)
        program = SemidefiniteProgram(f * y, [1], [[[f @ x - 1.0]], [[f[0]]], [[f[1]]], [[f[2]]]])
        outcome = minimize(program, x0=x)
        optimum = (f @ x - 1.0) * y
        assert outcome.status == "feasible"
        assert optimum - 0.05 * abs(outcome.objective) <= outcome.lower_bound <= optimum + 1e-9


def test_minimize_stops_and_goes_on():
    program = maxcut_program(np.ones((7, 7)) - np.eye(7))
    best = []
    stopped = minimize(
        program, callback=lambda event: best.append(event.objective) or len(best) > 60
    )
    assert stopped.status == "limit"
    assert program.contains(stopped.x)
    assert stopped.objective == best[-1]
    outcome = minimize(program, x0=stopped)
    assert outcome.status == "feasible"
    assert outcome.objective <= stopped.objective
    assert outcome.objective - outcome.lower_bound <= 0.05 * outcome.objective
    assert minimize(program, max_updates=3).status == "limit"
    with pytest.raises(ValueError, match="strictly feasible"):
        minimize(program, x0=np.zeros(7))
    with pytest.raises(ValueError, match="rel_tol"):
        minimize(program, rel_tol=0.0)


@pytest.mark.parametrize("method", ["ellipsoid", "rescaling_perceptron"])
@pytest.mark.parametrize("stop", [1, 30])
def test_stopped_minimisation_goes_on_as_if_it_had_not_been(method, stop):
    rng = np.random.default_rng(0)
    C = np.triu(rng.random((9, 9)) < 0.4, 1).astype(float)
    program = maxcut_program(C + C.T)
    options = {"random_state": 3, "method": method}
    if method == "rescaling_perceptron":
        options |= {"rho": 0.3, "sigma": 0.3}  # so that the stops fall into rescalings, too
    free = minimize(program, max_updates=600, **options)
    outcome = minimize(program, max_updates=stop, **options)
    while outcome.status == "limit" and outcome.n_updates < 600:
        stored = pickle.loads(pickle.dumps(outcome))
        go_on = min(5 * stop, 600 - outcome.n_updates)
        outcome = minimize(program, x0=stored, max_updates=go_on, **options)
    for name in ("status", "n_updates", "n_rescalings", "n_oracle_calls", "objective"):
        assert getattr(outcome, name) == getattr(free, name)
    assert outcome.lower_bound == free.lower_bound
    assert np.array_equal(outcome.x, free.x)
    assert np.array_equal(outcome.history["objective"], free.history["objective"])


def test_dual_bound_is_never_above_a_feasible_objective():
    rng = np.random.default_rng(0)
    for _ in range(20):
        C = rng.standard_normal((6, 6))
        program = maxcut_program(C + C.T)
        x = 1.0 + np.abs(0.25 * np.abs(C + C.T)).sum(axis=1) * 2
        bound, gap = dual_bound(program, x, 1e-3)
        assert gap <= 1e-3
        best = minimize(program, rel_tol=0.01, x0=x)
        assert bound <= best.objective
        assert bound >= best.lower_bound - 0.02 * abs(best.objective) - 0.01


def test_bad_graphs():
    with pytest.raises(ValueError, match="symmetric"):
        maxcut_program([[0, 1], [0, 0]])
    with pytest.raises(ValueError, match="square"):
        maxcut_program(np.ones((2, 3)))
    with pytest.raises(ValueError, match="finite"):
        maxcut_program([[0, np.nan], [np.nan, 0]])
    with pytest.raises(TypeError, match="matrix of numbers"):
        maxcut_program("abc")


def test_graphs_of_any_number_type():
    dense = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    expected = maxcut_program(dense.astype(float)).matrices[0].toarray()
    for graph in (dense.astype(bool), dense.astype(np.uint8), dense.tolist()):
        assert np.array_equal(maxcut_program(graph).matrices[0].toarray(), expected)
    for kind in (bool, np.uint8, np.float32):
        graph = sparse.csr_matrix(dense.astype(kind))
        assert np.array_equal(maxcut_program(graph).matrices[0].toarray(), expected)


# --- SDPLIB ---------------------------------------------------------------------------------


@pytest.fixture
def sdplib(data_folder):
    folder = data_folder / "sdplib"
    if not folder.is_dir():
        pytest.skip("SDPLIB is not in the data folder")
    return lambda name: read_sdpa(folder / f"{name}.dat-s")


# Name, n, the thesis's updates of the rescaling perceptron and of the ellipsoid algorithm.
TABLE_6_1 = [
    ("mcp100", 313, 173),
    ("mcp124-2", 381, 212),
    ("mcp124-3", 748, 255),
    ("mcp124-4", 1305, 294),
    ("mcp250-3", 1340, 513),
    ("mcp250-4", 2504, 598),
    ("mcp500-3", 2529, 1005),
    ("mcp500-4", 5166, 1195),
]


@pytest.mark.parametrize(("name", "perceptron_count", "ellipsoid_count"), TABLE_6_1)
def test_table_6_1_without_isolated_vertices(sdplib, name, perceptron_count, ellipsoid_count):
    program = sdplib(name)
    oracle = program.homogenized(pivoting=True)
    one = perceptron(oracle, program.dim + 1)
    assert (one.status, one.n_updates) == ("feasible", perceptron_count - 1)
    two = ellipsoid(oracle, program.dim + 1)
    assert (two.status, two.n_updates) == ("feasible", ellipsoid_count - 1)
    # The rescaling perceptron never rescales: its column is the plain perceptron's.
    three = rescaling_perceptron(
        oracle, program.dim + 1, setting="gamma=1/2", random_state=0, max_updates=20000
    )
    assert (three.n_updates, three.n_rescalings) == (one.n_updates, 0)
    for outcome in (one, two):
        assert np.linalg.eigvalsh(program.slack(outcome.x[1:] / outcome.x[0]))[0] > 0


@pytest.mark.parametrize(
    ("name", "optimum"),
    [("mcp100", 226.1574), ("mcp124-1", 141.9905), ("theta1", 23.0), ("truss1", -8.999996)],
)
def test_minimize_sdplib(sdplib, name, optimum):
    program = sdplib(name)
    outcome = minimize(program)
    assert outcome.status == "feasible"
    assert program.contains(outcome.x)
    assert outcome.lower_bound <= optimum + 1e-4 * abs(optimum)
    assert optimum <= outcome.objective + 1e-4 * abs(optimum)
    assert outcome.objective - outcome.lower_bound <= 0.05 * abs(optimum) * 1.05


def test_minimize_where_no_dual_matrix_is_definite(sdplib):
    """gpp100: from above 0 to below it, with a lower bound that is far off."""
    program = sdplib("gpp100")
    outcome = minimize(program, max_updates=6000)
    assert program.contains(outcome.x)
    assert outcome.lower_bound <= -44.94354 <= outcome.objective <= 0.95 * -44.94354


def test_infeasible_sdplib(sdplib):
    for name in ("infp1", "infp2"):
        assert find_feasible(sdplib(name)).status == "unseparable"


def test_sdplib_sizes(sdplib, data_folder):
    lines = (data_folder / "sdplib" / "optimal_values.csv").read_text().splitlines()[1:]
    for line in lines:
        name, m, n, *_ = line.split(",")
        program = sdplib(name)
        assert (program.dim, program.size) == (int(m), int(n))

"""Feasibility solvers beside the work that they cannot avoid, and the papers' problems."""

import time
from collections.abc import Iterator

import numpy as np
from scipy import sparse
from scipy.linalg.blas import dger
from scipy.linalg.lapack import dpotrf

from bench.harness import Row, benchmark, race
from novikoff.feasibility import (
    Halfspaces,
    ellipsoid,
    find_feasible,
    minimize,
    perceptron,
    read_sdpa,
    smooth_perceptron,
)
from novikoff.papers.p3_small_margin import thin_set
from novikoff.streams.data import data_file

OPTIMA = {"mcp100": 226.1574, "theta1": 23.0, "gpp100": -44.9435, "truss1": -8.999996}


class Counting:
    """An oracle that notes its answers and the factorisations that it took."""

    takes_level = True

    def __init__(self, oracle, table):
        self.oracle, self.dim, self.answers, self.factorised = oracle, oracle.dim, [], 0
        self.table = table

    def __call__(self, x, level=0.0):
        self.factorised += bool((self.table @ x).min() > 0)
        a = self.oracle(x, level)
        if a is not None:
            self.answers.append(a)
        return a

    def contains(self, x):
        self.factorised += 1  # the check at the end is one more
        return self.oracle.contains(x)


def _table(program):
    """The diagonal of F(x) as a sparse table: what looking at it first must cost."""
    columns = [-program.matrices[0].diagonal(), *(F.diagonal() for F in program.matrices[1:])]
    x_0 = np.eye(1, program.dim + 1)
    return sparse.csr_array(np.vstack([x_0, np.array(columns).T]))


def _bare(program, spy, method):
    """The diagonals, factorisations and updates of a run, and nothing else."""
    table, n = spy.table, program.dim + 1
    block = np.asfortranarray(program.slack(1.0 + 2.0 * abs(program.matrices[0]).sum(axis=0)))
    answers = spy.answers

    def run():
        x = np.zeros(n)
        B = np.eye(n, order="F")
        for a in answers:
            (table @ x).argmin()
            if method is ellipsoid:
                where = a.nonzero()[0]
                b = a[where] @ B[where]
                b /= np.sqrt(b @ b)
                step = B @ b
                x += 1e-3 * step
                B = dger(-1e-3, step, b, a=B, overwrite_a=1)
            else:
                x += a / np.sqrt(a @ a)
        for _ in range(spy.factorised):
            dpotrf(block)

    return run


@benchmark
def feasibility() -> Iterator[Row]:
    """MAXCUT of size 500 beside bare parts; how far minimize reaches; the smooth perceptron."""
    for number in (1, 2, 3, 4):
        program = read_sdpa(data_file(f"sdplib/mcp500-{number}.dat-s"))
        oracle = program.homogenized()
        table = _table(program)
        for method in (perceptron, ellipsoid):
            spy = Counting(oracle, table)
            method(spy, oracle.dim)
            whole, bare = race(
                lambda m=method, o=oracle: m(o, o.dim), _bare(program, spy, method), repeats=5
            )
            name = f"mcp500-{number}, {method.__name__}"
            note = f"{len(spy.answers)} updates, {spy.factorised} factorisations"
            yield Row(f"{name}: seconds", whole, 1.0, unit="s", note=note)
            yield Row(f"{name}: over its bare parts", whole / bare, 1.5, note=f"{bare:.4f} s bare")
    program = read_sdpa(data_file("sdplib/mcp500-1.dat-s"))
    started = time.perf_counter()
    find_feasible(program, "perceptron")
    seconds = time.perf_counter() - started
    yield Row("mcp500-1: find_feasible, homogenising included", seconds, 1.0, unit="s")

    for name, optimum in OPTIMA.items():
        program = read_sdpa(data_file(f"sdplib/{name}.dat-s"))
        outcome = minimize(program, max_updates=15_000)
        note = f"{outcome.status}, {outcome.n_updates} updates, {outcome.seconds:.1f} s"
        gap = (outcome.objective - optimum) / abs(optimum)
        yield Row(f"minimize {name}: above the optimum", gap, 0.05, unit="", note=note)
        below = (optimum - outcome.lower_bound) / abs(optimum)
        yield Row(f"minimize {name}: lower bound below it", below, unit="")

    A = Halfspaces(thin_set(1e-2))
    slow, fast = race(lambda: perceptron(A, 8), lambda: smooth_perceptron(A, 8))
    yield Row("margin 0.01: perceptron over smooth perceptron", slow / fast, note="time")

"""Which numbers of a run the theorems of P0 and P1 ask for."""

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve_triangular

from novikoff.learners.pseudoinverse_second_order_perceptron import PseudoinverseKernelMemory
from novikoff.theory import bounds
from novikoff.theory.run import Guarantee, Run, demand
from novikoff.theory.sequence import Sequence


def second_order(run: Run) -> Guarantee:
    """P0 Theorem 3.1; with a kernel, Corollary 3.4."""
    a = float(run.model.a)
    return Guarantee(
        "P0 Theorem 3.1" if _is_primal(run) else "P0 Corollary 3.4",
        lambda loss, margin, spread: bounds.second_order_bound(
            loss, margin, a, spread, run.eigenvalues
        ),
        {"a": a, "largest eigenvalue": float(run.eigenvalues.max(initial=0.0))},
        metric=a,
    )


def adaptive_second_order(run: Run) -> Guarantee:
    """P0 Theorem 4.1."""
    model, m = run.model, int(run.updated.sum())
    if m == 0:
        return _never_updated("P0 Theorem 4.1")
    squares, c = run.sequence.lengths[run.updated] ** 2, float(model.c)
    theorem = "P0 Theorem 4.1"
    if model.radius is None:
        # At its k-th mistake the learner knows the rows before; at the first, w = 0 whatever a_1.
        known = np.maximum.accumulate(np.append(squares[0], squares[:-1]))
        a = c * known * np.arange(1, m + 1)
        growth = bounds.adaptive_growth_of(a, squares)
        theorem += ", with the radius that was known at each mistake in its proof"
    else:
        a = c * float(model.radius) ** 2 * np.arange(1, m + 1)
        growth = bounds.adaptive_growth(c, m)
    return Guarantee(
        theorem,
        lambda loss, margin, spread: bounds.adaptive_second_order_bound(
            loss, margin, a[-1], spread, run.eigenvalues, growth
        ),
        {"a_m": float(a[-1]), "B(c, m)": growth, "c": c, "m": m},
        metric=float(a[-1]),
    )


def pseudoinverse_second_order(run: Run) -> Guarantee:
    """P0 Theorem 4.2."""
    m = int(run.updated.sum())
    if m == 0:
        return _never_updated("P0 Theorem 4.2")
    rank, smallest = rank_and_smallest(run.sequence, run.told)
    radius = run.sequence.radius
    return Guarantee(
        "P0 Theorem 4.2",
        lambda loss, margin, spread: bounds.pseudoinverse_second_order_bound(
            loss, margin, spread, rank, smallest, m, radius
        ),
        {"rank": rank, "lambda*": smallest, "m": m, "R": radius},
        metric=smallest,
    )


def rank_and_smallest(sequence: Sequence, told: np.ndarray) -> tuple[int, float]:
    """Rank of the rows, and the smallest positive eigenvalue any of their beginnings has.

    Which rows lie off the span of those before is the learner's own verdict. Such a row lowers the
    smallest positive eigenvalue (Cauchy's interlacing), one in the span raises all: only the last
    of several that lie off the span one after the other is looked at, and only where the rows off
    the span alone, with 1/trace of their Gram matrix's inverse, do not rule it out.
    An eigenvalue of rounding size stands for that number, which is below it and so makes the bound
    larger.
    """
    m, squares = told.size, sequence.lengths[told] ** 2
    memory = PseudoinverseKernelMemory()
    grew = np.zeros(m + 1, bool)
    for k in range(m):
        memory.enter(sequence.products(told[memory.basis], told[k : k + 1])[:, 0], squares[k])
        grew[k] = memory.grew
    L = memory.factor.matrix
    inverse = solve_triangular(L, np.eye(len(L)), lower=True)
    below = 1.0 / (inverse**2).sum(axis=1).cumsum()  # by rank
    ranks, smallest = grew.cumsum(), np.inf
    for k in np.flatnonzero(grew[:-1] & ~grew[1:])[::-1]:
        rank = ranks[k]
        if below[rank - 1] >= smallest:
            continue
        values = sequence.eigenvalues(told[: k + 1])
        rounding = 1e3 * m * np.finfo(float).eps * values[-1]
        least = values[-rank] if values[-rank] > rounding else below[rank - 1]
        smallest = min(smallest, float(least))
    return int(ranks[-1]), smallest


def higher_order(run: Run) -> Guarantee:
    """P1 Theorem 1."""
    model = run.model
    demand(run, model.p == 2, "p", model.p, "p=2 (P1 states its theorem for that)")
    lengths, c = run.sequence.lengths[run.updated], float(model.c)
    if not np.allclose(lengths, 1.0, rtol=1e-9):
        raise ValueError(
            "P1 Theorem 1 is for rows of length 1: use normalize=True, or scale the rows"
        )
    rows = run.sequence.span_coordinates(run.told)
    rows = transformed_rows(rows, run.signs[run.updated], c, bool(model.sparse_updates))
    # Mistaken rows of length 0 count with their whole margin.
    idle = int((run.margins <= 0.0).sum()) - len(rows)
    rows = np.vstack([rows, np.zeros((idle, rows.shape[1]))])
    signs = np.append(run.signs[run.updated], np.ones(idle))
    return Guarantee(
        "P1 Theorem 1, on the sequence the run transformed",
        lambda loss, margin, spread: bounds.higher_order_bound(loss, margin, c),
        {"c": c, "alpha": (1.0 + c) / (1.0 - c), "m": len(rows)},
        transformed=(rows, signs),
    )


def transformed_rows(X: np.ndarray, signs: np.ndarray, c: float, sparse: bool) -> np.ndarray:
    """Rows B_{k-1} x_{t(k)} of P1 (1) for mistaken rows x_{t(k)}."""
    B, v = np.eye(X.shape[1]), np.zeros(X.shape[1])
    out = np.empty_like(X)
    for k, (x, y) in enumerate(zip(X, signs, strict=True), start=1):
        out[k - 1] = B @ x
        if not sparse or y * (v @ x) >= 0.0:
            B -= c / k * np.outer(out[k - 1], x)
        v += y * x
    return out


def whitened(run: Run) -> Guarantee:
    """P0 section 2."""
    if _is_primal(run):
        Z, _ = run.sequence.coordinates()
        Z = Z.toarray() if sp.issparse(Z) else Z
        values, vectors = np.linalg.eigh(Z.T @ Z)
        rows = (Z @ vectors)[:, _kept(values)] / np.sqrt(values[_kept(values)])
    else:
        # k_x' K^+ k_z of the rows themselves: the eigenvectors are the whitened rows.
        every = np.arange(run.sequence.n)
        values, vectors = np.linalg.eigh(run.sequence.products(every, every))
        rows = vectors[:, _kept(values)]
    radius = float(np.sqrt((rows**2).sum(axis=1).max())) or 1.0
    return Guarantee(
        "P0 section 2: Novikoff's theorem, with hinge losses, on the whitened rows",
        lambda loss, margin, spread: bounds.perceptron_bound(loss, margin, radius),
        {"R": radius},
        transformed=(rows, run.signs),
    )


def _kept(values: np.ndarray) -> np.ndarray:
    """Eigenvalues that are not rounding, as the whitened perceptron has it."""
    return values > values.size * np.finfo(float).eps * values[-1]


def _never_updated(theorem: str) -> Guarantee:
    return Guarantee(theorem, lambda loss, margin, spread: loss / margin, {"m": 0})


def _is_primal(run: Run) -> bool:
    return getattr(run.model, "kernel", None) is None

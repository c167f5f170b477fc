"""Working set for the maximal separation ratio ellipsoid: the cost follows the support, not m.

At an optimum of (7.9) about (n+1)(n+2)/2 rows at most need to carry weight; the others could be
left out. So solve on a few rows, look at all, add the worst violated, drop what is slack, until
the gap closes. Every solution on some rows gives a bound for all (its multipliers, zero elsewhere,
are feasible in (7.21)) and a value that all rows really reach (its F, looked at on all rows), so
the result is exact to the stated gap. Early rounds are solved roughly: their F lies deeper inside,
which cuts better and costs less.

First come the positives farthest out in the positive class's own metric and the nearest negatives;
of near duplicates only the worst at a time, or a round would see few places. With a soft margin
duplicates have weights of their own, and a round may need the 1/C rows that an average takes.

Departures from the paper: none; the thesis (section 8.4) names such chunking as future work, and
holds (section 7.5) that it cannot work on unseparable data. It does: the bound falls to 1.
"""

from collections.abc import Callable

import numpy as np

from novikoff.ellipsoids.interior_point import Solution, solve
from novikoff.ellipsoids.margin import tail_ratio, tail_sizes
from novikoff.ellipsoids.squared_rows import quadratic

MAX_ROUNDS = 200
ROUGH = 0.02  # relative gap of the first round
NEAR = 0.05  # rows that differ by less, relative, are alike
SLACK = 0.1  # a row this far from its surface, relative, may be dropped


def solve_working_set(
    Z: np.ndarray,
    positive: np.ndarray,
    C: tuple[float, float] = (np.inf, np.inf),
    tol: float = 1e-8,
    callback: Callable[[int, float, float, int], object] | None = None,
) -> Solution:
    """Solve (7.9) on whitened rows Z to a relative gap of ``tol``.

    ``callback(round, value, bound, rows)`` is called after each round.
    """
    m, N = Z.shape
    p = N * (N + 1) // 2
    # A hard margin needs no second row in the same place; in a soft one each has its own weight.
    alike = _alike(Z) if np.isinf(C[0]) else None
    rows = _first_rows(Z, positive, C, p, alike)
    n_first = len(rows)
    # A soft margin leans on 1/C points of a class, not on its share of the p.
    many = [p // 2 + int(size) for size in tail_sizes(C)]
    if 2 * n_first > m:
        return solve(Z, positive, C, tol)

    best = Solution(np.eye(N), np.zeros(m), -np.inf, np.inf, (1.0, 1.0))
    finest = tol / 4
    rough, last_drop, n_iterations = ROUGH, np.inf, 0
    for round_ in range(1, MAX_ROUNDS + 1):
        part = solve(Z[rows], positive[rows], C, rough)
        n_iterations += part.n_iterations
        q = quadratic(Z, part.F)
        value = tail_ratio(q[positive], q[~positive], C)
        if value > best.value:
            best.F, best.value, best.radii = part.F, value, part.radii
        if part.bound < best.bound:
            best.bound = part.bound
            best.lam[:] = 0.0
            best.lam[rows] = part.lam
        if callback is not None:
            callback(round_, best.value, best.bound, len(rows))
        gap = (best.bound - best.value) / best.bound
        if gap <= tol:
            break
        r, s = part.radii
        excess = np.where(positive, q / r - 1.0, 1.0 - q / s)
        keep = np.ones(len(rows), dtype=bool)
        if part.bound < 0.999 * last_drop:  # no row comes and goes for ever
            last_drop = part.bound
            keep[n_first:] = (part.lam * p > 0.01)[n_first:] | (excess[rows] > -SLACK)[n_first:]
        excess[rows] = 0.0
        worst = np.concatenate(
            [
                _foremost(excess, np.flatnonzero(where & (excess > 0)), count, alike)
                for where, count in zip((positive, ~positive), many, strict=True)
            ]
        )
        if len(worst) == 0 and rough <= finest:
            break  # nothing is violated: rounding stopped the gap
        # The set is all but found when little is missing: no use in rough solutions then.
        rough = finest if 10 * len(worst) < p else max(finest, min(rough, 0.1 * gap))
        rows = np.concatenate([rows[keep], worst])
    best.n_iterations, best.n_rounds = n_iterations, round_
    return best


def _foremost(
    score: np.ndarray, among: np.ndarray, count: int, alike: np.ndarray | None
) -> np.ndarray:
    """Return the ``count`` rows ``among`` those given with the largest scores.

    Of rows that are ``alike``, where that is told, only the first.
    """
    take = 0
    while True:
        take = min(max(count, 4 * take), len(among))
        top = among
        if take < len(among):
            top = among[np.argpartition(-score[among], take)[:take]]
        if alike is None:
            return top
        top = top[np.argsort(-score[top], kind="stable")]
        _, first = np.unique(alike[top], axis=0, return_index=True)
        if len(first) >= count or take == len(among):
            return top[np.sort(first)[:count]]


def _alike(Z: np.ndarray) -> np.ndarray:
    """Return where each row points to, coarsely: rows that are alike share the numbers."""
    return np.round(Z / (NEAR * np.linalg.norm(Z, axis=1)[:, None])).astype(np.int16)


def _first_rows(
    Z: np.ndarray,
    positive: np.ndarray,
    C: tuple[float, float],
    p: int,
    alike: np.ndarray | None,
) -> np.ndarray:
    q = np.einsum("ij,ij->i", Z, Z)
    chosen = [
        _foremost(sign * q, np.flatnonzero(where), p // 2 + 2 * Z.shape[1] + int(2 * size), alike)
        for where, sign, size in zip((positive, ~positive), (1, -1), tail_sizes(C), strict=True)
    ]
    spanning = chosen[0]
    if np.linalg.eigvalsh(Z[spanning].T @ Z[spanning])[0] < 1e-3 * len(spanning):
        # The farthest positives leave a direction empty: spread more over all of them.
        more = np.setdiff1d(np.flatnonzero(positive), spanning)
        chosen.append(more[:: max(1, len(more) // (4 * Z.shape[1]))])
    return np.concatenate(chosen)

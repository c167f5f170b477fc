"""From labelled points to the ellipsoid of maximal separation ratio around the positive ones.

Whiten, solve (7.9), take the ellipsoid out of the homogeneous matrix, map it back, and certify:
the ratio that is reported is the one the points have, and its bound is (7.21)'s value at
multipliers made feasible, so that neither rests on the solver.

Departures from the paper: the centre and the matrix are taken from F by (7.6), also where F is not
canonical yet (eta < 1), which can only raise the ratio that F gives.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from novikoff.ellipsoids import interior_point
from novikoff.ellipsoids.conic import solve_clarabel
from novikoff.ellipsoids.interior_point import certified_bound
from novikoff.ellipsoids.margin import penalties, tail, tail_sizes
from novikoff.ellipsoids.whitening import whiten
from novikoff.ellipsoids.working_set import solve_working_set

TOLERANCE = 1e-9  # of 1 + t, relative
MANY = 6  # rows per entry of the matrix from which a working set is faster
UNSEPARABLE = 1e-6  # a t below it counts as zero

SOLVERS = {
    "interior-point": interior_point.solve,
    "working-set": solve_working_set,
    "clarabel": solve_clarabel,
}


@dataclass
class Ellipsoid:
    """Two radii around one centre in one metric: q(x) = |(x - center) @ factor|^2."""

    center: np.ndarray
    factor: np.ndarray
    inner: float  # 1 for the hard margin
    outer: float
    ratio: float
    ratio_bound: float  # no ellipsoid has a larger ratio
    support: np.ndarray
    dual_coef: np.ndarray


def separate(
    X: np.ndarray,
    positive: np.ndarray,
    C: float = np.inf,
    solver: str = "auto",
    label: object = True,
    callback: Callable[[str], object] | None = None,
) -> Ellipsoid:
    """Return the ellipsoid; ``ValueError`` where there is none or it is unbounded.

    ``label`` names the positive class in messages; ``callback(text)`` tells the progress.
    """
    whitening = whiten(X[positive], label)
    Z = whitening.rows(X)
    C_pair = penalties(C, positive)
    if solver == "auto":
        solver = "working-set" if len(X) > MANY * Z.shape[1] ** 2 else "interior-point"
    solution = SOLVERS[solver](
        Z, positive, C_pair, tol=TOLERANCE, **_progress(solver, len(X), callback)
    )

    lam = solution.lam
    bound = certified_bound(Z, positive, lam)
    if bound <= 1.0 + UNSEPARABLE:
        raise ValueError(_unseparable(label, bound, C))
    P, d = solution.F[:-1, :-1], solution.F[:-1, -1]
    # Where a cylinder is optimal too, P may have an eigenvalue of rounding size.
    size, axes = np.linalg.eigh(P)
    size = np.maximum(size, 1e-13 * size[-1])
    z_center = -axes @ ((axes.T @ d) / size)
    root = axes * np.sqrt(size)
    q = np.sum(((Z[:, :-1] - z_center) @ root) ** 2, axis=1)
    sizes = tail_sizes(C_pair)
    r, inside = tail(q[positive], sizes[0])
    s, outside = tail(-q[~positive], sizes[1])
    s, outside = -s, -outside
    if outside <= inside:
        raise ValueError(_unseparable(label, bound, C))

    reach = np.where(positive, 1.0 - q / r, q / s - 1.0)  # <= 0 on and beyond the surface
    # Multiplier times slack is of rounding size: their ratio tells which of the two is zero.
    weight = lam / np.where(positive, lam[positive].sum(), lam[~positive].sum())
    support = np.flatnonzero(weight > 0.1 * np.maximum(reach, 0.0) + 1e-9)
    dual_coef = lam[support] / lam[support][~positive[support]].sum()
    return Ellipsoid(
        center=whitening.shift + z_center @ whitening.inverse,
        factor=whitening.matrix @ root / np.sqrt(inside),
        inner=float(np.sqrt(r / inside)),
        outer=float(np.sqrt(s / inside)),
        ratio=float(np.sqrt(outside / inside)),
        # A general solver may overstep the caps of the soft margin's multipliers by rounding.
        ratio_bound=float(np.sqrt(max(bound, outside / inside))),
        support=support,
        dual_coef=dual_coef,
    )


def _unseparable(label: object, bound: float, C: float) -> str:
    advice = "a finite C" if C >= 1 else f"a C below {C:g}"
    return (
        f"class {label!r} is not separable by an ellipsoid: give {advice} (no separation ratio "
        f"above {np.sqrt(max(bound, 1.0)):.7g} exists)"
    )


def _progress(solver: str, m: int, callback: Callable[[str], object] | None) -> dict:
    if callback is None or solver == "clarabel":
        return {}

    def ratios(value: float, bound: float) -> str:
        return f"1 + t between {value:.8g} and {bound:.8g}"

    if solver == "working-set":
        return {
            "callback": lambda k, value, bound, rows: callback(
                f"round {k}: {rows} of {m} points, {ratios(value, bound)}"
            )
        }
    return {"callback": lambda k, value, bound: callback(f"iteration {k}: {ratios(value, bound)}")}

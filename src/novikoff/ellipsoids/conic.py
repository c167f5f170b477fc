"""The semidefinite program (7.9) handed to clarabel as it stands: the reference solver [1]_.

Variables svec(F), then s = 1 + t; with a soft margin also r and one xi a row (see
``interior_point``). Its sparse factorisation of a dense system costs far more than the other
solvers, and its memory grows with m (n+1)(n+2)/2.

Departures from the paper: rows come whitened by the positive class (Theorem 7.5); on raw
coordinates an interior-point solver gives three digits.

.. [1] A. Kharechko (2009), Linear and ellipsoidal pattern separation, (7.9).
"""

import numpy as np
from scipy import sparse

from novikoff.ellipsoids.interior_point import Solution
from novikoff.ellipsoids.squared_rows import SquaredRows


def solve_clarabel(
    Z: np.ndarray,
    positive: np.ndarray,
    C: tuple[float, float] = (np.inf, np.inf),
    tol: float = 1e-9,
) -> Solution:
    """Solve (7.9) on whitened rows Z with clarabel."""
    try:
        import clarabel
    except ImportError:
        raise ImportError(
            'solver="clarabel" needs the package clarabel: pip install "novikoff[conic]"'
        ) from None

    m, N = Z.shape
    rows = SquaredRows(Z, positive)
    squares = rows.block(0, m)[:, :-2]
    # In units in which s is about 1: negatives may lie as far away as they like.
    q = np.einsum("ij,ij->i", Z, Z)
    unit = max(1.0, q[~positive].min() / q[positive].max())
    squares[~positive] /= unit
    sign = rows.sign[:, None]
    p = squares.shape[1]
    soft = np.isfinite(C[0])
    # slack = b - A x, row by row; svec's order is clarabel's.
    if soft:
        top = np.hstack([-sign * squares, -sign * rows.classes])
        A = sparse.bmat([[sparse.csc_matrix(top), -sparse.eye(m)], [None, -sparse.eye(m)]])
        budget = np.concatenate([np.zeros(p), [1.0, 0.0], np.where(positive, C[0], 0.0)])
        A = sparse.vstack([sparse.csc_matrix(budget), A])
        b = np.concatenate([[1.0], np.zeros(2 * m)])
        c = np.concatenate([np.zeros(p), [0.0, -1.0], np.where(positive, 0.0, C[1])])
        cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * m)]
    else:
        A = sparse.csc_matrix(np.hstack([-sign * squares, -sign * rows.classes[:, 1:]]))
        b = positive.astype(float)
        c = np.append(np.zeros(p), -1.0)
        cones = [clarabel.NonnegativeConeT(m)]
    semidefinite = sparse.hstack([-sparse.eye(p), sparse.csc_matrix((p, A.shape[1] - p))])
    A = sparse.csc_matrix(sparse.vstack([A, semidefinite]))
    b = np.append(b, np.zeros(p))
    cones.append(clarabel.PSDTriangleConeT(N))

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_rel = settings.tol_gap_abs = settings.tol_feas = tol
    none = sparse.csc_matrix((A.shape[1], A.shape[1]))
    found = clarabel.DefaultSolver(none, c, A, b, cones, settings).solve()
    x, z = np.asarray(found.x), np.asarray(found.z)
    lam = np.maximum(z[1 : m + 1] if soft else z[:m], 0.0)
    lam[positive] *= unit
    lam = np.minimum(lam, np.where(positive, C[0] * lam[positive].sum(), C[1]))
    r, s = (x[p], x[p + 1] * unit) if soft else (1.0, x[p] * unit)
    return Solution(
        F=rows.matrix(x[:p]),
        lam=lam,
        value=-float(found.obj_val) * unit,
        bound=-float(found.obj_val_dual) * unit,
        radii=(r, s),
        n_iterations=int(found.iterations),
    )

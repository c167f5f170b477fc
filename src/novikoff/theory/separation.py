"""The margin of a finite set (P3 Definition 2.5), exactly.

    rho = max_{|x| = 1} min_i a_i.x    for unit rows a_i

When rho > 0 the best x is the smallest w with A w >= s for any s > 0, a least-distance problem.
Lawson and Hanson solve it by non-negative least squares: with E = (A'; s 1'), f = (0, ..., 0, 1),

    u = argmin_{u >= 0} |E u - f|,    r = E u - f,    w = -r_{1..n} / r_{n+1},

an active-set method that ends at the exact solution. It is scaled best where s is about rho, so it
is run again with the margin found. The rows with u > 0 are the active ones, A_S w = 1, which gives
w to full precision. The distance of the rows' convex hull from 0, |A'u| / sum u, is the same
number.
"""

import numpy as np
from scipy import sparse
from scipy.optimize import nnls

from novikoff.feasibility.oracles.halfspaces import Halfspaces


def margin(A):
    """Return the margin of the rows of A, scaled to unit length, and the direction that has it.

    Parameters
    ----------
    A : array or sparse matrix of shape (m, n)
        The rows; zero rows are refused.

    Returns
    -------
    rho : float
        The smallest a.z over the rows. Where it is positive, z separates the rows as given and no
        direction has a larger one (up to rounding); ``rho <= 0`` means that the set is not
        separable, or by less than rounding.
    z : ndarray of shape (n,)
        A unit vector with that margin.

    Examples
    --------
    >>> from novikoff.theory import margin
    >>> rho, z = margin([[2.0, 0.0], [0.0, 1.0]])
    >>> round(rho, 12), z.round(12)
    (0.707106781187, array([0.70710678, 0.70710678]))
    >>> margin([[1.0, 0.0], [-1.0, 0.0]])[0] <= 0
    True
    """
    oracle = Halfspaces(A)
    rows = oracle.rows.toarray() if sparse.issparse(oracle.rows) else oracle.rows
    m, n = rows.shape
    best, direction = -np.inf, None
    scale = 1.0
    for _ in range(3):
        E = np.vstack([rows.T, np.full(m, scale)])
        f = np.zeros(n + 1)
        f[n] = 1.0
        u, _residual = nnls(E, f, maxiter=30 * max(m, n + 1))
        r = E @ u - f
        # The hull's nearest point to 0 has the direction of A'u, which r holds as well.
        length = np.linalg.norm(r[:n])
        if length == 0.0:
            break
        z = r[:n] / length
        z /= np.linalg.norm(z)
        w = np.linalg.lstsq(rows[u > 0.0], np.ones(int((u > 0.0).sum())), rcond=None)[0]
        polished = w / np.linalg.norm(w) if w.any() else z
        for candidate in (z, polished):
            rho = float((rows @ candidate).min())
            if rho > best:
                best, direction = rho, candidate
        rho = best
        if rho <= 0.0:
            break
        scale = rho
    if direction is None:
        direction = np.zeros(n)
        direction[0] = 1.0
        best = float((rows @ direction).min())
    if best > 0.0 and not oracle.contains(direction):
        best = 0.0  # what the scaling to unit length and the product made of it
    return best, direction

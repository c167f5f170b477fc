"""Predictor-corrector interior-point method for the maximal separation ratio ellipsoid [1]_.

With z a row of Z (whitened, ending in the constant 1), q = z'Fz and N = n + 1 columns:

    maximise  s - C_- sum_- xi                                     (7.9), with its soft margin
    where     q <= r + xi on positives,   r + C_+ sum_+ xi = 1,
              q >= s - xi on negatives,   xi >= 0,   F positive semidefinite;

hard margin: no xi, so r = 1 and s = 1 + t. Its dual is (7.21) with upper bounds:

    minimise  mu = sum_+ lam,   sum_- lam = 1,   V = sum_+ lam zz' - sum_- lam zz' psd,
              0 <= lam <= C_+ mu on positives,   0 <= lam <= C_- on negatives.

Both have interior points in closed form, so that every iterate is feasible for both and mu - (s -
C_- sum_- xi) is a certified gap. Nesterov-Todd scaling for F, Mehrotra's corrector; the xi are
eliminated row by row, which leaves p = N(N+1)/2 + 2 unknowns whatever the number of rows m is.
Cost per iteration: one product A'DA of m p^2 operations, one Cholesky factorisation of p^3 / 3.

Departures from the paper: the thesis hands (7.9) to a general solver; the soft margin is ours.

.. [1] A. Kharechko (2009), Linear and ellipsoidal pattern separation, (7.9), (7.21).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular

CHUNK = 2**22  # numbers in one block of squared rows: 32 MB
STEP = 0.985  # of the way to the boundary
MAX_ITERATIONS = 100


@dataclass
class Solution:
    """What a solver hands back: a feasible point of (7.9) and one of (7.21), and their gap."""

    F: np.ndarray  # N x N, of the whitened rows
    lam: np.ndarray  # one multiplier a row; those of the negatives sum to 1
    value: float  # s - C sum xi reached on the rows that were given: 1 + t
    bound: float  # sum of the positives' multipliers: no ellipsoid does better
    radii: tuple[float, float]  # r and s
    n_iterations: int = 0
    n_rounds: int = 1


class SquaredRows:
    """The rows svec(zz') and one column per class, built in blocks and kept when they fit."""

    def __init__(self, Z: np.ndarray, positive: np.ndarray):
        self.Z = Z
        self.sign = np.where(positive, -1.0, 1.0)
        self.classes = np.where(positive[:, None], [-1.0, 0.0], [0.0, -1.0])
        N = Z.shape[1]
        self.i, self.j = np.tril_indices(N)
        self.weight = np.where(self.i == self.j, 1.0, np.sqrt(2.0))
        self.size = len(self.i) + 2
        self.step = max(1, CHUNK // self.size)
        self._kept = self.block(0, len(Z)) if len(Z) <= self.step else None

    def block(self, start: int, stop: int) -> np.ndarray:
        """Return rows start to stop of A."""
        Z = self.Z[start:stop]
        A = np.empty((len(Z), self.size))
        np.multiply(Z[:, self.i], Z[:, self.j], out=A[:, :-2])
        A[:, :-2] *= self.weight
        A[:, -2:] = self.classes[start:stop]
        return A

    def gram(self, d: np.ndarray) -> np.ndarray:
        """Return A' diag(d) A."""
        if self._kept is not None:
            B = self._kept * np.sqrt(d)[:, None]
            return B.T @ B
        M = np.zeros((self.size, self.size))
        for start in range(0, len(self.Z), self.step):
            B = self.block(start, start + self.step)
            B *= np.sqrt(d[start : start + self.step])[:, None]
            M += B.T @ B
        return M

    def times(self, u: np.ndarray) -> np.ndarray:
        """Return A u."""
        return quadratic(self.Z, self.matrix(u[:-2])) + self.classes @ u[-2:]

    def transposed_times(self, v: np.ndarray) -> np.ndarray:
        """Return A' v."""
        return np.append(self.vector(self.Z.T @ (v[:, None] * self.Z)), v @ self.classes)

    def vector(self, S: np.ndarray) -> np.ndarray:
        """Return svec(S), whose inner products are those of the matrices."""
        return self.weight * S[self.i, self.j]

    def matrix(self, f: np.ndarray) -> np.ndarray:
        """Return the symmetric matrix of svec f."""
        S = np.empty((self.Z.shape[1],) * 2)
        S[self.i, self.j] = S[self.j, self.i] = f / self.weight
        return S

    def kronecker(self, G: np.ndarray) -> np.ndarray:
        """Return the matrix of S -> GSG between svecs."""
        i, j = self.i, self.j
        rows_i, rows_j = G[i], G[j]
        H = rows_i[:, i] * rows_j[:, j]
        H += rows_i[:, j] * rows_j[:, i]
        H *= 0.5 * self.weight[:, None]
        H *= self.weight
        return H


def quadratic(Z: np.ndarray, F: np.ndarray) -> np.ndarray:
    """Return z'Fz for each row z."""
    return np.einsum("ij,ij->i", Z @ F, Z)


def _longest(x: np.ndarray, dx: np.ndarray) -> float:
    falling = dx < 0
    return float(np.min(-x[falling] / dx[falling])) if falling.any() else np.inf


def _longest_psd(Lam: np.ndarray, dS: np.ndarray) -> float:
    root = np.sqrt(Lam)
    least = np.linalg.eigvalsh(dS / np.outer(root, root))[0]
    return -1.0 / least if least < 0 else np.inf


def interior_dual(Z, positive, margin=1.5):
    """Return (lam, mu): equal multipliers within a class, mu large enough for V to be definite."""
    plus, minus = Z[positive], Z[~positive]
    L = np.linalg.cholesky(plus.T @ plus / len(plus))
    W = solve_triangular(L, minus.T, lower=True)
    mu = margin * np.linalg.eigvalsh(W @ W.T / len(minus))[-1]
    return np.where(positive, mu / len(plus), 1.0 / len(minus)), mu


def solve(
    Z: np.ndarray,
    positive: np.ndarray,
    C: tuple[float, float] = (np.inf, np.inf),
    tol: float = 1e-9,
    callback: Callable[[int, float, float], object] | None = None,
) -> Solution:
    """Solve (7.9) on whitened rows Z; ``C`` is (C_+, C_-), both infinite for the hard margin.

    The positives must span. Ends at a relative gap of ``tol``, or before where rounding stops the
    progress: ``bound`` - ``value`` says how far it came. ``callback(iteration, value, bound)``.
    """
    m, N = Z.shape
    soft = np.isfinite(C[0])
    A, sign = SquaredRows(Z, positive), np.where(positive, -1.0, 1.0)
    plus = positive.astype(float)
    cap = np.where(positive, C[0], C[1]) if soft else None

    q = np.einsum("ij,ij->i", Z, Z)
    F = np.eye(N) / (2.0 * q[positive].max())
    q = quadratic(Z, F)
    lam, mu = interior_dual(Z, positive)
    r, s = 1.0, 0.5 * q[~positive].min()
    if soft:
        xi = np.where(positive, 0.25 / (C[0] * plus.sum()), 0.25 * s)
        r = 1.0 - C[0] * xi[positive].sum()
        nu = np.where(positive, C[0] * mu, C[1]) - lam
    else:
        xi = nu = np.zeros(0)
    u = np.concatenate([A.vector(F), [r, s]])
    V = Z.T @ ((-sign * lam)[:, None] * Z)
    e_r, e_s = np.zeros(A.size), np.zeros(A.size)
    e_r[-2], e_s[-1] = 1.0, 1.0
    slack = sign * A.times(u) + (xi if soft else 0.0)
    order = m + N + (m if soft else 0)

    best = None
    for iteration in range(MAX_ITERATIONS + 1):
        value = u[-1] - (C[1] * xi[~positive].sum() if soft else 0.0)
        if callback is not None:
            callback(iteration, value, mu)
        if best is None or mu - value < best.bound - best.value:
            best = Solution(
                F.copy(), lam.copy(), float(value), float(mu), (u[-2], u[-1]), iteration
            )
        if mu - value <= tol * mu or iteration == MAX_ITERATIONS:
            break
        try:
            LF, LV = np.linalg.cholesky(F), np.linalg.cholesky(V)
        except np.linalg.LinAlgError:
            break
        U, Lam, Vt = np.linalg.svd(LV.T @ LF)
        R = LF @ (Vt.T / np.sqrt(Lam))
        Rinv = (U / np.sqrt(Lam)).T @ LV.T
        G = Rinv.T @ Rinv

        D = lam / slack
        if soft:
            E = nu / xi
            w = D / (D + E)
            weights = w * E
            h = e_r - C[0] * A.transposed_times(sign * w * plus)
            theta = C[0] ** 2 * np.sum(plus / (D + E))
        else:
            weights, h, theta = D, e_r, 0.0
        M = A.gram(weights)
        M[:-2, :-2] += A.kronecker(G)
        scale = 1.0 / np.sqrt(np.diag(M))
        M *= scale[:, None]
        M *= scale
        M[np.diag_indices_from(M)] += 1e-15
        try:
            factor = cho_factor(M, lower=False, overwrite_a=True, check_finite=False)
        except (LinAlgError, ValueError):
            break

        def solve_M(b, factor=factor, scale=scale):
            return scale * cho_solve(factor, scale * b, check_finite=False)

        x2 = solve_M(h)
        rp = sign * A.times(u) + (xi if soft else 0.0) - slack
        rd = A.transposed_times(sign * lam) - mu * e_r + e_s
        rd[:-2] += A.vector(V)
        rc = 1.0 - u[-2] - (C[0] * xi[positive].sum() if soft else 0.0)
        rnu = lam + nu - cap * np.where(positive, mu, 1.0) if soft else None

        def direction(tau, tau_nu, X):
            T = Rinv.T @ X @ Rinv
            gamma = tau / slack - D * rp
            rho = rc
            if soft:
                beta = gamma + tau_nu / xi + rnu
                gamma = gamma - w * beta
                rho = rc - C[0] * np.sum(plus * beta / (D + E))
            b = A.transposed_times(sign * gamma) + rd
            b[:-2] += A.vector(T)
            x1 = solve_M(b)
            dmu = (h @ x1 - rho) / (theta + h @ x2)
            du = x1 - dmu * x2
            Adu = sign * A.times(du)
            dF = A.matrix(du[:-2])
            dV = T - G @ dF @ G
            if soft:
                dxi = (beta - D * Adu - C[0] * plus * dmu) / (D + E)
                dnu = tau_nu / xi - E * dxi
                dslack = Adu + dxi + rp
            else:
                dxi = dnu = xi
                dslack = Adu + rp
            dlam = tau / slack - D * dslack
            return du, dF, dxi, dslack, dlam, dnu, dV, dmu

        def lengths(step):
            _, dF, dxi, dslack, dlam, dnu, dV, _ = step
            dFs, dVs = Rinv @ dF @ Rinv.T, R.T @ dV @ R
            primal = min(_longest_psd(Lam, dFs), _longest(slack, dslack), _longest(xi, dxi))
            dual = min(_longest_psd(Lam, dVs), _longest(lam, dlam), _longest(nu, dnu))
            return primal, dual, dFs, dVs

        now = (lam @ slack + nu @ xi + Lam @ Lam) / order
        step = direction(-lam * slack, -nu * xi, -np.diag(Lam))
        primal, dual, dFs, dVs = lengths(step)
        primal, dual = min(1.0, primal), min(1.0, dual)
        _, _, dxi, dslack, dlam, dnu, _, _ = step
        after = (
            (lam + dual * dlam) @ (slack + primal * dslack)
            + (nu + dual * dnu) @ (xi + primal * dxi)
            + np.sum((np.diag(Lam) + primal * dFs) * (np.diag(Lam) + dual * dVs))
        ) / order
        centre = now * min(1.0, max(after / now, 0.0)) ** 3
        cross = dFs @ dVs
        X = np.diag(centre - Lam**2) - 0.5 * (cross + cross.T)
        X = 2.0 * X / np.add.outer(Lam, Lam)
        step = direction(centre - lam * slack - dslack * dlam, centre - nu * xi - dxi * dnu, X)
        primal, dual, _, _ = lengths(step)
        primal, dual = min(1.0, STEP * primal), min(1.0, STEP * dual)
        if not np.isfinite(primal + dual) or max(primal, dual) < 1e-8:
            break
        du, _, dxi, dslack, dlam, dnu, dV, dmu = step
        u = u + primal * du
        F = A.matrix(u[:-2])
        slack = slack + primal * dslack
        lam = lam + dual * dlam
        V = V + dual * dV
        mu += dual * dmu
        if soft:
            xi = xi + primal * dxi
            nu = nu + dual * dnu
    best.n_iterations = iteration
    return best

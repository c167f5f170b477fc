"""Predictor-corrector interior-point method for the maximal separation ratio ellipsoid [1]_.

With z a row of Z (whitened, ending in the constant 1), q = z'Fz and N = n + 1 columns:

    maximise  s - C_- sum_- xi                                     (7.9), with its soft margin
    where     q <= r + xi on positives,   r + C_+ sum_+ xi = 1,
              q >= s - xi on negatives,   xi >= 0,   F positive semidefinite;

hard margin: no xi, so r = 1 and s = 1 + t. Its dual is (7.21) with upper bounds:

    minimise  mu = sum_+ lam,   sum_- lam = 1,   V = sum_+ lam zz' - sum_- lam zz' psd,
              0 <= lam <= C_+ mu on positives,   0 <= lam <= C_- on negatives.

Both have interior points in closed form, so that every iterate is feasible for both: it reaches
its value, and its lam bounds all values whatever rounding did. Nesterov-Todd scaling for F,
Mehrotra's corrector; the xi are eliminated row by row, which leaves p = N(N+1)/2 + 2 unknowns
whatever the number of rows m is.
Cost per iteration: one product A'DA of m p^2 operations, one Cholesky factorisation of p^3 / 3.

Departures from the paper: the thesis hands (7.9) to a general solver; the soft margin is ours.

.. [1] A. Kharechko (2009), Linear and ellipsoidal pattern separation, (7.9), (7.21).
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh, solve_triangular

from novikoff.ellipsoids.squared_rows import SquaredRows

STEP = 0.985  # of the way to the boundary
SHORTEST = 1e-8  # a step below it makes no progress: rounding has the last word
MAX_ITERATIONS = 100
RIDGES = (1e-15, 1e-12, 1e-9)  # what may be added to a diagonal of 1
REFINEMENTS = 3  # of a step, at most
EXACT = 1e-14  # what the linear equations may miss, relative
HARD = (np.inf, np.inf)


@dataclass
class Solution:
    """What a solver hands back: a feasible point of (7.9), one of (7.21), and their values."""

    F: np.ndarray  # N x N, of the whitened rows
    lam: np.ndarray  # one multiplier a row; those of the negatives sum to 1
    value: float  # s - C sum xi, the 1 + t of F
    bound: float  # certified by lam: no F does better
    radii: tuple[float, float]  # r and s
    n_iterations: int = 0
    n_rounds: int = 1


@dataclass
class Iterate:
    """Primal u = (svec F, r, s), xi, slack; dual lam, nu (of xi >= 0), V (of F psd), mu."""

    u: np.ndarray
    xi: np.ndarray
    slack: np.ndarray
    lam: np.ndarray
    nu: np.ndarray
    V: np.ndarray
    mu: float

    def moved(self, step: "Iterate", primal: float, dual: float) -> "Iterate":
        """Return the point ``primal`` and ``dual`` of the way along ``step``."""
        length = {"u": primal, "xi": primal, "slack": primal}
        return Iterate(
            *(
                getattr(self, f.name) + length.get(f.name, dual) * getattr(step, f.name)
                for f in fields(self)
            )
        )


@dataclass
class Missed:
    """What the linear equations of the program and its dual miss at a point."""

    margins: np.ndarray
    dual: np.ndarray
    budget: float
    caps: np.ndarray | float  # 0 with the hard margin, which has none


class Program:
    """Data of the program, and a first point inside it and its dual."""

    def __init__(self, Z: np.ndarray, positive: np.ndarray, C: tuple[float, float]):
        self.rows = SquaredRows(Z, positive)
        self.sign = self.rows.sign
        self.soft = bool(np.isfinite(C[0]))
        # Coefficients of xi in r + C_+ sum xi = 1 and in the objective; empty for a hard margin.
        self.inner_cost = np.where(positive, C[0], 0.0) if self.soft else np.zeros(0)
        self.outer_cost = np.where(positive, 0.0, C[1]) if self.soft else np.zeros(0)
        self.Z, self.positive = Z, positive
        self.order = len(Z) * (2 if self.soft else 1) + Z.shape[1]

    def value(self, at: Iterate) -> float:
        """Return s - C_- sum_- xi."""
        return float(at.u[-1] - self.outer_cost @ at.xi)

    def margins(self, u: np.ndarray, xi: np.ndarray) -> np.ndarray:
        """Return r - q + xi on positives, q - s + xi on negatives."""
        inside = self.sign * self.rows.times(u)
        return inside + xi if self.soft else inside

    def missed(self, at: Iterate) -> Missed:
        """Return what the linear equations miss; nothing in real arithmetic."""
        dual = self.rows.transposed_times(self.sign * at.lam)
        dual[:-2] += self.rows.vector(at.V)
        dual[-2] -= at.mu
        dual[-1] += 1.0
        return Missed(
            margins=self.margins(at.u, at.xi) - at.slack,
            dual=dual,
            budget=float(1.0 - at.u[-2] - self.inner_cost @ at.xi),
            caps=at.lam + at.nu - self.inner_cost * at.mu - self.outer_cost if self.soft else 0.0,
        )

    def start(self) -> Iterate:
        """Return equal multipliers within a class, and balls around the mean."""
        Z, positive = self.Z, self.positive
        plus, minus = Z[positive], Z[~positive]
        # V is definite for mu above a generalised eigenvalue.
        L = np.linalg.cholesky(plus.T @ plus / len(plus))
        W = solve_triangular(L, minus.T, lower=True)
        mu = 1.5 * float(np.linalg.eigvalsh(W @ W.T / len(minus))[-1])
        lam = np.where(positive, mu / len(plus), 1.0 / len(minus))

        q = np.einsum("ij,ij->i", Z, Z)
        F = np.eye(Z.shape[1]) / (2.0 * q[positive].max())
        r, s = 1.0, 0.25 * q[~positive].min() / q[positive].max()
        xi = nu = np.zeros(0)
        if self.soft:
            xi = np.where(positive, 0.25 / max(self.inner_cost.sum(), 1e-300), 0.25 * s)
            r = 1.0 - self.inner_cost @ xi
            nu = self.inner_cost * mu + self.outer_cost - lam
        u = np.concatenate([self.rows.vector(F), [r, s]])
        V = Z.T @ ((-self.sign * lam)[:, None] * Z)
        return Iterate(u, xi, self.margins(u, xi), lam, nu, V, mu)


class Newton:
    """The Newton system at one point, factorised once and solved for several right-hand sides.

    The xi leave through their diagonal block, so that row i weighs D E / (D + E) in M, with D =
    lam / slack and E = nu / xi; dmu leaves last, through the column h.
    """

    def __init__(self, program: Program, at: Iterate):
        self.program, self.at = program, at
        rows = program.rows
        self.F = rows.matrix(at.u[:-2])
        LF, LV = np.linalg.cholesky(self.F), np.linalg.cholesky(at.V)
        # Nesterov-Todd: inverse_root F inverse_root' = diag(size) = root' V root.
        left, self.size, right = np.linalg.svd(LV.T @ LF)
        self.root = LF @ (right.T / np.sqrt(self.size))
        self.inverse_root = (left / np.sqrt(self.size)).T @ LV.T
        self.G = self.inverse_root.T @ self.inverse_root

        self.D = at.lam / at.slack
        self.h = np.zeros(rows.size)
        self.h[-2] = 1.0
        self.theta, weights = 0.0, self.D
        if program.soft:
            self.E = at.nu / at.xi
            self.share = self.D / (self.D + self.E)
            weights = self.share * self.E
            cost = program.inner_cost
            self.h -= rows.transposed_times(program.sign * self.share * cost)
            self.theta = float(np.sum(cost**2 / (self.D + self.E)))

        M = rows.gram(weights)
        M[:-2, :-2] += rows.kronecker(self.G)
        self.scale = 1.0 / np.sqrt(np.diag(M))
        M *= self.scale[:, None]
        M *= self.scale
        self.factor = _factor(M)
        self.h_solved = self._solve(self.h)

    def _solve(self, b: np.ndarray) -> np.ndarray:
        return self.scale * cho_solve(self.factor, self.scale * b, check_finite=False)

    def step(self, tau: np.ndarray | float, tau_nu: np.ndarray | float, X: np.ndarray) -> Iterate:
        """Return the step with lam dslack + slack dlam = tau, nu dxi + xi dnu = tau_nu.

        X is the sum of the scaled steps of F and V. Near the end D spans many orders of magnitude
        and M's factor loses the linear equations, so the step is refined until it meets them.
        """
        program, at = self.program, self.at
        step = self._solved(tau, tau_nu, X, program.missed(at))
        before = np.inf
        for _ in range(REFINEMENTS):
            missed = program.missed(at.moved(step, 1.0, 1.0))
            error = np.abs(missed.dual).max()
            if not EXACT * at.mu < error < before:
                break
            step = step.moved(self._solved(0.0, 0.0, np.zeros_like(X), missed), 1.0, 1.0)
            before = error
        return step

    def _solved(
        self, tau: np.ndarray | float, tau_nu: np.ndarray | float, X: np.ndarray, missed: Missed
    ) -> Iterate:
        program, at, rows = self.program, self.at, self.program.rows
        T = self.inverse_root.T @ X @ self.inverse_root
        gamma = tau / at.slack - self.D * missed.margins
        rho = missed.budget
        if program.soft:
            beta = gamma + tau_nu / at.xi + missed.caps
            gamma = gamma - self.share * beta
            rho = rho - np.sum(program.inner_cost * beta / (self.D + self.E))
        b = rows.transposed_times(program.sign * gamma) + missed.dual
        b[:-2] += rows.vector(T)
        u = self._solve(b)
        mu = float((self.h @ u - rho) / (self.theta + self.h @ self.h_solved))
        u -= mu * self.h_solved
        slack = program.sign * rows.times(u) + missed.margins
        xi = nu = at.xi
        if program.soft:
            xi = beta - self.D * (slack - missed.margins) - program.inner_cost * mu
            xi /= self.D + self.E
            nu = tau_nu / at.xi - self.E * xi
            slack = slack + xi
        lam = tau / at.slack - self.D * slack
        V = T - self.G @ rows.matrix(u[:-2]) @ self.G
        return Iterate(u, xi, slack, lam, nu, V, mu)

    def scaled(self, step: Iterate) -> tuple[np.ndarray, np.ndarray]:
        """Return the steps of F and V in the scaled space, where both points are diag(size)."""
        dF = self.program.rows.matrix(step.u[:-2])
        return self.inverse_root @ dF @ self.inverse_root.T, self.root.T @ step.V @ self.root

    def lengths(self, step: Iterate, dF: np.ndarray, dV: np.ndarray) -> tuple[float, float]:
        """Return how far primal and dual can go along the step until they leave the cone."""
        at = self.at
        primal = (_to_zero(at.slack, step.slack), _to_zero(at.xi, step.xi))
        dual = (_to_zero(at.lam, step.lam), _to_zero(at.nu, step.nu))
        return min(*primal, self._to_singular(dF)), min(*dual, self._to_singular(dV))

    def _to_singular(self, dS: np.ndarray) -> float:
        root = np.sqrt(self.size)
        least = np.linalg.eigvalsh(dS / np.outer(root, root))[0]
        return -1.0 / least if least < 0 else np.inf

    def corrected(self) -> tuple[Iterate, float, float]:
        """Return Mehrotra's step and the lengths it may be taken to."""
        at, size = self.at, np.diag(self.size)
        now = at.lam @ at.slack + at.nu @ at.xi + self.size @ self.size
        guess = self.step(-at.lam * at.slack, -at.nu * at.xi, -size)
        dF, dV = self.scaled(guess)
        primal, dual = (min(1.0, length) for length in self.lengths(guess, dF, dV))
        ahead = at.moved(guess, primal, dual)
        after = ahead.lam @ ahead.slack + ahead.nu @ ahead.xi
        after += np.sum((size + primal * dF) * (size + dual * dV))
        centre = now / self.program.order * min(1.0, max(after / now, 0.0)) ** 3

        cross = dF @ dV
        X = np.diag(centre - self.size**2) - 0.5 * (cross + cross.T)
        step = self.step(
            centre - at.lam * at.slack - guess.lam * guess.slack,
            centre - at.nu * at.xi - guess.nu * guess.xi,
            2.0 * X / np.add.outer(self.size, self.size),
        )
        primal, dual = self.lengths(step, *self.scaled(step))
        return step, min(1.0, STEP * primal), min(1.0, STEP * dual)


def _factor(M: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return the Cholesky factor of M, or of M and a little more where rounding made M indefinite.

    Refinement takes out what is too much.
    """
    for ridge in RIDGES:
        M[np.diag_indices_from(M)] += ridge
        try:
            return cho_factor(M, check_finite=False)
        except np.linalg.LinAlgError as error:
            indefinite = error
    raise indefinite


def _to_zero(x: np.ndarray, dx: np.ndarray) -> float:
    falling = dx < 0
    return float(np.min(-x[falling] / dx[falling])) if falling.any() else np.inf


def certified_bound(Z: np.ndarray, positive: np.ndarray, lam: np.ndarray) -> float:
    """Return an upper bound of 1 + t from any multipliers lam >= 0, none needed to be feasible.

    The least factor on the positives' part that makes the matrix of (7.21) positive semidefinite
    is a generalised eigenvalue.
    """
    plus = (Z[positive].T * lam[positive]) @ Z[positive]
    minus = (Z[~positive].T * lam[~positive]) @ Z[~positive]
    # A multiple of the whole class's matrix keeps the pencil definite and the bound valid.
    ridge = 1e-13 * lam[positive].sum()
    plus += ridge * Z[positive].T @ Z[positive] / np.count_nonzero(positive)
    factor = eigh(minus, plus, eigvals_only=True)[-1]
    return float(factor * lam[positive].sum() * (1 + 1e-13) / lam[~positive].sum())


def solve(
    Z: np.ndarray,
    positive: np.ndarray,
    C: tuple[float, float] = HARD,
    tol: float = 1e-8,
    callback: Callable[[int, float, float], object] | None = None,
) -> Solution:
    """Solve (7.9) on whitened rows Z; ``C`` is (C_+, C_-), both infinite for the hard margin.

    The positives must span. Ends at a relative gap of ``tol``, or before where rounding stops the
    progress: ``bound`` - ``value`` says how far it came. ``callback(iteration, value, bound)``.
    """
    program = Program(Z, positive, C)
    at = program.start()
    best, iteration = Solution(np.eye(Z.shape[1]), at.lam, -np.inf, np.inf, (1.0, 1.0)), 0
    while True:
        # Rounding may cost the last points what earlier ones had, of either kind.
        value, bound = program.value(at), certified_bound(Z, positive, at.lam)
        if value > best.value:
            best.value, best.F = value, program.rows.matrix(at.u[:-2])
            best.radii = float(at.u[-2]), float(at.u[-1])
        if bound < best.bound:
            best.bound, best.lam = bound, at.lam
        if callback is not None:
            callback(iteration, best.value, best.bound)
        if best.bound - best.value <= tol * best.bound or iteration == MAX_ITERATIONS:
            break
        try:
            step, primal, dual = Newton(program, at).corrected()
        except np.linalg.LinAlgError:
            break  # a factorisation met the boundary: the best point so far is the answer
        if not max(primal, dual) > SHORTEST or not np.isfinite(step.mu):
            break
        at = at.moved(step, primal, dual)
        iteration += 1
    best.n_iterations = iteration
    return best

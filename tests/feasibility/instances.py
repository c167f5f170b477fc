"""Sets with a known answer, for all tests of solvers."""

import numpy as np
from scipy import sparse

from novikoff.feasibility import METHODS, Halfspaces, Intersection, Semidefinite


def separable_rows(rng, m, n, rho):
    """Unit rows of margin at least rho about a centre that is returned as well."""
    z = rng.standard_normal(n)
    z /= np.linalg.norm(z)
    side = rng.standard_normal((m, n))
    side -= np.outer(side @ z, z)
    lengths = np.linalg.norm(side, axis=1, keepdims=True)
    side = side / np.where(lengths > 0, lengths, 1.0)
    cosine = rng.uniform(rho, min(1.0, 3 * rho), m)[:, None] if n > 1 else np.ones((m, 1))
    return cosine * z + np.sqrt(1 - cosine**2) * side, z


def symmetric(rng, n):
    F = rng.standard_normal((n, n))
    return F + F.T


def feasible_matrices(rng, m, n, room=0.5):
    """F_0, ..., F_m with sum z_i F_i >= room I for a random unit z."""
    matrices = [symmetric(rng, n) for _ in range(m + 1)]
    z = rng.standard_normal(m + 1)
    z /= np.linalg.norm(z)
    F = sum(zi * Fi for zi, Fi in zip(z, matrices, strict=True))
    lift = (room - np.linalg.eigvalsh(F)[0]) * np.eye(n)
    return [Fi + zi * lift for zi, Fi in zip(z, matrices, strict=True)], z


# The degenerate sets have points with a.x >= 0, on a face, and none with a.x > 0.
ROWS = {
    "feasible": np.array([[1.0, 0.2, 0.0], [-0.5, 1.0, 0.1], [0.1, -0.2, 1.0], [0.3, 0.3, 0.3]]),
    "infeasible": np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [-1.0, -1.0, -1.0]]),
    "degenerate": np.array([[1.0, 0, 0], [-1.0, 0, 0], [0, 1.0, 0]]),
}
MATRICES = {
    "feasible": [
        np.diag([1.0, -0.5, 0.2]),
        np.array([[0.1, 0.3, 0], [0.3, 1.0, 0.2], [0, 0.2, 0.1]]),
        np.diag([0.0, 0.1, 1.0]),
    ],
    "infeasible": [
        np.diag([1.0, -1.0, 0.0]),
        np.diag([0.0, 1.0, -1.0]),
        np.diag([-1.0, 0.0, 1.0]) + 0.1 * np.array([[0, 1.0, 0], [1.0, 0, 0], [0, 0, 0]]),
    ],
    "degenerate": [np.diag([1.0, 0.0]), np.array([[0.0, 1.0], [1.0, 0.0]]), np.diag([0.5, 0.0])],
}


def plain(A):
    """A callable that takes no level."""

    def oracle(x):
        scores = A @ x
        return None if (scores > 0).all() else A[int(scores.argmin())]

    return oracle


ORACLES = {
    "first": lambda kind: Halfspaces(ROWS[kind]),
    "most-violated": lambda kind: Halfspaces(ROWS[kind], choice="most-violated"),
    "random": lambda kind: Halfspaces(ROWS[kind], choice="random", random_state=0),
    "sparse": lambda kind: Halfspaces(sparse.csr_array(ROWS[kind])),
    "raw": lambda kind: Halfspaces(ROWS[kind], normalize=False),
    "semidefinite": lambda kind: Semidefinite(MATRICES[kind]),
    "pivoting": lambda kind: Semidefinite(MATRICES[kind], pivoting=True),
    "intersection": lambda kind: Intersection(
        [Halfspaces(ROWS[kind]), Semidefinite([np.eye(2), np.eye(2), np.eye(2)])]
    ),
    "callable": lambda kind: plain(ROWS[kind]),
}
LEVELS = ("margin_perceptron", "modified_perceptron", "rescaling_perceptron")
ROWS_ONLY = ("first", "most-violated", "random", "sparse", "raw")


def fits(method, oracle):
    """Whether the method can ask this kind of oracle."""
    if method == "smooth_perceptron":
        return oracle in ROWS_ONLY
    return not (method in LEVELS and oracle == "callable")


PAIRS = [(method, oracle) for method in METHODS for oracle in ORACLES if fits(method, oracle)]
MISFITS = [
    (method, oracle) for method in METHODS for oracle in ORACLES if not fits(method, oracle)
]


def is_inside(oracle, kind, x):
    """The independent check: rows by product, matrices by eigenvalues."""
    if not np.isfinite(x).all():
        return False
    rows = (ROWS[kind] @ x > 0).all()
    if oracle in ("semidefinite", "pivoting"):
        F = sum(xi * Fi for xi, Fi in zip(x, MATRICES[kind], strict=True))
        return np.linalg.eigvalsh(F)[0] > 0
    return bool(rows and (oracle != "intersection" or x.sum() > 0))

"""(7.9), its dual (7.21) and the soft margin, handed to clarabel term by term.

The rows go in as they are given: no whitening, no working set.
"""

import clarabel
import numpy as np
from scipy import sparse


def squares(X):
    """Rows svec(x^ x^') in the order of clarabel's triangles, x^ = (x, 1)."""
    rows = []
    for x in X:
        x = np.append(x, 1.0)
        row = []
        for j in range(len(x)):
            for i in range(j + 1):
                row.append(x[i] * x[j] * (1.0 if i == j else np.sqrt(2.0)))
        rows.append(row)
    return np.array(rows)


def run(c, A, b, cones):
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_rel = settings.tol_gap_abs = settings.tol_feas = 1e-10
    P = sparse.csc_matrix((len(c), len(c)))
    return clarabel.DefaultSolver(P, c, sparse.csc_matrix(A), b, cones, settings).solve()


def primal(X, y):
    """(7.9): return t and E^; y in {-1, +1}."""
    S = squares(X)
    m, p = S.shape
    N = X.shape[1] + 1
    # y_i (1 - S_i e) - t tau_i >= 0
    A = np.zeros((m + p, p + 1))
    b = np.zeros(m + p)
    for i in range(m):
        A[i, :p] = y[i] * S[i]
        A[i, p] = 0.0 if y[i] == 1 else 1.0
        b[i] = y[i]
    A[m:, :p] = -np.eye(p)
    c = np.append(np.zeros(p), -1.0)
    cones = [clarabel.NonnegativeConeT(m), clarabel.PSDTriangleConeT(N)]
    x = np.array(run(c, A, b, cones).x)
    E = np.zeros((N, N))
    k = 0
    for j in range(N):
        for i in range(j + 1):
            E[i, j] = E[j, i] = x[k] / (1.0 if i == j else np.sqrt(2.0))
            k += 1
    return x[p], E


def dual(X, y):
    """(7.21): return the multipliers."""
    S = squares(X)
    m, p = S.shape
    A = np.vstack([(y == -1).astype(float)[None, :], -np.eye(m), -(y[:, None] * S).T])
    b = np.concatenate([[1.0], np.zeros(m + p)])
    cones = [
        clarabel.ZeroConeT(1),
        clarabel.NonnegativeConeT(m),
        clarabel.PSDTriangleConeT(X.shape[1] + 1),
    ]
    return np.array(run((y == 1).astype(float), A, b, cones).x)


def soft(X, y, C):
    """Maximise t: q <= r + xi, r + C sum xi <= 1 inside; q >= s - xi, s - C sum xi >= 1 + t."""
    S = squares(X)
    m, p = S.shape
    # variables: E^, r, s, t, xi
    A = np.zeros((2 + 2 * m + p, p + 3 + m))
    b = np.zeros(len(A))
    A[0, p] = 1.0
    A[1, p + 1] = -1.0
    A[1, p + 2] = 1.0
    b[0], b[1] = 1.0, -1.0
    for i in range(m):
        if y[i] == 1:
            A[0, p + 3 + i] = C
            A[2 + i, :p], A[2 + i, p] = S[i], -1.0
        else:
            A[1, p + 3 + i] = C
            A[2 + i, :p], A[2 + i, p + 1] = -S[i], 1.0
        A[2 + i, p + 3 + i] = -1.0
        A[2 + m + i, p + 3 + i] = -1.0
    A[2 + 2 * m :, :p] = -np.eye(p)
    c = np.zeros(A.shape[1])
    c[p + 2] = -1.0
    cones = [clarabel.NonnegativeConeT(2 + 2 * m), clarabel.PSDTriangleConeT(X.shape[1] + 1)]
    return run(c, A, b, cones).x[p + 2]

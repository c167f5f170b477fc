"""P3 Algorithm 7: incomplete Cholesky decomposition for generating counterexamples.

The permutation is kept as a list of rows, which is what P stands for in the thesis. Correction of
the thesis: where every residual diagonal is zero, the residual off-diagonals are looked at.
"""

import numpy as np


def algorithm_7(A):
    """Return None for "positive semidefinite", else v with v'Av < 0 (v_j = 1 before permuting)."""
    n = len(A)
    A = A.copy()
    R = np.zeros((n, n))
    rows = list(range(n))
    d = A.diagonal().copy()
    j = 0
    while j < n and d.min() >= 0 and d.max() > 0:
        swap(A, R, d, rows, int(np.argmax(d)), j)
        R[j, j] = np.sqrt(d[j])
        d[j] = 0.0
        for i in range(j + 1, n):
            R[j, i] = (A[j, i] - sum(R[k, j] * R[k, i] for k in range(j))) / R[j, j]
            d[i] = d[i] - R[j, i] ** 2
        j = j + 1
    v = np.zeros(n)
    if d.min() < 0:
        swap(A, R, d, rows, int(np.argmin(d)), j)
        v[j] = 1.0
    else:
        pair = None
        for i in range(j, n):
            for k in range(i + 1, n):
                s = A[i, k] - sum(R[m, i] * R[m, k] for m in range(j))
                if s != 0.0 and pair is None:
                    pair = i, k, np.sign(s)
        if pair is None:
            return None
        v[pair[0]], v[pair[1]] = 1.0, -pair[2]
    for i in range(j - 1, -1, -1):
        v[i] = -sum(R[i, k] * v[k] for k in range(i + 1, n)) / R[i, i]
    result = np.zeros(n)
    result[rows] = v
    return result


def swap(A, R, d, rows, i, j):
    A[[i, j]] = A[[j, i]]
    A[:, [i, j]] = A[:, [j, i]]
    R[:, [i, j]] = R[:, [j, i]]
    d[[i, j]] = d[[j, i]]
    rows[i], rows[j] = rows[j], rows[i]

"""Algorithms 1 and 2 of P3, section 8.3, on a full kernel matrix.

n_i <- n_i - D_{i,j}^2 and the pivot's norm is kept before it becomes 0; the subtraction in
Algorithm 2 takes the new point's own features; both stop where nothing is left.
"""

import numpy as np


def train(K, y, B, k):
    """Return D, the pivots and their norms from the training rows' kernel matrix, y in {-1, 1}."""
    m = len(K)
    n = [K[i, i] for i in range(m)]
    largest = max(n)
    D = np.zeros((m, k))
    pivots, norms = [], []
    for j in range(k):
        b = [B ** ((y[i] + 1) / 2) * n[i] for i in range(m)]
        ij = int(np.argmax(b))
        nij = n[ij]
        if nij <= 1e-12 * largest:
            break
        for i in range(m):
            inner = sum(D[i, t] * D[ij, t] for t in range(j))
            D[i, j] = (K[i, ij] - inner) / np.sqrt(nij)
            n[i] = n[i] - D[i, j] ** 2
        pivots.append(ij)
        norms.append(nij)
    return D[:, : len(pivots)], pivots, norms


def new_example(k_new, D, pivots, norms):
    """Return the features of one row from its kernel values with all training rows."""
    d = []
    for j, ij in enumerate(pivots):
        inner = sum(d[t] * D[ij, t] for t in range(j))
        d.append((k_new[ij] - inner) / np.sqrt(norms[j]))
    return np.array(d)

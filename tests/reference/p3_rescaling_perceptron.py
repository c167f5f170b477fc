"""P3 Algorithms 4 and 6: the perceptron rescaling algorithm, over the rows of a finite A.

Corrections of the thesis: the tests inside are strict (">= 0" accepts x = 0 and faces).
"""

import numpy as np

from tests.reference.p3_modified_perceptron import algorithm_5


def algorithm_4(A, draw):
    n = A.shape[1]
    return algorithm_6(A, 1 / (32 * n), 1 / (32 * n), 1 / np.sqrt(n), draw)


def algorithm_6(A, rho, sigma, theta, draw):
    """Return x, the rows updated on (both phases) and the matrices H_0, H_1, ..."""
    n = A.shape[1]
    H = np.eye(n)
    trail, matrices = [], [H]
    while True:
        image = A @ H.T
        x = np.zeros(n)
        for _ in range(int(1 / rho**2) + 1):
            violated = [i for i in range(len(A)) if image[i] @ x <= 0]
            if not violated or _ == int(1 / rho**2):
                break
            x = x + image[violated[0]] / np.linalg.norm(image[violated[0]])
            trail.append(violated[0])
        if (A @ H.T @ x > 0).all():
            return H.T @ x, trail, matrices
        x, more = algorithm_5(image, sigma, theta, draw)
        trail += more
        if (A @ H.T @ x > 0).all():
            return H.T @ x, trail, matrices
        H = (np.eye(n) + np.outer(x, x)) @ H
        matrices.append(H)

"""P3 Algorithm 1, the normalised perceptron, over the rows of a finite A, scanned from row 0."""

import numpy as np


def run(A, most=10**6):
    """Return x and the rows updated on."""
    x = np.zeros(A.shape[1])
    trail = []
    while True:
        violated = [i for i in range(len(A)) if A[i] @ x <= 0]
        if not violated or len(trail) >= most:
            return x, trail
        a = A[violated[0]]
        x = x + a / np.linalg.norm(a)
        trail.append(violated[0])


def run_with_margin(A, tau, most=10**6):
    """Section 6.7's perceptron with margins, on unit rows."""
    x = np.zeros(A.shape[1])
    trail = []
    while True:
        violated = [i for i in range(len(A)) if A[i] @ x <= tau]
        if not violated or len(trail) >= most:
            return x, trail
        a = A[violated[0]]
        x = x + a / np.linalg.norm(a)
        trail.append(violated[0])

"""P3 section 2.7, the perceptron with space dilation, the direct operator D kept and inverted.

y = D x is updated in the dilated space on b = (D^{-1})'a, then D <- (I + (lambda - 1) b b') D.
"""

import numpy as np


def run(A, lam, most=10**6):
    n = A.shape[1]
    D = np.eye(n)
    x = np.zeros(n)
    trail = []
    while True:
        violated = [i for i in range(len(A)) if A[i] @ x <= 0]
        if not violated or len(trail) >= most:
            return x, trail
        b = np.linalg.inv(D).T @ A[violated[0]]
        b = b / np.linalg.norm(b)
        y = D @ x + b
        x = np.linalg.inv(D) @ y
        D = (np.eye(n) + (lam - 1) * np.outer(b, b)) @ D
        trail.append(violated[0])

"""P3 Algorithm 2, perceptron learning by the ellipsoid algorithm, and footnote 9 corrected.

Corrections of the thesis: the run ends when the volume falls below that of a ball of radius
rho / (1 + rho); footnote 9's step factor is sqrt(2 n^2 + 3) / (n sqrt 2).
"""

import numpy as np


def run(A, rho, rounding_safe=False, most=10**6):
    """Return x (None: unseparable), the rows updated on and every (x_t, eta_t, B_t)."""
    n = A.shape[1]
    x = np.zeros(n)
    eta = 1 / (n + 1)
    B = np.eye(n)
    volume_root = 1.0
    trail, states = [], [(x, eta, B)]
    while True:
        violated = [i for i in range(len(A)) if A[i] @ x <= 0]
        if not violated or len(trail) >= most:
            return x, trail, states
        if volume_root < rho / (1 + rho):
            return None, trail, states
        b = B.T @ A[violated[0]]
        b = b / np.linalg.norm(b)
        x = x + eta * B @ b
        if rounding_safe:
            lam = (n + 1) * np.sqrt(2 * n**2 + 3) / (n**2 * np.sqrt(2))
            step_factor = np.sqrt(2 * n**2 + 3) / (n * np.sqrt(2))
            eta = step_factor * eta
            B = B @ (np.eye(n) + (1 / lam - 1) * np.outer(b, b))
            volume_root = step_factor * lam ** (-1 / n) * volume_root
        else:
            eta = n / np.sqrt(n**2 - 1) * eta
            B = B @ (np.eye(n) + (np.sqrt(n**2 - 1) / (n + 1) - 1) * np.outer(b, b))
            volume_root = (
                (n / np.sqrt(n**2 - 1)) ** ((n - 1) / n) * (n / (n + 1)) ** (1 / n) * volume_root
            )
        trail.append(violated[0])
        states.append((x, eta, B))

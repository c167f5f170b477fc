"""P3 Algorithms 3, 5 and 8: the modified perceptron, over the rows of a finite A.

`draw` gives the uniformly random unit vectors, one a call. A tie, x.a = -sigma, counts as a
violation (the oracle's question is a.x <= level). Correction of the thesis: Algorithm 8 adds
1 / |a|^2.
"""

import numpy as np


def algorithm_3(A, sigma, draw):
    """A's rows may have any length: both vectors are normalised in the test."""
    n = A.shape[1]
    trail = []
    while True:
        x = draw()
        t = 0
        while True:
            cosines = [
                (A[i] / np.linalg.norm(A[i])) @ x / np.linalg.norm(x) for i in range(len(A))
            ]
            violated = [i for i in range(len(A)) if cosines[i] <= -sigma]
            if not violated:
                return x / np.linalg.norm(x), trail
            a = A[violated[0]] / np.linalg.norm(A[violated[0]])
            t = t + 1
            x = (np.eye(n) - np.outer(a, a)) @ x
            trail.append(violated[0])
            if np.linalg.norm(x) < 1e-15 or t > np.log(n) / sigma**2:
                break


def algorithm_5(A, sigma, theta, draw):
    n = A.shape[1]
    trail = []
    while True:
        x = draw()
        t = 0
        while True:
            cosines = [
                (A[i] / np.linalg.norm(A[i])) @ x / np.linalg.norm(x) for i in range(len(A))
            ]
            violated = [i for i in range(len(A)) if cosines[i] <= -sigma]
            if not violated:
                return x / np.linalg.norm(x), trail
            a = A[violated[0]] / np.linalg.norm(A[violated[0]])
            t = t + 1
            x = (np.eye(n) - np.outer(a, a)) @ x
            trail.append(violated[0])
            if np.linalg.norm(x) < 1e-15 or t > 2 / sigma**2 * np.log(1 / theta):
                break


def algorithm_8(A, sigma, theta, draw):
    """A's rows are not normalised in the test."""
    n = A.shape[1]
    trail = []
    while True:
        x = draw()
        s = 0.0
        while True:
            products = [A[i] @ x / np.linalg.norm(x) for i in range(len(A))]
            violated = [i for i in range(len(A)) if products[i] <= -sigma]
            if not violated:
                return x / np.linalg.norm(x), trail
            a = A[violated[0]]
            unit = a / np.linalg.norm(a)
            x = (np.eye(n) - np.outer(unit, unit)) @ x
            s = s + 1 / np.linalg.norm(a) ** 2
            trail.append(violated[0])
            if np.linalg.norm(x) < 1e-15 or s > 2 / sigma**2 * np.log(1 / theta):
                break

"""The whitened perceptron: P0 section 2 (batch).

M = sum_t x_t x_t' over all rows, whose labels are not looked at; the perceptron is run on
M^{-1/2} x_t. When M is singular, M^{-1/2} is the root of its pseudo-inverse: eigenvalues at most
tolerance times the largest count as zero (None: n machine epsilons, n the order of M). M is taken
from the rows `unlabelled` (None: X). w = M^{-1/2} w~ acts on raw rows.

With a kernel and K = k(unlabelled, unlabelled), x' M^+ z = k_x' (K^+)^2 k_z, k_x the kernel values
of x with the unlabelled rows; f(x) = alpha.k_x: the support is the unlabelled rows, all of them.
"""

import numpy as np


def root(M, tolerance):
    """M^{-1/2}, or the pseudo-inverse's root."""
    values, vectors = np.linalg.eigh(M)
    if tolerance is None:
        tolerance = len(M) * np.finfo(float).eps
    keep = values > tolerance * values.max()
    return (vectors[:, keep] / np.sqrt(values[keep])) @ vectors[:, keep].T


def run(X, y, unlabelled=None, tolerance=None, kernel=None):
    U = X if unlabelled is None else unlabelled
    if kernel is None:
        whiten = root(U.T @ U, tolerance)
        rows = X @ whiten
    else:
        half = root(kernel(U, U), tolerance)
        whiten = half @ half  # K^+: k_x' K^+ is the whitened row in coordinates of the rows U
        rows = kernel(X, U) @ whiten
    n = len(X)
    w = np.zeros(rows.shape[1])
    decisions, mistakes, updates = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
    held = []  # the whitened hypothesis after each trial
    for t in range(n):
        decisions[t] = w @ rows[t]
        mistakes[t] = y[t] * decisions[t] <= 0
        if mistakes[t] and rows[t].any():
            w = w + y[t] * rows[t]
            updates[t] = True
        held.append(w)
    out = {"decisions": decisions, "mistakes": mistakes, "updates": updates}
    if kernel is None:
        return out | {
            "w": whiten @ w,
            "whitener": whiten,
            "mean_decision": lambda Z: np.mean([Z @ whiten @ h for h in held], axis=0),
        }
    return out | {
        "support": list(range(len(U))),
        "alpha": whiten @ w,
        "mean_decision": lambda Z: np.mean([kernel(Z, U) @ whiten @ h for h in held], axis=0),
    }


def run_multiclass(X, y, n_classes, multiclass, **parameters):
    return {"ovr": _ovr, "prototype": _prototype}[multiclass](X, y, n_classes, **parameters)


def _ovr(X, y, n_classes, **parameters):
    runs = [run(X, np.where(y == c, 1.0, -1.0), **parameters) for c in range(n_classes)]
    decisions = np.column_stack([r["decisions"] for r in runs])
    mistakes = [d[c] <= np.delete(d, c).max() for d, c in zip(decisions, y, strict=True)]
    out = {
        "decisions": decisions,
        "mistakes": np.array(mistakes, bool),
        "n_updates": sum(int(r["updates"].sum()) for r in runs),
        "mean_decision": lambda Z: np.column_stack([r["mean_decision"](Z) for r in runs]),
    }
    if "w" in runs[0]:
        return out | {"W": np.array([r["w"] for r in runs])}
    return out | {
        "support": runs[0]["support"],
        "alpha": np.array([r["alpha"] for r in runs]),
    }


def _prototype(X, y, n_classes, unlabelled=None, tolerance=None, kernel=None):
    U = X if unlabelled is None else unlabelled
    if kernel is None:
        whiten = root(U.T @ U, tolerance)
        rows = X @ whiten
    else:
        half = root(kernel(U, U), tolerance)
        whiten = half @ half
        rows = kernel(X, U) @ whiten
    n = len(X)
    W = np.zeros((n_classes, rows.shape[1]))
    decisions, mistakes, n_updates = np.zeros((n, n_classes)), np.zeros(n, bool), 0
    held = []
    for t in range(n):
        decisions[t] = W @ rows[t]
        others = decisions[t].copy()
        others[y[t]] = -np.inf
        rival = np.argmax(others)  # the lowest index among ties
        mistakes[t] = decisions[t, y[t]] <= decisions[t, rival]
        if mistakes[t] and rows[t].any():
            W = W.copy()
            W[y[t]] += rows[t]
            W[rival] -= rows[t]
            n_updates += 1
        held.append(W)
    out = {"decisions": decisions, "mistakes": mistakes, "n_updates": n_updates}
    if kernel is None:
        return out | {
            "W": W @ whiten,
            "mean_decision": lambda Z: np.mean([Z @ whiten @ H.T for H in held], axis=0),
        }
    return out | {
        "support": list(range(len(U))),
        "alpha": W @ whiten,
        "mean_decision": lambda Z: np.mean([kernel(Z, U) @ whiten @ H.T for H in held], axis=0),
    }

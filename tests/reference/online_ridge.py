"""On-line ridge regression used as a classifier (RLSC): P0 section 3, footnote 5 and after it.

w_t = argmin_v sum_{s<t} (v.x_s - y_s)^2 + a ||v||^2 over ALL earlier trials, mistaken or not:
A = aI + sum_{s<t} x_s x_s', w_t = A^{-1} sum_{s<t} y_s x_s, solved afresh in each trial.
The decision is w_t.x_t: the current row is not in the matrix. The forward algorithm, which puts it
there, has w_t.x_t / (1 + x_t' A^{-1} x_t) instead: the same sign, returned as forward_decisions.
Prototypes: the same fit over the joint rows of all classes.
"""

import numpy as np


def run(X, y, a=1.0):
    n, dim = X.shape
    A, b, w = a * np.eye(dim), np.zeros(dim), np.zeros(dim)
    decisions, forward = np.zeros(n), np.zeros(n)
    mistakes, updates = np.zeros(n, bool), np.zeros(n, bool)
    held = []  # the hypothesis after each trial
    for t in range(n):
        decisions[t] = w @ X[t]
        forward[t] = b @ np.linalg.solve(A + np.outer(X[t], X[t]), X[t])
        mistakes[t] = y[t] * decisions[t] <= 0
        A = A + np.outer(X[t], X[t])
        b = b + y[t] * X[t]
        w = np.linalg.solve(A, b)
        updates[t] = X[t].any()
        held.append(w)
    return {
        "decisions": decisions,
        "forward_decisions": forward,
        "mistakes": mistakes,
        "updates": updates,
        "w": w,
        "A": A,
        "mean_decision": lambda Z: np.mean([Z @ h for h in held], axis=0),
    }


def run_multiclass(X, y, n_classes, multiclass, **parameters):
    return {"ovr": _ovr, "prototype": _prototype}[multiclass](X, y, n_classes, **parameters)


def _ovr(X, y, n_classes, **parameters):
    runs = [run(X, np.where(y == c, 1.0, -1.0), **parameters) for c in range(n_classes)]
    decisions = np.column_stack([r["decisions"] for r in runs])
    mistakes = [d[c] <= np.delete(d, c).max() for d, c in zip(decisions, y, strict=True)]
    return {
        "decisions": decisions,
        "mistakes": np.array(mistakes, bool),
        "n_updates": sum(int(r["updates"].sum()) for r in runs),
        "W": np.array([r["w"] for r in runs]),
        "mean_decision": lambda Z: np.column_stack([r["mean_decision"](Z) for r in runs]),
    }


def _prototype(X, y, n_classes, a=1.0):
    """The joint row z holds x at the true class and -x at its best rival; its label is 1."""
    n, dim = X.shape
    A, b, W = a * np.eye(n_classes * dim), np.zeros(n_classes * dim), np.zeros((n_classes, dim))
    decisions, mistakes, n_updates = np.zeros((n, n_classes)), np.zeros(n, bool), 0
    held = []
    for t in range(n):
        decisions[t] = W @ X[t]
        others = decisions[t].copy()
        others[y[t]] = -np.inf
        rival = np.argmax(others)  # the lowest index among ties
        mistakes[t] = decisions[t, y[t]] <= decisions[t, rival]
        z = np.zeros((n_classes, dim))
        z[y[t]], z[rival] = X[t], -X[t]
        A = A + np.outer(z, z)
        b = b + z.ravel()
        W = np.linalg.solve(A, b).reshape(n_classes, dim)
        n_updates += X[t].any()
        held.append(W)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "n_updates": int(n_updates),
        "W": W,
        "mean_decision": lambda Z: np.mean([Z @ H.T for H in held], axis=0),
    }

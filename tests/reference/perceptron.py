"""The perceptron: P0 section 2; normalised: P3 Algorithm 1; with a margin: P3 section 6.7.

y f(x) <= 0 is a mistake; the update w <- w + y x is made when y f(x) <= margin. With normalize,
x/||x|| is added and the margin test reads y f(x)/||x||; decisions stay those of the raw rows.
Prototypes: the true class gains the row, the best rival (lowest index among ties) loses it.
"""

import numpy as np


def run(X, y, margin=0.0, normalize=False):
    n, dim = X.shape
    w = np.zeros(dim)
    decisions, mistakes, updates = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
    held = []  # the hypothesis after each trial
    for t in range(n):
        decisions[t] = w @ X[t]
        mistakes[t] = y[t] * decisions[t] <= 0
        if X[t].any():
            length = np.linalg.norm(X[t]) if normalize else 1.0
            if y[t] * decisions[t] / length <= margin:
                w = w + y[t] * X[t] / length
                updates[t] = True
        held.append(w)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "updates": updates,
        "w": w,
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


def _prototype(X, y, n_classes, margin=0.0, normalize=False):
    n, dim = X.shape
    W = np.zeros((n_classes, dim))
    decisions, mistakes, n_updates = np.zeros((n, n_classes)), np.zeros(n, bool), 0
    held = []
    for t in range(n):
        decisions[t] = W @ X[t]
        others = decisions[t].copy()
        others[y[t]] = -np.inf
        rival = np.argmax(others)  # the lowest index among ties
        gap = decisions[t, y[t]] - decisions[t, rival]
        mistakes[t] = gap <= 0
        if X[t].any():
            length = np.linalg.norm(X[t]) if normalize else 1.0
            if gap / length <= margin:
                W = W.copy()
                W[y[t]] += X[t] / length
                W[rival] -= X[t] / length
                n_updates += 1
        held.append(W)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "n_updates": n_updates,
        "W": W,
        "mean_decision": lambda Z: np.mean([Z @ H.T for H in held], axis=0),
    }

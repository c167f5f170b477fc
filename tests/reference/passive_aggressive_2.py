"""Passive-Aggressive II (Crammer et al. 2006, cited in P2 sections 4 and 7).

loss = max(0, 1 - y f(x)); when it is positive, w <- w + tau y x with
tau = loss / (||x||^2 + 1/(2C)).
Prototypes: the loss is that of the true class against the best wrong class (lowest index among
ties), and the squared length of the step's direction (x, -x) is 2 ||x||^2.
"""

import numpy as np


def run(X, y, C=1.0):
    n, dim = X.shape
    w = np.zeros(dim)
    decisions, mistakes, updates = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
    held = []  # the hypothesis after each trial
    for t in range(n):
        decisions[t] = w @ X[t]
        mistakes[t] = y[t] * decisions[t] <= 0
        loss = max(0.0, 1.0 - y[t] * decisions[t])
        if loss > 0 and X[t].any():
            tau = loss / (X[t] @ X[t] + 1 / (2 * C))
            w = w + tau * y[t] * X[t]
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


def _prototype(X, y, n_classes, C=1.0):
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
        loss = max(0.0, 1.0 - gap)
        if loss > 0 and X[t].any():
            tau = loss / (2 * (X[t] @ X[t]) + 1 / (2 * C))
            W = W.copy()
            W[y[t]] += tau * X[t]
            W[rival] -= tau * X[t]
            n_updates += 1
        held.append(W)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "n_updates": n_updates,
        "W": W,
        "mean_decision": lambda Z: np.mean([Z @ H.T for H in held], axis=0),
    }

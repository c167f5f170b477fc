"""The p-norm perceptron: HO_p(0) of P1 section 2 (Grove, Littlestone, Schuurmans; Gentile 2003).

On a mistake, theta <- theta + y x (with normalize, y x/||x||_p); w = g(theta), the gradient of
half the squared p-norm: g_i(theta) = sign(theta_i) |theta_i|^(p-1) / ||theta||_p^(p-2). p is a
number here; decisions are w.x with the raw row. Prototypes: theta has one row per class, the true
class gains the row, the best rival loses it, and the p-norm is that of all entries together.
"""

import numpy as np


def g(theta, p):
    norm = p_norm(theta, p)
    if norm == 0:
        return np.zeros_like(theta)
    return np.sign(theta) * (np.abs(theta) / norm) ** (p - 1) * norm


def p_norm(theta, p):
    top = np.abs(theta).max(initial=0.0)
    return top * np.sum((np.abs(theta) / top) ** p) ** (1 / p) if top > 0 else 0.0


def run(X, y, p=2.0, normalize=False):
    n, dim = X.shape
    theta, w = np.zeros(dim), np.zeros(dim)
    decisions, mistakes, updates = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
    held = []  # the hypothesis after each trial
    for t in range(n):
        decisions[t] = w @ X[t]
        mistakes[t] = y[t] * decisions[t] <= 0
        if mistakes[t] and X[t].any():
            length = p_norm(X[t], p) if normalize else 1.0
            theta = theta + y[t] * X[t] / length
            w = g(theta, p)
            updates[t] = True
        held.append(w)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "updates": updates,
        "w": w,
        "theta": theta,
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


def _prototype(X, y, n_classes, p=2.0, normalize=False):
    n, dim = X.shape
    theta, W = np.zeros((n_classes, dim)), np.zeros((n_classes, dim))
    decisions, mistakes, n_updates = np.zeros((n, n_classes)), np.zeros(n, bool), 0
    held = []
    for t in range(n):
        decisions[t] = W @ X[t]
        others = decisions[t].copy()
        others[y[t]] = -np.inf
        rival = np.argmax(others)  # the lowest index among ties
        mistakes[t] = decisions[t, y[t]] <= decisions[t, rival]
        if mistakes[t] and X[t].any():
            length = p_norm(X[t], p) if normalize else 1.0
            theta[y[t]] += X[t] / length
            theta[rival] -= X[t] / length
            W = g(theta.ravel(), p).reshape(n_classes, dim)
            n_updates += 1
        held.append(W)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "n_updates": int(n_updates),
        "W": W,
        "theta": theta,
        "mean_decision": lambda Z: np.mean([Z @ H.T for H in held], axis=0),
    }

"""The perceptron: P0 section 2; normalised: P3 Algorithm 1; with a margin: P3 section 6.7.

y f(x) <= 0 is a mistake; the update w <- w + y x is made when y f(x) <= margin. With normalize,
x/||x|| is added and the margin test reads y f(x)/||x||; decisions stay those of the raw rows.
Prototypes: the true class gains the row, the best rival (lowest index among ties) loses it.
"""

import numpy as np


def run(X, y, margin=0.0, normalize=False, kernel=None, budget=None, draw=None):
    if kernel is not None:
        return run_kernel(
            X, y, kernel, margin=margin, normalize=normalize, budget=budget, draw=draw
        )
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
    if "kernel" in parameters:
        forms = {"ovr": _kernel_ovr, "prototype": _kernel_prototype}
    else:
        forms = {"ovr": _ovr, "prototype": _prototype}
    return forms[multiclass](X, y, n_classes, **parameters)


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
        "n_updates": int(n_updates),
        "W": W,
        "mean_decision": lambda Z: np.mean([Z @ H.T for H in held], axis=0),
    }


def run_kernel(X, y, kernel, margin=0.0, normalize=False, budget=None, draw=None):
    """With a kernel: c[i] is the coefficient of row i, zero when it is no support vector.

    With a budget, an update that finds the support full first discards the row at position
    draw(size) in order of entry (the oldest: draw = lambda size: 0); f(x) was taken before.
    """
    n = len(X)
    G, c, support = kernel(X, X), np.zeros(n), []
    decisions, mistakes, updates = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
    held = []
    for t in range(n):
        decisions[t] = G[t] @ c
        mistakes[t] = y[t] * decisions[t] <= 0
        if G[t, t] > 0:
            length = np.sqrt(G[t, t]) if normalize else 1.0
            if y[t] * decisions[t] / length <= margin:
                c = c.copy()
                if budget is not None and len(support) == budget:
                    c[support.pop(draw(budget))] = 0.0
                c[t] = y[t] / length
                support.append(t)
                updates[t] = True
        held.append(c)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "updates": updates,
        "support": support,
        "alpha": c[support],
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ h for h in held], axis=0),
    }


def _kernel_ovr(X, y, n_classes, kernel, margin=0.0, normalize=False, budget=None, draw=None):
    """k binary runs over one store of rows: a trial that updates any class stores one row, and
    the budget counts rows, so a discarded row leaves every class."""
    n = len(X)
    G, D, support = kernel(X, X), np.zeros((n_classes, n)), []
    decisions, mistakes, n_updates = np.zeros((n, n_classes)), np.zeros(n, bool), 0
    held = []
    for t in range(n):
        decisions[t] = D @ G[t]
        mistakes[t] = decisions[t, y[t]] <= np.delete(decisions[t], y[t]).max()
        column = np.zeros(n_classes)
        for c in range(n_classes):
            sign = 1.0 if c == y[t] else -1.0
            length = np.sqrt(G[t, t]) if normalize else 1.0
            if G[t, t] > 0 and sign * decisions[t, c] / length <= margin:
                column[c] = sign / length
        if column.any():
            D = D.copy()
            if budget is not None and len(support) == budget:
                D[:, support.pop(draw(budget))] = 0.0
            D[:, t] = column
            support.append(t)
            n_updates += np.count_nonzero(column)
        held.append(D)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "n_updates": int(n_updates),
        "support": support,
        "alpha": D[:, support],
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ H.T for H in held], axis=0),
    }


def _kernel_prototype(
    X, y, n_classes, kernel, margin=0.0, normalize=False, budget=None, draw=None
):
    n = len(X)
    G, D, support = kernel(X, X), np.zeros((n_classes, n)), []
    decisions, mistakes, n_updates = np.zeros((n, n_classes)), np.zeros(n, bool), 0
    held = []
    for t in range(n):
        decisions[t] = D @ G[t]
        others = decisions[t].copy()
        others[y[t]] = -np.inf
        rival = np.argmax(others)  # the lowest index among ties
        gap = decisions[t, y[t]] - decisions[t, rival]
        mistakes[t] = gap <= 0
        if G[t, t] > 0:
            length = np.sqrt(G[t, t]) if normalize else 1.0
            if gap / length <= margin:
                D = D.copy()
                if budget is not None and len(support) == budget:
                    D[:, support.pop(draw(budget))] = 0.0
                D[y[t], t] = 1.0 / length
                D[rival, t] = -1.0 / length
                support.append(t)
                n_updates += 1
        held.append(D)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "n_updates": int(n_updates),
        "support": support,
        "alpha": D[:, support],
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ H.T for H in held], axis=0),
    }

"""The Projectron: P2 Figures 2 and 4; prototypes: P2 section 5.

On a mistake: d = K^{-1} k_t over the support, ||delta||^2 = k(x_t, x_t) - k_t.d; when
||delta|| <= eta (a norm) the hypothesis gains y P k(x_t, .), that is alpha += y d, otherwise x_t
enters with weight y. An empty support always takes the row. A squared distance below 1e-12 of
k(x_t, x_t) is rounding and counts as zero, so that eta = 0 projects rows that lie in the span.

Prototypes: one Gram matrix per class, on a mistake the true class and the best wrong one (lowest
index among ties) step by +-1; both are projected when sqrt(delta_true^2 + delta_wrong^2) <= eta,
otherwise x_t enters both, except that a class in whose span it lies gets its projection. As long
as one of the two has no support, nothing is projected on it: x_t enters.
"""

import numpy as np


def project(G, support, t):
    """P2 Figure 4: (d, ||delta||^2) of row t on the span of the support."""
    if not support:
        return np.zeros(0), G[t, t]
    d = np.linalg.solve(G[np.ix_(support, support)], G[support, t])
    squared = G[t, t] - G[support, t] @ d
    return d, 0.0 if squared <= 1e-12 * G[t, t] else squared


def run(X, y, kernel, eta):
    n = len(X)
    G, support, c = kernel(X, X), [], np.zeros(n)
    decisions, mistakes = np.zeros(n), np.zeros(n, bool)
    updates, projected = np.zeros(n, bool), np.zeros(n, bool)
    held = []  # the hypothesis after each trial, as coefficients of all rows
    for t in range(n):
        decisions[t] = G[t] @ c
        mistakes[t] = y[t] * decisions[t] <= 0
        c = c.copy()
        d, squared = project(G, support, t)
        if mistakes[t] and G[t, t] > 0:
            if support and np.sqrt(squared) <= eta:
                c[support] += y[t] * d
                projected[t] = True
            else:
                c[t] = y[t]
                support.append(t)
            updates[t] = True
        held.append(c)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "updates": updates,
        "projected": projected,
        "support": support,
        "alpha": c[support],
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ h for h in held], axis=0),
    }


def run_multiclass(X, y, n_classes, multiclass, **parameters):
    return {"ovr": _ovr, "prototype": _prototype}[multiclass](X, y, n_classes, **parameters)


def _ovr(X, y, n_classes, **parameters):
    """k binary runs, each projecting on its own support; support is the union, in order."""
    runs = [run(X, np.where(y == c, 1.0, -1.0), **parameters) for c in range(n_classes)]
    decisions = np.column_stack([r["decisions"] for r in runs])
    mistakes = [d[c] <= np.delete(d, c).max() for d, c in zip(decisions, y, strict=True)]
    D = np.zeros((n_classes, len(X)))
    for c, r in enumerate(runs):
        D[c, r["support"]] = r["alpha"]
    support = sorted(set().union(*[r["support"] for r in runs]))
    return {
        "decisions": decisions,
        "mistakes": np.array(mistakes, bool),
        "n_updates": sum(int(r["updates"].sum()) for r in runs),
        "support": support,
        "alpha": D[:, support],
        "mean_decision": lambda Z: np.column_stack([r["mean_decision"](Z) for r in runs]),
    }


def _prototype(X, y, n_classes, kernel, eta):
    n = len(X)
    G, D, supports = kernel(X, X), np.zeros((n_classes, n)), [[] for _ in range(n_classes)]
    decisions, mistakes, n_updates = np.zeros((n, n_classes)), np.zeros(n, bool), 0
    held = []
    for t in range(n):
        decisions[t] = D @ G[t]
        others = decisions[t].copy()
        others[y[t]] = -np.inf
        true, rival = y[t], np.argmax(others)
        gap = decisions[t, true] - decisions[t, rival]
        mistakes[t] = gap <= 0
        D = D.copy()
        d_true, squared_true = project(G, supports[true], t)
        d_rival, squared_rival = project(G, supports[rival], t)
        delta = np.sqrt(squared_true + squared_rival)
        if mistakes[t] and G[t, t] > 0:
            both = bool(supports[true] and supports[rival]) and delta <= eta
            if supports[true] and (both or squared_true == 0):
                D[true, supports[true]] += d_true
            else:
                D[true, t] = 1.0
                supports[true].append(t)
            if supports[rival] and (both or squared_rival == 0):
                D[rival, supports[rival]] -= d_rival
            else:
                D[rival, t] = -1.0
                supports[rival].append(t)
            n_updates += 1
        held.append(D)
    support = sorted(set().union(*supports))
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "n_updates": int(n_updates),
        "support": support,
        "alpha": D[:, support],
        "supports": supports,
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ H.T for H in held], axis=0),
    }

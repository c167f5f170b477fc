"""The simplified Forgetron: P4 Algorithm 2, defaults of Theorem 2.

On a mistake: if the active set holds B vectors, remove the one with the smallest weight, which is
the oldest; w <- w + eta y phi(x) - lambda eta w, so that the new vector enters unshrunk; then
project on the ball ||w|| <= U/2. `radius` is U/2 (None: U^2 = B / (32 log2(8B)), equation (12)),
lambda = 1/U^2 = 1/(2 radius)^2.
lazy: w is never projected, what is shown (decisions, alpha, the mean) is its projection; the
unprojected coefficients are returned as alpha_unprojected (P4 section 4, Zinkevich 2004).

Multiclass (beyond P4): classes share the stored rows and the budget counts rows. "ovr": on a trial
on which any class errs the oldest row leaves every class if the store is full; every class that
errs then shrinks, steps and is projected. "prototype": one joint w over all classes, step +eta on
the true class, -eta on the best wrong one (lowest index among ties), joint norm in the ball.
"""

import numpy as np


def run(X, y, kernel, budget=500, eta=1 / 32, radius=None, lazy=False):
    if radius is None:
        radius = np.sqrt(budget / (32 * np.log2(8 * budget))) / 2
    lam = 1 / (2 * radius) ** 2
    n = len(X)
    G, c, shown, support = kernel(X, X), np.zeros(n), np.zeros(n), []
    decisions, mistakes, updates = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
    held = []  # the hypothesis shown after each trial
    for t in range(n):
        decisions[t] = G[t] @ shown
        mistakes[t] = y[t] * decisions[t] <= 0
        if mistakes[t] and G[t, t] > 0:
            c = c.copy()
            if len(support) == budget:
                c[support.pop(0)] = 0.0
            c -= lam * eta * c
            c[t] = eta * y[t]
            support.append(t)
            norm = np.sqrt(max(0.0, c @ G @ c))
            shown = c * min(1.0, radius / norm) if norm > 0 else c
            if not lazy:
                c = shown
            updates[t] = True
        held.append(shown)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "updates": updates,
        "support": support,
        "alpha": shown[support],
        "alpha_unprojected": c[support],
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ h for h in held], axis=0),
    }


def run_multiclass(
    X, y, n_classes, multiclass, kernel, budget=500, eta=1 / 32, radius=None, lazy=False
):
    if radius is None:
        radius = np.sqrt(budget / (32 * np.log2(8 * budget))) / 2
    lam = 1 / (2 * radius) ** 2
    n = len(X)
    G, D, support = kernel(X, X), np.zeros((n_classes, n)), []
    shown = D
    decisions, mistakes, n_updates = np.zeros((n, n_classes)), np.zeros(n, bool), 0
    held = []
    for t in range(n):
        decisions[t] = shown @ G[t]
        others = decisions[t].copy()
        others[y[t]] = -np.inf
        rival = np.argmax(others)
        mistakes[t] = decisions[t, y[t]] <= decisions[t, rival]
        signs = np.where(np.arange(n_classes) == y[t], 1.0, -1.0)
        if multiclass == "ovr":
            errs = signs * decisions[t] <= 0
            shrinks = errs
        else:
            errs = np.isin(np.arange(n_classes), [y[t], rival]) & mistakes[t]
            shrinks = np.full(n_classes, mistakes[t])
        if errs.any() and G[t, t] > 0:
            D, shown = D.copy(), shown.copy()
            if len(support) == budget:
                oldest = support.pop(0)
                D[:, oldest] = shown[:, oldest] = 0.0
            D[shrinks] -= lam * eta * D[shrinks]
            D[errs, t] = eta * signs[errs]
            support.append(t)
            squares = np.sum((D @ G) * D, axis=1)
            if multiclass == "prototype":
                squares[:] = squares.sum()
            for c in range(n_classes):
                norm = np.sqrt(max(0.0, squares[c]))
                shown[c] = D[c] * min(1.0, radius / norm) if norm > 0 else D[c]
            if not lazy:
                D = shown.copy()
            n_updates += np.count_nonzero(errs) if multiclass == "ovr" else 1
        held.append(shown)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "n_updates": int(n_updates),
        "support": support,
        "alpha": shown[:, support],
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ H.T for H in held], axis=0),
    }

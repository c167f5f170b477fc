"""The modified Randomized Budget Perceptron: P4 Algorithm 1, setting of Theorem 1.

On a mistake, w <- pi_C(w + eta y phi(x) - s(w)). s(w) is one of B slots drawn uniformly, empty
slots included (footnote 2), so it may remove nothing: draw(budget) -> a number below it, called
at every update; position number in order of entry (0 the oldest) is removed when there is one,
numbers not below the support's size are the empty slots. s(w) is drawn before x enters.
pi_C projects on the ball ||w|| <= radius = U/2 (None: sqrt(B)/8).
lazy: w is never projected, what is shown (decisions, alpha, the mean) is its projection; the
unprojected coefficients are returned as alpha_unprojected (P4 section 4, Zinkevich 2004).

Multiclass (beyond P4): classes share the stored rows, the budget counts rows, one draw a trial
that updates any class, and the row drawn leaves every class. "ovr": each class that errs steps;
"prototype": one joint w, step +eta on the true class, -eta on the best wrong one (lowest index
among ties), joint norm in the ball.
"""

import numpy as np


def run(X, y, kernel, draw, budget=100, eta=1 / 16, radius=None, lazy=False):
    radius = np.sqrt(budget) / 8 if radius is None else radius
    n = len(X)
    G, c, shown, support = kernel(X, X), np.zeros(n), np.zeros(n), []
    decisions, mistakes, updates = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
    held = []  # the hypothesis shown after each trial
    for t in range(n):
        decisions[t] = G[t] @ shown
        mistakes[t] = y[t] * decisions[t] <= 0
        if mistakes[t] and G[t, t] > 0:
            c = c.copy()
            slot = draw(budget)
            if slot < len(support):
                c[support.pop(slot)] = 0.0
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
    X, y, n_classes, multiclass, kernel, draw, budget=100, eta=1 / 16, radius=None, lazy=False
):
    radius = np.sqrt(budget) / 8 if radius is None else radius
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
        else:
            errs = np.isin(np.arange(n_classes), [y[t], rival]) & mistakes[t]
        if errs.any() and G[t, t] > 0:
            D, shown = D.copy(), shown.copy()
            slot = draw(budget)
            if slot < len(support):
                D[:, support.pop(slot)] = 0.0
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

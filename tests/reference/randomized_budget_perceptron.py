"""The Randomized Budget Perceptron (P4 section 1.3, P2 section 7; Cavallanti et al. 2007).

The kernel perceptron of P2 Figure 1; on a mistake with a support of `budget` rows, one of them is
discarded at random, then x_t is added with weight y_t. draw(size) -> the position, in order of
entry, of the row to discard (0 is the oldest); it is called only then. run_remove_oldest always
discards the oldest. The prediction used for the mistake was made before anything was discarded.

Multiclass "prototype" is P2 section 7's MRBP (max-score update: the true class gains the row, the
best wrong class, lowest index among ties, loses it). In "ovr" all classes share the stored rows: a
trial on which any class errs stores its row once. The budget counts rows in both; draw is called
once a trial, when the store is full, and the discarded row leaves every class.
"""

import numpy as np


def run(X, y, kernel, budget, draw):
    n = len(X)
    G, support, alpha = kernel(X, X), [], []
    decisions, mistakes, updates = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
    held = []  # the expansion after each trial
    for t in range(n):
        decisions[t] = sum(a * G[t, i] for i, a in zip(support, alpha, strict=True))
        mistakes[t] = y[t] * decisions[t] <= 0
        if mistakes[t] and G[t, t] > 0:
            if len(support) == budget:
                slot = draw(budget)
                del support[slot], alpha[slot]
            support.append(t)
            alpha.append(float(y[t]))
            updates[t] = True
        held.append((support.copy(), alpha.copy()))

    def mean_decision(Z):
        K = kernel(Z, X)
        return np.mean([K[:, s] @ np.array(a) for s, a in held], axis=0)

    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "updates": updates,
        "support": support,
        "alpha": np.array(alpha),
        "mean_decision": mean_decision,
    }


def run_remove_oldest(X, y, kernel, budget):
    return run(X, y, kernel, budget, lambda size: 0)


def run_multiclass(X, y, n_classes, multiclass, kernel, budget, draw):
    n = len(X)
    G, D, support = kernel(X, X), np.zeros((n_classes, n)), []
    decisions, mistakes, n_updates = np.zeros((n, n_classes)), np.zeros(n, bool), 0
    held = []
    for t in range(n):
        decisions[t] = D @ G[t]
        others = decisions[t].copy()
        others[y[t]] = -np.inf
        rival = np.argmax(others)
        mistakes[t] = decisions[t, y[t]] <= decisions[t, rival]
        column = np.zeros(n_classes)
        if multiclass == "prototype" and mistakes[t]:
            column[y[t]], column[rival] = 1.0, -1.0
            n_updates += G[t, t] > 0
        if multiclass == "ovr":
            signs = np.where(np.arange(n_classes) == y[t], 1.0, -1.0)
            column = np.where(signs * decisions[t] <= 0, signs, 0.0)
            n_updates += np.count_nonzero(column) * (G[t, t] > 0)
        if column.any() and G[t, t] > 0:
            D = D.copy()
            if len(support) == budget:
                D[:, support.pop(draw(budget))] = 0.0
            D[:, t] = column
            support.append(t)
        held.append(D)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "n_updates": int(n_updates),
        "support": support,
        "alpha": D[:, support],
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ H.T for H in held], axis=0),
    }

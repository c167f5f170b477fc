"""The second-order perceptron: P0 Figure 3.1, and its dual, Theorem 3.3, with a kernel.

Figure 3.1 predicts with the current row in the matrix: S_t = [X_{k-1} x_t],
    margin = v_{k-1}' (aI + S_t S_t')^{-1} x_t;
on a mistake v <- v + y x, X <- S_t. By Sherman-Morrison the margin is w.x / (1 + x' A^{-1} x) with
A = aI + X_{k-1} X_{k-1}' and w = A^{-1} v_{k-1}: the same sign as w.x. The figure's value decides
what is a mistake here and is returned as paper_margins; decisions are those of the equivalent
linear-threshold form, w.x, with w = A^{-1} v held after each trial.
"""

import numpy as np


def weights(Xk, v, a):
    """A^{-1} v with A = aI + X_k X_k'; the columns of Xk are the mistaken rows."""
    return np.linalg.solve(a * np.eye(len(Xk)) + Xk @ Xk.T, v)


def coefficients(G, signs, a):
    """The dual of weights: w = sum_i alpha_i x_i with alpha = (aI + G)^{-1} y."""
    return np.linalg.solve(a * np.eye(len(G)) + G, signs)


def run(X, y, a=1.0, kernel=None):
    if kernel is not None:
        return run_dual(X, y, kernel, a)
    n, dim = X.shape
    Xk, v, w = np.zeros((dim, 0)), np.zeros(dim), np.zeros(dim)
    decisions, margins = np.zeros(n), np.zeros(n)
    mistakes, updates = np.zeros(n, bool), np.zeros(n, bool)
    held = []  # the linear-threshold hypothesis after each trial
    for t in range(n):
        S = np.column_stack([Xk, X[t]])
        margins[t] = v @ np.linalg.solve(a * np.eye(dim) + S @ S.T, X[t])
        decisions[t] = w @ X[t]
        mistakes[t] = y[t] * margins[t] <= 0
        if mistakes[t] and X[t].any():
            v = v + y[t] * X[t]
            Xk = S
            w = weights(Xk, v, a)
            updates[t] = True
        held.append(w)
    return {
        "decisions": decisions,
        "paper_margins": margins,
        "mistakes": mistakes,
        "updates": updates,
        "w": w,
        "v": v,
        "mean_decision": lambda Z: np.mean([Z @ h for h in held], axis=0),
    }


def run_dual(X, y, kernel, a=1.0):
    """Theorem 3.3: margin = y~_t' (a I_k + G_t)^{-1} (S_t' x_t), y~_t the signs with a last 0."""
    n = len(X)
    G, c, support = kernel(X, X), np.zeros(n), []
    decisions, margins = np.zeros(n), np.zeros(n)
    mistakes, updates = np.zeros(n, bool), np.zeros(n, bool)
    held = []
    for t in range(n):
        S = [*support, t]
        padded = np.append(y[support], 0.0)
        margins[t] = padded @ np.linalg.solve(a * np.eye(len(S)) + G[np.ix_(S, S)], G[S, t])
        decisions[t] = G[t] @ c
        mistakes[t] = y[t] * margins[t] <= 0
        if mistakes[t] and G[t, t] > 0:
            support = S
            c = np.zeros(n)
            c[support] = coefficients(G[np.ix_(S, S)], y[support], a)
            updates[t] = True
        held.append(c)
    return {
        "decisions": decisions,
        "paper_margins": margins,
        "mistakes": mistakes,
        "updates": updates,
        "support": support,
        "alpha": c[support],
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ h for h in held], axis=0),
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
    D = np.zeros((n_classes, len(X)))
    for c, r in enumerate(runs):
        D[c, r["support"]] = r["alpha"]
    support = sorted(set().union(*[r["support"] for r in runs]))
    return out | {"support": support, "alpha": D[:, support]}


def _prototype(X, y, n_classes, kernel=None, a=1.0):
    """One second-order learner per class, each with its own mistaken rows: on a mistake the true
    class is told (x, +1), the best rival (lowest index among ties) (x, -1)."""
    n, dim = X.shape
    G = X @ X.T if kernel is None else kernel(X, X)
    told = [[] for _ in range(n_classes)]  # per class: (trial, sign)
    W, D = np.zeros((n_classes, dim)), np.zeros((n_classes, n))
    decisions, mistakes, n_updates = np.zeros((n, n_classes)), np.zeros(n, bool), 0
    held = []
    for t in range(n):
        decisions[t] = W @ X[t] if kernel is None else D @ G[t]
        others = decisions[t].copy()
        others[y[t]] = -np.inf
        rival = np.argmax(others)
        mistakes[t] = decisions[t, y[t]] <= decisions[t, rival]
        if mistakes[t] and G[t, t] > 0:
            W, D = W.copy(), D.copy()
            for c, sign in ((y[t], 1.0), (rival, -1.0)):
                told[c].append((t, sign))
                rows, signs = [i for i, _ in told[c]], np.array([s for _, s in told[c]])
                if kernel is None:
                    W[c] = weights(X[rows].T, X[rows].T @ signs, a)
                else:
                    D[c, rows] = coefficients(G[np.ix_(rows, rows)], signs, a)
            n_updates += 1
        held.append(W if kernel is None else D)
    out = {"decisions": decisions, "mistakes": mistakes, "n_updates": n_updates}
    if kernel is None:
        return out | {
            "W": W,
            "mean_decision": lambda Z: np.mean([Z @ H.T for H in held], axis=0),
        }
    support = sorted({i for rows in told for i, _ in rows})
    return out | {
        "support": support,
        "alpha": D[:, support],
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ H.T for H in held], axis=0),
    }

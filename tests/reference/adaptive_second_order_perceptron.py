"""The adaptive second-order perceptron: P0 Figure 4.1 with a_k = c R^2 k (Theorem 4.1).

margin = v_{k-1}' (a_k I + S_t S_t')^{-1} x_t with S_t = [X_{k-1} x_t]; on a mistake v <- v + y x,
X <- S_t, k <- k + 1, so k is 1 + the mistakes so far. `radius` is R; None: R is the largest norm
among the mistaken rows so far, so that the hypothesis changes only on mistakes (before the first,
R = 0, v = 0 and the margin is 0). As for Figure 3.1, the margin is w.x / (1 + x' A^{-1} x) with
A = a_k I + X_{k-1} X_{k-1}', w = A^{-1} v_{k-1}: the figure's value decides what is a mistake and
is returned as paper_margins, decisions are w.x. With a kernel: by Theorem 3.3's identity.
"""

import numpy as np


def weights(Xk, v, c, radius):
    """A^{-1} v with A = a_k I + X_k X_k', k = 1 + the number of columns (the mistaken rows)."""
    R = np.linalg.norm(Xk, axis=0).max() if radius is None else radius
    k = 1 + Xk.shape[1]
    return np.linalg.solve(c * R**2 * k * np.eye(len(Xk)) + Xk @ Xk.T, v)


def coefficients(G, signs, c, radius):
    """The dual of weights: w = sum_i alpha_i x_i with alpha = (a_k I + G)^{-1} y."""
    R = np.sqrt(np.diag(G).max()) if radius is None else radius
    k = 1 + len(G)
    return np.linalg.solve(c * R**2 * k * np.eye(len(G)) + G, signs)


def run(X, y, c=0.1, radius=None, kernel=None):
    if kernel is not None:
        return run_dual(X, y, kernel, c, radius)
    n, dim = X.shape
    Xk, v, w, k = np.zeros((dim, 0)), np.zeros(dim), np.zeros(dim), 1
    decisions, margins = np.zeros(n), np.zeros(n)
    mistakes, updates = np.zeros(n, bool), np.zeros(n, bool)
    held = []  # the linear-threshold hypothesis after each trial
    for t in range(n):
        S = np.column_stack([Xk, X[t]])
        if k > 1:
            R = np.linalg.norm(Xk, axis=0).max() if radius is None else radius
            margins[t] = v @ np.linalg.solve(c * R**2 * k * np.eye(dim) + S @ S.T, X[t])
        decisions[t] = w @ X[t]
        mistakes[t] = y[t] * margins[t] <= 0
        if mistakes[t] and X[t].any():
            v = v + y[t] * X[t]
            Xk = S
            k += 1
            w = weights(Xk, v, c, radius)
            updates[t] = True
        held.append(w)
    return {
        "decisions": decisions,
        "paper_margins": margins,
        "mistakes": mistakes,
        "updates": updates,
        "w": w,
        "v": v,
        "k": k,
        "mean_decision": lambda Z: np.mean([Z @ h for h in held], axis=0),
    }


def run_dual(X, y, kernel, c=0.1, radius=None):
    n = len(X)
    G, alpha, support = kernel(X, X), np.zeros(n), []
    decisions, margins = np.zeros(n), np.zeros(n)
    mistakes, updates = np.zeros(n, bool), np.zeros(n, bool)
    held = []
    for t in range(n):
        S = [*support, t]
        if support:
            R = np.sqrt(np.diag(G)[support].max()) if radius is None else radius
            A = c * R**2 * len(S) * np.eye(len(S)) + G[np.ix_(S, S)]  # k = len(S)
            margins[t] = np.append(y[support], 0.0) @ np.linalg.solve(A, G[S, t])
        decisions[t] = G[t] @ alpha
        mistakes[t] = y[t] * margins[t] <= 0
        if mistakes[t] and G[t, t] > 0:
            support = S
            alpha = np.zeros(n)
            alpha[support] = coefficients(G[np.ix_(S, S)], y[support], c, radius)
            updates[t] = True
        held.append(alpha)
    return {
        "decisions": decisions,
        "paper_margins": margins,
        "mistakes": mistakes,
        "updates": updates,
        "support": support,
        "alpha": alpha[support],
        "k": 1 + len(support),
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


def _prototype(X, y, n_classes, kernel=None, c=0.1, radius=None):
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
            for cls, sign in ((y[t], 1.0), (rival, -1.0)):
                told[cls].append((t, sign))
                rows, signs = [i for i, _ in told[cls]], np.array([s for _, s in told[cls]])
                if kernel is None:
                    W[cls] = weights(X[rows].T, X[rows].T @ signs, c, radius)
                else:
                    D[cls, rows] = coefficients(G[np.ix_(rows, rows)], signs, c, radius)
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

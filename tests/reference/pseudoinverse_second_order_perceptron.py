"""The second-order perceptron with pseudo-inverse: P0 Figure 4.2.

margin = v_{k-1}' (S_t S_t')^+ x_t with S_t = [X_{k-1} x_t]; on a mistake v <- v + y x, X <- S_t.
When x_t lies outside the span of X_{k-1} the margin is 0 and the trial is a mistake, whatever w.x
is, w = (X_{k-1} X_{k-1}')^+ v_{k-1}; inside it is w.x / (1 + x' (X X')^+ x) (Lemma D.1). decisions
are 0 outside and w.x inside; paper_margins are the figure's; w and mean_decision are those of the
linear-threshold classifier. With a kernel w = sum_i alpha_i x_i, alpha = G^+ y.
x is inside when its distance to the span is at most tolerance ||x||; singular values of X_k below
tolerance times the largest count as zero.
"""

import numpy as np


def weights(Xk, v, tolerance):
    """(X_k X_k')^+ v; the columns of Xk are the mistaken rows."""
    inverse = np.linalg.pinv(Xk, rcond=tolerance)
    return inverse.T @ (inverse @ v)


def coefficients(G, signs, tolerance):
    """The dual of weights: w = sum_i alpha_i x_i with alpha = G^+ y."""
    return np.linalg.pinv(G, rcond=tolerance**2, hermitian=True) @ signs


def outside(Xk, x, tolerance):
    """Whether x lies outside the span of the columns of Xk."""
    inside = Xk @ (np.linalg.pinv(Xk, rcond=tolerance) @ x) if Xk.shape[1] else np.zeros_like(x)
    return np.linalg.norm(x - inside) > tolerance * np.linalg.norm(x)


def outside_dual(G, support, t, tolerance):
    """The same from the Gram matrix: k(x,x) - k_t' G^+ k_t is the squared distance."""
    row = G[support, t]
    inverse = np.linalg.pinv(G[np.ix_(support, support)], rcond=tolerance**2, hermitian=True)
    return G[t, t] - row @ inverse @ row > tolerance**2 * G[t, t]


def run(X, y, tolerance=1e-6, kernel=None):
    if kernel is not None:
        return run_dual(X, y, kernel, tolerance)
    n, dim = X.shape
    Xk, v, w = np.zeros((dim, 0)), np.zeros(dim), np.zeros(dim)
    decisions, margins = np.zeros(n), np.zeros(n)
    mistakes, updates = np.zeros(n, bool), np.zeros(n, bool)
    held = []  # the linear-threshold hypothesis after each trial
    for t in range(n):
        S = np.column_stack([Xk, X[t]])
        if not outside(Xk, X[t], tolerance):
            margins[t] = X[t] @ weights(S, v, tolerance)
            decisions[t] = w @ X[t]
        mistakes[t] = y[t] * margins[t] <= 0
        if mistakes[t] and X[t].any():
            v = v + y[t] * X[t]
            Xk = S
            w = weights(Xk, v, tolerance)
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


def run_dual(X, y, kernel, tolerance=1e-6):
    n = len(X)
    G, c, support = kernel(X, X), np.zeros(n), []
    decisions, margins = np.zeros(n), np.zeros(n)
    mistakes, updates = np.zeros(n, bool), np.zeros(n, bool)
    held = []
    for t in range(n):
        S = [*support, t]
        if not outside_dual(G, support, t, tolerance):
            padded = np.append(y[support], 0.0)
            margins[t] = G[S, t] @ coefficients(G[np.ix_(S, S)], padded, tolerance)
            decisions[t] = G[t] @ c
        mistakes[t] = y[t] * margins[t] <= 0
        if mistakes[t] and G[t, t] > 0:
            support = S
            c = np.zeros(n)
            c[support] = coefficients(G[np.ix_(S, S)], y[support], tolerance)
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


def _prototype(X, y, n_classes, kernel=None, tolerance=1e-6):
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
        for c in range(n_classes):
            rows = [i for i, _ in told[c]]
            if kernel is None:
                off = outside(X[rows].T, X[t], tolerance)
            else:
                off = outside_dual(G, rows, t, tolerance)
            if off:
                decisions[t, c] = 0.0
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
                    W[c] = weights(X[rows].T, X[rows].T @ signs, tolerance)
                else:
                    D[c, rows] = coefficients(G[np.ix_(rows, rows)], signs, tolerance)
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

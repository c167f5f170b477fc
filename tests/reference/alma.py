"""ALMA_p(alpha; B, C) (Gentile 2001, cited in P2 section 6).

With x^ = x/||x||_p and k counting updates from 1: when
    y w.x^ <= (1 - alpha) gamma_k,    gamma_k = B sqrt(p - 1) / sqrt(k),
theta <- theta + eta_k y x^ with eta_k = C / (sqrt(p - 1) sqrt(k)), w = g(theta), then w is scaled
into the ball ||w||_q <= 1 (q dual to p; scaling w is scaling theta), and k <- k + 1.
g is the gradient of half the squared p-norm; ||g(theta)||_q = ||theta||_p. Decisions are w.x.
Prototypes: theta has one row per class, p-norm and q-norm are those of all its entries together;
the margin is (w_true - w_rival).x^, the step is x^ to the true row and -x^ to the rival's.
"""

import numpy as np


def g(theta, p):
    """Half the squared p-norm's gradient: sign(t_i) |t_i|^(p-1) / ||t||_p^(p-2)."""
    norm = p_norm(theta, p)
    if norm == 0:
        return np.zeros_like(theta)
    return np.sign(theta) * (np.abs(theta) / norm) ** (p - 1) * norm


def p_norm(theta, p):
    top = np.abs(theta).max(initial=0.0)
    return top * np.sum((np.abs(theta) / top) ** p) ** (1 / p) if top > 0 else 0.0


def run(X, y, p=2.0, alpha=0.9, B=None, C=None, kernel=None, **store):
    if kernel is not None:
        return run_kernel(X, y, kernel, alpha=alpha, B=B, C=C, **store)
    B = np.sqrt(8) / alpha if B is None else B
    C = np.sqrt(2) if C is None else C
    n, dim = X.shape
    theta, w, k = np.zeros(dim), np.zeros(dim), 1
    decisions, mistakes, updates = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
    held = []  # the hypothesis after each trial
    for t in range(n):
        decisions[t] = w @ X[t]
        mistakes[t] = y[t] * decisions[t] <= 0
        if X[t].any():
            length = p_norm(X[t], p)
            gamma = B * np.sqrt(p - 1) / np.sqrt(k)
            if y[t] * decisions[t] / length <= (1 - alpha) * gamma:
                eta = C / (np.sqrt(p - 1) * np.sqrt(k))
                theta = theta + eta * y[t] * X[t] / length
                theta = theta / max(1.0, p_norm(theta, p))
                w = g(theta, p)
                k += 1
                updates[t] = True
        held.append(w)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "updates": updates,
        "w": w,
        "theta": theta,
        "k": k,
        "mean_decision": lambda Z: np.mean([Z @ h for h in held], axis=0),
    }


def run_multiclass(X, y, n_classes, multiclass, **parameters):
    if "kernel" not in parameters:
        forms = {"ovr": _ovr, "prototype": _prototype}
    elif parameters.get("project") is not None:
        forms = {"ovr": _projected_ovr}
    else:
        forms = {"ovr": _kernel_ovr, "prototype": _kernel_prototype}
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


def _prototype(X, y, n_classes, p=2.0, alpha=0.9, B=None, C=None):
    B = np.sqrt(8) / alpha if B is None else B
    C = np.sqrt(2) if C is None else C
    n, dim = X.shape
    theta, W, k = np.zeros((n_classes, dim)), np.zeros((n_classes, dim)), 1
    decisions, mistakes = np.zeros((n, n_classes)), np.zeros(n, bool)
    held = []
    for t in range(n):
        decisions[t] = W @ X[t]
        others = decisions[t].copy()
        others[y[t]] = -np.inf
        rival = np.argmax(others)  # the lowest index among ties
        gap = decisions[t, y[t]] - decisions[t, rival]
        mistakes[t] = gap <= 0
        if X[t].any():
            length = p_norm(X[t], p)
            gamma = B * np.sqrt(p - 1) / np.sqrt(k)
            if gap / length <= (1 - alpha) * gamma:
                eta = C / (np.sqrt(p - 1) * np.sqrt(k))
                theta[y[t]] += eta * X[t] / length
                theta[rival] -= eta * X[t] / length
                theta = theta / max(1.0, p_norm(theta.ravel(), p))
                W = g(theta.ravel(), p).reshape(n_classes, dim)
                k += 1
        held.append(W)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "n_updates": k - 1,
        "W": W,
        "mean_decision": lambda Z: np.mean([Z @ H.T for H in held], axis=0),
    }


def run_kernel(X, y, kernel, alpha=0.9, B=None, C=None, budget=None, draw=None, project=None):
    """p = 2 with a kernel: c[i] is the coefficient of row i, ||w||^2 = c' G c, x^ = x/||x||.

    With a budget, an update that finds the support full first discards the row at position
    draw(size) in order of entry, then steps, then scales into the ball. With project = eta (P2
    section 6): when ||P x^ - x^|| <= eta, P the projection on the span of the support, the step is
    along P x^ and the support stays as it is (an empty support always takes the row); then scales.
    """
    B = np.sqrt(8) / alpha if B is None else B
    C = np.sqrt(2) if C is None else C
    n = len(X)
    G, c, support, k = kernel(X, X), np.zeros(n), [], 1
    decisions, mistakes, updates = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
    held = []
    for t in range(n):
        decisions[t] = G[t] @ c
        mistakes[t] = y[t] * decisions[t] <= 0
        if G[t, t] > 0:
            length = np.sqrt(G[t, t])
            if y[t] * decisions[t] / length <= (1 - alpha) * B / np.sqrt(k):
                eta = C / np.sqrt(k)
                c = c.copy()
                if budget is not None and len(support) == budget:
                    c[support.pop(draw(budget))] = 0.0
                error = np.inf
                if project is not None and support:
                    row = G[support, t] / length  # <x_i, x^> over the support
                    d = np.linalg.solve(G[np.ix_(support, support)], row)
                    error = np.sqrt(max(0.0, 1.0 - row @ d))
                if project is not None and error <= project:
                    c[support] += eta * y[t] * d
                else:
                    c[t] = eta * y[t] / length
                    support.append(t)
                c = c / max(1.0, np.sqrt(c @ G @ c))
                k += 1
                updates[t] = True
        held.append(c)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "updates": updates,
        "support": support,
        "alpha": c[support],
        "k": k,
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ h for h in held], axis=0),
    }


def _kernel_ovr(X, y, n_classes, kernel, alpha=0.9, B=None, C=None, budget=None, draw=None):
    """k binary runs over one store of rows: a trial that updates any class stores one row, and
    the budget counts rows, so a discarded row leaves every class."""
    B = np.sqrt(8) / alpha if B is None else B
    C = np.sqrt(2) if C is None else C
    n = len(X)
    G, D, support, k = kernel(X, X), np.zeros((n_classes, n)), [], np.ones(n_classes)
    decisions, mistakes = np.zeros((n, n_classes)), np.zeros(n, bool)
    held = []
    for t in range(n):
        decisions[t] = D @ G[t]
        mistakes[t] = decisions[t, y[t]] <= np.delete(decisions[t], y[t]).max()
        column = np.zeros(n_classes)
        for c in range(n_classes):
            sign = 1.0 if c == y[t] else -1.0
            if G[t, t] > 0:
                length = np.sqrt(G[t, t])
                if sign * decisions[t, c] / length <= (1 - alpha) * B / np.sqrt(k[c]):
                    column[c] = sign * C / np.sqrt(k[c]) / length
        if column.any():
            D = D.copy()
            if budget is not None and len(support) == budget:
                D[:, support.pop(draw(budget))] = 0.0
            D[:, t] = column
            support.append(t)
            k[column != 0] += 1
            for c in range(n_classes):  # every class: a discarded row may leave a longer w behind
                D[c] /= max(1.0, np.sqrt(D[c] @ G @ D[c]))
        held.append(D)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "n_updates": int(np.sum(k - 1)),
        "support": support,
        "alpha": D[:, support],
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ H.T for H in held], axis=0),
    }


def _projected_ovr(X, y, n_classes, **parameters):
    """k binary runs, each projecting on its own support."""
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


def _kernel_prototype(X, y, n_classes, kernel, alpha=0.9, B=None, C=None, budget=None, draw=None):
    B = np.sqrt(8) / alpha if B is None else B
    C = np.sqrt(2) if C is None else C
    n = len(X)
    G, D, support, k = kernel(X, X), np.zeros((n_classes, n)), [], 1
    decisions, mistakes = np.zeros((n, n_classes)), np.zeros(n, bool)
    held = []
    for t in range(n):
        decisions[t] = D @ G[t]
        others = decisions[t].copy()
        others[y[t]] = -np.inf
        rival = np.argmax(others)  # the lowest index among ties
        gap = decisions[t, y[t]] - decisions[t, rival]
        mistakes[t] = gap <= 0
        if G[t, t] > 0:
            length = np.sqrt(G[t, t])
            if gap / length <= (1 - alpha) * B / np.sqrt(k):
                eta = C / np.sqrt(k)
                D = D.copy()
                if budget is not None and len(support) == budget:
                    D[:, support.pop(draw(budget))] = 0.0
                D[y[t], t] = eta / length
                D[rival, t] = -eta / length
                support.append(t)
                D /= max(1.0, np.sqrt(np.sum((D @ G) * D)))
                k += 1
        held.append(D)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "n_updates": k - 1,
        "support": support,
        "alpha": D[:, support],
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ H.T for H in held], axis=0),
    }

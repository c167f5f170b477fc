"""The higher-order perceptron HO_p(c): P1 section 2 (Figure 1 as its text defines it).

With x^ = x/||x||_p (normalize; else x^ = x), g the gradient of half the squared p-norm and k
counting mistakes from 1: w = B' g(B v); on a mistake
    v <- v + y x^,    B <- B (I - rho_k x^ g(x^)'),    rho_k = c / k,
both with the same x^. With sparse_updates, rho_k = c/k if y v_{k-1}.x^ >= 0 and 0 otherwise, k
counting mistakes either way (P1 section 4). Decisions are w.x, w acting on raw rows. A zero row
changes nothing, k included.

run forms B, for any p >= 2. run_primal keeps A = B'B (p = 2), run_implicit the list of (rho, x^)
(any p), run_dual D and h, with a kernel (p = 2; normalising is in feature space): one algorithm.
n_matrix_updates counts the mistakes with rho_k > 0. In the dual with unnormalised rows
the 1 = x'x of P1's d_kk and h_k is k(x, x).
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


def run(X, y, p=2.0, c=0.4, sparse_updates=False, normalize=True, kernel=None):
    if kernel is not None:
        return run_dual(X, y, kernel, c, sparse_updates, normalize)
    n, dim = X.shape
    B, v, w, k, matrix_updates = np.eye(dim), np.zeros(dim), np.zeros(dim), 1, 0
    decisions, mistakes, updates = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
    held = []  # the hypothesis after each trial
    for t in range(n):
        decisions[t] = w @ X[t]
        mistakes[t] = y[t] * decisions[t] <= 0
        if mistakes[t] and X[t].any():
            x = X[t] / p_norm(X[t], p) if normalize else X[t]
            rho = c / k if not sparse_updates or y[t] * (v @ x) >= 0 else 0.0
            B = B @ (np.eye(dim) - rho * np.outer(x, g(x, p)))
            v = v + y[t] * x
            w = B.T @ g(B @ v, p)
            k += 1
            matrix_updates += rho > 0
            updates[t] = True
        held.append(w)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "updates": updates,
        "w": w,
        "v": v,
        "A": B.T @ B,
        "k": k,
        "n_matrix_updates": int(matrix_updates),
        "mean_decision": lambda Z: np.mean([Z @ h for h in held], axis=0),
    }


def run_primal(X, y, c=0.4, sparse_updates=False, normalize=True):
    """Implementation 1 of P1 section 2: A = B'B, margin v' A x."""
    n, dim = X.shape
    A, v, w, k, matrix_updates = np.eye(dim), np.zeros(dim), np.zeros(dim), 1, 0
    decisions, mistakes, updates = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
    held = []
    for t in range(n):
        decisions[t] = w @ X[t]
        mistakes[t] = y[t] * decisions[t] <= 0
        if mistakes[t] and X[t].any():
            x = X[t] / np.linalg.norm(X[t]) if normalize else X[t]
            rho = c / k if not sparse_updates or y[t] * (v @ x) >= 0 else 0.0
            Ax, xx = A @ x, np.outer(x, x)
            A = A - rho * np.outer(Ax, x) - rho * np.outer(x, Ax) + rho**2 * (x @ Ax) * xx
            v = v + y[t] * x
            w = A @ v
            k += 1
            matrix_updates += rho > 0
            updates[t] = True
        held.append(w)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "updates": updates,
        "w": w,
        "v": v,
        "A": A,
        "k": k,
        "n_matrix_updates": int(matrix_updates),
        "mean_decision": lambda Z: np.mean([Z @ h for h in held], axis=0),
    }


def run_implicit(X, y, p=2.0, c=0.4, sparse_updates=False, normalize=True):
    """Implementation 3 of P1 section 2: B z and B' u by unwrapping the product."""
    n, dim = X.shape
    factors, v, w, k = [], np.zeros(dim), np.zeros(dim), 1
    decisions, mistakes, updates = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
    held = []
    for t in range(n):
        decisions[t] = w @ X[t]
        mistakes[t] = y[t] * decisions[t] <= 0
        if mistakes[t] and X[t].any():
            x = X[t] / p_norm(X[t], p) if normalize else X[t]
            rho = c / k if not sparse_updates or y[t] * (v @ x) >= 0 else 0.0
            if rho > 0:
                factors.append((rho, x, g(x, p)))
            v = v + y[t] * x
            z = v
            for r, xi, gi in reversed(factors):  # B z: the last factor acts first
                z = z - r * xi * (gi @ z)
            u = g(z, p)
            for r, xi, gi in factors:  # B' u: the first factor acts first
                u = u - r * gi * (xi @ u)
            w = u
            k += 1
            updates[t] = True
        held.append(w)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "updates": updates,
        "w": w,
        "v": v,
        "k": k,
        "n_matrix_updates": len(factors),
        "mean_decision": lambda Z: np.mean([Z @ h for h in held], axis=0),
    }


def tell(state, G, lengths, t, sign, c, sparse_updates):
    """Implementation 2 of P1 section 2, one mistake on row t of label sign.

    A = I + sum_ij d_ij x_i x_j' over the mistaken rows x_i, h = X'X y; the state is
    (rows, signs, D, h, the number of matrix updates).
    """
    rows, signs, D, h, matrix_updates = state
    k = len(rows) + 1
    row = G[rows, t] / (lengths[rows] * lengths[t])  # X_{k-1}' x_k
    square = G[t, t] / lengths[t] ** 2  # x_k' x_k
    vx = signs @ row
    rho = c / k if not sparse_updates or sign * vx >= 0 else 0.0
    b = D @ row
    corner = rho**2 * (row @ b) - 2 * rho + rho**2 * square
    D = np.block([[D, -rho * b[:, None]], [-rho * b[None, :], np.array([[corner]])]])
    h = np.append(h + sign * row, vx + sign * square)
    return [*rows, t], np.append(signs, sign), D, h, matrix_updates + (rho > 0)


def dual_coefficients(state, lengths):
    """The coefficients g = y + D h of the rows told, for raw rows."""
    rows, signs, D, h, _ = state
    coef = np.zeros(len(lengths))
    coef[rows] = (signs + D @ h) / lengths[rows]
    return coef


def feature_lengths(G, normalize):
    return np.array([np.sqrt(s) if normalize and s > 0 else 1.0 for s in np.diag(G)])


def run_dual(X, y, kernel, c=0.4, sparse_updates=False, normalize=True):
    n = len(X)
    G, coef = kernel(X, X), np.zeros(n)
    lengths = feature_lengths(G, normalize)
    state = ([], np.zeros(0), np.zeros((0, 0)), np.zeros(0), 0)
    decisions, mistakes, updates = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
    held = []
    for t in range(n):
        decisions[t] = G[t] @ coef
        mistakes[t] = y[t] * decisions[t] <= 0
        if mistakes[t] and G[t, t] > 0:
            state = tell(state, G, lengths, t, y[t], c, sparse_updates)
            coef = dual_coefficients(state, lengths)
            updates[t] = True
        held.append(coef)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "updates": updates,
        "support": state[0],
        "alpha": coef[state[0]],
        "k": len(state[0]) + 1,
        "n_matrix_updates": int(state[4]),
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ a for a in held], axis=0),
    }


def run_multiclass(X, y, n_classes, multiclass, **parameters):
    prototype = _kernel_prototype if "kernel" in parameters else _prototype
    return {"ovr": _ovr, "prototype": prototype}[multiclass](X, y, n_classes, **parameters)


def _ovr(X, y, n_classes, **parameters):
    runs = [run(X, np.where(y == c, 1.0, -1.0), **parameters) for c in range(n_classes)]
    decisions = np.column_stack([r["decisions"] for r in runs])
    mistakes = [d[c] <= np.delete(d, c).max() for d, c in zip(decisions, y, strict=True)]
    out = {
        "decisions": decisions,
        "mistakes": np.array(mistakes, bool),
        "n_updates": sum(int(r["updates"].sum()) for r in runs),
        "n_matrix_updates": sum(r["n_matrix_updates"] for r in runs),
        "mean_decision": lambda Z: np.column_stack([r["mean_decision"](Z) for r in runs]),
    }
    if "w" in runs[0]:
        return out | {"W": np.array([r["w"] for r in runs])}
    D = np.zeros((n_classes, len(X)))
    for c, r in enumerate(runs):
        D[c, r["support"]] = r["alpha"]
    support = sorted(set().union(*[r["support"] for r in runs]))
    return out | {"support": support, "alpha": D[:, support]}


def _prototype(X, y, n_classes, p=2.0, c=0.4, sparse_updates=False, normalize=True):
    """One higher-order learner per class, each with its own B, v and k (its own updates): on a
    mistake the true class is told (x, +1), the best rival (lowest index among ties) (x, -1)."""
    n, dim = X.shape
    B, v = [np.eye(dim) for _ in range(n_classes)], np.zeros((n_classes, dim))
    W, k, matrix_updates = np.zeros((n_classes, dim)), np.ones(n_classes), 0
    decisions, mistakes, n_updates = np.zeros((n, n_classes)), np.zeros(n, bool), 0
    held = []
    for t in range(n):
        decisions[t] = W @ X[t]
        others = decisions[t].copy()
        others[y[t]] = -np.inf
        rival = np.argmax(others)
        mistakes[t] = decisions[t, y[t]] <= decisions[t, rival]
        if mistakes[t] and X[t].any():
            x = X[t] / p_norm(X[t], p) if normalize else X[t]
            W = W.copy()
            for i, sign in ((y[t], 1.0), (rival, -1.0)):
                rho = c / k[i] if not sparse_updates or sign * (v[i] @ x) >= 0 else 0.0
                B[i] = B[i] @ (np.eye(dim) - rho * np.outer(x, g(x, p)))
                v[i] += sign * x
                W[i] = B[i].T @ g(B[i] @ v[i], p)
                k[i] += 1
                matrix_updates += rho > 0
            n_updates += 1
        held.append(W)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "n_updates": n_updates,
        "n_matrix_updates": int(matrix_updates),
        "W": W,
        "mean_decision": lambda Z: np.mean([Z @ H.T for H in held], axis=0),
    }


def _kernel_prototype(X, y, n_classes, kernel, p=2.0, c=0.4, sparse_updates=False, normalize=True):
    assert p == 2
    n = len(X)
    G, C = kernel(X, X), np.zeros((n_classes, n))
    lengths = feature_lengths(G, normalize)
    states = [([], np.zeros(0), np.zeros((0, 0)), np.zeros(0), 0) for _ in range(n_classes)]
    decisions, mistakes, n_updates = np.zeros((n, n_classes)), np.zeros(n, bool), 0
    held = []
    for t in range(n):
        decisions[t] = C @ G[t]
        others = decisions[t].copy()
        others[y[t]] = -np.inf
        rival = np.argmax(others)
        mistakes[t] = decisions[t, y[t]] <= decisions[t, rival]
        if mistakes[t] and G[t, t] > 0:
            C = C.copy()
            for i, sign in ((y[t], 1.0), (rival, -1.0)):
                states[i] = tell(states[i], G, lengths, t, sign, c, sparse_updates)
                C[i] = dual_coefficients(states[i], lengths)
            n_updates += 1
        held.append(C)
    support = sorted({t for state in states for t in state[0]})
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "n_updates": n_updates,
        "n_matrix_updates": int(sum(state[4] for state in states)),
        "support": support,
        "alpha": C[:, support],
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ H.T for H in held], axis=0),
    }

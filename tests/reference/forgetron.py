"""The self-tuned Forgetron (Dekel, Shalev-Shwartz, Singer 2008; P2 section 7 runs it).

On a mistake f' = f + y k(x, .). If that makes budget + 1 rows, let r be the oldest, sigma its
|weight| and mu = y_r f'(x_r); with Psi(l, m) = l^2 + 2 l - 2 l m, phi is the largest number in
(0, 1] with Psi(phi sigma, phi mu) + Q <= (15/32) M, M the mistakes so far (this one included; a
zero row, which changes nothing, is not one of them). f = phi f' without r, Q += Psi(phi sigma,
phi mu). If phi = 1 will not do, phi is the smaller positive root of
    (sigma^2 - 2 sigma mu) phi^2 + 2 sigma phi + Q - (15/32) M = 0
(the left side is <= 0 at 0 and > 0 at 1): -2c / (b + sqrt(b^2 - 4ac)).

One-versus-rest: all classes share the stored rows and the budget counts rows; every class forgets
with its own sigma, mu, Q, and M counts the trials that stored a row. Prototypes are not defined.
"""

import numpy as np


def psi(l, m):
    return l**2 + 2 * l - 2 * l * m


def largest_phi(sigma, mu, Q, M):
    if psi(sigma, mu) + Q <= 15 / 32 * M:
        return 1.0
    a, b, c = sigma**2 - 2 * sigma * mu, 2 * sigma, Q - 15 / 32 * M
    return -2 * c / (b + np.sqrt(b**2 - 4 * a * c))


def run(X, y, kernel, budget):
    n = len(X)
    G, support, alpha = kernel(X, X), [], np.zeros(0)
    Q, M, phis = 0.0, 0, np.ones(n)
    decisions, mistakes, updates = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool)
    held = []  # the expansion after each trial
    for t in range(n):
        decisions[t] = G[t, support] @ alpha
        mistakes[t] = y[t] * decisions[t] <= 0
        if mistakes[t] and G[t, t] > 0:
            M += 1
            support = [*support, t]
            alpha = np.append(alpha, y[t])
            updates[t] = True
            if len(support) > budget:
                r, sigma = support[0], abs(alpha[0])
                mu = y[r] * (G[r, support] @ alpha)
                phis[t] = largest_phi(sigma, mu, Q, M)
                Q += psi(phis[t] * sigma, phis[t] * mu)
                support, alpha = support[1:], phis[t] * alpha[1:]
        held.append((support, alpha))

    def mean_decision(Z):
        K = kernel(Z, X)
        return np.mean([K[:, s] @ a for s, a in held], axis=0)

    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "updates": updates,
        "support": support,
        "alpha": alpha,
        "phi": phis,
        "Q": Q,
        "M": M,
        "mean_decision": mean_decision,
    }


def run_multiclass(X, y, n_classes, multiclass, kernel, budget):
    if multiclass != "ovr":
        raise ValueError(f"multiclass must be 'ovr' for the Forgetron, got {multiclass!r}")
    n = len(X)
    G, D, support = kernel(X, X), np.zeros((n_classes, n)), []
    Q, M = np.zeros(n_classes), 0
    decisions, mistakes, n_updates = np.zeros((n, n_classes)), np.zeros(n, bool), 0
    held = []
    for t in range(n):
        decisions[t] = D @ G[t]
        mistakes[t] = decisions[t, y[t]] <= np.delete(decisions[t], y[t]).max()
        signs = np.where(np.arange(n_classes) == y[t], 1.0, -1.0)
        column = np.where(signs * decisions[t] <= 0, signs, 0.0)
        if column.any() and G[t, t] > 0:
            M += 1
            D = D.copy()
            D[:, t] = column
            support.append(t)
            n_updates += np.count_nonzero(column)
            if len(support) > budget:
                r = support.pop(0)
                for c in np.flatnonzero(D[:, r]):
                    sigma, mu = abs(D[c, r]), np.sign(D[c, r]) * (D[c] @ G[r])
                    phi = largest_phi(sigma, mu, Q[c], M)
                    Q[c] += psi(phi * sigma, phi * mu)
                    D[c] *= phi
                    D[c, r] = 0.0
        held.append(D)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "n_updates": int(n_updates),
        "support": support,
        "alpha": D[:, support],
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ H.T for H in held], axis=0),
    }

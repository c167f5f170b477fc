"""Projectron++ on structured output: P2 section 5, with a joint kernel and one Gram matrix.

kernel((x, label), (x', label')) is k^S, candidates(x) the labels x may have, in order. The support
is a list of (trial, label) pairs. With y' the best wrong candidate (the first among ties), z =
k((x, y), .) - k((x, y'), .), a = P z and delta = z - a:
  mistake, f(x, y) <= f(x, y'): f += a if ||delta|| <= eta and there is a support, else both pairs
  enter with +1 and -1, one after the other, except that a pair in the span of the support gets its
  projection (squared distance below 1e-12 of its own square: rounding);
  margin error, 0 < loss = 1 - (f(x, y) - f(x, y')) < 1, and loss >= ||delta|| / eta: f += tau a,
  tau = min(loss / ||a||^2, 2 (loss - ||delta||/eta) / ||a||^2, 1).
decisions are the margins f(x, y) - f(x, y').
"""

import numpy as np


def run(X, y, candidates, kernel, eta):
    n = len(X)
    support, alpha = [], np.zeros(0)  # pairs (trial, label)

    def column(x, label):
        return np.array([kernel((X[i], s), (x, label)) for i, s in support], float)

    def gram():
        return np.array([column(X[i], s) for i, s in support])

    decisions, mistakes, updates, rivals = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool), []
    held = []  # the expansion after each trial
    for t in range(n):
        x = X[t]
        wrong = [label for label in candidates(x) if label != y[t]]
        rival = wrong[int(np.argmax([alpha @ column(x, label) for label in wrong]))]
        true, other = (x, y[t]), (x, rival)
        decisions[t] = alpha @ column(*true) - alpha @ column(*other)
        mistakes[t] = decisions[t] <= 0
        z = column(*true) - column(*other)
        square = kernel(true, true) + kernel(other, other) - 2 * kernel(true, other)
        d = np.linalg.solve(gram(), z) if support else np.zeros(0)
        delta = np.sqrt(max(0.0, square - z @ d))
        loss = 1.0 - decisions[t]
        if mistakes[t] and square > 0:
            if support and delta <= eta:
                alpha = alpha + d
            else:
                for pair, sign in ((true, 1.0), (other, -1.0)):
                    k = column(*pair)
                    e = np.linalg.solve(gram(), k) if support else np.zeros(0)
                    if support and kernel(pair, pair) - k @ e <= 1e-12 * kernel(pair, pair):
                        alpha = alpha + sign * e
                    else:
                        support.append((t, pair[1]))
                        alpha = np.append(alpha, sign)
            updates[t] = True
        elif 0 < loss < 1 and loss >= delta / eta:
            tau = min(loss / (z @ d), 2 * (loss - delta / eta) / (z @ d), 1.0)
            alpha = alpha + tau * d
            updates[t] = tau > 0
        rivals.append(rival)
        held.append((support.copy(), alpha))
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "updates": updates,
        "rivals": rivals,
        "support": support,
        "alpha": alpha,
        "held": held,
    }

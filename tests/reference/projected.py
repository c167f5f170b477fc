"""Projection as a policy for the learners of P2 section 6: `budget=Project(eta)`.

When a learner's own rule makes a step a (signed) along x, d = K^{-1} k over the support and
||delta||^2 = k(x, x) - k.d, as in P2 Figure 4; delta is that of x/||x|| where the learner
normalises its rows. When ||delta|| <= eta the step goes along the projection, alpha += a d, and
the support stays as it is; otherwise x enters with weight a (an empty support always takes the
row; a squared distance below 1e-12 of k(x, x) is rounding and counts as zero). ALMA then scales
into its ball.

One-versus-rest: each class has its own support. Prototypes, P2 section 5: the margin is the true
class's score minus that of the best wrong class (lowest index among ties), which steps by -a;
delta is the pair's (squares add): both are projected when it is within eta, otherwise x enters
both, except that a class in whose span it lies gets its projection.
"""

import numpy as np


def step(learner, m, q, h, k, margin=0.0, normalize=False, C=None, alpha=0.9, B=None):
    """Length of the step at margin m = y f(x), q = k(x, x); h: 2 for prototypes; k: from 1."""
    loss = max(0.0, 1.0 - m)
    if learner == "Perceptron":
        length = np.sqrt(q) if normalize else 1.0
        return 1.0 / length if m / length <= margin else 0.0
    if learner == "PassiveAggressive":
        return loss / (h * q)
    if learner == "PassiveAggressiveI":
        return min(1.0 if C is None else C, loss / (h * q))
    if learner == "PassiveAggressiveII":
        return loss / (h * q + 1.0 / (2.0 * (1.0 if C is None else C)))
    assert learner == "ALMA"
    B = np.sqrt(8) / alpha if B is None else B
    C = np.sqrt(2) if C is None else C
    asked = (1 - alpha) * B / np.sqrt(k)
    return C / np.sqrt(k) / np.sqrt(q) if m / np.sqrt(q) <= asked else 0.0


def project(G, support, t):
    """P2 Figure 4: (d, ||delta||^2) of row t on the span of the support."""
    if not support:
        return np.zeros(0), G[t, t]
    d = np.linalg.solve(G[np.ix_(support, support)], G[support, t])
    squared = G[t, t] - G[support, t] @ d
    return d, 0.0 if squared <= 1e-12 * G[t, t] else squared


def move(G, D, supports, t, steps, eta):
    """Make the steps {class: a} of one problem along row t or its projections."""
    found = {c: project(G, supports[c], t) for c in steps}
    delta = np.sqrt(sum(squared for _, squared in found.values()))
    near = all(supports[c] for c in steps) and delta <= eta
    for c, a in steps.items():
        d, squared = found[c]
        if supports[c] and (near or squared == 0.0):
            D[c, supports[c]] += a * d
        else:
            D[c, t] = a
            supports[c].append(t)


def trials(X, y, n_classes, form, kernel, eta, learner, **parameters):
    """All forms at once; a binary problem is one class, whose labels are 0 and 1."""
    n = len(X)
    G, D, supports = kernel(X, X), np.zeros((n_classes, n)), [[] for _ in range(n_classes)]
    k = np.ones(n_classes, int)  # of each problem; prototypes are one, the first
    decisions, mistakes = np.zeros((n, n_classes)), np.zeros(n, bool)
    unit = learner == "ALMA" or parameters.get("normalize", False)
    held = []
    for t in range(n):
        f, q, D = D @ G[t], G[t, t], D.copy()
        decisions[t] = f
        if form == "binary":
            mistakes[t] = (f[0] if y[t] == 1 else -f[0]) <= 0
        else:
            rival = np.argmax(np.where(np.arange(n_classes) == y[t], -np.inf, f))
            mistakes[t] = f[y[t]] <= f[rival]
        within = eta * np.sqrt(q) if unit else eta
        if form == "prototype":
            problems = [{y[t]: 1.0, rival: -1.0}]
        elif form == "binary":
            problems = [{0: 1.0 if y[t] == 1 else -1.0}]
        else:
            problems = [{c: 1.0 if c == y[t] else -1.0} for c in range(n_classes)]
        for i, signs in enumerate(problems if q > 0 else []):
            m = sum(sign * f[c] for c, sign in signs.items())
            a = step(learner, m, q, 2.0 if form == "prototype" else 1.0, k[i], **parameters)
            if a == 0.0:
                continue
            k[i] += 1
            move(G, D, supports, t, {c: sign * a for c, sign in signs.items()}, within)
            if learner == "ALMA":
                whole = list(range(n_classes)) if form == "prototype" else [i]
                D[whole] /= max(1.0, np.sqrt(np.sum((D[whole] @ G) * D[whole])))
        held.append(D)
    support = sorted(set().union(*supports))
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "n_updates": int(np.sum(k - 1)),
        "support": support,
        "alpha": D[:, support],
        "mean_decision": lambda Z: np.mean([kernel(Z, X) @ H.T for H in held], axis=0),
    }


def run(X, y, kernel, eta, learner, **parameters):
    codes = (np.asarray(y) > 0).astype(int)
    found = trials(X, codes, 1, "binary", kernel, eta, learner, **parameters)
    mean = found["mean_decision"]
    single = {"decisions": found["decisions"][:, 0], "mean_decision": lambda Z: mean(Z)[:, 0]}
    return found | single


def run_multiclass(X, y, n_classes, multiclass, **parameters):
    return trials(X, y, n_classes, multiclass, **parameters)

"""Trials over a kernel expansion, a block at a time.

Between updates the hypothesis is fixed, so the kernel values between all stored rows, the block's
own rows and the block are computed at once: the panel P, one matrix product and one map. F holds
the decision values of the block under the present hypothesis; the scan goes through the block and
keeps F true: a row that enters with coefficient a adds a times its line of P to what is left of F,
a row that is discarded takes its line away, shrinking scales. Mistakes and support are exactly
those of going one row at a time.

Positions 0 ... m-1 of the panel are slots of the store, position m + t is the block's row t.
Coefficients are ``sigma * A``, and the sum of the hypotheses held after each trial is
``csum * A - U``, as for primal weights (see :mod:`novikoff.engine.views`).
"""

import numpy as np
from numba import njit

from novikoff.engine.jit import entry, inlined, primitive
from novikoff.engine.rows import SMALLEST_SQUARE
from novikoff.engine.views import (
    MISTAKES,
    SEEN,
    SIGMA_HIGH,
    SIGMA_LOW,
    UPDATES,
    best_rival,
    fold_scale,
    record,
)

# Which row goes when the support is full.
KEEP_ALL, RANDOM, OLDEST, FORGET, SLOT = range(5)
# `sizes`: rows stored now, and trials that ever stored one.
LIVE, STORED = range(2)


@njit
def draw(rng, size):
    """A number below ``size``, by SplitMix64: its state is one integer, saved with models."""
    rng[0] += np.uint64(0x9E3779B97F4A7C15)
    z = rng[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64((z >> np.uint64(11)) * (1.0 / 9007199254740992.0) * size)


@primitive
def add_line(F, c, t, P, position, a):
    """F[c, t:] += a P[position, t:]."""
    f, line = F[c, t:], P[position, t:]
    for u in range(f.size):
        f[u] += a * line[u]


@primitive
def largest(line):
    """The largest absolute value of a line."""
    top = 0.0
    for x in line:
        top = max(top, abs(x))
    return top


@njit
def rescale(F, A, U, sigma, csum, norm2, c, t, prototype, factor):
    """w_c <- factor w_c, from trial t of the block on."""
    first, last = (0, A.shape[0]) if prototype else (c, c + 1)
    for d in range(first, last):
        for u in range(t, F.shape[1]):
            F[d, u] *= factor
    sigma[c] *= factor
    norm2[c] *= factor * factor
    if not SIGMA_LOW < sigma[c] < SIGMA_HIGH:
        fold_scale(A.T, U.T, sigma, csum, c, prototype)


@njit
def value_at(A, G, P, m, order, n, c, position):
    """Decision value of class c at a stored row, in units of its scale."""
    total = 0.0
    # Written out: a function called with arrays for each number counts their references.
    for i in range(n):
        other = order[i]
        if other >= m:
            k = P[position, other - m]
        elif position >= m:
            k = P[other, position - m]
        else:
            k = G[position, other]
        total += A[c, other] * k
    return total


@entry
def store_gram(G, P, m, live, new, slots):
    """Write into G the kernel values of rows that moved from positions ``new`` to slots."""
    for i in live:
        if i < m:
            for j in range(new.size):
                G[i, slots[j]] = P[i, new[j] - m]
                G[slots[j], i] = P[i, new[j] - m]
    for i in range(new.size):
        for j in range(new.size):
            G[slots[i], slots[j]] = P[new[i], new[j] - m]


@njit
def discard(F, gone, A, sigma, norm2, sizes, order, G, P, m, t, r, prototype, tracked):
    """Take the r-th row, in order of entry, out of every class; ``gone``: the largest term."""
    position = order[r]
    for c in range(A.shape[0]):
        own = 0 if prototype else c
        a = sigma[own] * A[c, position]
        if a != 0.0:
            if tracked:
                f = sigma[own] * value_at(A, G, P, m, order, sizes[LIVE], c, position)
                square = P[position, position - m] if position >= m else G[position, position]
                change = a * a * square - 2.0 * a * f
                norm2[own] = max(0.0, norm2[own] + change)
            add_line(F, c, t, P, position, -a)
            gone[c] = max(gone[c], abs(a) * largest(P[position, t:]))
            A[c, position] = 0.0
    sizes[LIVE] -= 1
    for i in range(r, sizes[LIVE]):
        order[i] = order[i + 1]
    for c in range(A.shape[0]):
        # A class that lost its last row is zero, not what rounding left of it: a tie must be one.
        if not uses_any(A, c, order, sizes[LIVE]):
            F[c, t:] = 0.0
            if not prototype:
                norm2[c] = 0.0


@njit
def uses_any(A, c, order, n):
    """Whether class c has a coefficient on any stored row; it usually tells at the oldest."""
    for i in range(n):  # noqa: SIM110  (compiled)
        if A[c, order[i]] != 0.0:
            return True
    return False


@njit
def make_room(
    F, gone, A, sigma, norm2, sizes, rng, order, G, P, m, t, prototype, tracked, policy, size
):
    """Before a row enters: discard one if the policy says so."""
    r = -1
    if policy == SLOT:
        slot = draw(rng, size)
        if slot < sizes[LIVE]:
            r = slot
    elif policy != FORGET and policy != KEEP_ALL and sizes[LIVE] == size:
        r = draw(rng, size) if policy == RANDOM else 0
    if r >= 0:
        discard(F, gone, A, sigma, norm2, sizes, order, G, P, m, t, r, prototype, tracked)


@njit
def psi(l, m):
    """The Forgetron's bound on the damage of removing weight l at margin m."""
    return l * l + 2.0 * l - 2.0 * l * m


@njit
def forgetting(weight, mu, Q, M):
    """The largest phi in (0, 1] with psi(phi weight, phi mu) + Q <= (15/32) M."""
    if psi(weight, mu) + Q <= 15.0 / 32.0 * M:
        return 1.0
    # The smaller positive root of a phi^2 + b phi + c; written so that a -> 0 does no harm.
    a, b, c = weight * weight - 2.0 * weight * mu, 2.0 * weight, Q - 15.0 / 32.0 * M
    return -2.0 * c / (b + np.sqrt(b * b - 4.0 * a * c))


@njit
def forget_oldest(F, gone, A, U, sigma, csum, norm2, Q, sizes, order, G, P, m, t):
    """Shrink each class that uses the oldest row by its own phi, then discard that row."""
    position = order[0]
    for c in range(A.shape[0]):
        a = sigma[c] * A[c, position]
        if a != 0.0:
            f = sigma[c] * value_at(A, G, P, m, order, sizes[LIVE], c, position)
            weight, mu = abs(a), f if a > 0.0 else -f
            phi = forgetting(weight, mu, Q[c], sizes[STORED])
            Q[c] += psi(phi * weight, phi * mu)
            if phi != 1.0:
                rescale(F, A, U, sigma, csum, norm2, c, t, False, phi)
    discard(F, gone, A, sigma, norm2, sizes, order, G, P, m, t, 0, False, False)


@njit
def enter(F, A, U, sigma, csum, norm2, P, q, m, t, c, own, coef):
    """Class c of problem ``own`` takes the block's row t with a coefficient."""
    a = coef / sigma[own]
    A[c, m + t] = a
    if U.shape[1]:
        U[c, m + t] = csum[own] * a
    norm2[own] += 2.0 * coef * F[c, t] + coef * coef * q
    add_line(F, c, t + 1, P, m + t, coef)


@inlined
def panel_scan(rule, p, state, block, codes, out):
    """Run the trials of one block in order.

    ``state`` and ``block`` are the tuples that :class:`novikoff.engine.expansion.Expansion` makes;
    the rule is that of :mod:`novikoff.engine.scan`, q being k(x, x).
    """
    s, A, U, sigma, csum, norm2, Q, sizes, rng, order, G, counts, curve, flags = state
    prototype, ball, lazy, policy, size = flags
    P, F, q, m = block
    k = A.shape[0]
    n_problems = sigma.size
    h = 2.0 if prototype else 1.0
    tracked = ball < np.inf
    scores = np.zeros(k)
    scalars = np.zeros(s.shape[1])
    scales, coefs = np.ones(n_problems), np.zeros(n_problems)
    gone = np.zeros(k)
    rounding = 1e-10 if P.itemsize == 8 else 1e-4
    for t in range(codes.size):
        true = codes[t]
        for c in range(k):
            own = 0 if prototype else c
            # What is left when most was taken away is summed anew: a tie must be one.
            if abs(F[c, t]) < rounding * gone[c]:
                F[c, t] = sigma[own] * value_at(A, G, P, m, order, sizes[LIVE], c, m + t)
            scores[c] = F[c, t]
            if lazy and norm2[own] > ball * ball:
                scores[c] *= ball / np.sqrt(norm2[own])
        if out.shape[0]:
            for c in range(k):
                out[t, c] = scores[c]
        rival = 0
        if k == 1:
            mistaken = (scores[0] if true == 1 else -scores[0]) <= 0.0
        else:
            rival = best_rival(scores, true)
            mistaken = scores[true] <= scores[rival]
        counts[SEEN] += 1
        if mistaken:
            counts[MISTAKES] += 1

        if q[t] >= SMALLEST_SQUARE:
            entering = False
            for c in range(n_problems):
                y, score = 1.0, scores[c]
                if prototype:
                    score = scores[true] - scores[rival]
                elif true != (1 if k == 1 else c):
                    y = -1.0
                for i in range(scalars.size):
                    scalars[i] = s[c, i]
                scales[c], coefs[c] = rule(p, scalars, score, y, q[t], h)
                for i in range(scalars.size):
                    s[c, i] = scalars[i]
                if scales[c] != 1.0 or coefs[c] != 0.0:
                    counts[UPDATES] += 1
                if coefs[c] != 0.0:
                    entering = True
            if entering:
                make_room(
                    *(F, gone, A, sigma, norm2, sizes, rng, order, G, P, m, t),
                    *(prototype, tracked, policy, size),
                )
            for c in range(n_problems):
                if scales[c] != 1.0:
                    rescale(F, A, U, sigma, csum, norm2, c, t, prototype, scales[c])
                if coefs[c] != 0.0:
                    first = true if prototype else c
                    enter(F, A, U, sigma, csum, norm2, P, q[t], m, t, first, c, coefs[c])
                    if prototype:
                        enter(F, A, U, sigma, csum, norm2, P, q[t], m, t, rival, c, -coefs[c])
            if entering:
                order[sizes[LIVE]] = m + t
                sizes[LIVE] += 1
                sizes[STORED] += 1
                if policy == FORGET and sizes[LIVE] > size:
                    forget_oldest(
                        *(F, gone, A, U, sigma, csum, norm2, Q, sizes, order, G, P, m, t)
                    )
                if tracked and not lazy:
                    for c in range(n_problems):
                        if norm2[c] > ball * ball:
                            shrink = ball / np.sqrt(norm2[c])
                            rescale(F, A, U, sigma, csum, norm2, c, t, prototype, shrink)
                            norm2[c] = ball * ball
        if U.shape[1]:
            for c in range(n_problems):
                csum[c] += sigma[c]
        record(counts, curve, sizes[LIVE])

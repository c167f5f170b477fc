"""Trials over a kernel expansion that projects: a row enters only if it lies outside the span.

Class c's stored rows have the Gram matrix K = L L'. For a block of rows with kernel values k to
them, V = L^{-1} k is one triangular solve, and everything the trials ask for is in it:

    |P x|^2 = |v|^2,   |x - P x|^2 = k(x, x) - |v|^2,   <P x, z> = v_x . v_z.

So W = V'V gives every correction of the block. A row that enters in mid-block adds one more number
to each later v (the array E) and later one line [v', distance] to L: no inverse is formed, nothing
is updated in place, and L stays what factoring K anew would give, however long the run. The
coefficients of all projections of a block are one vector in the space of V, taken back to the
stored rows by one solve with L' at its end.
"""

import numpy as np
from numba import njit

from novikoff.engine.jit import inlined, primitive
from novikoff.engine.panel import LIVE, STORED, add_line
from novikoff.engine.rows import SMALLEST_SQUARE
from novikoff.engine.views import MISTAKES, SEEN, UPDATES, best_rival, record

# How the trials of a block ended, for the driver to tell.
FINE, NOT_SEMIDEFINITE, IN_DOUBT = range(3)
# `noise` of a class whose distances are not in doubt, and of one that the driver is asked about.
UNKNOWN, ASKED = -1.0, -2.0
# Below zero by this share of k(x, x), a squared distance needs an explanation.
NEGATIVE = 1e-6


@primitive
def add_projection(F, c, t, W, E, n, a):
    """F[c, t+1:] += a <P x_t, x_u> for the later rows u."""
    for u in range(t + 1, F.shape[1]):
        v = W[t, u]
        for i in range(n):
            v += E[i, t] * E[i, u]
        F[c, u] += a * v


@primitive
def extend(P, W, E, inside, n, m, t, distance):
    """Give later rows the coordinate along the row that just entered, at this distance."""
    for u in range(t + 1, W.shape[0]):
        v = P[m + t, u] - W[t, u]
        for i in range(n):
            v -= E[i, t] * E[i, u]
        E[n, u] = v / distance
        inside[u] += E[n, u] * E[n, u]


@njit
def shrink_block(F, sigma, own, first, last, t, factor):
    """w <- factor w from trial t + 1 of the block on."""
    sigma[own] *= factor
    for c in range(first, last):
        for u in range(t + 1, F.shape[1]):
            F[c, u] *= factor


@njit
def nothing(p, m, y, inside, distance):
    """What a learner adds along the projection on a trial that its rule left alone: nothing."""
    return 0.0


@njit
def in_doubt(noise, c, rest, q, rounding, checked, matters):
    """Ask about class c if its squared distance may be rounding, and that matters."""
    small = matters and rounding * q < rest <= np.sqrt(rounding) * q
    if noise[c] == UNKNOWN and (small or (checked and rest < -NEGATIVE * q)):
        noise[c] = ASKED
    return noise[c] == ASKED


@inlined
def project_scan(rule, spare, p, state, block, codes, out):
    """Run the trials of one block in order; return FINE, NOT_SEMIDEFINITE or IN_DOUBT.

    ``spare(p, m, y, inside, distance)`` is asked on trials that the rule left alone, for the
    coefficient of a step along the projection; inside is |P x|^2, distance is |x - P x|.

    The run is in doubt before a trial whose squared distance to a class's span is so small that
    rounding may have made all of it: nothing of that trial has happened. ``begin`` says which one,
    ``noise`` is ASKED for such classes; the driver puts in what rounding is good for, and runs on.
    """
    s, sigma, csum, norm2, sizes, counts, curve, flags = state
    prototype, ball, eta, unit, averaged, rounding, checked = flags
    P, F, W, E, inside, q, m, stored, entered, trials, distances, steps, owns, noise, begin = block
    k, b = F.shape
    n_problems = sigma.size
    n_moved = 2 if prototype else 1
    h = 2.0 if prototype else 1.0
    scores = np.zeros(k)
    scalars, proposed = np.zeros(s.shape[1]), np.zeros(s.shape)
    scales, coefs = np.ones(n_problems), np.zeros(n_problems)
    stores = np.zeros(n_problems, np.bool_)
    moved, signs = np.zeros(2, np.int64), np.ones(2)
    signs[1] = -1.0
    for t in range(begin[0], b):
        true = codes[t]
        for c in range(k):
            scores[c] = F[c, t]
        if out.shape[0]:
            for c in range(k):
                out[t, c] = scores[c]
        rival = 0
        if k == 1:
            mistaken = (scores[0] if true == 1 else -scores[0]) <= 0.0
        else:
            rival = best_rival(scores, true)
            mistaken = scores[true] <= scores[rival]
        learns = q[t] >= SMALLEST_SQUARE
        doubt = False
        for own in range(n_problems if learns else 0):
            y, score = 1.0, scores[own]
            moved[0], moved[1] = true if prototype else own, rival
            if prototype:
                score = scores[true] - scores[rival]
            elif true != (1 if k == 1 else own):
                y = -1.0
            within, squared, empty = 0.0, 0.0, False
            for i in range(n_moved):
                c = moved[i]
                rest = q[t] - inside[c, t]
                if checked and noise[c] >= 0.0 and rest < -max(NEGATIVE * q[t], noise[c]):
                    return NOT_SEMIDEFINITE
                within += inside[c, t]
                squared += rest if rest > max(rounding * q[t], noise[c]) else 0.0
                empty = empty or stored[c] == 0
            distance = np.sqrt(squared)

            for i in range(scalars.size):
                scalars[i] = s[own, i]
            scales[own], coefs[own] = rule(p, scalars, score, y, q[t], h)
            for i in range(scalars.size):
                proposed[own, i] = scalars[i]
            # The test reads the row as the learner sees it, normalised where it normalises.
            near = not empty and distance <= (eta * np.sqrt(q[t]) if unit else eta)
            stores[own] = coefs[own] != 0.0 and not near
            decides = stores[own]
            if coefs[own] == 0.0 and within > 0.0:
                coefs[own] = spare(p, score, y, within, distance)
                decides = coefs[own] != spare(p, score, y, within, 0.0)
            for i in range(n_moved):
                c = moved[i]
                rest = q[t] - inside[c, t]
                matters = decides and stored[c] > 0
                doubt = in_doubt(noise, c, rest, q[t], rounding, checked, matters) or doubt
        if doubt:
            begin[0] = t
            return IN_DOUBT

        counts[SEEN] += 1
        if mistaken:
            counts[MISTAKES] += 1
        enters = False
        for own in range(n_problems if learns else 0):
            for i in range(scalars.size):
                s[own, i] = proposed[own, i]
            scale, coef = scales[own], coefs[own]
            if scale == 1.0 and coef == 0.0:
                continue
            counts[UPDATES] += 1
            first, last = (0, k) if prototype else (own, own + 1)
            if scale != 1.0:
                norm2[own] *= scale * scale
                shrink_block(F, sigma, own, first, last, t - 1, scale)
            moved[0], moved[1] = true if prototype else own, rival
            for i in range(n_moved if coef != 0.0 else 0):
                c, a = moved[i], signs[i] * coef
                n = entered[c]
                rest = q[t] - inside[c, t]
                # Where x lies in the span already, storing it would make K singular.
                spanned = stored[c] > 0 and rest <= max(rounding * q[t], noise[c])
                if stores[own] and not spanned:
                    norm2[own] += 2.0 * a * F[c, t] + a * a * q[t]
                    distances[c, n] = np.sqrt(rest)
                    owns[c, 0, t] = a / sigma[own]
                    owns[c, 1, t] = csum[own] * a / sigma[own]
                    extend(P, W[c], E[c], inside[c], n, m, t, distances[c, n])
                    trials[c, n] = t
                    entered[c] += 1
                    stored[c] += 1
                    add_line(F, c, t + 1, P, m + t, a)
                    enters = True
                elif stored[c] > 0:
                    norm2[own] += 2.0 * a * F[c, t] + a * a * inside[c, t]
                    steps[c, 0, t] = a / sigma[own]
                    steps[c, 1, t] = csum[own] * a / sigma[own]
                    add_projection(F, c, t, W[c], E[c], n, a)
            if norm2[own] > ball * ball:
                shrink_block(F, sigma, own, first, last, t, ball / np.sqrt(norm2[own]))
                norm2[own] = ball * ball
        if t == begin[0]:  # what is known of the noise is about this trial only
            for c in range(k):
                noise[c] = UNKNOWN
        if enters:
            sizes[LIVE] += 1
            sizes[STORED] += 1
        if averaged:
            for own in range(n_problems):
                csum[own] += sigma[own]
        record(counts, curve, sizes[LIVE])
    return FINE

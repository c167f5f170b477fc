"""The sequential scan: score, rule, commit, for learners that keep their weights.

One compiled pass over the rows. For one-versus-rest all classes are scored in one pass over a
row; with prototypes the rule sees the difference between the true class and its best rival.

Rule contract: ``rule(p, s, m, y, q, h) -> (scale, coef)`` asks for ``w <- scale * w + coef * x``.
``p`` are the parameters (a NamedTuple), ``s`` the learner's scalars (float64, changed in place),
``m`` the decision value, ``y`` the label in {-1, +1}, ``q`` the squared norm of the row (0 where
the learner does not ask for it) and ``h`` how many columns the step moves: 1. With prototypes m is
the difference of the two scores, y = +1 and h = 2: the true class gets coef * x, the rival
-coef * x, and the squared norm of the change is coef^2 h q. A row of zeros, or one whose squared
norm is asked for and vanishes in rounding, is no matter of a rule.
"""

import numpy as np

from novikoff.engine.jit import entry, inlined
from novikoff.engine.rows import SMALLEST_SQUARE
from novikoff.engine.views import (
    CSUM,
    MISTAKES,
    N_LINK,
    N_SCALE,
    NEXT_CURVE,
    NORM2,
    SEEN,
    SIGMA,
    SIGMA_HIGH,
    SIGMA_LOW,
    SUSPECT,
    UPDATES,
    best_rival,
    bounds,
    commit,
    dot,
    dot_columns,
    fold_scale,
    into_ball,
    is_zero,
    record,
    squared_norm,
    update_linked,
)

KEEP = (1.0, 0.0)
"""What a rule returns to leave the hypothesis as it is."""


@inlined
def scan(rule, p, state, rows, codes, out):
    """Run trials in order.

    ``state`` and ``rows`` are the tuples that :class:`novikoff.engine.weights.Weights` makes. In
    it ``norm`` is the p of the row norm that the rule wants, 0 when it wants none; ``Theta`` is
    None for additive weights, otherwise w is linked to Theta through the p-norm of ``link_p``.
    ``ball`` bounds the (dual) norm of w, which is scaled into it after each step. ``out`` takes
    the decision values, or has no rows.
    """
    V, U, Theta, own, counts, curve, flags = state
    sigma, csum, norm2 = own[SIGMA], own[CSUM], own[NORM2]
    link, s = own[N_SCALE : N_SCALE + N_LINK], own[N_SCALE + N_LINK :]
    prototype, bias, norm, link_p, ball = flags
    data, indices, indptr = rows
    k = V.shape[1]
    width = V.shape[0] - (1 if bias else 0)
    weights = V.reshape(V.size)
    n_problems = sigma.size
    h = 2.0 if prototype else 1.0
    tracked = ball < np.inf and link_p == 0.0
    # One allocation serves all small arrays: a call for a single row has to be cheap.
    work = np.zeros(2 * k + 1 + 2 * n_problems + s.shape[0])
    scores, steps = work[:k], work[k : 2 * k + 1]
    # What the rule sees of each problem; set for the row's own class, and set back after it.
    margins = work[2 * k + 1 : 2 * k + 1 + n_problems]
    signs = work[2 * k + 1 + n_problems : 2 * k + 1 + 2 * n_problems]
    signs[:] = -1.0
    # Copied in and out: a slice of s per rule would cost two atomic reference counts.
    scalars = work[2 * k + 1 + 2 * n_problems :]
    targets = np.zeros((2, k + 1), np.int64)
    columns, problems = targets[0], targets[1]
    # Counters stay in registers between the points of the curve.
    seen, mistakes, updates, suspect = counts[SEEN], counts[MISTAKES], counts[UPDATES], 0
    coming = counts[NEXT_CURVE]
    for t in range(codes.size):
        lo, hi = bounds(t, indices, indptr, width)
        true = codes[t]
        total = 0.0
        rival = 0
        if k == 1:
            total = dot(weights, data, indices, lo, hi)
            if bias:
                total += weights[width]
            total *= sigma[0]
            scores[0] = total
            margins[0] = total
            signs[0] = 1.0 if true == 1 else -1.0
            mistaken = signs[0] * total <= 0.0
        else:
            dot_columns(V, data, indices, lo, hi, scores)
            for d in range(k):
                if bias:
                    scores[d] += V[width, d]
                scores[d] *= sigma[0 if prototype else d]
                total += scores[d]
            rival = best_rival(scores, true)
            mistaken = scores[true] <= scores[rival]
            if prototype:
                margins[0], signs[0] = scores[true] - scores[rival], 1.0
            else:
                for d in range(k):
                    margins[d] = scores[d]
                signs[true] = 1.0
        if out.shape[0]:
            for d in range(k):
                out[t, d] = scores[d]
        # Any number that is not finite makes a score that is not: infinity times zero is NaN.
        if not np.isfinite(total):
            suspect = 1
        seen += 1
        if mistaken:
            mistakes += 1

        q, moves = 0.0, bias or not is_zero(data, lo, hi)
        if moves and norm > 0.0:
            q = squared_norm(data, lo, hi, bias, norm)
            if not np.isfinite(q):
                suspect = 1
            moves = q >= SMALLEST_SQUARE  # or 1/q would overflow
        if moves:
            n = 0  # additions that the rule asked for in this trial
            for c in range(n_problems):
                for i in range(scalars.size):
                    scalars[i] = s[i, c]
                factor, coef = rule(p, scalars, margins[c], signs[c], q, h)
                for i in range(scalars.size):
                    s[i, c] = scalars[i]
                if factor == 1.0 and coef == 0.0:
                    continue
                updates += 1
                if tracked:
                    m = margins[c]
                    factor, coef, norm2[c] = into_ball(factor, coef, norm2[c], m, h * q, ball)
                if factor != 1.0:
                    sigma[c] *= factor
                    if not SIGMA_LOW < sigma[c] < SIGMA_HIGH:
                        fold_scale(V, U, sigma, csum, c, prototype)
                columns[n], problems[n], steps[n] = (true if prototype else c), c, coef
                n += 1
                if prototype:
                    columns[n], problems[n], steps[n] = rival, c, -coef
                    n += 1
            if n > 0 and link_p > 0.0:
                update_linked(
                    *(V, U, Theta, link, sigma, csum, (data, indices, lo, hi, bias)),
                    *(columns, problems, steps, n, prototype, link_p, ball),
                )
            elif n > 0:
                for u in range(n):
                    steps[u] /= sigma[problems[u]]
                commit(V, U, csum, data, indices, lo, hi, bias, columns, problems, steps, n)
        if k > 1 and not prototype:
            signs[true] = -1.0
        if U.size:
            for c in range(n_problems):
                csum[c] += sigma[c]
        if seen == coming:
            counts[SEEN], counts[MISTAKES], counts[UPDATES] = seen, mistakes, updates
            record(counts, curve, 0)
            coming = counts[NEXT_CURVE]
    counts[SEEN], counts[MISTAKES], counts[UPDATES] = seen, mistakes, updates
    counts[SUSPECT] |= suspect


@entry
def score_rows(V, U, sigma, csum, n_trials, prototype, bias, rows, out):
    """Decision values of rows; with ``n_trials > 0`` those of the mean hypothesis."""
    data, indices, indptr = rows
    k = V.shape[1]
    width = V.shape[0] - (1 if bias else 0)
    scores = np.zeros(k)
    for t in range(out.shape[0]):
        lo, hi = bounds(t, indices, indptr, width)
        dot_columns(V, data, indices, lo, hi, scores)
        for d in range(k):
            c = 0 if prototype else d
            value = scores[d] + (V[width, d] if bias else 0.0)
            out[t, d] = value * (csum[c] if n_trials > 0 else sigma[c])
        if n_trials > 0:
            dot_columns(U, data, indices, lo, hi, scores)
            for d in range(k):
                out[t, d] -= scores[d] + (U[width, d] if bias else 0.0)
                out[t, d] /= n_trials

"""The sequential scan: score, rule, commit, for learners that keep their weights.

One compiled pass over the rows. For one-versus-rest all classes are scored in one pass over a
row; with prototypes the rule sees the difference between the true class and its best rival.

Rule contract: ``rule(p, s, m, y, q, h) -> (scale, coef)`` asks for ``w <- scale * w + coef * x``.
``p`` are the parameters (a NamedTuple), ``s`` the learner's scalars (float64, changed in place),
``m`` the decision value, ``y`` the label in {-1, +1}, ``q`` the squared norm of the row (0 where
the learner does not ask for it) and ``h`` how many columns the step moves: 1. With prototypes m is
the difference of the two scores, y = +1 and h = 2: the true class gets coef * x, the rival
-coef * x, and the squared norm of the change is coef^2 h q.
"""

import numpy as np

from novikoff.engine.jit import entry, inlined
from novikoff.engine.views import (
    MISTAKES,
    SEEN,
    SIGMA_HIGH,
    SIGMA_LOW,
    UPDATES,
    best_rival,
    bounds,
    dot,
    dot_columns,
    fold_scale,
    into_ball,
    is_zero,
    record,
    squared_norm,
    update,
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
    s, V, U, Theta, link, sigma, csum, norm2, counts, curve, flags = state
    prototype, bias, norm, link_p, ball = flags
    data, indices, indptr = rows
    k = V.shape[1]
    width = V.shape[0] - (1 if bias else 0)
    weights = V.reshape(V.size)
    n_problems = sigma.size
    h = 2.0 if prototype else 1.0
    tracked = ball < np.inf and link_p == 0.0
    scores = np.zeros(k)
    # Copied in and out: a slice of s per rule would cost two atomic reference counts.
    scalars = np.zeros(s.shape[1])
    columns = np.zeros(k + 1, np.int64)
    problems = np.zeros(k + 1, np.int64)
    steps = np.zeros(k + 1)
    for t in range(codes.size):
        lo, hi = bounds(t, indices, indptr, width)
        true = codes[t]
        if k == 1:
            scores[0] = dot(weights, data, indices, lo, hi)
            if bias:
                scores[0] += weights[width]
            scores[0] *= sigma[0]
        else:
            dot_columns(V, data, indices, lo, hi, scores)
            for d in range(k):
                if bias:
                    scores[d] += V[width, d]
                scores[d] *= sigma[0 if prototype else d]
        if out.shape[0]:
            for d in range(k):
                out[t, d] = scores[d]

        rival = 0
        if k == 1:
            mistaken = (scores[0] if true == 1 else -scores[0]) <= 0.0
        else:
            rival = best_rival(scores, true)
            mistaken = scores[true] <= scores[rival]
        counts[SEEN] += 1
        if mistaken:
            counts[MISTAKES] += 1

        if bias or not is_zero(data, lo, hi):
            q = 0.0
            if norm > 0.0:
                q = squared_norm(data, lo, hi, bias, norm)
            n = 0  # additions that the rule asked for in this trial
            for c in range(n_problems):
                y = 1.0
                m = scores[c]
                if prototype:
                    m = scores[true] - scores[rival]
                elif true != (1 if k == 1 else c):
                    y = -1.0
                for i in range(scalars.size):
                    scalars[i] = s[c, i]
                scale, coef = rule(p, scalars, m, y, q, h)
                for i in range(scalars.size):
                    s[c, i] = scalars[i]
                if scale == 1.0 and coef == 0.0:
                    continue
                counts[UPDATES] += 1
                if tracked:
                    scale, coef, norm2[c] = into_ball(scale, coef, norm2[c], m, h * q, ball)
                if scale != 1.0:
                    sigma[c] *= scale
                    if not SIGMA_LOW < sigma[c] < SIGMA_HIGH:
                        fold_scale(V, U, sigma, csum, c, prototype)
                columns[n], problems[n], steps[n] = (true if prototype else c), c, coef
                n += 1
                if prototype:
                    columns[n], problems[n], steps[n] = rival, c, -coef
                    n += 1
            if n > 0:
                at = (data, indices, lo, hi, bias)
                update(
                    *(V, U, Theta, link, sigma, csum, at, columns, problems, steps, n),
                    *(prototype, link_p, ball),
                )
        if U.size:
            for c in range(n_problems):
                csum[c] += sigma[c]
        record(counts, curve, 0)


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

"""Representations seen by a rule: rows of features, and weights with one column per class.

Rows come flat. Dense rows are a C-ordered array seen as one long vector (``indices`` and
``indptr`` are None), CSR rows are SciPy's three arrays with unsigned indices: signed ones would
pay for wrap-around in every access. Branches on ``indices is None`` are decided at compile time.

Weights are kept as ``sigma * V`` with V of shape (inputs, columns): shrinking is one product, and
all classes of a feature lie side by side. The sum of the hypotheses held after each trial is
``csum * V - U`` with ``csum`` the sum of ``sigma`` over trials: an update at trial t adds
``csum_{t-1}`` times its change to U, and trials without one cost nothing.
"""

import numpy as np
from numba import njit

from novikoff.engine.jit import inlined, primitive

# Columns of `counts`, the integers every machine keeps.
# SUSPECT is set by a decision value that is not finite.
SEEN, MISTAKES, UPDATES, NEXT_CURVE, CURVE_LENGTH, SUSPECT = range(6)
N_COUNTS = 6

# Lines of `scalars`, the numbers that each problem has of its own: these, then those of a link,
# then those that the rule keeps.
SIGMA, CSUM, NORM2 = range(3)
N_SCALE = 3

# Scalars of a p-norm link (see `link_commit`).
TAU, MU, TOTAL, PEAK, COMMITS, HIGHEST = range(6)
N_LINK = 6

# Outside this range the running scale is folded into V, or adding would lose digits.
SIGMA_LOW, SIGMA_HIGH = 1e-6, 1e6
# Outside this range the sum of powers of a link is taken anew about its largest coordinate.
TOTAL_LOW, TOTAL_HIGH = 1e-200, 1e200
# Up to this p, sums of powers about a power of two stay in that range; it spares a rounding.
LARGE_P = 512.0
# The running sum of powers loses digits when it falls far below its peak, and a little by each
# addition: it is taken anew after this fall, and after this many updates.
FALL, REFRESH = 1e-3, 65536
# The sum of hypotheses loses digits when the scale falls far below the highest one in its csum.
SHARE = 1e-3


@njit
def bounds(t, indices, indptr, width):
    """First and past-the-last position of row t in the flat data."""
    if indices is None:
        return t * width, (t + 1) * width
    return indptr[t], indptr[t + 1]


# Loops run over slices from 0: an index that starts anywhere might be negative, and every access
# would pay for wrap-around (measured: 2.5 ns a nonzero against 0.95).


@njit
def features(indices, lo, hi):
    """Which features the numbers of a row belong to; None when dense: all, in order."""
    if indices is None:
        return None
    return indices[lo:hi]


@njit
def feature(at, j):
    """Feature of the j-th number of a row, whose features are ``at``."""
    if at is None:
        return np.uint64(j)
    return at[j]


@primitive
def dot(v, data, indices, lo, hi):
    """Inner product of a row with a vector."""
    m = 0.0
    x = data[lo:hi]
    at = features(indices, lo, hi)
    for j in range(x.size):
        m += x[j] * v[feature(at, j)]
    return m


@primitive
def dot_columns(V, data, indices, lo, hi, m):
    """Inner products of a row with every column of V, in one pass over the row.

    Four features at a time: the running sums are loaded and stored a quarter as often.
    """
    k = m.size
    for c in range(k):
        m[c] = 0.0
    x = data[lo:hi]
    at = features(indices, lo, hi)
    j = 0
    while j + 4 <= x.size:
        w0, w1 = V[feature(at, j)], V[feature(at, j + 1)]
        w2, w3 = V[feature(at, j + 2)], V[feature(at, j + 3)]
        # Read before the loop over classes, whose stores the compiler cannot tell from x.
        x0, x1, x2, x3 = x[j], x[j + 1], x[j + 2], x[j + 3]
        for c in range(k):
            m[c] += (x0 * w0[c] + x1 * w1[c]) + (x2 * w2[c] + x3 * w3[c])
        j += 4
    while j < x.size:
        w0, x0 = V[feature(at, j)], x[j]
        for c in range(k):
            m[c] += x0 * w0[c]
        j += 1


@primitive
def sqnorm(data, lo, hi):
    """Squared Euclidean norm of a row."""
    q = 0.0
    x = data[lo:hi]
    for j in range(x.size):
        q += np.float64(x[j]) * np.float64(x[j])
    return q


@njit(cache=True)
def norm_p(data, lo, hi, bias, p):
    """The p-norm of a row, scaled by its largest entry: powers neither over- nor underflow."""
    largest = 1.0 if bias else 0.0
    for j in range(lo, hi):
        largest = max(largest, abs(np.float64(data[j])))
    if largest == 0.0:
        return 0.0
    total = (1.0 / largest) ** p if bias else 0.0
    for j in range(lo, hi):
        if data[j] != 0.0:
            total += (abs(np.float64(data[j])) / largest) ** p
    return largest * total ** (1.0 / p)


@njit
def squared_norm(data, lo, hi, bias, p):
    """Squared p-norm of a row, the appended constant included."""
    if p == 2.0:
        return sqnorm(data, lo, hi) + (1.0 if bias else 0.0)
    return norm_p(data, lo, hi, bias, p) ** 2


@njit
def is_zero(data, lo, hi):
    """Whether all numbers of a row are zero; a row usually tells at its first number."""
    for j in range(lo, hi):  # noqa: SIM110  (compiled)
        if data[j] != 0.0:
            return False
    return True


@primitive
def add(v, data, indices, lo, hi, a):
    """v += a x."""
    x = data[lo:hi]
    at = features(indices, lo, hi)
    for j in range(x.size):
        v[feature(at, j)] += a * x[j]


@primitive
def add_columns(V, data, indices, lo, hi, columns, a, n):
    """V[:, columns[u]] += a[u] x for the first n, in one pass over the row."""
    x = data[lo:hi]
    at = features(indices, lo, hi)
    for j in range(x.size):
        w = V[feature(at, j)]
        for u in range(n):
            w[columns[u]] += a[u] * x[j]


@njit
def best_rival(scores, true):
    """Index of the largest score among the other classes; among equals the lowest index."""
    # The largest first, then its place: a running place would mispredict at each new largest.
    first = 1 if true == 0 else 0
    top = scores[first]
    for c in range(first + 1, scores.size):
        if c != true:
            top = scores[c] if scores[c] > top else top
    for c in range(first, scores.size):
        if c != true and scores[c] == top:
            return c
    return first


@njit
def next_on_curve(t):
    """The trial after t at which the curve is taken: every one up to 32, then in steps of 1/16."""
    return t + max(1, t >> 4)


@njit(cache=True)
def record(counts, curve, support):
    """Put the counters on the curve when their trial has come."""
    if counts[SEEN] != counts[NEXT_CURVE]:
        return
    row = curve[counts[CURVE_LENGTH]]
    row[0] = counts[SEEN]
    row[1] = counts[MISTAKES]
    row[2] = counts[UPDATES]
    row[3] = support
    counts[CURVE_LENGTH] += 1
    counts[NEXT_CURVE] = next_on_curve(counts[SEEN])


@njit
def into_ball(scale, coef, norm2, m, q, ball):
    """The step ``scale * w + coef * x`` scaled into a ball; w has squared norm ``norm2``.

    ``m`` is <w, x> and ``q`` is |x|^2. Returns the scale, the coefficient and the new norm.
    """
    norm2 = scale * scale * norm2 + 2.0 * scale * coef * m + coef * coef * q
    if norm2 > ball * ball:
        shrink = ball / np.sqrt(norm2)
        return scale * shrink, coef * shrink, ball * ball
    return scale, coef, norm2


@njit(cache=True)
def fold_scale(V, U, sigma, csum, c, prototype):
    """Fold the running scale of one problem into its columns of V; the mean stays what it was."""
    first, last = (0, V.shape[1]) if prototype else (c, c + 1)
    for i in range(V.shape[0]):
        for d in range(first, last):
            if U.size:
                U[i, d] -= csum[c] * V[i, d]
            V[i, d] *= sigma[c]
    csum[c] = 0.0
    sigma[c] = 1.0


@inlined
def commit(V, U, csum, data, indices, lo, hi, bias, columns, problems, a, n):
    """Add ``a[u]`` times the row to column ``columns[u]``, for the first n; ``a`` is overwritten.

    ``a`` is in the units of V, and column ``columns[u]`` belongs to problem ``problems[u]``.
    """
    if V.shape[1] == 1:
        add(V.reshape(V.size), data, indices, lo, hi, a[0])
    else:
        add_columns(V, data, indices, lo, hi, columns, a, n)
    if bias:
        for u in range(n):
            V[V.shape[0] - 1, columns[u]] += a[u]
    if U.size:
        for u in range(n):
            a[u] *= csum[problems[u]]
        add_columns(U, data, indices, lo, hi, columns, a, n)
        if bias:
            for u in range(n):
                U[U.shape[0] - 1, columns[u]] += a[u]


# --- p-norm links: w = g(theta), g the gradient of half the squared p-norm
#
# theta is kept as tau * Theta, and V holds h_i = sign(Theta_i) |Theta_i / mu|^(p-1), so that
# g_i(theta) = tau * mu * h_i / total^((p-2)/p) with total = sum |Theta_i / mu|^p: a commit touches
# the row's coordinates only, and w is again a scale times V.


@njit
def link_norm(link, p):
    """The p-norm of theta, which is the dual norm of w."""
    return link[TAU] * link[MU] * link[TOTAL] ** (1.0 / p)


@njit
def link_scale(link, p):
    """The scale that makes w out of V."""
    if link[TOTAL] == 0.0:
        return 1.0
    return link[TAU] * link[MU] * link[TOTAL] ** ((2.0 - p) / p)


@njit(cache=True)
def link_settle_mean(V, U, link, csum, c, first, last):
    """Put what V weighs in the sum of hypotheses so far into U."""
    if U.size:
        for i in range(V.shape[0]):
            for d in range(first, last):
                U[i, d] -= csum[c] * V[i, d]
    csum[c] = 0.0
    link[HIGHEST] = 0.0


@njit(cache=True)
def link_refresh(V, U, Theta, link, sigma, csum, c, first, last, p, largest):
    """Take V and the sum of powers anew from Theta, about its largest coordinate.

    ``largest`` is that of theta to come, where it is larger, or 0.
    """
    link_settle_mean(V, U, link, csum, c, first, last)
    for i in range(V.shape[0]):
        for d in range(first, last):
            Theta[i, d] *= link[TAU]
            largest = max(largest, abs(Theta[i, d]))
    link[TAU] = 1.0
    link[MU] = 1.0
    if largest > 0.0:
        link[MU] = largest if p > LARGE_P else 2.0 ** np.floor(np.log2(largest))
    total = 0.0
    for i in range(V.shape[0]):
        for d in range(first, last):
            r = abs(Theta[i, d]) / link[MU]
            h = r ** (p - 1.0)
            V[i, d] = h if Theta[i, d] >= 0.0 else -h
            total += h * r
    link[TOTAL] = total
    link[PEAK] = total
    link[COMMITS] = 0.0
    sigma[c] = link_scale(link, p)


@njit(cache=True)
def link_add(V, U, Theta, link, i, d, a, csum, p):
    """Theta[i, d] += a, with what hangs on it."""
    h, old = V[i, d], Theta[i, d]
    new = old + a
    r = abs(new) / link[MU]
    power = r ** (p - 1.0)
    link[TOTAL] += power * r - abs(h) * abs(old) / link[MU]
    Theta[i, d] = new
    V[i, d] = power if new >= 0.0 else -power
    if U.size:
        U[i, d] += csum * (V[i, d] - h)


@njit
def link_room(V, U, Theta, link, sigma, csum, c, at, d, coef, prototype, p):
    """Before theta <- theta + coef x: keep powers finite, and the sum of hypotheses exact.

    Infinity would stay in U, and so would csum times a V that grows by orders of magnitude.
    """
    data, indices, lo, hi, bias = at
    a = coef / link[TAU]
    x = data[lo:hi]
    features_ = features(indices, lo, hi)
    top = abs(Theta[Theta.shape[0] - 1, d] + a) if bias else 0.0
    for j in range(x.size):
        top = max(top, abs(Theta[feature(features_, j), d] + a * x[j]))
    first, last = (0, V.shape[1]) if prototype else (c, c + 1)
    power = (top / link[MU]) ** p
    if not power < TOTAL_HIGH:
        link_refresh(V, U, Theta, link, sigma, csum, c, first, last, p, top * link[TAU])
    elif U.size and csum[c] > 0.0:
        total = link[TOTAL] + (x.size + 1) * power  # it will be no more than this
        if link[TAU] * link[MU] * total ** ((2.0 - p) / p) < SHARE * link[HIGHEST]:
            link_settle_mean(V, U, link, csum, c, first, last)


@njit
def link_commit(V, U, Theta, link, csum, at, d, coef, p):
    """theta <- theta + coef x in column d."""
    data, indices, lo, hi, bias = at
    a = coef / link[TAU]
    x = data[lo:hi]
    features_ = features(indices, lo, hi)
    for j in range(x.size):
        if x[j] != 0.0:
            link_add(V, U, Theta, link, feature(features_, j), d, a * x[j], csum, p)
    if bias:
        link_add(V, U, Theta, link, np.uint64(V.shape[0] - 1), d, a, csum, p)


@njit
def link_settle(V, U, Theta, link, sigma, csum, c, prototype, ball, p):
    """After a trial's additions: keep the sum of powers exact, project on the dual-norm ball."""
    first, last = (0, V.shape[1]) if prototype else (c, c + 1)
    link[COMMITS] += 1.0
    link[PEAK] = max(link[PEAK], link[TOTAL])
    # The comparison is written so that NaN and infinity refresh as well.
    if not (
        TOTAL_LOW < link[TOTAL] < TOTAL_HIGH
        and link[TOTAL] > FALL * link[PEAK]
        and link[COMMITS] < REFRESH
        and SIGMA_LOW < link[TAU] < SIGMA_HIGH
    ):
        link_refresh(V, U, Theta, link, sigma, csum, c, first, last, p, 0.0)
    norm = link_norm(link, p)
    if norm > ball:
        link[TAU] *= ball / norm
    sigma[c] = link_scale(link, p)
    link[HIGHEST] = max(link[HIGHEST], sigma[c])


@njit
def update_linked(
    V, U, Theta, link, sigma, csum, at, columns, problems, steps, n, prototype, p, ball
):
    """Apply the n additions of one trial to theta: ``steps[u]`` times the row to each column."""
    if Theta is None:  # decided at compile time: weights without a link come here in no run
        return
    for u in range(n):
        c = problems[u]
        own, d = link[:, c], columns[u]
        link_room(V, U, Theta, own, sigma, csum, c, at, d, steps[u], prototype, p)
        link_commit(V, U, Theta, own, csum[c], at, d, steps[u], p)
        if u == n - 1 or not prototype:
            link_settle(V, U, Theta, own, sigma, csum, c, prototype, ball, p)

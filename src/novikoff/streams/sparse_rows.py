"""Generators of sparse rows in the shape of known data sets, for when those are not at hand."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from novikoff.streams.checks import at_least, within

# Ranks are shifted by this much before Zipf's law: text whose commonest words were taken out.
ZIPF_SHIFT = 10
TOPIC_WORDS = 500
TOPIC_SHARE = 0.2

# How many values each of the 14 attributes of the Adult data takes in a9a; 123 in all.
ADULT_VALUES = (5, 8, 5, 16, 5, 7, 14, 6, 5, 2, 2, 2, 5, 41)
POSITIVE_SHARE = 0.24


def make_text_like(
    n_samples=1000,
    n_features=47_236,
    n_nonzeros=72,
    n_classes=2,
    *,
    random_state=None,
):
    """CSR rows like weighted word counts of short news articles.

    Words follow Zipf's law; every fifth one is drawn from its class's own few hundred words
    instead. Values are (1 + ln count) ln(n_samples / document frequency), and rows are scaled to
    norm 1. The defaults have the width and the filling of the RCV1 collection.

    Parameters
    ----------
    n_samples : int, default=1000
    n_features : int, default=47236
    n_nonzeros : int, default=72
        Expected number of different words in a row; rows differ in length. At most n_features/2.
    n_classes : int, default=2
        At least 2.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : CSR matrix of shape (n_samples, n_features), float64
        Sorted indices, no duplicates.
    y : array of shape (n_samples,)
        Labels 0 to n_classes - 1, equally likely.

    Examples
    --------
    >>> from novikoff.streams import make_text_like
    >>> X, y = make_text_like(500, random_state=0)
    >>> X.shape, 65 < X.nnz / 500 < 80
    ((500, 47236), True)
    """
    at_least("n_samples", n_samples, 1)
    at_least("n_features", n_features, 2)
    at_least("n_nonzeros", n_nonzeros, 1)
    at_least("n_classes", n_classes, 2)
    if 2 * n_nonzeros > n_features:
        raise ValueError(
            f"n_nonzeros must be at most half of n_features={n_features}, got {n_nonzeros}"
        )
    rng = check_random_state(random_state)
    y = rng.randint(0, n_classes, n_samples)
    word_of_rank = rng.permutation(n_features).astype(np.int32)
    topic_words = rng.randint(0, n_features, (n_classes, min(TOPIC_WORDS, n_features)))
    general, topical = _zipf(n_features), _zipf(topic_words.shape[1])
    mean_length = _tokens_for(n_nonzeros, general, topical)
    # Lengths spread like a gamma variable of shape 4: a relative deviation of one half.
    lengths = 1 + rng.poisson(rng.gamma(4.0, max(mean_length - 1.0, 0.0) / 4.0, n_samples))
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    words = word_of_rank[_draw(rng, general, indptr[-1])]
    on_topic = np.flatnonzero(rng.random_sample(words.size) < TOPIC_SHARE)
    of_class = np.repeat(y, lengths)[on_topic]
    words[on_topic] = topic_words[of_class, _draw(rng, topical, on_topic.size)]
    X = sp.csr_matrix((np.ones(words.size), words, indptr), shape=(n_samples, n_features))
    X.sum_duplicates()
    frequency = np.bincount(X.indices, minlength=n_features)
    # One more document that has no word at all keeps every weight positive.
    weight = np.log((1.0 + n_samples) / np.maximum(frequency, 1))
    X.data = (1.0 + np.log(X.data)) * weight[X.indices]
    norms = np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1]))
    X.data /= np.repeat(norms, np.diff(X.indptr))
    return X, y


def make_a9a_like(n_samples=32_561, noise=0.1, *, random_state=None):
    """CSR rows in the shape of the a9a data set: 123 binary features, 14 ones in each row.

    Each of the Adult data's 14 attributes gives a row one of its values, the first ones oftener;
    the label comes from a hidden linear function of the values, its threshold such that 24 % are
    positive as in a9a, and is then flipped with probability ``noise``. (In a9a itself some rows
    lack values.)

    Parameters
    ----------
    n_samples : int, default=32561
    noise : float, default=0.1
        Probability that a label is flipped, in [0, 1).
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : CSR matrix of shape (n_samples, 123), float64
    y : array of shape (n_samples,)
        Labels -1 and +1.

    Examples
    --------
    >>> from novikoff.streams import make_a9a_like
    >>> X, y = make_a9a_like(1000, random_state=0)
    >>> X.shape, X.nnz, set(X.data.tolist())
    ((1000, 123), 14000, {1.0})
    """
    at_least("n_samples", n_samples, 1)
    within("noise", noise, 0.0, 1.0)
    rng = check_random_state(random_state)
    first = np.concatenate([[0], np.cumsum(ADULT_VALUES)])
    columns = np.empty((n_samples, len(ADULT_VALUES)), np.int32)
    for j, n_values in enumerate(ADULT_VALUES):
        columns[:, j] = first[j] + _draw(rng, np.cumsum(_shares(n_values, 0)), n_samples)
    score = rng.standard_normal(first[-1])[columns].sum(axis=1)
    y = np.where(score > np.quantile(score, 1.0 - POSITIVE_SHARE), 1, -1)
    y = np.where(rng.random_sample(n_samples) < noise, -y, y)
    indptr = np.arange(n_samples + 1) * len(ADULT_VALUES)
    data = np.ones(columns.size)
    return sp.csr_matrix((data, columns.reshape(-1), indptr), shape=(n_samples, first[-1])), y


def _shares(n, shift):
    shares = 1.0 / (1.0 + shift + np.arange(n))
    return shares / shares.sum()


def _zipf(n):
    """Cumulative shares of n ranks."""
    return np.cumsum(_shares(n, ZIPF_SHIFT))


def _draw(rng, cumulative, n):
    """Ranks, by inversion."""
    ranks = np.searchsorted(cumulative, rng.random_sample(n), side="right")
    return np.minimum(ranks, cumulative.size - 1)  # the last sum may fall short of 1


def _tokens_for(n_different, general, topical):
    """How many words to draw for so many different ones, words of a topic counted apart."""
    shares = np.concatenate(
        [
            (1.0 - TOPIC_SHARE) * np.diff(general, prepend=0.0),
            TOPIC_SHARE * np.diff(topical, prepend=0.0),
        ]
    )
    low, high = 1.0, 2.0
    while -np.expm1(-high * shares).sum() < n_different:
        high *= 2.0
    for _ in range(50):
        middle = (low + high) / 2.0
        if -np.expm1(-middle * shares).sum() < n_different:
            low = middle
        else:
            high = middle
    return high

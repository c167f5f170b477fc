"""Quality of a ranking (P3, chapter 8, footnote 1)."""

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d


def microaverage_precision(y, scores):
    """Return the mean over the positive points of the precision at each one's own score.

    The precision at a score is the share of positives among all points that score at least as
    much; a tie counts every point of the tie.

    Parameters
    ----------
    y : array of shape (n,)
        Two labels, of which the larger is the positive; a single label counts as positive when it
        is above 0.
    scores : array of shape (n,)
        Decision values; larger means more relevant.

    Returns
    -------
    precision : float
        Between 0 and 1; 1 when every positive stands above every other point.

    Examples
    --------
    >>> from novikoff.ellipsoids import microaverage_precision
    >>> round(microaverage_precision([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0]), 4)
    0.8333
    """
    y, scores = column_or_1d(y), column_or_1d(scores).astype(float)
    check_consistent_length(y, scores)
    if np.isnan(scores).any():
        raise ValueError("scores must be numbers, got NaN")
    classes = np.unique(y)
    if len(classes) > 2:
        raise ValueError(f"y must hold two labels, got {len(classes)}: rank one class at a time")
    single = len(classes) == 1
    if single and classes.dtype.kind not in "bifu":
        raise ValueError(f"y must hold two labels, got {classes.tolist()[0]!r} only")
    if len(classes) == 0 or (single and not classes[0] > 0):
        raise ValueError("y holds no positive point, so that there is no precision to average")
    positive = y == classes[-1]
    order = np.sort(scores)
    ranks = len(order) - np.searchsorted(order, scores[positive], side="left")
    hits = np.sort(scores[positive])
    found = len(hits) - np.searchsorted(hits, scores[positive], side="left")
    return float(np.mean(found / ranks))

"""microaverage_precision against its definition (P3, chapter 8, footnote 1)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from novikoff.ellipsoids import microaverage_precision

points = st.lists(st.tuples(st.booleans(), st.integers(-4, 4)), min_size=1, max_size=30).filter(
    lambda rows: any(positive for positive, _ in rows)
)


@given(points)
def test_it_is_the_mean_of_precisions_at_the_positives(rows):
    y, f = np.array([r[0] for r in rows]), np.array([r[1] for r in rows], dtype=float)
    precisions = [np.mean(y[f >= f[d]]) for d in np.flatnonzero(y)]
    assert microaverage_precision(y, f) == pytest.approx(np.mean(precisions), rel=1e-12)
    assert microaverage_precision(y, f) == pytest.approx(average_precision_score(y, f))


@pytest.mark.parametrize("labels", [(-1, 1), (0, 1), (1, 2), ("a", "b")])
def test_the_larger_label_is_the_positive(labels):
    y = np.array(labels)[[1, 0, 1, 0]]
    assert microaverage_precision(y, [4, 3, 2, 1]) == pytest.approx(5 / 6)


def test_a_perfect_ranking_is_one():
    assert microaverage_precision([0, 1, 1], [-1.0, 0.0, 5.0]) == 1.0


@pytest.mark.parametrize(
    ("y", "scores", "message"),
    [
        ([0, 0], [1.0, 2.0], "no positive"),
        ([], [], "no positive"),
        (["a", "a"], [1.0, 2.0], "two labels, got 'a' only"),
        ([0, 1, 2], [1.0, 2.0, 3.0], "two labels, got 3"),
        ([0, 1], [1.0, np.nan], "NaN"),
        ([0, 1], [1.0], "inconsistent numbers of samples"),
    ],
)
def test_bad_input_is_refused(y, scores, message):
    with pytest.raises(ValueError, match=message):
        microaverage_precision(y, scores)

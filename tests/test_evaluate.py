"""Progressive validation reports what happened in the run, and changes nothing about it."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.linear_model import SGDClassifier

from novikoff import Perceptron
from novikoff.evaluate import Progressive, memory, mistake_curve, over_permutations, progressive
from novikoff.streams import make_dekel, make_noisy, make_separable, make_text_like

X, y = make_noisy(2000, 8, random_state=0)


class BatchOnly(Perceptron):
    """A learner that must see all rows at once."""

    @property
    def partial_fit(self):
        raise AttributeError("a batch learner")


def test_the_run_is_the_learners_own():
    model, run = Perceptron(), None
    run = progressive(model, X, y)
    alone = Perceptron().partial_fit(X, y)
    assert run.n_trials == 2000
    assert run.n_mistakes == alone.n_mistakes_
    assert run.n_updates == alone.n_updates_
    assert run.online_error == alone.n_mistakes_ / 2000
    assert run.n_support is None
    assert_array_equal(model.coef_, alone.coef_)
    assert_array_equal(run.curve, alone.curve_)


def test_mistakes_are_counted_on_predictions_made_before_learning():
    run = progressive(Perceptron(), X, y)
    model, mistakes = Perceptron().partial_fit(X[:1], y[:1], classes=[-1, 1]), 1
    for row, label in zip(X[1:], y[1:], strict=True):
        mistakes += label * model.decision_function([row])[0] <= 0
        model.learn_one(row, label)
    assert mistakes == run.n_mistakes


@pytest.mark.parametrize("chunk_size", [1, 37, 5000])
def test_chunks_change_nothing(chunk_size):
    whole, seen = progressive(Perceptron(), X, y), []
    run = progressive(Perceptron(), X, y, chunk_size=chunk_size, callback=seen.append)
    assert run.n_mistakes == whole.n_mistakes
    assert_array_equal(run.curve, whole.curve)
    assert seen[-1] == 2000
    assert len(seen) == -(-2000 // chunk_size)


def test_a_time_limit_ends_the_run_between_chunks():
    model = Perceptron()
    run = progressive(model, X, y, chunk_size=100, time_limit=1e-9)
    assert run.n_trials == model.n_seen_ == 100
    assert run.online_error == model.n_mistakes_ / 100


def test_a_model_that_goes_on_is_counted_from_where_it_stood():
    model = Perceptron().partial_fit(X[:500], y[:500])
    before = model.n_mistakes_
    run = progressive(model, X[500:], y[500:])
    assert run.n_trials == 1500
    assert run.n_mistakes == model.n_mistakes_ - before
    assert run.curve["trial"][-1] == 1500
    assert run.curve["mistakes"][-1] == run.n_mistakes


def test_a_learner_without_partial_fit_is_fitted():
    run = progressive(BatchOnly(), X, y, chunk_size=10)
    assert run.n_trials == 2000
    assert run.n_mistakes == Perceptron().fit(X, y).n_mistakes_


def test_compilation_is_not_timed():
    class Slow(Perceptron):
        calls = 0

        def partial_fit(self, X, y, classes=None):
            Slow.calls += 1
            return super().partial_fit(X, y, classes)

    progressive(Slow(), X, y)
    assert Slow.calls == 2  # the copy's, before the clock, and the run's


def test_a_stream_of_one_label_can_be_run():
    assert progressive(Perceptron(), X, np.ones(2000)).n_trials == 2000


def test_new_classes_may_turn_up_on_the_way():
    run = progressive(Perceptron(), X, np.arange(2000) // 600, chunk_size=100)
    assert run.n_trials == 2000


def test_sparse_rows_and_lists_are_taken():
    whole = progressive(Perceptron(), X, y).n_mistakes
    assert progressive(Perceptron(), X.tolist(), y.tolist(), chunk_size=7).n_mistakes == whole
    assert progressive(Perceptron(), sp.coo_matrix(X), y, chunk_size=7).n_mistakes == whole


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames_keep_their_names(library):
    frame = pytest.importorskip(library).DataFrame({f"column {i}": X[:, i] for i in range(8)})
    model = Perceptron()
    run = progressive(model, frame, y, chunk_size=300)
    assert run.n_mistakes == progressive(Perceptron(), X, y).n_mistakes
    assert list(model.feature_names_in_) == list(frame.columns)
    averages = over_permutations(Perceptron(), frame, y, X_test=frame, y_test=y, random_state=5)
    assert averages.test_error == (
        over_permutations(Perceptron(), X, y, X_test=X, y_test=y, random_state=5).test_error
    )


def test_rows_without_a_label_each_are_refused():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        progressive(Perceptron(), X, y[:-1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        over_permutations(Perceptron(), X[:-1], y)


def test_results_print_as_their_numbers():
    run = progressive(Perceptron(), X, y)
    assert repr(run).startswith("Progressive(n_trials=2000, n_mistakes=")
    averages = over_permutations(Perceptron(), X, y, random_state=5)
    assert repr(averages).startswith("Averages(online_error=(")
    assert "array" not in repr(run) + repr(averages)
    assert run == run
    assert run != progressive(Perceptron(), X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"chunk_size": 0}, "chunk_size must be at least 1 or None, got 0"),
        ({"time_limit": 0.0}, "time_limit must be positive or None, got 0.0"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        progressive(Perceptron(), X, y, **options)


def test_a_model_that_does_not_count_its_mistakes_is_refused():
    with pytest.raises(TypeError, match="SGDClassifier does not count its mistakes"):
        progressive(SGDClassifier(), X, y)


def test_the_curve_ends_at_the_online_error():
    run = progressive(Perceptron(), X, y)
    trials, error = mistake_curve(run)
    assert trials[0] == 1
    assert trials[-1] == 2000
    assert error[-1] == run.online_error


def test_averages_are_those_of_the_runs():
    model = Perceptron()
    averages = over_permutations(model, X, y, n_permutations=4, X_test=X, y_test=y, random_state=5)
    errors = [run.online_error for run in averages.runs]
    assert averages.online_error == (np.mean(errors), pytest.approx(np.std(errors, ddof=1)))
    assert len(set(errors)) > 1
    assert averages.error[-1] == pytest.approx(np.mean(errors))
    assert averages.error_spread[-1] == pytest.approx(np.std(errors, ddof=1))
    assert averages.trials.shape == averages.error.shape
    assert 0.1 < averages.test_error[0] < 0.5
    again = over_permutations(model, X, y, n_permutations=4, random_state=5)
    assert [run.n_mistakes for run in again.runs] == [run.n_mistakes for run in averages.runs]
    assert again.test_error is None
    assert not model.__sklearn_is_fitted__()


def test_one_permutation_has_no_spread():
    averages = over_permutations(Perceptron(), X, y, n_permutations=1)
    assert averages.online_error[1] == 0.0
    assert not averages.error_spread.any()


def test_averages_refuse_half_a_test_set():
    with pytest.raises(ValueError, match="X_test and y_test must be given together"):
        over_permutations(Perceptron(), X, y, X_test=X)
    with pytest.raises(ValueError, match="n_permutations must be at least 1, got 0"):
        over_permutations(Perceptron(), X, y, n_permutations=0)


def test_memory_grows_with_the_width_and_not_with_the_stream():
    narrow, wide = (make_text_like(200, width, random_state=0) for width in (1000, 50_000))
    small, large = (memory(Perceptron().partial_fit(*rows)) for rows in (narrow, wide))
    assert 49_000 * 8 <= large - small <= 49_000 * 8 * 1.1
    X, y = make_dekel(20_000, random_state=0)
    short, long = Perceptron().partial_fit(X[:2000], y[:2000]), Perceptron().partial_fit(X, y)
    assert memory(short) == memory(long)


def test_memory_counts_each_array_once():
    held = np.zeros(1000)
    model = Perceptron()
    bare = memory(model)
    model.views_ = [held[:10], held[10:], {"again": held}, sp.csr_matrix(np.eye(3))]
    assert memory(model) - bare == 8000 + 3 * 8 + 3 * 4 + 4 * 4


def test_rows_per_second_follow_from_the_time():
    run = Progressive(100, 5, 5, None, np.zeros(0), 2.0, 0)
    assert run.rows_per_second == 50.0


def test_separable_rows_end_with_few_mistakes():
    run = progressive(Perceptron(), *make_separable(2000, 10, margin=0.2, random_state=0))
    assert run.n_mistakes <= 25

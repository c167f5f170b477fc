"""Laws of a stream: pieces, one row at a time, symmetries, and hypotheses averaged over trials."""

import copy
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import novikoff
from tests.laws.cases import (
    ALL,
    DEFAULTS,
    ONLINE,
    Case,
    assert_close_model,
    assert_same_model,
    is_online,
    kernel_function,
    learn,
    learnt,
    make,
    over,
    over_forms,
    rows,
)

ALL_ONLINE = [case for case in ALL if is_online(case.name)]
AVERAGES = pytest.mark.parametrize("average", ["last", "mean"])


def is_linear(model):
    """Whether decisions are linear in the row."""
    return getattr(model, "kernel", None) in (None, "linear")


@AVERAGES
@over_forms()
@over(ALL_ONLINE)
def test_pieces_do_not_matter(case, form, average):
    X, y = rows(form)
    classes = np.unique(y)
    whole = learn(make(case, form, average=average), X, y, classes=classes)
    for size in (1, 37):
        pieces = learn(make(case, form, average=average), X, y, size, classes)
        assert_same_model(pieces, whole)
    one_by_one = make(case, form, average=average)
    one_by_one.partial_fit(X[:1], y[:1], classes=classes)
    for x, label in zip(X[1:], y[1:], strict=True):
        one_by_one.learn_one(x, label)
    assert_same_model(one_by_one, whole)


@over(ONLINE)
def test_pieces_of_sparse_rows_do_not_matter(case):
    X, y = rows()
    X = sp.csr_matrix(X)
    whole = learn(make(case), X, y)
    assert_same_model(learn(make(case), X, y, 37), whole)
    one_by_one = make(case)
    for t in range(len(y)):
        one_by_one.learn_one(X[t], y[t])
    assert_same_model(one_by_one, whole)


@given(cuts=st.lists(st.integers(0, 150), max_size=8), seed=st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_any_way_of_cutting_a_stream_gives_the_same_perceptron(cuts, seed):
    X, y = rows("ovr", seed=seed)
    whole = learn(novikoff.Perceptron(), X, y)
    pieces = novikoff.Perceptron()
    for part in np.split(np.arange(150), sorted(cuts)):
        if len(part):
            pieces.partial_fit(X[part], y[part])
    assert_same_model(pieces, whole)


@over_forms()
@over(ONLINE)
def test_decisions_of_trials_are_those_before_learning(case, form):
    X, y = rows(form, 60)
    model, shadow = make(case, form), make(case, form)
    decisions = model.run_trials(X, y, classes=np.unique(y))
    assert decisions.shape == ((60,) if form == "binary" else (60, 3))
    shadow.partial_fit(X[:1], y[:1], classes=np.unique(y))
    if type(model).__name__ == "PseudoinverseSecondOrderPerceptron":
        pytest.skip("its trials are decided by another hypothesis than the one shown")
    for t in range(1, 60):
        shown = shadow.decision_function(X[t : t + 1])[0]
        np.testing.assert_allclose(decisions[t], shown, rtol=1e-9, atol=1e-9)
        shadow.learn_one(X[t], y[t])


@over_forms()
@over(ONLINE)
def test_mean_is_the_mean_of_the_hypotheses_held_after_each_trial(case, form):
    X, y = rows(form, 80)
    probe, _ = rows(seed=5)
    last, mean = make(case, form), make(case, form, average="mean")
    held = []
    for t in range(len(y)):
        for model in (last, mean):
            model.partial_fit(X[t : t + 1], y[t : t + 1], classes=np.unique(y) if t == 0 else None)
        held.append(last.decision_function(probe))
    expected = np.mean(held, axis=0)
    np.testing.assert_allclose(
        mean.decision_function(probe), expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max()
    )
    assert last.n_mistakes_ == mean.n_mistakes_


@over_forms()
@over(ONLINE)
def test_epochs_are_repeated_partial_fit(case, form):
    X, y = rows(form)
    epochs = make(case, form, n_epochs=3).fit(X, y)
    again = make(case, form, n_epochs=3)
    for _ in range(3):
        again.partial_fit(X, y, classes=np.unique(y))
    assert_same_model(epochs, again)
    assert epochs.n_seen_ == 3 * len(y)


@over_forms(["binary", "ovr"])
@over(DEFAULTS)
def test_same_seed_same_model(case, form):
    X, y = rows(form)
    options = {"shuffle": True, "n_epochs": 2, "random_state": 3}
    model = make(case, form, **options).fit(X, y)
    assert_same_model(make(case, form, **options).fit(X, y), model)
    assert_same_model(model.fit(X, y), make(case, form, **options).fit(X, y))
    other = make(case, form, **(options | {"random_state": 4})).fit(X, y)
    probe, _ = rows(seed=99)
    if is_online(case.name) and case.name != "OnlineRidgeClassifier":
        assert not np.array_equal(other.decision_function(probe), model.decision_function(probe))


@over_forms(["binary", "ovr"])
@over(DEFAULTS)
def test_progress_display_changes_nothing(case, form, capsys):
    X, y = rows(form)
    shown = make(case, form, verbose=1).fit(X, y)
    assert_same_model(shown, make(case, form).fit(X, y))
    assert capsys.readouterr().out == ""


@over(ALL)
def test_mirrored_labels_mirror_the_weights(case):
    X, y = rows()
    one, other = make(case).fit(X, y), make(case).fit(X, 1 - y)
    assert one.n_updates_ == other.n_updates_
    probe, _ = rows(seed=99)
    np.testing.assert_array_equal(one.decision_function(probe), -other.decision_function(probe))


@over_forms()
@over(ALL)
def test_permuted_features_permute_the_weights(case, form):
    X, y = rows(form)
    order = np.random.default_rng(1).permutation(X.shape[1])
    model, permuted = make(case, form).fit(X, y), make(case, form).fit(X[:, order], y)
    assert model.n_mistakes_ == permuted.n_mistakes_
    probe, _ = rows(seed=99)
    ours, theirs = permuted.decision_function(probe[:, order]), model.decision_function(probe)
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-9 * np.abs(theirs).max())


@over_forms(["ovr"])
@over(DEFAULTS)
def test_names_of_classes_do_not_matter(case, form):
    X, y = rows(form)
    model = make(case, form).fit(X, y)
    renamed = make(case, form).fit(X, np.array([10, -3, 4])[y])  # sorted: -3 (1), 4 (2), 10 (0)
    probe, _ = rows(seed=99)
    ours, theirs = renamed.decision_function(probe)[:, [2, 0, 1]], model.decision_function(probe)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12 * np.abs(theirs).max())


@over_forms()
@over(ALL)
def test_zero_rows_change_nothing(case, form):
    X, y = rows(form)
    model = make(case, form)
    if not is_linear(model):
        pytest.skip("a zero row is no zero vector in its kernel's space")
    keep = X.any(axis=1)
    places = np.repeat(np.arange(keep.sum()), 2)
    with_zeros = np.insert(X[keep], places, 0.0, axis=0)
    labels = np.insert(y[keep], places, np.roll(y[keep], 1).repeat(2)[: len(places)])
    model.fit(X[keep], y[keep])
    other = make(case, form).fit(with_zeros, labels)
    assert other.n_seen_ == len(with_zeros)
    if case.name != "OnlineRidgeClassifier":  # it takes every row in, and this one is zero
        assert other.n_updates_ == model.n_updates_
    probe, _ = rows(seed=99)
    ours, theirs = other.decision_function(probe), model.decision_function(probe)
    # A batch learner takes its moments from all rows at once, and adds them up in another order.
    tolerance = 0.0 if is_online(case.name) else 1e-12 * np.abs(theirs).max()
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


@over(ONLINE)
def test_a_zero_row_is_a_mistake_without_an_update(case):
    model = make(case)
    if not is_linear(model):
        pytest.skip("a zero row is no zero vector in its kernel's space")
    model.partial_fit(np.zeros((3, N := 6)), [0, 1, 0], classes=[0, 1])
    assert (model.n_seen_, model.n_mistakes_) == (3, 3)
    assert not model.decision_function(np.ones((2, N))).any()


@over_forms()
@over(DEFAULTS)
def test_curve_is_bounded_and_ends_in_the_present(case, form):
    X, y = rows(form)
    model = make(case, form, n_epochs=20).fit(X, y)
    curve = model.curve_
    assert curve.dtype.names == ("trial", "mistakes", "updates", "support")
    assert len(curve) < 32 + 16 * np.log2(20 * len(y))
    assert (np.diff(curve["trial"]) > 0).all()
    assert (np.diff(curve["mistakes"]) >= 0).all()
    assert curve[-1].tolist()[:3] == (model.n_seen_, model.n_mistakes_, model.n_updates_)
    curve["mistakes"] = 0  # a copy: the model stays as it was
    assert model.curve_["mistakes"][-1] == model.n_mistakes_


@pytest.mark.parametrize("scale", [1e150, 1e-150])
@over_forms()
@over(ALL)
def test_huge_and_tiny_rows_give_numbers(case, form, scale):
    X, y = rows(form)
    model = make(case, form)
    if getattr(model, "kernel", None) == "poly" and scale > 1:
        with pytest.raises(ValueError, match="overflow float64: scale the rows down"):
            model.fit(scale * X, y)
        return
    model.fit(scale * X, y)
    for name, value in learnt(model).items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            assert np.isfinite(value).all(), name
    assert np.isfinite(model.decision_function(scale * X)).all()


@pytest.mark.parametrize("scale", [1e-155, 1e-162, 1e-200, 1e-310])
@over_forms()
@over(ALL)
def test_a_row_that_vanishes_in_rounding_harms_nothing(case, form, scale):
    X, y = rows(form, 60)
    X[20:30] *= scale
    model = make(case, form).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.score(X[30:], y[30:]) > 0.4
    alone = make(case, form).fit(scale * X[:20], y[:20])
    assert np.isfinite(alone.decision_function(X)).all()


@over(ONLINE)
def test_learn_one_of_numbers_near_the_limit_warns_of_nothing(case):
    X, y = rows()
    model = make(case).partial_fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.learn_one(np.full(6, 1e20, np.float32), 1)
        model.predict_one(np.full(6, 1e20))


@over_forms()
@over(DEFAULTS)
@pytest.mark.parametrize("way", ["pickle", "deepcopy"])
def test_copies_in_mid_stream_go_on_alike(case, form, way):
    X, y = rows(form)
    common = {"average": "mean", "random_state": 1}
    if not is_online(case.name):
        model = make(case, form, **common).fit(X, y)
        assert_same_model(pickle.loads(pickle.dumps(model)), model)
        return
    classes = np.unique(y)
    half = learn(make(case, form, **common), X[:70], y[:70], classes=classes)
    whole = learn(make(case, form, **common), X[:70], y[:70], classes=classes)
    whole.partial_fit(X[70:], y[70:])
    again = pickle.loads(pickle.dumps(half)) if way == "pickle" else copy.deepcopy(half)
    half.partial_fit(X[:5], y[:5])  # what happens to the original is no business of the copy
    assert_same_model(again.partial_fit(X[70:], y[70:]), whole, exact=True)


@over(DEFAULTS)
def test_clone_forgets_what_was_learnt(case):
    X, y = rows()
    model = make(case, n_epochs=2).fit(X, y)
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    assert not hasattr(fresh, "n_seen_")
    assert_same_model(fresh.fit(X, y), model)


@over_forms()
@over(DEFAULTS)
def test_fit_starts_from_scratch(case, form):
    X, y = rows(form)
    model = make(case, form).fit(X[::-1], y[::-1])
    assert_same_model(model.fit(X, y), make(case, form).fit(X, y))
    wider = np.hstack([X, X])
    assert model.fit(wider, y).n_features_in_ == wider.shape[1]


@over_forms()
@over(ONLINE)
def test_predict_one_is_predict(case, form):
    X, y = rows(form)
    model = make(case, form).fit(X, np.array(["a", "b", "c"])[y])
    expected = model.predict(X).tolist()
    assert [model.predict_one(x) for x in X] == expected
    sparse = sp.csr_matrix(X)
    assert [model.predict_one(sparse[t]) for t in range(len(y))] == expected
    dicts = [{j: v for j, v in enumerate(x) if v} for x in X]
    assert [model.predict_one(x) for x in dicts] == expected


@over_forms()
@over(ONLINE)
def test_learn_one_takes_every_kind_of_row(case, form):
    X, y = rows(form, 60)
    sparse = sp.csr_matrix(X)
    classes = np.unique(y)
    by_array, by_csr, by_dict = [
        make(case, form).partial_fit(X[:1], y[:1], classes=classes) for _ in range(3)
    ]
    for t in range(1, 60):
        by_array.learn_one(X[t], y[t])
        by_csr.learn_one(sparse[t], y[t])
        by_dict.learn_one({j: v for j, v in enumerate(X[t]) if v}, y[t])
    assert_same_model(by_csr, by_dict)
    assert_close_model(by_csr, by_array)


@over(ONLINE)
def test_rows_of_sparse_arrays_are_learnt_one_by_one(case):
    """Indexing SciPy's csr_array gives a vector in coordinate format."""
    X, y = rows(n=40)
    whole = make(case).partial_fit(sp.csr_matrix(X), y)
    one_by_one = make(case)
    for x, label in zip(sp.csr_array(X), y, strict=True):
        one_by_one.learn_one(x, label)
    assert_same_model(one_by_one, whole)
    other_formats = make(case)
    for x, label in zip(X, y, strict=True):
        other_formats.learn_one(sp.csc_matrix(x), label)
    assert_same_model(other_formats, whole)


def test_shapes_of_what_was_learnt():
    for form, k, columns in (("binary", 2, 1), ("ovr", 3, 3), ("prototype", 3, 3)):
        X, y = rows(form)
        model = make(Case("Perceptron", {}), form, fit_intercept=True).fit(X, y)
        assert model.coef_.shape == (columns, X.shape[1])
        assert model.intercept_.shape == (columns,)
        assert model.classes_.tolist() == list(range(k))
        shape = (len(y),) if form == "binary" else (len(y), 3)
        assert model.decision_function(X).shape == shape
        assert model.predict(X).shape == (len(y),)
        expected = X @ model.coef_.T + model.intercept_
        np.testing.assert_allclose(model.decision_function(X).reshape(len(y), -1), expected)


@over(DEFAULTS)
def test_kernel_names_are_known_to_the_reference_law(case):
    kernel = kernel_function(make(case), 6)
    assert kernel is None or kernel(np.ones((2, 6)), np.ones((3, 6))).shape == (2, 3)


def test_predict_takes_the_positive_class_at_zero():
    X = np.array([[1.0, 0.0], [0.0, 1.0]])
    model = novikoff.Perceptron().partial_fit(X[:1], ["no"], classes=["no", "yes"])
    assert model.predict(X).tolist() == ["no", "yes"]  # decisions -1 and 0
    assert model.predict_one(X[1]) == "yes"

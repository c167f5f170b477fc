"""Labels of every kind, and classes that enter in mid-stream."""

import numpy as np
import pytest

import novikoff
from tests.laws.cases import (
    ALL,
    DEFAULTS,
    ONLINE,
    assert_same_model,
    is_online,
    learn,
    make,
    over,
    over_forms,
    rows,
)

KINDS = {  # sorted, as codes 0, 1, 2
    "strings": np.array(["ape", "bee", "cow"]),
    "objects": np.array(["ape", "bee", "cow"], dtype=object),
    "negative integers": np.array([-7, -1, 4]),
    "small unsigned integers": np.array([1, 2, 200], dtype=np.uint8),
    "small integers far apart": np.array([-100, 0, 120], dtype=np.int8),
    "integers beyond those of floats": np.array([2**63, 2**63 + 1, 2**63 + 2], dtype=np.uint64),
    "whole floats": np.array([-1.0, 0.0, 1.0]),
    "booleans": np.array([False, True]),
}


@pytest.mark.parametrize("kind", KINDS)
@over_forms(["binary", "ovr"])
@over(DEFAULTS)
def test_labels_of_any_kind(case, form, kind):
    names = KINDS[kind]
    if len(names) < 3 and form != "binary":
        pytest.skip("two booleans make two classes")
    X, y = rows(form)
    model = make(case, form).fit(X, names[y])
    plain = make(case, form).fit(X, y)
    used = names[: 2 if form == "binary" else 3]
    assert model.classes_.tolist() == used.tolist()
    assert model.classes_.dtype == names.dtype
    np.testing.assert_array_equal(model.predict(X), names[plain.predict(X)])
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))
    if is_online(case.name):
        met = make(case, form).partial_fit(X, names[y])
        assert met.classes_.tolist() == used.tolist()
        assert met.classes_.dtype == names.dtype
        assert met.learn_one(X[0], names[y[0]]).classes_.dtype == names.dtype


@over(ONLINE)
def test_labels_may_come_as_lists_and_columns(case):
    X, y = rows()
    model = make(case).partial_fit(X, y)
    assert_same_model(make(case).partial_fit(X, y.tolist()), model)
    with pytest.warns(UserWarning, match="column-vector"):
        make(case).partial_fit(X, y.reshape(-1, 1))


def growing_stream(n=90):
    """A stream whose classes enter one by one, in an order that is not the sorted one."""
    X, y = rows("ovr", n)
    rng = np.random.default_rng(2)
    names = np.array(["d", "b", "a", "c"])
    y = np.where(rng.random(n) < 0.2, 3, y)
    first = {0: 0, 1: 4, 2: 20, 3: 50}  # the trial at which a class enters
    for label, trial in first.items():
        early = (y == label) & (np.arange(n) < trial)
        y[early] = 0
        y[trial] = label
    return X, names[y], {names[label]: trial for label, trial in first.items()}


def grows(case, form, **common):
    """A learner that can let classes in; the others are skipped."""
    model = make(case, form, **common)
    if form == "prototype" and not model._pair_splits:
        pytest.skip("its state for two classes cannot be split: classes= must be given")
    return model


@pytest.mark.parametrize("average", ["last", "mean"])
@over_forms(["ovr", "prototype"])
@over(ONLINE)
def test_classes_that_enter_in_mid_stream_do_so_in_any_pieces(case, form, average):
    X, y, _ = growing_stream()
    whole = learn(grows(case, form, average=average), X, y)
    assert whole.classes_.tolist() == ["a", "b", "c", "d"]
    assert len(whole.decision_function(X).T) == 4
    for size in (1, 37):
        assert_same_model(learn(grows(case, form, average=average), X, y, size), whole)
    one_by_one = grows(case, form, average=average)
    for x, label in zip(X, y, strict=True):
        one_by_one.learn_one(x, label)
    assert_same_model(one_by_one, whole)


@over_forms(["ovr", "prototype"])
@over(ONLINE)
def test_decisions_are_minus_infinity_for_classes_not_met(case, form):
    X, y, enters = growing_stream()
    decisions = grows(case, form).run_trials(X, y)
    assert decisions.shape == (len(y), 4)
    for column, label in enumerate(sorted(enters)):
        unmet = np.arange(len(y)) < enters[label]
        assert (decisions[unmet, column] == -np.inf).all()
        assert np.isfinite(decisions[~unmet, column]).all()


@over_forms(["ovr", "prototype"])
@over(ONLINE)
def test_a_third_class_leaves_the_pair_as_it_was(case, form):
    X, y = rows("binary", 60)
    names = np.array(["x", "b"])[y]
    model = grows(case, form).partial_fit(X, names)
    probe, _ = rows(seed=99)
    before = model.decision_function(probe)  # positive for "x", the higher one
    decisions = model.run_trials(X[:1], ["m"])
    assert decisions.shape == (1, 3)
    start = grows(case, form).partial_fit(X, names)
    shown = start.decision_function(X[:1])[0]
    low, new, high = decisions[0]
    assert new == 0.0
    share = 1.0 if form == "ovr" else 0.5
    np.testing.assert_allclose([low, high], [-share * shown, share * shown], rtol=1e-9, atol=1e-12)
    assert before.shape == (len(probe),)
    assert model.classes_.tolist() == ["b", "m", "x"]


@over(ONLINE)
def test_a_single_class_is_predicted_and_then_one_of_two(case):
    X, y = rows("binary", 60)
    model = make(case)
    model.partial_fit(X[:3], ["z"] * 3)
    assert model.classes_.tolist() == ["z"]
    assert model.predict(X).tolist() == ["z"] * 60
    assert model.decision_function(X).shape == (60,)
    assert model.predict_one(X[0]) == "z"
    # The lone class counts as the positive one; whichever side the other takes, it is the same.
    low = make(case).partial_fit(X, np.array(["z", "a"])[y])
    high = make(case).partial_fit(X, np.array(["a", "z"])[y])
    known = make(case).partial_fit(X, np.array(["z", "a"])[y], classes=["a", "z"])
    assert_same_model(low, known)
    np.testing.assert_array_equal(low.decision_function(X), -high.decision_function(X))


@over(ONLINE)
def test_given_classes_are_there_from_the_start(case):
    X, y = rows("ovr")
    model = make(case).partial_fit(X[:1], [2], classes=[2, 0, 1])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.decision_function(X).shape == (len(y), 3)
    again = make(case).partial_fit(X[:1], [2], classes=[0, 1, 2])
    model.partial_fit(X[1:], y[1:], classes=[0, 2, 1])  # saying it again is no error
    assert_same_model(model, again.partial_fit(X[1:], y[1:]))


def test_longer_strings_may_enter_later():
    X, y = rows("binary", 10)
    model = novikoff.Perceptron().partial_fit(X, np.array(["no", "yes"])[y])
    model.partial_fit(X[:1], ["perhaps"])
    model.learn_one(X[0], "not at all")
    assert model.classes_.tolist() == ["no", "not at all", "perhaps", "yes"]


def test_words_in_arrays_of_objects_and_of_words_are_the_same_labels():
    X, y = rows("ovr", 30)
    words = np.array(["ape", "bee", "cow"])[y]
    whole = novikoff.Perceptron().partial_fit(X, words)
    mixed = novikoff.Perceptron().partial_fit(X[:10], words[:10].astype(object))
    mixed.partial_fit(X[10:20], words[10:20]).partial_fit(X[20:], words[20:].astype(object))
    assert_same_model(mixed, whole)
    assert mixed.learn_one(X[0], "doe").classes_.tolist() == ["ape", "bee", "cow", "doe"]


@over([case for case in ALL if is_online(case.name)])
def test_a_pair_split_in_two_prototypes_decides_as_before(case):
    X, y = rows("binary", 60)
    model = grows(case, "prototype").partial_fit(X, y)
    before = model.decision_function(X)
    zero = np.zeros((1, X.shape[1]))
    if getattr(model, "kernel", None) not in (None, "linear"):
        pytest.skip("a zero row is no zero vector in its kernel's space")
    after = model.partial_fit(zero, [5]).decision_function(X)
    np.testing.assert_allclose(after[:, 1] - after[:, 0], before, rtol=1e-9, atol=1e-12)
    assert not after[:, 2].any()

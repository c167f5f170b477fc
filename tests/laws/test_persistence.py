"""A model saved and loaded in mid-stream goes on as if it had never been saved."""

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


def saved(model, folder):
    """The model after a journey through a file."""
    path = folder / "model.novikoff"
    model.save(path)
    return novikoff.load(path)


@over_forms()
@over(ALL)
def test_saved_is_never_saved(case, form, tmp_path):
    X, y = rows(form)
    common = {"average": "mean", "random_state": 5, "fit_intercept": True}
    if not is_online(case.name):
        model = make(case, form, **common).fit(X, y)
        assert_same_model(saved(model, tmp_path), model)
        return
    classes = np.unique(y)
    whole = learn(make(case, form, **common), X, y, 50, classes)
    model = make(case, form, **common)
    for start in range(0, len(y), 50):
        model.partial_fit(X[start : start + 50], y[start : start + 50], classes=classes)
        model = saved(model, tmp_path)
    assert_same_model(model, whole, exact=True)
    assert model.get_params() == whole.get_params()
    for x, label in zip(X[:20], y[:20], strict=True):
        model.learn_one(x, label)
        whole.learn_one(x, label)
    assert_same_model(model, whole, exact=True)


@over(ONLINE)
def test_classes_still_enter_after_loading(case, tmp_path):
    X, y = rows("ovr")
    names = np.array(["ape", "bee", "cow"])[y]
    early = np.where(names == "cow", "ape", names)[:40]
    whole = make(case).partial_fit(X[:40], early).partial_fit(X[40:], names[40:])
    model = saved(make(case).partial_fit(X[:40], early), tmp_path)
    assert model.classes_.dtype == early.dtype
    assert_same_model(model.partial_fit(X[40:], names[40:]), whole)
    given = make(case).partial_fit(X, names, classes=["ape", "bee", "cow"])
    with pytest.raises(ValueError, match="not among the classes"):
        saved(given, tmp_path).partial_fit(X[:1], ["dog"])


@over(DEFAULTS)
def test_random_state_goes_on_after_loading(case, tmp_path):
    X, y = rows()
    source = np.random.RandomState(8)
    model = make(case, shuffle=True, random_state=source).fit(X, y)
    loaded = saved(model, tmp_path)
    assert_same_model(loaded, model)
    assert_same_model(loaded.fit(X, y), model.fit(X, y))


@over(DEFAULTS)
def test_feature_names_and_labels_survive(case, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = rows()
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    model = make(case).fit(frame, np.array(["no", "yes"], dtype=object)[y])
    loaded = saved(model, tmp_path)
    assert loaded.feature_names_in_.tolist() == list("abcdef")
    assert loaded.predict(frame).tolist() == model.predict(frame).tolist()
    assert type(loaded.predict_one(X[0])) is type(model.predict_one(X[0]))

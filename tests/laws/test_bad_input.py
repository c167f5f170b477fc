"""Bad input: one clear sentence that names the argument, and the model as it was."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import novikoff
from tests.laws.cases import ALL, DEFAULTS, ONLINE, learn, make, over, rows

X, Y = rows(n=40)


def spoiled(value):
    """Rows with one bad number, in the last row."""
    Z = X.copy()
    Z[-1, 2] = value
    return Z


def short_column(Z):
    """CSR rows one of whose column indices lies outside."""
    bad = sp.csr_matrix(Z)
    bad.indices = bad.indices.copy()
    bad.indices[-1] = Z.shape[1]
    return bad


def negative_column(Z):
    """CSR rows one of whose column indices is negative."""
    bad = sp.csr_matrix(Z)
    bad.indices = bad.indices.copy()
    bad.indices[5] = -1
    return bad


def far_column(Z):
    """CSR rows one of whose column indices, cut to 32 bits, would be inside."""
    bad = sp.csr_matrix(Z)
    bad.indices = bad.indices.astype(np.int64)
    bad.indices[5] += 2**32
    return bad


def misled(Z, row, end):
    """CSR rows one of which ends elsewhere."""
    bad = sp.csr_matrix(Z)
    bad.indptr = bad.indptr.copy()
    bad.indptr[row] = end
    return bad


def mixed_labels(other):
    """Words as objects, with something else among them."""
    labels = np.array(["a", "b"], dtype=object)[Y]
    labels[-1] = other
    return labels


# (what is wrong, rows, labels, words of the message)
BATCHES = [
    ("NaN", spoiled(np.nan), Y, "contains NaN"),
    ("infinity", spoiled(-np.inf), Y, "contains infinity"),
    ("NaN in a sparse row", sp.csr_matrix(spoiled(np.nan)), Y, "contains NaN"),
    ("one feature less", X[:, :-1], Y, "X has 5 features, but .* is expecting 6"),
    ("one feature more", np.hstack([X, X[:, :1]]), Y, "X has 7 features, but .* is expecting 6"),
    ("a sparse index outside", short_column(X), Y, "column index"),
    ("a negative sparse index", negative_column(X), Y, "column index"),
    ("a sparse index beyond 32 bits", far_column(X), Y, "column index"),
    ("a row past the end of the data", misled(X, -1, 10**6), Y, "index pointer"),
    ("rows that overlap", misled(X, 7, 10**6), Y, "index pointer"),
    ("rows that do not begin at 0", misled(X, 0, 1), Y, "index pointer"),
    ("rows whose products overflow", 1e160 * X, Y, "overflow"),
    ("sparse rows as large", sp.csr_matrix(1e200 * X), Y, "overflow"),
    ("fewer labels than rows", X, Y[:-1], "one label per row|inconsistent"),
    ("no rows", X[:0], Y[:0], "0 sample"),
    ("one row as a vector", X[0], Y[:1], "Expected 2D array"),
    ("complex rows", X.astype(complex), Y, "Complex data"),
    ("words as rows", np.full(X.shape, "a"), Y, "X must hold real numbers, got an array of <U1"),
    ("numbers in words", X.astype(str), Y, "X must hold real numbers"),
    ("dates as rows", np.zeros(X.shape, "M8[s]"), Y, "X must hold real numbers"),
    ("rows of rows", X[:, :, None], Y, "dim 3"),
    ("rows of unequal length", [[0.0] * 6, [0.0]], Y[:2], "inhomogeneous"),
    ("objects that are no numbers", np.full(X.shape, None), Y, "NaN"),
    ("no labels", X, None, "y"),
    ("continuous labels", X, Y + 0.5, "Unknown label type"),
    ("NaN as a label", X, np.where(Y == 1, 1.0, np.nan), "NaN"),
    ("complex labels", X, Y + 0j, "y must hold labels, got complex128"),
    ("infinite labels", X, np.where(Y == 1, np.inf, 0.0), "y contains infinity"),
    ("numbers among words as labels", X, mixed_labels(3), "no word: give numbers"),
    ("labels that are missing", X, mixed_labels(None), "holds None"),
    ("labels that pandas misses", X, mixed_labels(pd.NA), "holds <NA>"),
    ("numbers as objects as labels", X, Y.astype(object), "Unknown label type"),
    ("labels in two columns", X, np.column_stack([Y, Y]), "1d array"),
    ("labels of another kind", X, np.array(["a", "b"])[Y], "labels"),
]
FIRST_CALL_TAKES = {
    "one feature less",
    "one feature more",
    "labels of another kind",
}


def batches(skip=()):
    kept = [batch for batch in BATCHES if batch[0] not in skip]
    return pytest.mark.parametrize(
        ("what", "rows_", "labels", "words"), kept, ids=lambda v: v if isinstance(v, str) else ""
    )


def frozen(model):
    """Everything that a model is, as bytes."""
    return pickle.dumps(model.__dict__)


@pytest.mark.parametrize("method", ["partial_fit", "run_trials"])
@pytest.mark.parametrize("given", [True, False])
@over(ONLINE)
@batches()
def test_a_rejected_batch_leaves_no_trace(case, what, rows_, labels, words, method, given):
    model = learn(make(case), X, Y, classes=[0, 1] if given else None)
    before = frozen(model)
    with pytest.raises((ValueError, TypeError), match=words):
        getattr(model, method)(rows_, labels)
    assert frozen(model) == before


@over(DEFAULTS)
@batches(skip=FIRST_CALL_TAKES)
def test_a_rejected_fit_leaves_no_trace(case, what, rows_, labels, words):
    for model in (make(case), make(case).fit(X, Y)):
        before = frozen(model)
        with pytest.raises((ValueError, TypeError), match=words):
            model.fit(rows_, labels)
        assert frozen(model) == before


@over(DEFAULTS)
def test_fit_with_one_class_is_refused(case):
    model = make(case)
    with pytest.raises(ValueError, match="one class, 7"):
        model.fit(X, np.full(len(X), 7))
    assert frozen(model) == frozen(make(case))


@over(ONLINE)
def test_unknown_labels_are_refused_when_classes_were_given(case):
    model = make(case).partial_fit(X, Y, classes=[0, 1])
    before = frozen(model)
    sentence = r"not among the classes \[0, 1\] given in the first call: \[5\]"
    with pytest.raises(ValueError, match=sentence):
        model.partial_fit(X, np.where(Y == 1, 5, 0))
    with pytest.raises(ValueError, match=sentence):
        model.learn_one(X[0], 5)
    with pytest.raises(ValueError, match=r"classes=\[0, 1, 2\] is not what it was"):
        model.partial_fit(X, Y, classes=[0, 1, 2])
    assert frozen(model) == before
    fresh = make(case)
    with pytest.raises(ValueError, match="at least two labels"):
        fresh.partial_fit(X, Y, classes=[1])
    with pytest.raises(ValueError, match=r"not among the classes \[0, 3\]"):
        fresh.partial_fit(X, Y, classes=[0, 3])
    assert frozen(fresh) == frozen(make(case))


ONE_ROWS = [
    ("NaN", spoiled(np.nan)[-1], 0, "NaN"),
    ("infinity", spoiled(np.inf)[-1], 0, "infinity"),
    ("NaN in a sparse row", sp.csr_matrix(spoiled(np.nan))[-1], 0, "NaN"),
    ("NaN in a dict", {0: np.nan}, 0, "NaN"),
    ("one feature less", X[0, :-1], 0, "5 features"),
    ("one feature less, sparse", sp.csr_matrix(X[:1, :-1]), 0, "5 features"),
    ("products that overflow", 1e160 * X[1], 0, "overflow float64: scale the row"),
    ("products that overflow, sparse", sp.csr_matrix(1e200 * X[1:2]), 0, "overflow float64"),
    ("products that overflow in a dict", {0: -1e154}, 0, "overflow float64"),
    ("two rows", X[:2], 0, "one row"),
    ("a list", X[0].tolist(), 0, "one row"),
    ("two sparse rows", sp.csr_matrix(X[:2]), 0, "one row"),
    ("a sparse index outside", short_column(X[1:2]), 0, "column index"),
    ("a negative sparse index", negative_column(X[1:2]), 0, "column index"),
    ("a sparse index beyond 32 bits", far_column(X[1:2]), 0, "column index"),
    ("an index outside", {6: 1.0}, 0, "outside 0 to 5"),
    ("a negative index", {-1: 1.0}, 0, "outside 0 to 5"),
    ("a name as index", {"weight": 1.0}, 0, "indices"),
    ("a fraction as index", {1.5: 1.0}, 0, "indices"),
    ("a word as value", {1: "heavy"}, 0, "numbers"),
    ("complex numbers", X[0] * 1j, 0, "real numbers"),
    ("words", np.full(6, "a"), 0, "numbers"),
    ("objects", np.array([None] * 6), 0, "numbers"),
    ("a label of another kind", X[0], "a", "labels"),
    ("no label", X[0], None, "y"),
    ("NaN as a label", X[0], np.nan, "NaN"),
    ("a continuous label", X[0], 0.5, "label"),
    ("two labels", X[0], [0, 1], "label"),
    ("an array of labels", X[0], np.array([0, 1]), "label"),
]


@over(ONLINE)
@pytest.mark.parametrize(
    ("what", "x", "label", "words"), ONE_ROWS, ids=[case[0] for case in ONE_ROWS]
)
def test_a_rejected_row_leaves_no_trace(case, what, x, label, words):
    model = learn(make(case), X, Y)
    before = frozen(model)
    with pytest.raises((ValueError, TypeError), match=words):
        model.learn_one(x, label)
    assert frozen(model) == before
    if what[:10] not in {
        "a label of",
        "no label",
        "NaN as a l",
        "a continuo",
        "two labels",
        "an array o",
        "products t",
    }:
        with pytest.raises((ValueError, TypeError), match=words):
            model.predict_one(x)


def test_integers_that_only_floats_have_in_common_are_refused():
    """int64 and uint64 meet in float64, which would round these labels to one."""
    model = novikoff.Perceptron().partial_fit(X, Y + 2**60)
    before = frozen(model)
    with pytest.raises(ValueError, match="cannot be ordered among the classes so far"):
        model.partial_fit(X[:1], np.array([2**60 + 1], np.uint64))
    assert frozen(model) == before


@over(ONLINE)
def test_a_first_row_as_a_dict_is_refused(case):
    with pytest.raises(ValueError, match="how many features"):
        make(case).learn_one({0: 1.0}, 1)


@pytest.mark.parametrize(
    "x", [X[:2], X[:1], X[0].tolist(), sp.csr_matrix(X[:2]), 3.0, None, "abc"], ids=repr
)
def test_a_first_row_that_is_no_row_is_refused(x):
    model = novikoff.Perceptron()
    with pytest.raises(ValueError, match="x must be one row: a 1-D array, a 1 x n CSR matrix"):
        model.learn_one(x, 1)
    assert frozen(model) == frozen(novikoff.Perceptron())


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(
    ("classes", "words"),
    [
        (3, "classes must be a list of labels, got 3"),
        ({0, 1}, "classes must be a list of labels, got {0, 1}"),
        ([[0, 1]], "classes must be a list of labels"),
        ([0.0, np.nan], "classes contains NaN"),
        ([0.0, 0.5], "Unknown label type: continuous"),
        (np.array([0j, 1j]), "classes must hold labels, got complex128"),
    ],
    ids=str,
)
def test_classes_that_are_no_labels_are_refused(classes, words, known):
    model = novikoff.Perceptron()
    if known:
        model.partial_fit(X, Y)
    before = frozen(model)
    with pytest.raises(ValueError, match=words):
        model.partial_fit(X, Y, classes=classes)
    assert frozen(model) == before


@over(DEFAULTS)
def test_asking_before_learning_is_refused(case):
    model = make(case)
    for ask in (
        lambda: model.predict(X),
        lambda: model.decision_function(X),
        lambda: model.predict_one(X[0]),
        lambda: model.save("nowhere"),
    ):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            ask()
    assert not hasattr(model, "coef_")
    assert not hasattr(model, "curve_")


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("fit_intercept", "yes"),
        ("n_epochs", 0),
        ("n_epochs", 1.5),
        ("shuffle", None),
        ("average", "median"),
        ("multiclass", "ovo"),
        ("random_state", "seed"),
        ("verbose", -1),
    ],
)
@over(DEFAULTS)
def test_bad_common_parameters_are_refused_by_name(case, parameter, value):
    model = make(case).set_params(**{parameter: value})
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {case.name} must be"):
        model.fit(X, Y)
    if case in ONLINE:
        with pytest.raises(ValueError, match=f"'{parameter}' parameter of {case.name} must be"):
            model.partial_fit(X, Y)
    assert not hasattr(model, "n_features_in_")


@over(DEFAULTS)
def test_own_numeric_parameters_refuse_words_and_minus_infinity(case):
    """Every numeric parameter has bounds: text and minus infinity are outside all of them."""
    model = make(case)
    for name, allowed in model._parameter_constraints.items():
        if not any(hasattr(option, "left") for option in allowed if not isinstance(option, str)):
            continue
        for value in ("a word", -np.inf, np.nan):
            bad = make(case).set_params(**{name: value})
            with pytest.raises(ValueError, match=name):
                bad.fit(X, Y)


OWN = [
    ("Perceptron", {"margin": -0.1}, "margin"),
    ("PassiveAggressiveI", {"C": 0.0}, "C"),
    ("PassiveAggressiveII", {"C": -1.0}, "C"),
    ("ALMA", {"p": 1.5}, "p"),
    ("ALMA", {"alpha": 1.5}, "alpha"),
    ("ALMA", {"alpha": 0.0}, "alpha=0 .* give B"),
    ("ALMA", {"B": 0.0}, "B"),
    ("ALMA", {"C": 0.0}, "C"),
    ("PNormPerceptron", {"p": 1.0}, "p"),
    ("PNormPerceptron", {"p": "logarithm"}, "p"),
    ("OnlineRidgeClassifier", {"a": 0.0}, "a"),
]


@pytest.mark.parametrize(("name", "parameters", "words"), OWN)
def test_own_parameters_out_of_range_are_refused_by_name(name, parameters, words):
    with pytest.raises(ValueError, match=words):
        getattr(novikoff, name)(**parameters).fit(X, Y)


@over(ALL)
def test_prediction_refuses_bad_rows(case):
    model = make(case).fit(X, Y)
    before = frozen(model)
    for rows_, words in (
        (spoiled(np.nan), "NaN"),
        (X[:, :4], "4 features"),
        (X[0], "Expected 2D array"),
        (X[:0], "0 sample"),
        (short_column(X), "column index"),
    ):
        with pytest.raises(ValueError, match=words):
            model.predict(rows_)
    assert frozen(model) == before


def test_an_interrupted_run_leaves_the_model_as_it_was(monkeypatch):
    """Not only refusals: what fails in mid-call (here: a class cannot be let in) is undone."""
    model = novikoff.Perceptron().partial_fit(X, Y)
    before = frozen(model)
    monkeypatch.setattr(type(model), "_enter_class", lambda *a: (_ for _ in ()).throw(MemoryError))
    with pytest.raises(MemoryError):
        model.partial_fit(X, np.where(Y == 1, 2, 0))
    assert frozen(model) == before

"""However rows are stored, they train the same model, and they are left as they were."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import novikoff
from tests.laws.cases import (
    ALL,
    DEFAULTS,
    assert_close_model,
    assert_same_model,
    duplicated,
    is_online,
    make,
    over,
    over_forms,
    rows,
    ways_to_store,
)

INTERCEPT = pytest.mark.parametrize("fit_intercept", [False, True])
# The same numbers lie in memory in another order; what the compiled code sees is the same.
EXACT = {"Fortran order", "strided", "reversed", "read-only", "lists"}


@INTERCEPT
@over_forms()
@over(ALL)
def test_dense_and_sparse_rows_train_the_same_model(case, form, fit_intercept):
    X, y = rows(form)
    dense = make(case, form, fit_intercept=fit_intercept).fit(X, y)
    sparse = make(case, form, fit_intercept=fit_intercept).fit(sp.csr_matrix(X), y)
    assert_close_model(sparse, dense)
    probe, _ = rows(seed=99)
    np.testing.assert_allclose(
        dense.decision_function(sp.csr_matrix(probe)),
        dense.decision_function(probe),
        rtol=1e-9,
        atol=1e-9 * np.abs(dense.decision_function(probe)).max(),
    )


@over_forms(["binary", "ovr"])
@over(DEFAULTS)
def test_every_way_to_store_rows_trains_the_same_model(case, form):
    X, y = rows(form)
    model = make(case, form).fit(X, y)
    for name, stored in ways_to_store(X).items():
        other = make(case, form).fit(stored, y)
        if name in EXACT:
            assert_same_model(other, model)
        else:
            assert_close_model(other, model)


@over_forms(["binary", "ovr"])
@over(DEFAULTS)
def test_single_precision_rows_train_nearly_the_same_model(case, form):
    X, y = rows(form)
    X = X.astype(np.float32)
    double = make(case, form).fit(X.astype(np.float64), y)
    dense = make(case, form).fit(X, y)
    sparse = make(case, form).fit(sp.csr_matrix(X), y)
    if getattr(dense, "kernel", None) is None:  # weights and scores are float64 all the same
        assert_close_model(dense, double, rtol=1e-6)
        assert_close_model(sparse, double, rtol=1e-6)
    for model in (dense, sparse):
        assert abs(model.n_mistakes_ - double.n_mistakes_) <= 2
        assert np.mean(model.predict(X) == double.predict(X)) > 0.97


@over(DEFAULTS)
def test_integer_and_boolean_rows_are_numbers(case):
    X, y = rows(integer=True)
    model = make(case).fit(X, y)
    for kind in (np.int64, np.int8):
        assert_same_model(make(case).fit(X.astype(kind), y), model)
    assert_same_model(make(case).fit(X > 0, y), make(case).fit((X > 0).astype(float), y))


@over_forms(["binary", "ovr"])
@over(DEFAULTS)
def test_inputs_are_left_as_they_were(case, form):
    X, y = rows(form)
    labels = y.copy()
    for name, stored in ways_to_store(X).items():
        if name == "lists":
            continue
        before = stored.copy()
        model = make(case, form, fit_intercept=True).fit(stored, labels)
        model.decision_function(stored)
        if sp.issparse(stored):
            for part in ("data", "indices", "indptr", "row", "col"):
                if hasattr(before, part):
                    np.testing.assert_array_equal(getattr(stored, part), getattr(before, part))
        else:
            np.testing.assert_array_equal(stored, before)
    np.testing.assert_array_equal(labels, y)


@over(DEFAULTS)
def test_what_is_learnt_shares_no_memory_with_the_rows(case):
    X, y = rows()
    model = make(case).fit(X, y)
    probe, _ = rows(seed=99)
    before = model.decision_function(probe)
    X[:] = 1e6
    np.testing.assert_array_equal(model.decision_function(probe), before)


@over(DEFAULTS)
def test_what_a_model_shows_is_a_copy(case):
    X, y = rows()
    model = make(case).fit(X, y)
    probe, _ = rows(seed=99)
    before = model.decision_function(probe)
    for name in ("coef_", "intercept_", "dual_coef_", "support_"):
        if getattr(model, "kernel", None) is None and name in ("dual_coef_", "support_"):
            continue
        if hasattr(model, name) and getattr(model, name).flags.writeable:
            getattr(model, name)[...] = 7
    np.testing.assert_array_equal(model.decision_function(probe), before)


@over(DEFAULTS)
def test_frames_train_the_same_model_and_name_the_features(case):
    X, y = rows()
    names = [f"feature {j}" for j in range(X.shape[1])]
    model = make(case).fit(X, y)
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names, orient="row")):
        other = make(case).fit(frame, y)
        assert other.feature_names_in_.tolist() == names
        np.testing.assert_array_equal(other.decision_function(frame), model.decision_function(X))
        assert not hasattr(model, "feature_names_in_")


def test_frames_with_other_columns_are_refused():
    X, y = rows()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = novikoff.Perceptron().fit(frame, y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(frame[list("bacdef")], y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"a": "z"}))


@over([case for case in DEFAULTS if is_online(case.name)])
def test_row_types_may_change_in_mid_stream(case):
    X, y = rows()
    model = make(case).partial_fit(X[:50], y[:50])
    model.partial_fit(sp.csr_matrix(X[50:90]), y[50:90])
    model.partial_fit(X[90:].astype(np.float32).astype(np.float64), y[90:])
    other = make(case).fit(np.vstack([X[:90], X[90:].astype(np.float32)]), y)
    assert_close_model(model, other)


def test_features_beyond_32_bits_are_kept_apart():
    width = 2**31 + 10
    indices = np.array([0, width - 1, 5], dtype=np.int64)
    X = sp.csr_matrix(
        (np.ones(3), indices, np.array([0, 1, 2, 3], dtype=np.int64)), shape=(3, width)
    )
    assert novikoff.base.as_rows(X).indices.tolist() == indices.tolist()


def test_entries_stored_twice_count_once_in_norms():
    X, y = rows()
    for case in ALL:
        model = make(case).fit(duplicated(X), y)
        assert_close_model(model, make(case).fit(X, y))

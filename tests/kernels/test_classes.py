"""Classes that enter a kernel learner in mid-stream, in any pieces and with any budget."""

import numpy as np
import pytest

import novikoff
from tests.kernels.common import FEW, assert_close, assert_same_run, options, over_forms, rows

MULTI = [s for s in FEW if len(s.forms) > 1]


def stream(seed=50):
    """Rows whose third class comes late."""
    X, y = rows("ovr", n=150, seed=seed)
    y = y.copy()
    y[:70] %= 2
    y[70] = 2
    return X, y


@over_forms([s._replace(forms=s.forms[1:]) for s in MULTI])
def test_a_third_class_enters_in_any_pieces(setting, form):
    X, y = stream()
    whole = setting.make(**options(form)).partial_fit(X, y)
    assert whole.classes_.tolist() == [0, 1, 2]
    for size in (1, 37):
        pieces = setting.make(**options(form))
        for start in range(0, 150, size):
            pieces.partial_fit(X[start : start + size], y[start : start + size])
        assert_same_run(pieces, whole)
    one = setting.make(**options(form)).partial_fit(X[:1], y[:1])
    for x, label in zip(X[1:], y[1:], strict=True):
        one.learn_one(x, label)
    assert_same_run(one, whole)


@over_forms([s._replace(forms=s.forms[1:]) for s in MULTI])
def test_the_pair_is_as_it_was_when_a_third_class_enters(setting, form):
    X, y = stream(51)
    pair = setting.make(**options(form)).partial_fit(X[:70], y[:70])
    before = pair.decision_function(X)
    support = pair.support_
    decisions = pair.run_trials(X[70:71], y[70:71])[0]
    share = 0.5 if form == "prototype" else 1.0
    # The trial that brings the class is decided by the pair's weight, shared out between the two.
    assert decisions[2] == 0.0 or np.isneginf(decisions[2])
    shown = share * np.array([-before[70], before[70]])
    if form == "prototype" and setting.parameters.get("lazy"):
        # The joint norm of (w/2, -w/2) is less than that of w: it is scaled down less, for show.
        assert 1.0 - 1e-12 <= decisions[0] / shown[0] <= np.sqrt(2.0) + 1e-12
        assert decisions[0] == -decisions[1]
    else:
        assert_close(decisions[:2], shown)
    assert set(pair.support_) <= {*support.tolist(), 70}
    assert pair.dual_coef_.shape == (3, pair.n_support_)


@pytest.mark.parametrize("form", ["ovr", "prototype"])
def test_free_kernel_learners_grow_as_primal_ones(form):
    X, y = stream(52)
    for name in ("Perceptron", "PassiveAggressiveI", "ALMA"):
        for average in ("last", "mean"):
            make = getattr(novikoff, name)
            common = {"average": average, "fit_intercept": True, **options(form)}
            primal, dual = make(**common), make(kernel="linear", **common)
            ours, theirs = dual.run_trials(X, y), primal.run_trials(X, y)
            known = np.isfinite(theirs)
            np.testing.assert_array_equal(np.isfinite(ours), known)
            assert_close(ours[known], theirs[known])
            assert_close(dual.coef_, primal.coef_)
            assert_close(dual.intercept_, primal.intercept_)


@pytest.mark.parametrize("form", ["ovr", "prototype"])
@pytest.mark.parametrize("name", ["Projectron", "ProjectronPlusPlus"])
def test_each_class_has_the_factor_of_its_own_rows(name, form):
    X, y = stream(53)
    model = getattr(novikoff, name)(eta=0.3, gamma=0.3, **options(form))
    for start in range(0, 150, 25):
        model.partial_fit(X[start : start + 25], y[start : start + 25])
        machine = model._machine
        for c, (L, span) in enumerate(zip(machine.factors, machine.spans, strict=True)):
            S = machine.store.vectors(span)
            L = np.tril(L[: span.size, : span.size])
            K = machine.store.kernel(S, S)
            assert_close(L @ L.T, K, 1e-11)
            outside = np.setdiff1d(np.arange(machine.used), span)
            assert not machine.A[c, outside].any()


def test_labels_of_any_kind_and_given_classes():
    X, y = stream(54)
    names = np.array(["ape", "bee", "cow"])
    model = novikoff.Projectron(eta=0.3).partial_fit(X, names[y], classes=names)
    other = novikoff.Projectron(eta=0.3).partial_fit(X, y, classes=[0, 1, 2])
    assert_same_run(model, other, 0.0)
    assert model.predict(X).tolist() == names[other.predict(X)].tolist()

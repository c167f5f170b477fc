"""`SecondOrderPerceptron` against Figure 3.1 and Theorem 3.3, and its matrix in blocks."""

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff import SecondOrderPerceptron
from novikoff.engine.symmetric import Row, Symmetric
from novikoff.learners.second_order_perceptron import LONGEST, shrinkage
from tests.laws.cases import FORMS, learn, rows
from tests.second_order.cases import KERNELS, assert_goes_on, follow

AVERAGES = pytest.mark.parametrize("average", ["last", "mean"])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("a", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_weights_follow_the_paper_trial_by_trial(form, a, fit_intercept):
    follow("SecondOrderPerceptron", form, a=a, fit_intercept=fit_intercept)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k["kernel"])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_coefficients_follow_the_paper_trial_by_trial(form, kernel, fit_intercept):
    follow("SecondOrderPerceptron", form, a=0.5, fit_intercept=fit_intercept, **kernel)


@pytest.mark.parametrize("n_features", [70, 100])
def test_terms_in_blocks_follow_the_paper(n_features):
    """Wide enough that terms wait: first with the matrix unformed, then beside it."""
    X, y = rows("binary", 200, n_features=n_features)
    model, _ = follow("SecondOrderPerceptron", "binary", data=(X, y), a=0.5)
    inverse = model._machine.memories[0].inverse
    assert len(inverse.B) == n_features
    assert model.n_updates_ > n_features // 8 + 4


def test_unformed_matrix_is_the_same_matrix():
    rng = np.random.default_rng(0)
    S, A = Symmetric(40, 2.0, paired=True), 2.0 * np.eye(40)
    for i in range(12):
        left, right = rng.normal(size=(2, 40))
        S.subtract(left, right)
        A -= np.outer(left, right) + np.outer(right, left)
        x = rng.normal(size=40)
        np.testing.assert_allclose(S.times(Row(x, None, 40)), A @ x, atol=1e-10)
        few = Row(x[[3, 17]], np.array([3, 17]), 40)
        np.testing.assert_allclose(S.times(few), A @ few.dense(), atol=1e-10)
        np.testing.assert_allclose(S.dense(), A, atol=1e-12)
        assert (len(S.B) > 0) == (i >= 4)


@AVERAGES
def test_pieces_of_wide_rows_do_not_matter(average):
    X, y = rows("ovr", 300, n_features=150)
    whole = learn(SecondOrderPerceptron(average=average), X, y)
    for size in (1, 41):
        pieces = learn(SecondOrderPerceptron(average=average), X, y, size)
        np.testing.assert_array_equal(pieces.coef_, whole.coef_)


def test_primal_and_dual_are_one_learner():
    X, y = rows("ovr")
    primal = SecondOrderPerceptron(a=0.7, average="mean").fit(X, y)
    dual = SecondOrderPerceptron(a=0.7, average="mean", kernel="linear").fit(X, y)
    np.testing.assert_allclose(primal.coef_, dual.coef_, rtol=1e-9, atol=1e-12)
    assert primal.n_mistakes_ == dual.n_mistakes_


@pytest.mark.parametrize("block_size", [1, 7, 64])
def test_blocks_of_a_kernel_do_not_matter(block_size):
    X, y = rows("prototype")
    given = {"kernel": "rbf", "multiclass": "prototype", "average": "mean"}
    one = SecondOrderPerceptron(block_size=block_size, **given).fit(X, y)
    other = SecondOrderPerceptron(**given).fit(X, y)
    assert one.support_.tolist() == other.support_.tolist()
    np.testing.assert_allclose(one.dual_coef_, other.dual_coef_, rtol=1e-9, atol=1e-12)


def test_large_a_is_the_perceptron():
    from novikoff import Perceptron

    X, y = rows()
    model = SecondOrderPerceptron(a=1e9).fit(X, y)
    perceptron = Perceptron().fit(X, y)
    assert model.n_mistakes_ == perceptron.n_mistakes_
    np.testing.assert_allclose(1e9 * model.coef_, perceptron.coef_, rtol=1e-6)


def test_precomputed_kernel():
    X, y = rows()
    given = SecondOrderPerceptron(kernel="precomputed", n_epochs=2).fit(X @ X.T, y)
    linear = SecondOrderPerceptron(kernel="linear", n_epochs=2).fit(X, y)
    assert given.support_.tolist() == linear.support_.tolist()
    np.testing.assert_allclose(given.dual_coef_, linear.dual_coef_, rtol=1e-7, atol=1e-9)


def test_wide_sparse_rows_with_a_kernel():
    X, y = rows(n=200, n_features=30)
    wide = sp.coo_matrix(X)
    wide = sp.csr_matrix((wide.data, (wide.row, 2000 * wide.col)), (len(X), 60_000))
    a = SecondOrderPerceptron(kernel="linear").fit(wide, y)
    b = SecondOrderPerceptron(kernel="linear").fit(X, y)
    np.testing.assert_allclose(a.dual_coef_, b.dual_coef_, rtol=1e-7, atol=1e-9)


def test_single_precision_rows():
    X, y = rows()
    X = X.astype(np.float32)
    for kernel in (None, "rbf"):
        a = SecondOrderPerceptron(kernel=kernel).fit(X, y)
        b = SecondOrderPerceptron(kernel=kernel).fit(X.astype(float), y)
        np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), rtol=1e-4)


def cut(X, length):
    """Rows in their directions, none longer than this."""
    lengths = np.linalg.norm(X, axis=1)
    return X * np.minimum(1.0, length / np.where(lengths > 0.0, lengths, 1.0))[:, None]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kernel", [None, "linear"])
@pytest.mark.filterwarnings("error")
def test_rows_that_leave_nothing_of_a_are_cut(form, kernel):
    X, y = rows(form)
    X = X * np.where(np.arange(len(X)) % 3, 1e3, 1e-3)[:, None]
    kind = {"multiclass": "prototype"} if form == "prototype" else {}
    model = SecondOrderPerceptron(a=1e-9, kernel=kernel, **kind).fit(X, y)
    short = cut(X, LONGEST * 1e-9**0.5)
    assert 0 < np.count_nonzero(short != X) < X.size
    other = SecondOrderPerceptron(a=1e-9, kernel=kernel, **kind).fit(short, y)
    assert model.n_updates_ == other.n_updates_
    largest = np.abs(other.coef_).max()
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-3, atol=1e-3 * largest)


@pytest.mark.parametrize("kernel", [None, "linear", "rbf"])
@pytest.mark.parametrize("scale", [1.0, 1e8, 1e100])
@pytest.mark.filterwarnings("error")
def test_what_is_learnt_minimises_the_ridge_loss_even_where_a_is_of_rounding_size(kernel, scale):
    """Repeated rows under both labels, and many in few dimensions."""
    rng = np.random.default_rng(0)
    X = scale * np.repeat(rng.normal(size=(300, 3)), 2, axis=0)
    y = rng.integers(0, 2, 600)
    model = SecondOrderPerceptron(a=1e-17, kernel=kernel)
    signs = 2.0 * y - 1.0
    told = signs * model.run_trials(X, y, classes=[0, 1]) <= 0.0
    kept = shrinkage(1e-17, (X**2).sum(axis=1) if kernel != "rbf" else np.ones(600))
    assert (kept < 1.0).all()
    errors = (kept * model.decision_function(X) - signs)[told]
    assert np.mean(errors**2) < 1.01  # w = 0 leaves 1


@AVERAGES
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kernel", [None, "rbf"])
def test_saved_models_go_on(tmp_path, average, form, kernel):
    X, y = rows(form, n_features=70)
    kind = {"multiclass": "prototype"} if form == "prototype" else {}
    assert_goes_on(
        tmp_path, lambda: SecondOrderPerceptron(kernel=kernel, average=average, **kind), X, y
    )


@pytest.mark.parametrize("kernel", [None, "rbf"])
@pytest.mark.parametrize("multiclass", ["ovr", "prototype"])
def test_classes_enter_with_a_memory_of_their_own(kernel, multiclass):
    X, y = rows("ovr")
    names = np.where(np.arange(len(y)) < 60, y % 2, y)
    model = SecondOrderPerceptron(kernel=kernel, multiclass=multiclass)
    model.partial_fit(X[:60], names[:60]).partial_fit(X[60:], names[60:])
    assert model.classes_.tolist() == [0, 1, 2]
    again = learn(SecondOrderPerceptron(kernel=kernel, multiclass=multiclass), X, names, 13)
    np.testing.assert_allclose(
        model.decision_function(X), again.decision_function(X), rtol=1e-9, atol=1e-10
    )


@pytest.mark.parametrize("a", [0.0, -1.0])
def test_a_must_be_positive(a):
    with pytest.raises(ValueError, match="'a' parameter of SecondOrderPerceptron"):
        SecondOrderPerceptron(a=a).fit(*rows())


def test_files_that_do_not_fit_are_refused():
    model = SecondOrderPerceptron(kernel="rbf").fit(*rows())
    state = model._get_state()
    state["machine"]["memories"] = []
    with pytest.raises(ValueError, match="memories of 1 classes"):
        SecondOrderPerceptron(kernel="rbf")._set_state(state)

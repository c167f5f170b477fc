"""What certify takes, says and refuses."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import linear_model
from sklearn.pipeline import make_pipeline

import novikoff
from novikoff.budgets import Project, RemoveOldest
from novikoff.kernels import RBF, Linear, Polynomial
from novikoff.learners.second_order_perceptron import LONGEST
from novikoff.theory import Certificate, certify
from novikoff.theory.certificate import best_of
from novikoff.theory.guarantees import guarantee_of
from novikoff.theory.run import Run
from novikoff.theory.second_order import rank_and_smallest, transformed_rows
from novikoff.theory.sequence import Sequence
from tests.reference import higher_order_perceptron


def data(n=60, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[5] = 0.0
    if classes == 2:
        return X, (X[:, 0] + 0.3 * rng.normal(size=n) > 0).astype(int)
    return X, np.argmax(X[:, :3] + 0.3 * rng.normal(size=(n, 3)), axis=1)


def test_the_model_is_left_alone_and_its_past_does_not_matter():
    X, y = data()
    model = novikoff.Perceptron(n_epochs=3, shuffle=True).fit(X, y)
    before = model.coef_.copy(), model.n_seen_
    fresh = certify(novikoff.Perceptron(), X, y)
    assert certify(model, X, y) == fresh
    np.testing.assert_array_equal(model.coef_, before[0])
    assert model.n_seen_ == before[1]


def test_order_of_the_rows_is_the_order_of_the_trials():
    X, y = data()
    model = novikoff.Perceptron(margin=0.0)
    assert certify(model, X, y).mistakes == model.partial_fit(X, y).n_mistakes_
    turned = certify(novikoff.Perceptron(), X[::-1], y[::-1]).mistakes
    assert turned == novikoff.Perceptron().partial_fit(X[::-1], y[::-1]).n_mistakes_


@pytest.mark.parametrize("kernel", [None, "rbf"])
@pytest.mark.parametrize("intercept", [False, True])
def test_sparse_rows_give_the_same_certificate(kernel, intercept):
    X, y = data()
    model = novikoff.Perceptron(kernel=kernel, fit_intercept=intercept)
    dense, sparse = certify(model, X, y), certify(model, sp.csr_matrix(X), y)
    assert dense.mistakes == sparse.mistakes
    assert dense.bound == pytest.approx(sparse.bound, rel=1e-2)


@pytest.mark.parametrize("name", ["Perceptron", "ProjectronPlusPlus"])
def test_a_precomputed_kernel_gives_the_same_certificate(name):
    X, y = data()
    make = getattr(novikoff, name)
    named = certify(make(kernel="rbf", gamma=0.5), X, y)
    given = certify(make(kernel="precomputed"), RBF(0.5)(X, X), y)
    assert given.mistakes == named.mistakes
    assert given.bound == pytest.approx(named.bound, rel=1e-6)
    assert given.terms.keys() == named.terms.keys()


def test_labels_may_be_words():
    X, y = data()
    words = np.where(y == 1, "yes", "no")
    assert certify(novikoff.Perceptron(), X, words) == certify(novikoff.Perceptron(), X, y)


def test_single_precision_rows():
    X, y = data()
    assert certify(novikoff.Perceptron(kernel="rbf"), X.astype(np.float32), y).holds


def test_a_separable_run_finds_the_margin():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    X = X[np.abs(X[:, 0]) > 0.4]
    certificate = certify(novikoff.Perceptron(), X, (X[:, 0] > 0).astype(int))
    assert certificate.bound <= (np.linalg.norm(X, axis=1).max() / 0.4) ** 2
    assert certificate.holds


def test_more_rows_than_landmarks():
    X, y = data(900)
    certificate = certify(novikoff.Perceptron(kernel="rbf"), X, y)
    assert "600 of the 900 rows" in certificate.comparator
    assert certificate.holds
    assert certificate.mistakes <= certificate.bound < 900


def test_every_row_zero():
    y = np.array([0, 1, 1, 0])
    for model in (
        novikoff.Perceptron(),
        novikoff.PassiveAggressiveI(),
        novikoff.Projectron(kernel="linear"),
        novikoff.Perceptron(kernel="poly", coef0=0.0),
        novikoff.SecondOrderPerceptron(),
        novikoff.AdaptiveSecondOrderPerceptron(kernel="linear"),
        novikoff.PseudoinverseSecondOrderPerceptron(),
        novikoff.HigherOrderPerceptron(),
        novikoff.WhitenedPerceptron(),
        novikoff.WhitenedPerceptron(kernel="linear"),
    ):
        certificate = certify(model, np.zeros((4, 2)), y)
        assert certificate.mistakes == 4
        assert certificate.holds


@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize(
    "name",
    [
        "SecondOrderPerceptron",
        "AdaptiveSecondOrderPerceptron",
        "PseudoinverseSecondOrderPerceptron",
        "HigherOrderPerceptron",
    ],
)
def test_more_mistakes_than_features_need_no_gram_matrix(name, store):
    X, y = data(200)
    run = Run(getattr(novikoff, name)(fit_intercept=True), store(X), y)
    guarantee = guarantee_of(run)
    assert run.n_mistakes > 5
    bound = best_of(run, guarantee).bound
    told = run.told
    Z, G = run.sequence.span_coordinates(told), run.sequence.products(told, told)
    assert Z.shape == (told.size, 5)
    assert run.eigenvalues.shape == (5,)
    np.testing.assert_allclose(Z @ Z.T, G, atol=1e-12)
    np.testing.assert_allclose(np.linalg.eigvalsh(G)[-5:], run.eigenvalues, rtol=1e-9)
    assert run.n_mistakes <= bound


@pytest.mark.parametrize("kernel", [None, "rbf"])
def test_rows_that_the_second_order_perceptron_shortens_are_short_in_its_theorem(kernel):
    X, y = data()
    model = novikoff.SecondOrderPerceptron(a=1e-14, kernel=kernel)
    run = Run(novikoff.SecondOrderPerceptron(a=1e-14, kernel=kernel), X, y)
    longest = LONGEST * 1e-7
    assert run.sequence.radius == pytest.approx(longest)
    shown = X * np.minimum(1.0, longest / np.maximum(np.linalg.norm(X, axis=1), 1e-9))[:, None]
    certificate = certify(model, X, y)
    assert certificate.holds
    assert certificate.terms["largest eigenvalue"] <= certificate.mistakes * longest**2
    if kernel is None:
        short = certify(model, shown, y)
        assert certificate.mistakes == short.mistakes
        assert certificate.bound == pytest.approx(short.bound, rel=1e-6)


def test_the_dictionary_is_plain():
    certificate = certify(novikoff.ProjectronPlusPlus(eta=0.3), *data())
    told = json.loads(json.dumps(certificate.to_dict()))
    assert told["holds"] is True
    assert told["mistakes"] == certificate.mistakes
    assert told["terms"]["eta"] == 0.3


def test_the_curve_is_the_run_s_and_the_profile_the_comparator_s():
    X, y = data()
    certificate = certify(novikoff.Projectron(eta=0.3), X, y)
    model = novikoff.Projectron(eta=0.3).fit(X, y)
    trials, mistakes = zip(*certificate.curve, strict=True)
    np.testing.assert_array_equal(trials, model.curve_["trial"])
    np.testing.assert_array_equal(mistakes, model.curve_["mistakes"])
    assert certificate.curve[-1] == (60, certificate.mistakes)
    margins, bounds = map(np.array, zip(*certificate.profile, strict=True))
    assert (margins > 0.3).all()
    assert bounds[np.argmin(np.abs(margins - certificate.margin))] == certificate.bound
    assert bounds.min() >= certificate.bound * (1 - 1e-3)


def test_the_words_say_what_was_compared():
    text = str(certify(novikoff.Projectron(eta=0.3), *data()))
    for words in ("Projectron:", "mistakes in 60 trials", "bound", "P2 Theorem 3", "eta = 0.3"):
        assert words in text
    text = str(certify(novikoff.ModifiedBudgetPerceptron(random_state=0), *data()))
    assert "in expectation" in text


def test_a_bound_that_is_broken_says_so():
    broken = Certificate("Perceptron", "a theorem", 9, 5, 4.0, 1.0, 0.0, "a comparator", {})
    assert not broken.holds
    assert "does not hold" in str(broken)


REFUSED = [
    (linear_model.Perceptron(), "must be a learner of novikoff, got sklearn.*Perceptron"),
    (make_pipeline(novikoff.Whitener(), novikoff.Perceptron()), "a learner of novikoff"),
    (novikoff.Forgetron(), "Forgetron has no mistake bound in our papers; those that have one: A"),
    (novikoff.PassiveAggressive(), "PassiveAggressive has no mistake bound"),
    (novikoff.OnlineRidgeClassifier(), "OnlineRidgeClassifier has no mistake bound"),
    (novikoff.Perceptron(margin=0.5), r"Perceptron with margin=0.5: use margin=0"),
    (novikoff.Perceptron(kernel="rbf", budget=RemoveOldest(9)), "use budget=None or Project"),
    (novikoff.PassiveAggressiveI(kernel="rbf", budget=Project(0.1)), "use budget=None"),
    (novikoff.ALMA(), r"C\^2 \+ 2 \(1 - alpha\) B C = 1 and not 2.8"),
    (novikoff.ALMA(p=4.0), "p=4.0: use p=2"),
    (novikoff.SimplifiedForgetron(budget=100), "a budget of at least 500"),
    (novikoff.SimplifiedForgetron(eta=0.1), "eta=0.1: use eta=0.03125"),
    (novikoff.SimplifiedForgetron(lazy=True), "lazy=True: use lazy=False"),
    (novikoff.SimplifiedForgetron(radius=3.0), "radius=3.0: use radius=None"),
    (novikoff.SimplifiedForgetron(fit_intercept=True), "rows of length at most 1|row of length"),
    (novikoff.ModifiedBudgetPerceptron(eta=0.5), "use eta=0.0625"),
    (novikoff.ModifiedBudgetPerceptron(kernel="linear"), "X has a row of length"),
]


@pytest.mark.parametrize(("model", "words"), REFUSED)
def test_what_no_theorem_covers_is_refused_in_a_sentence(model, words):
    with pytest.raises(ValueError, match=words):
        certify(model, *data())


def test_the_settings_alma_is_told_to_use_are_covered():
    model = novikoff.ALMA(alpha=0.9, C=2**-0.5, B=1 / (4 * 0.1 * 2**-0.5))
    assert certify(model, *data()).holds


def test_classes():
    X, y = data(classes=3)
    with pytest.raises(ValueError, match="certify a class against the rest"):
        certify(novikoff.Perceptron(), X, y)
    with pytest.raises(ValueError, match="no theorem covers PassiveAggressiveI with multiclass"):
        certify(novikoff.PassiveAggressiveI(multiclass="prototype"), X, y)
    with pytest.raises(ValueError, match="at least two classes"):
        certify(novikoff.Perceptron(), X, np.zeros(len(X)))
    certificate = certify(novikoff.Projectron(multiclass="prototype"), X, y)
    assert certificate.theorem.startswith("P2 Theorem 6")
    assert certificate.terms["R"] == pytest.approx(2**0.5)
    assert certificate.holds


def test_the_progress_of_margin_errors_is_that_of_the_theorem():
    X, y = data(200)
    eta = 0.4
    run = Run(novikoff.ProjectronPlusPlus(eta=eta, gamma=0.05), X, y)
    K = RBF(0.05)(X, X)
    progress = 0.0
    for t in np.flatnonzero((run.margins > 0) & (run.margins < 1)):
        S = run.model.support_[run.model.support_ < t]
        d = np.linalg.solve(K[np.ix_(S, S)], K[S, t])
        inside = K[S, t] @ d
        distance, loss = np.sqrt(K[t, t] - inside), 1.0 - run.margins[t]
        if loss >= distance / eta:
            tau = min(loss / inside, 2 * (loss - distance / eta) / inside, 1.0)
            progress += tau * (2 * loss - tau * inside - 2 * distance / eta)
    assert progress > 1.0
    assert guarantee_of(run).terms["B"] == pytest.approx(progress, rel=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_transformed_rows_are_those_of_the_definition(sparse):
    X, y = data(80)
    signs = np.where(y == 1, 1.0, -1.0)
    out = higher_order_perceptron.run(X, signs, c=0.7, sparse_updates=sparse)
    rows = X[out["updates"]] / np.linalg.norm(X[out["updates"]], axis=1, keepdims=True)
    told = signs[out["updates"]]
    B, v, expected = np.eye(4), np.zeros(4), []
    for k, (x, s) in enumerate(zip(rows, told, strict=True), start=1):
        expected.append(B @ x)
        if not sparse or s * (v @ x) >= 0:
            B = B @ (np.eye(4) - 0.7 / k * np.outer(x, x))
        v = v + s * x
    ours = transformed_rows(rows, told, 0.7, sparse)
    np.testing.assert_allclose(
        ours @ ours.T, np.array(expected) @ np.array(expected).T, atol=1e-10
    )


def seen(X, kernel):
    """All rows, as learnt in a kernel space."""
    return Sequence(X, kernel, False, np.ones_like), np.arange(len(X))


def test_rank_and_smallest_eigenvalue_over_all_beginnings():
    rng = np.random.default_rng(1)
    for _ in range(20):
        rows = rng.normal(size=(12, 5))
        rows[3] = rows[:3].sum(axis=0)
        rows[5:7] = rows[:2]
        smallest = min(
            values[values > 1e-10].min()
            for k in range(1, 13)
            for values in [np.linalg.eigvalsh(rows[:k].T @ rows[:k])]
        )
        rank, ours = rank_and_smallest(*seen(rows, Linear()))
        assert rank == 5
        assert ours == pytest.approx(smallest, rel=1e-6)


@pytest.mark.parametrize("seed", [2, 17, 23, 31, 36])
def test_rounding_of_kernel_values_is_no_rank(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 2)) @ rng.normal(size=(2, 3)) * rng.choice([0.1, 1.0, 3.0])
    assert rank_and_smallest(*seen(X, Polynomial(1 / 3, 2, 1.0)))[0] == 6


def test_an_eigenvalue_of_rounding_size_is_replaced_by_one_below_it():
    x = np.linspace(0.0, 1.0, 12)[:, None]
    rank, smallest = rank_and_smallest(*seen(x, RBF(1.0)))
    assert 0.0 < smallest < 1e-12
    assert 4 < rank <= 12


@pytest.mark.parametrize("seed", [1, 2, 6, 7])
def test_what_stands_for_a_small_eigenvalue_is_near_it(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(30, 6))
    rows[4] = rows[:4].sum(axis=0) + 5e-6 * rows[4]
    values = [np.linalg.svd(rows[:k])[1] ** 2 for k in range(1, 31)]
    exact = min(v[v > 1e-18 * v[0]].min() for v in values)
    rank, smallest = rank_and_smallest(*seen(rows, Linear()))
    assert rank == 6
    assert 0.5 * exact < smallest < 1.01 * exact


def test_rows_and_labels_that_do_not_fit():
    X, y = data()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        certify(novikoff.Perceptron(), X, y[:-1])
    spoilt = X.copy()
    spoilt[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        certify(novikoff.Perceptron(), spoilt, y)
    with pytest.raises(ValueError, match="must be square"):
        certify(novikoff.Perceptron(kernel="precomputed"), X, y)
    with pytest.raises(ValueError, match="'eta' parameter of Projectron"):
        certify(novikoff.Projectron(eta=-1.0), X, y)
    with pytest.raises(ValueError, match="alpha=0 leaves B"):
        certify(novikoff.ALMA(alpha=0.0), X, y)


def test_one_class_against_the_rest():
    X, y = data(classes=3)
    certificate = certify(novikoff.Perceptron(), X, y == 2)
    assert certificate.mistakes == novikoff.Perceptron().fit(X, y == 2).n_mistakes_
    assert certificate.holds


def test_data_frames():
    pandas = pytest.importorskip("pandas")
    X, y = data()
    frame = pandas.DataFrame(X, columns=list("abcd"))
    assert certify(novikoff.Perceptron(), frame, pandas.Series(y)) == certify(
        novikoff.Perceptron(), X, y
    )

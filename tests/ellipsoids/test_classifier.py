"""Laws of the ellipsoid of maximal separation ratio, against (7.9) and (7.21) taken literally."""

import builtins

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.estimator_checks import check_estimator

from novikoff.ellipsoids import EllipsoidClassifier, GramSchmidtFeatures, interior_point
from tests.ellipsoids.points import AWKWARD, GOLDEN, affine, awkward, mixed, shells
from tests.reference import p3_ellipsoid_sdp

OWN = ["interior-point", "working-set"]


def distances(model, X):
    return np.einsum("ij,jk,ik->i", X - model.center_, model.shape_, X - model.center_)


@pytest.mark.parametrize("solver", [*OWN, "clarabel"])
@pytest.mark.parametrize(("n", "m"), GOLDEN)
def test_ratio_is_that_of_the_semidefinite_program(n, m, solver):
    X, y = shells(m, n, seed=n)
    # Whitened rows, or the reference has three digits only.
    L = np.linalg.cholesky(np.cov(X[y == 1].T))
    t, _ = p3_ellipsoid_sdp.primal(np.linalg.solve(L, (X - X[y == 1].mean(0)).T).T, 2 * y - 1)
    model = EllipsoidClassifier(solver=solver).fit(X, y)
    assert model.separation_ratio_ == pytest.approx(np.sqrt(1 + t), rel=1e-7)
    assert model.separation_ratio_ <= model.ratio_bound_ <= model.separation_ratio_ * (1 + 1e-6)


@pytest.mark.parametrize("solver", [*OWN, "clarabel"])
@pytest.mark.parametrize("shape", AWKWARD)
def test_ratio_of_awkward_sets_is_that_of_the_semidefinite_program(shape, solver):
    X, y = awkward(shape)
    L = np.linalg.cholesky(np.cov(X[y == 1].T))
    Z = np.linalg.solve(L, (X - X[y == 1].mean(0)).T).T
    lam = p3_ellipsoid_sdp.dual(Z, 2 * y - 1)
    model = EllipsoidClassifier(solver=solver).fit(X, y)
    assert model.separation_ratio_ == pytest.approx(np.sqrt(lam[y == 1].sum()), rel=1e-5)
    assert model.ratio_bound_ == pytest.approx(model.separation_ratio_, rel=1e-5)
    q = distances(model, X)
    np.testing.assert_array_less(q[y == 1], 1 + 1e-8)
    np.testing.assert_array_less(model.separation_ratio_**2 * (1 - 1e-8), q[y == 0])
    np.testing.assert_array_equal(model.predict(X), y)


@pytest.mark.parametrize("C", [0.15, 0.1, 0.04])
@pytest.mark.parametrize("solver", [*OWN, "clarabel"])
def test_soft_margin_is_the_program_of_its_definition(solver, C):
    X, y = shells(150, 3, ratio=1.02, seed=4)
    y[:2] = 1 - y[:2]
    L = np.linalg.cholesky(np.cov(X[y == 1].T))
    t = p3_ellipsoid_sdp.soft(np.linalg.solve(L, (X - X[y == 1].mean(0)).T).T, 2 * y - 1, C)
    assert t > 0.01
    model = EllipsoidClassifier(C=C, solver=solver).fit(X, y)
    assert model.separation_ratio_ == pytest.approx(np.sqrt(1 + t), rel=1e-6)
    # What is reported is the average over 1 / C points of each class.
    q, k = distances(model, X), int(1 / C)
    if k * C == 1.0:
        assert np.mean(np.sort(q[y == 1])[-k:]) == pytest.approx(1.0, rel=1e-9)
        assert np.mean(np.sort(q[y == 0])[:k]) == pytest.approx(
            model.separation_ratio_**2, rel=1e-9
        )


@pytest.mark.parametrize("solver", [*OWN, "clarabel"])
def test_a_class_of_one_over_C_points_is_averaged_as_a_whole(solver):
    X, y = shells(120, 3, ratio=1.02, seed=4)
    X, y = np.vstack([X[y == 1][:25], X[y == 0]]), np.repeat([1, 0], [25, 60])
    L = np.linalg.cholesky(np.cov(X[y == 1].T))
    Z = np.linalg.solve(L, (X - X[y == 1].mean(0)).T).T
    t = p3_ellipsoid_sdp.soft(Z, 2 * y - 1, 1 / 25)
    model = EllipsoidClassifier(C=1 / 25, solver=solver).fit(X, y)
    assert model.separation_ratio_ == pytest.approx(np.sqrt(1 + t), rel=1e-6)
    assert distances(model, X[y == 1]).mean() == pytest.approx(1.0, rel=1e-6)
    # Fewer points than 1/C cannot be averaged over more than there are.
    softest = EllipsoidClassifier(C=1 / 1000, solver=solver).fit(X, y)
    q = distances(softest, X)
    assert q[y == 1].mean() == pytest.approx(1.0, rel=1e-6)
    assert q[y == 0].mean() == pytest.approx(softest.separation_ratio_**2, rel=1e-6)


def test_all_inside_lie_within_the_inner_ellipsoid_and_none_between():
    X, y = shells(400, 4, seed=1)
    model = EllipsoidClassifier().fit(X, y)
    q = distances(model, X)
    assert q[y == 1].max() == pytest.approx(1.0, abs=1e-9)
    assert q[y == 0].min() == pytest.approx(model.separation_ratio_**2, rel=1e-9)
    assert model.inner_radius_ == pytest.approx(1.0)
    assert model.outer_radius_ == pytest.approx(model.separation_ratio_)


def test_decision_is_that_of_the_middle_ellipsoid():
    X, y = shells(200, 3, seed=2)
    model = EllipsoidClassifier().fit(X, y)
    middle = ((1 + model.separation_ratio_) / 2) ** 2  # (8.2)
    np.testing.assert_allclose(model.decision_function(X), middle - distances(model, X), rtol=1e-8)
    np.testing.assert_array_equal(model.predict(X), y)


@pytest.mark.parametrize("solver", OWN)
def test_multipliers_solve_the_dual(solver):
    X, y = shells(300, 4, seed=3)
    model = EllipsoidClassifier(solver=solver).fit(X, y)
    lam, rows = model.dual_coef_, model.support_
    outside = y[rows] == 0
    assert np.all(lam > 0)
    assert lam[outside].sum() == pytest.approx(1.0, rel=1e-12)
    ratio2 = model.separation_ratio_**2
    assert lam[~outside].sum() == pytest.approx(ratio2, rel=1e-5)
    # Complementary slackness: weight only on the two surfaces (7.17) and V E^ = 0 (7.18).
    q = distances(model, X[rows])
    np.testing.assert_allclose(q, np.where(outside, ratio2, 1.0), rtol=1e-5)
    Z = np.column_stack([X[rows], np.ones(len(rows))])
    V = (Z.T * np.where(outside, -lam, lam)) @ Z
    size = np.abs((Z.T * lam) @ Z).max()
    E, c = model.shape_, model.center_
    canonical = np.block([[E, -(E @ c)[:, None]], [-(E @ c)[None, :], np.array([[c @ E @ c]])]])
    assert np.linalg.eigvalsh(V)[0] > -1e-5 * size
    assert abs(np.sum(V * canonical)) < 1e-4 * ratio2


def test_dual_value_is_that_of_7_21():
    X, y = shells(60, 2, seed=6)
    L = np.linalg.cholesky(np.cov(X[y == 1].T))
    lam = p3_ellipsoid_sdp.dual(np.linalg.solve(L, (X - X[y == 1].mean(0)).T).T, 2 * y - 1)
    model = EllipsoidClassifier().fit(X, y)
    assert model.ratio_bound_**2 == pytest.approx(lam[y == 1].sum(), rel=1e-7)


@pytest.mark.parametrize("C", [np.inf, 0.05])
@pytest.mark.parametrize("n", [2, 5])
def test_affine_maps_change_no_prediction(n, C):
    """Theorem 7.5, up to condition number 1e6."""
    X, y = shells(200, n, seed=n)
    rng = np.random.default_rng(0)
    probe = X[rng.integers(200, size=5000)] + rng.normal(size=(5000, n))
    model = EllipsoidClassifier(C=C).fit(X, y)
    expected = model.predict(probe)
    assert 0.05 < expected.mean() < 0.95
    for condition in (1e0, 1e3, 1e6):
        B, b = affine(n, condition, rng)
        mapped = EllipsoidClassifier(C=C).fit(X @ B + b, y)
        assert mapped.separation_ratio_ == pytest.approx(model.separation_ratio_, rel=1e-7)
        np.testing.assert_array_equal(mapped.predict(probe @ B + b), expected)


def test_order_of_points_does_not_matter():
    X, y = shells(3000, 3, seed=8)
    order = np.random.default_rng(0).permutation(len(X))
    a, b = EllipsoidClassifier().fit(X, y), EllipsoidClassifier().fit(X[order], y[order])
    assert a.separation_ratio_ == pytest.approx(b.separation_ratio_, rel=1e-8)
    np.testing.assert_allclose(a.center_, b.center_, atol=1e-5)
    assert set(order[b.support_]) == set(a.support_)


def test_working_set_leans_on_few_of_many_points():
    X, y = shells(20_000, 4, seed=9)
    few = EllipsoidClassifier(solver="working-set").fit(X, y)
    full = EllipsoidClassifier(solver="interior-point").fit(X, y)
    assert few.separation_ratio_ == pytest.approx(full.separation_ratio_, rel=1e-7)
    assert len(few.support_) <= 5 * 6 // 2 + 1
    np.testing.assert_array_equal(few.support_, full.support_)


@pytest.mark.parametrize("solver", [*OWN, "clarabel"])
def test_unseparable_points_are_reported(solver):
    X, y = mixed(600, 3)
    with pytest.raises(
        ValueError, match=r"class 1 is not separable by an ellipsoid: give a finite C"
    ):
        EllipsoidClassifier(solver=solver).fit(X, y)
    with pytest.raises(ValueError, match=r"give a C below 0\.5"):
        EllipsoidClassifier(C=0.5, solver=solver).fit(X, y)
    model = EllipsoidClassifier(C=1e-3, solver=solver).fit(X, y)
    assert model.separation_ratio_ > 1


def test_a_point_in_the_wrong_place_spoils_the_hard_margin_only():
    X, y = shells(300, 2, ratio=2.0, seed=10)
    clean = EllipsoidClassifier().fit(X, y)
    X = np.vstack([X, X[y == 1].mean(axis=0)])
    y = np.append(y, 0)
    with pytest.raises(ValueError, match="not separable"):
        EllipsoidClassifier().fit(X, y)
    model = EllipsoidClassifier(C=0.1).fit(X, y)
    assert np.mean(model.predict(X[:-1]) == y[:-1]) > 0.97
    assert np.mean(clean.predict(X[:-1]) == y[:-1]) == 1.0


def test_C_of_one_and_more_is_the_hard_margin():
    X, y = shells(100, 3, seed=11)
    hard = EllipsoidClassifier().fit(X, y)
    for C in (1.0, 7.0):
        soft = EllipsoidClassifier(C=C).fit(X, y)
        np.testing.assert_array_equal(soft.shape_, hard.shape_)
    nearly = EllipsoidClassifier(C=0.999999).fit(X, y)
    assert nearly.separation_ratio_ == pytest.approx(hard.separation_ratio_, rel=1e-4)


def test_softer_margins_have_larger_ratios():
    X, y = shells(200, 3, seed=12)
    ratios = [
        EllipsoidClassifier(C=C).fit(X, y).separation_ratio_
        for C in (np.inf, 0.5, 0.2, 0.1, 0.05, 0.02, 1e-6)
    ]
    assert np.all(np.diff(ratios) > -1e-8)
    assert ratios[-1] > ratios[0] * 1.05


def test_several_classes_are_each_inside_their_own():
    rng = np.random.default_rng(13)
    centres = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
    X = np.vstack([rng.normal(size=(60, 2)) * 0.5 + c for c in centres])
    y = np.repeat(["a", "b", "c"], 60)
    model = EllipsoidClassifier().fit(X, y)
    assert model.center_.shape == (3, 2)
    assert model.shape_.shape == (3, 2, 2)
    assert model.decision_function(X).shape == (180, 3)
    assert model.dual_coef_.shape == (3, len(model.support_))
    np.testing.assert_array_equal(model.predict(X), y)
    alone = EllipsoidClassifier().fit(X, y == "b")
    assert model.separation_ratio_[1] == pytest.approx(alone.separation_ratio_)
    row = model.dual_coef_[1]
    np.testing.assert_array_equal(model.support_[row > 0], alone.support_)


def test_sparse_and_dense_rows_give_the_same_model():
    X, y = shells(80, 3, seed=14)
    dense, csr = (EllipsoidClassifier().fit(Z, y) for Z in (X, sparse.csr_matrix(X)))
    np.testing.assert_array_equal(dense.shape_, csr.shape_)
    np.testing.assert_array_equal(
        dense.decision_function(X), csr.decision_function(sparse.csc_matrix(X))
    )


def test_kernel_features_separate_what_the_plane_does_not():
    """Two rings around a ring: no ellipse, but one in the kernel's space."""
    rng = np.random.default_rng(15)
    angle = rng.random(600) * 2 * np.pi
    radius = np.repeat([1.0, 2.0, 3.0], 200) + 0.1 * rng.normal(size=600)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    y = np.repeat([0, 1, 0], 200)
    with pytest.raises(ValueError, match="not separable"):
        EllipsoidClassifier().fit(X, y)
    features = GramSchmidtFeatures(kernel="rbf", gamma=1.0, n_components=25)
    model = EllipsoidClassifier(features=features).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.n_features_in_ == 2
    assert model.features_.n_components_ == 25


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.eye(4)[:, :3], [1, 1, 0, 0], "there are 2, and 3 features need at least 4; give 2"),
        (
            [[0, 1, 5.0], [1, 0, 5], [2, 3, 5], [1, 1, 5], [3, 2, 5], [9, 9, 9]],
            [1, 1, 1, 1, 1, 0],
            r"1 feature is constant within the class \(column 2\)",
        ),
        (
            [[0, 0.0], [1, 1], [2, 2], [3, 3], [9, 0]],
            [1, 1, 1, 1, 0],
            "they lie in 1 of 2 dimensions; at least 1 more",
        ),
        ([[0, 0.0], [1, 1], [2, 0]], [1, 1, 1], "one class: 1"),
        ([[0, 0.0], [1, np.nan], [2, 0]], [1, 1, 0], "NaN"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(X, y, message):
    with pytest.raises(ValueError, match=message):
        EllipsoidClassifier().fit(np.asarray(X, dtype=float), y)


def test_too_many_features_are_refused_before_the_memory_is_full():
    rng = np.random.default_rng(0)
    X, y = sparse.random(2000, 500, density=0.1, format="csr", rng=rng), np.arange(2000) < 1000
    with pytest.raises(ValueError, match="125,753 unknowns, whose matrix would take 127 GB"):
        EllipsoidClassifier(C=0.01).fit(X, y)
    EllipsoidClassifier(C=0.001, features=GramSchmidtFeatures(n_components=3)).fit(X, y)


@pytest.mark.parametrize("bad", [{"C": 0}, {"C": -1.0}, {"C": "soft"}, {"solver": "simplex"}])
def test_bad_parameters_are_refused(bad):
    X, y = shells(40, 2)
    with pytest.raises(ValueError, match=f"'{next(iter(bad))}' parameter of EllipsoidClassifier"):
        EllipsoidClassifier(**bad).fit(X, y)


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    X, y = shells(60, 2)
    model = EllipsoidClassifier().fit(X, y)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="not separable"):
        model.fit(*mixed(100, 3))
    assert vars(model) == before
    features = GramSchmidtFeatures(n_components=2).fit(X)
    before = dict(vars(features))
    with pytest.raises(ValueError, match="nothing to span"):
        features.fit(np.zeros((4, 5)))
    assert vars(features) == before


def test_parameters_are_keyword_only():
    with pytest.raises(TypeError):
        EllipsoidClassifier(1.0)


def test_unfitted_and_wrong_width_are_refused():
    X, y = shells(40, 2)
    with pytest.raises(NotFittedError):
        EllipsoidClassifier().predict(X)
    with pytest.raises(ValueError, match="3 features, but EllipsoidClassifier is expecting 2"):
        EllipsoidClassifier().fit(X, y).predict(np.zeros((1, 3)))


def test_progress_goes_to_the_error_stream(capsys):
    X, y = shells(3000, 2)
    EllipsoidClassifier(verbose=1).fit(X, y)
    out, err = capsys.readouterr()
    assert out == ""
    assert "ellipsoid around class 1, round 1:" in err
    EllipsoidClassifier().fit(X, y)
    assert capsys.readouterr().err == ""


def test_a_solver_that_stops_early_says_how_far_it_came(monkeypatch):
    X, y = shells(80, 3)
    monkeypatch.setattr(interior_point, "MAX_ITERATIONS", 5)
    with pytest.warns(ConvergenceWarning, match="class 1 is certified to .* only, where solver="):
        model = EllipsoidClassifier().fit(X, y)
    assert model.ratio_bound_ > model.separation_ratio_ * (1 + 1e-5)


def test_missing_clarabel_gives_one_sentence(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "clarabel":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    X, y = shells(40, 2)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r'needs the package clarabel: pip install "novikoff'):
        EllipsoidClassifier(solver="clarabel").fit(X, y)
    EllipsoidClassifier().fit(X, y)


# The hard margin has no model for classes that no ellipsoid separates, and says so; these checks
# draw labels without looking at the points, or use overlapping or collinear classes.
NOT_SEPARABLE = "its classes are not separable by ellipsoids, which the hard margin reports"
HARD_FAILURES = dict.fromkeys(
    [
        "check_fit_score_takes_y",
        "check_positive_only_tag_during_fit",
        "check_estimators_dtypes",
        "check_estimators_nan_inf",
        "check_estimator_sparse_tag",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
        "check_classifiers_train",
        "check_supervised_y_2d",
        "check_fit_idempotent",
        "check_fit_check_is_fitted",
        "check_n_features_in",
    ],
    NOT_SEPARABLE,
)


@pytest.mark.parametrize(
    ("estimator", "failures"),
    [
        (EllipsoidClassifier(), HARD_FAILURES),
        (EllipsoidClassifier(C=0.01), {}),
        (EllipsoidClassifier(C=0.01, features=GramSchmidtFeatures(n_components=2)), {}),
    ],
    ids=["hard", "soft", "features"],
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_checks(estimator, failures):
    results = check_estimator(
        estimator, expected_failed_checks=failures, on_skip=None, on_fail=None
    )
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert failed == {}
    # The list holds no check that has come to pass.
    assert not [r for r in results if r["status"] == "passed" and r["check_name"] in failures]

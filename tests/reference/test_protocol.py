"""What every transcription returns, checked from its definition on runs and their prefixes."""

import numpy as np
import pytest

from tests.reference import (
    adaptive_second_order_perceptron,
    alma,
    forgetron,
    higher_order_perceptron,
    modified_budget_perceptron,
    online_ridge,
    p_norm_perceptron,
    passive_aggressive,
    passive_aggressive_1,
    passive_aggressive_2,
    perceptron,
    projectron,
    projectron_plus_plus,
    pseudoinverse_second_order_perceptron,
    randomized_budget_perceptron,
    second_order_perceptron,
    simplified_forgetron,
    whitened_perceptron,
)

N = 25
CLASSES = 3


def rbf(A, B):
    return np.exp(-0.5 * np.sum((A[:, None, :] - B[None, :, :]) ** 2, axis=2))


def draw():
    rng = np.random.default_rng(3)
    return lambda size: int(rng.integers(size))


def rows(seed=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 3))
    codes = np.argmax(X**2 + 0.5 * rng.normal(size=(N, 3)), axis=1)
    return X, np.where(codes == 0, 1.0, -1.0), codes


RBF = {"kernel": rbf}
FEW = {"kernel": rbf, "budget": 4}
UNLABELLED = {"unlabelled": np.random.default_rng(8).normal(size=(6, 3))}
# module, parameters, whether it draws, the multiclass forms it has
TABLE = [
    (perceptron, {}, False, "op"),
    (perceptron, {"margin": 0.3, "normalize": True}, False, "op"),
    (perceptron, RBF | {"margin": 0.3, "normalize": True}, False, "op"),
    (perceptron, FEW, True, "op"),
    (passive_aggressive, {}, False, "op"),
    (passive_aggressive, FEW, True, "op"),
    (passive_aggressive_1, {"C": 0.3}, False, "op"),
    (passive_aggressive_1, FEW | {"C": 0.3}, True, "op"),
    (passive_aggressive_2, {"C": 0.3}, False, "op"),
    (passive_aggressive_2, FEW | {"C": 0.3}, True, "op"),
    (alma, {"p": 3.0, "alpha": 0.6}, False, "op"),
    (alma, RBF | {"alpha": 0.6}, False, "op"),
    (alma, FEW, True, "op"),
    (alma, RBF | {"project": 0.4}, False, "o"),
    (p_norm_perceptron, {"p": 3.0, "normalize": True}, False, "op"),
    (online_ridge, {"a": 0.5}, False, "op"),
    (randomized_budget_perceptron, FEW, True, "op"),
    (forgetron, FEW, False, "o"),
    (simplified_forgetron, FEW | {"eta": 0.5, "radius": 0.8}, False, "op"),
    (simplified_forgetron, FEW | {"eta": 0.5, "radius": 0.8, "lazy": True}, False, "op"),
    (modified_budget_perceptron, FEW | {"eta": 0.5, "radius": 0.8}, True, "op"),
    (modified_budget_perceptron, FEW | {"eta": 0.5, "radius": 0.8, "lazy": True}, True, "op"),
    (projectron, RBF | {"eta": 0.4}, False, "op"),
    (projectron_plus_plus, RBF | {"eta": 0.4}, False, "op"),
    (whitened_perceptron, UNLABELLED, False, "op"),
    (whitened_perceptron, UNLABELLED | RBF, False, "op"),
    (second_order_perceptron, {"a": 0.5}, False, "op"),
    (second_order_perceptron, RBF | {"a": 0.5}, False, "op"),
    (adaptive_second_order_perceptron, {}, False, "op"),
    (adaptive_second_order_perceptron, RBF, False, "op"),
    (pseudoinverse_second_order_perceptron, {}, False, "op"),
    (pseudoinverse_second_order_perceptron, RBF, False, "op"),
    (higher_order_perceptron, {"p": 3.0}, False, "op"),
    (higher_order_perceptron, RBF | {"sparse_updates": True}, False, "op"),
]
IDS = [f"{row[0].__name__.rpartition('.')[2]}-{i}" for i, row in enumerate(TABLE)]


def final(out, X, Z, parameters):
    """The decisions on Z of the hypothesis a run ends with."""
    if "w" in out:
        return Z @ out["w"]
    if "W" in out:
        return Z @ out["W"].T
    stored = parameters.get("unlabelled", X)
    return rbf(Z, stored[out["support"]]) @ out["alpha"].T


def runs(module, parameters, draws, multiclass):
    """A run on every prefix of the rows, the whole last; the draws are the same in each."""
    X, y, codes = rows()
    for t in range(1, N + 1):
        extra = {"draw": draw()} if draws else {}
        if multiclass is None:
            yield module.run(X[:t], y[:t], **parameters, **extra)
        else:
            yield module.run_multiclass(
                X[:t], codes[:t], CLASSES, multiclass, **parameters, **extra
            )


FORMS = {"b": "binary", "o": "ovr", "p": "prototype"}


@pytest.mark.parametrize(
    ("module", "parameters", "draws", "form"),
    [(m, pars, draws, FORMS[f]) for m, pars, draws, forms in TABLE for f in "b" + forms],
)
def test_runs_are_what_their_prefixes_say(module, parameters, draws, form):
    X, y, codes = rows()
    prefixes = list(runs(module, parameters, draws, None if form == "binary" else form))
    out = prefixes[-1]
    ends = [final(p, X, X, parameters) for p in prefixes]
    assert out["mean_decision"](X) == pytest.approx(np.mean(ends, axis=0), abs=1e-9)
    # Each decision is that of the hypothesis held before, but for the pseudo-inverse's zeros.
    off_span = np.zeros_like(out["decisions"], bool)
    if module is pseudoinverse_second_order_perceptron:
        off_span = out["decisions"] == 0
    for t in range(1, N):
        expected = np.where(off_span[t], 0, ends[t - 1][t])
        assert out["decisions"][t] == pytest.approx(expected, abs=1e-9)
    # A mistake is what the conventions say.
    if form == "binary":
        assert out["mistakes"].tolist() == (y * out["decisions"] <= 0).tolist()
        n_updates = [int(p["updates"].sum()) for p in prefixes]
        changed = np.diff(n_updates, prepend=0).astype(bool)
        assert out["updates"].tolist() == changed.tolist()
    else:
        scores = zip(out["decisions"], codes, strict=True)
        expected = [s[c] <= np.delete(s, c).max() for s, c in scores]
        assert out["mistakes"].tolist() == expected
        n_updates = [p["n_updates"] for p in prefixes]
        changed = np.diff(n_updates, prepend=0) > 0
        assert np.diff(n_updates, prepend=0).max() <= (1 if form == "prototype" else CLASSES)
    # The hypothesis moves only when an update is counted.
    for t in range(1, N):
        if not changed[t]:
            assert ends[t] == pytest.approx(ends[t - 1], abs=1e-12)
        elif module is not pseudoinverse_second_order_perceptron:
            assert not np.allclose(ends[t], ends[t - 1], rtol=0, atol=1e-9)
    conservative = module not in (passive_aggressive, passive_aggressive_1, passive_aggressive_2)
    if form != "ovr" and conservative and not parameters.get("margin"):
        if module in (alma, online_ridge, projectron_plus_plus):
            assert not np.any(out["mistakes"] & ~changed)
        else:
            assert changed.tolist() == out["mistakes"].tolist()


@pytest.mark.parametrize(("module", "parameters", "draws", "forms"), TABLE, ids=IDS)
def test_one_versus_rest_is_binary_runs_while_no_budget_is_met(module, parameters, draws, forms):
    X, _, codes = rows()
    parameters = parameters | ({"budget": 3 * N} if "budget" in parameters else {})
    never = {"draw": lambda size: size - 1} if draws else {}  # an empty slot
    out = module.run_multiclass(X, codes, CLASSES, "ovr", **parameters, **never)
    for c in range(CLASSES):
        alone = module.run(X, np.where(codes == c, 1.0, -1.0), **parameters, **never)
        assert out["decisions"][:, c] == pytest.approx(alone["decisions"], abs=1e-12)
        assert out["mean_decision"](X)[:, c] == pytest.approx(alone["mean_decision"](X), abs=1e-12)


@pytest.mark.parametrize(
    ("module", "parameters"),
    [
        (perceptron, {}),
        (perceptron, RBF),
        (p_norm_perceptron, {"p": 2.0}),
        (randomized_budget_perceptron, FEW),
        (projectron, RBF | {"eta": 0.0}),
        (whitened_perceptron, UNLABELLED),
        (second_order_perceptron, {"a": 0.5}),
        (second_order_perceptron, RBF | {"a": 0.5}),
        (adaptive_second_order_perceptron, {}),
        (higher_order_perceptron, {"p": 3.0}),
        (higher_order_perceptron, RBF | {"sparse_updates": True}),
    ],
)
def test_two_prototypes_are_the_binary_learner_and_its_mirror(module, parameters):
    X, y, _ = rows()
    extra = {"draw": draw()} if "budget" in parameters else {}
    alone = module.run(X, y, **parameters, **extra)
    extra = {"draw": draw()} if "budget" in parameters else {}
    codes = (y > 0).astype(int)
    out = module.run_multiclass(X, codes, 2, "prototype", **parameters, **extra)
    assert out["mistakes"].tolist() == alone["mistakes"].tolist()
    assert out["decisions"][:, 1] == pytest.approx(alone["decisions"], abs=1e-9)
    assert out["decisions"][:, 0] == pytest.approx(-alone["decisions"], abs=1e-9)


def test_two_prototypes_of_modified_budget_have_twice_the_squared_norm():
    X, y, _ = rows()
    codes = (y > 0).astype(int)
    alone = modified_budget_perceptron.run(X, y, rbf, draw(), 4, 0.5, 0.8)
    out = modified_budget_perceptron.run_multiclass(
        X, codes, 2, "prototype", rbf, draw(), 4, 0.5, 0.8 * np.sqrt(2)
    )
    assert out["decisions"][:, 1] == pytest.approx(alone["decisions"], abs=1e-9)
    assert out["support"] == alone["support"]


@pytest.mark.parametrize("multiclass", ["ovr", "prototype"])
def test_multiclass_simplified_forgetron_shrinks_by_its_lambda(multiclass):
    # radius 1/2: lambda = 1, eta = 1/8: orthogonal rows, the older weights shrink by 7/8.
    out = simplified_forgetron.run_multiclass(
        np.eye(3), np.zeros(3, int), 2, multiclass, lambda A, B: A @ B.T, 2, 1 / 8, 0.5
    )
    expected = np.array([7 / 64, 1 / 8])
    assert out["support"] == [1, 2]
    assert out["alpha"] == pytest.approx(np.array([expected, -expected]))


KERNEL_TABLE = [row for row in TABLE if "kernel" in row[1] and row[0] is not whitened_perceptron]


@pytest.mark.parametrize(
    ("module", "parameters", "draws", "form"),
    [(m, pars, draws, FORMS[f]) for m, pars, draws, forms in KERNEL_TABLE for f in "b" + forms],
)
def test_zero_rows_of_a_linear_kernel_store_draw_and_count_nothing(
    module, parameters, draws, form
):
    X, y, codes = rows()
    parameters = parameters | {"kernel": lambda A, B: A @ B.T}
    at = [0, 10, 18]
    kept = np.insert(np.ones(N, bool), at, False)
    zeros = np.insert(X, at, 0.0, axis=0)

    def learn(rows, labels):
        extra = {"draw": draw()} if draws else {}
        if form == "binary":
            return module.run(rows, labels, **parameters, **extra)
        return module.run_multiclass(rows, labels, CLASSES, form, **parameters, **extra)

    labels = y if form == "binary" else codes
    expected, out = learn(X, labels), learn(zeros, np.insert(labels, at, 1))
    assert out["mistakes"][~kept].all()
    assert out["mistakes"][kept].tolist() == expected["mistakes"].tolist()
    assert out["decisions"][kept] == pytest.approx(expected["decisions"], abs=1e-9)
    assert out["alpha"] == pytest.approx(expected["alpha"], abs=1e-9)
    assert len(out["support"]) == len(expected["support"])
    assert kept[out["support"]].all()
    if form != "binary":
        assert out["n_updates"] == expected["n_updates"]


def test_default_radii_are_those_of_the_theorems():
    X, y, codes = rows()
    modified = modified_budget_perceptron.run(X, y, rbf, draw(), 16, 0.4)
    assert modified["alpha"] == pytest.approx(
        modified_budget_perceptron.run(X, y, rbf, draw(), 16, 0.4, 0.5)["alpha"]
    )
    G = rbf(X[modified["support"]], X[modified["support"]])
    assert modified["alpha"] @ G @ modified["alpha"] == pytest.approx(0.25)  # it is felt
    radius = np.sqrt(16 / (32 * np.log2(128))) / 2
    for multiclass in ("ovr", "prototype"):
        out = modified_budget_perceptron.run_multiclass(
            X, codes, 3, multiclass, rbf, draw(), 16, 0.4
        )
        expected = modified_budget_perceptron.run_multiclass(
            X, codes, 3, multiclass, rbf, draw(), 16, 0.4, 0.5
        )
        assert out["alpha"] == pytest.approx(expected["alpha"])
        out = simplified_forgetron.run_multiclass(X, codes, 3, multiclass, rbf, 16)
        expected = simplified_forgetron.run_multiclass(
            X, codes, 3, multiclass, rbf, 16, 1 / 32, radius
        )
        assert out["alpha"] == pytest.approx(expected["alpha"])

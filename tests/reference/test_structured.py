"""The structured transcriptions contain the multiclass ones as P2 section 5's special case."""

import numpy as np
import pytest

from tests.reference import (
    perceptron,
    projectron_plus_plus,
    structured_perceptron,
    structured_projectron_plus_plus,
)


def random_classes(n=60, dim=3, k=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, dim))
    return X, np.argmax(X[:, :k] ** 2 + 0.3 * rng.normal(size=(n, k)), axis=1)


def margins(out, y):
    """score(true) - score(best wrong) of a multiclass run."""
    rows = zip(out["decisions"], y, strict=True)
    return np.array([d[c] - np.delete(d, c).max() for d, c in rows])


def classes(x):
    return [0, 1, 2]


def test_structured_perceptron_with_a_block_per_class_is_the_prototype_perceptron():
    X, y = random_classes()
    out = structured_perceptron.run(X, y, classes, lambda x, c: np.kron(np.eye(3)[c], x))
    expected = perceptron.run_multiclass(X, y, 3, "prototype")
    assert out["decisions"] == pytest.approx(margins(expected, y))
    assert out["w"].reshape(3, -1) == pytest.approx(expected["W"])
    mean = X @ out["mean_w"].reshape(3, -1).T
    assert mean == pytest.approx(expected["mean_decision"](X))


@pytest.mark.parametrize("eta", [0.3, 0.5, 0.9])
def test_structured_projectron_with_a_kernel_per_class_is_the_prototype_projectron(eta):
    X, y = random_classes()

    def joint(a, b):
        return float(a[1] == b[1]) * np.exp(-0.5 * np.sum((a[0] - b[0]) ** 2))

    def rbf(A, B):
        return np.exp(-0.5 * np.sum((A[:, None, :] - B[None, :, :]) ** 2, axis=2))

    out = structured_projectron_plus_plus.run(X, y, classes, joint, eta)
    expected = projectron_plus_plus.run_multiclass(X, y, 3, "prototype", kernel=rbf, eta=eta)
    assert out["decisions"] == pytest.approx(margins(expected, y), abs=1e-9)
    assert out["updates"].sum() == expected["n_updates"]
    pairs = {(t, c) for c, rows in enumerate(expected["supports"]) for t in rows}
    assert set(out["support"]) == pairs
    assert len(pairs) < 2 * out["mistakes"].sum()


def test_structured_projectron_with_a_tiny_eta_is_the_structured_perceptron():
    # Three features a pair: pairs soon lie in the span of the support and get their projection.
    X, y = random_classes(n=40)
    mix = np.array([[1.0, 0.0], [0.5, 1.0], [-1.0, 2.0]])

    def features(x, c):
        return 20 * np.append(mix[c] * x[:2], x[0] * (c - 1))  # margins rarely fall in (0, 1)

    def joint(a, b):
        return features(*a) @ features(*b)

    expected = structured_perceptron.run(X, y, classes, features)
    out = structured_projectron_plus_plus.run(X, y, classes, joint, 1e-7)
    upto = np.argmax(out["updates"] & ~out["mistakes"]) or len(X)  # up to a margin error
    assert len(out["support"]) == 3
    assert expected["updates"][:upto].sum() > 3
    assert out["decisions"][:upto] == pytest.approx(expected["decisions"][:upto], abs=1e-6)

"""Runs for the theorem tests: of the learners, and of their literal transcriptions."""

import re
from importlib import import_module
from types import SimpleNamespace

import numpy as np
from hypothesis import strategies as st

import novikoff
from novikoff.learners import LEARNERS
from novikoff.theory.run import Run

N_FEATURES = 4


def rbf(A, B):
    """The Gaussian kernel, gamma = 1 / N_FEATURES."""
    squares = ((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2)
    return np.exp(-squares / N_FEATURES)


def learner_run(name, X, y, **parameters):
    """A run of the learner itself."""
    return Run(getattr(novikoff, name)(**parameters), X, y)


def transcribed_run(name, X, y, *, kernel=None, **parameters):
    """A run of tests/reference's transcription, dressed as the learner's."""
    file = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    module = import_module(f"tests.reference.{file}")
    signs = np.where(y == 1, 1.0, -1.0)
    given = {} if kernel is None else {"kernel": rbf}
    out = module.run(X, signs, **parameters, **given)
    model = type(name, (SimpleNamespace,), {})(
        fit_intercept=False,
        multiclass="ovr",
        n_mistakes_=int(out["mistakes"].sum()),
        kernel=kernel,
        run_trials=None,
        gamma="auto",
        degree=3,
        coef0=1.0,
        support_=np.array(out.get("support", []), np.intp),
        **parameters,
    )
    # The transcription's own verdict on ties that rounding decides.
    run = Run(model, X, y)
    run.decisions = np.where(out["mistakes"], -signs, signs) * np.abs(out["decisions"])
    return run


def is_there(name):
    """Whether the learner is in the library."""
    return name in LEARNERS


@st.composite
def sequences(draw, kinds=("random", "separable", "noisy", "repeated", "integer", "contrary")):
    """Rows and labels 0, 1: at random, separable, noisy, adversarial; some rows all zero."""
    kind = draw(st.sampled_from(kinds))
    n = draw(st.integers(2, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(n, N_FEATURES)) * rng.choice([0.1, 1.0, 5.0])
    if kind == "integer":
        X = rng.integers(-2, 3, X.shape).astype(float)
    if kind == "repeated":
        X = X[rng.integers(0, max(1, n // 8), n)]
    X[rng.random(n) < draw(st.sampled_from([0.0, 0.1]))] = 0.0
    target = rng.normal(size=N_FEATURES)
    y = (X @ target > 0).astype(int)
    if kind in ("random", "repeated", "integer"):
        y = rng.integers(0, 2, n)
    if kind == "noisy":
        y = np.where(rng.random(n) < 0.2, 1 - y, y)
    if kind == "contrary":  # the same few rows under both labels
        X = np.repeat(X[: (n + 1) // 2], 2, axis=0)[:n]
        y = np.arange(n) % 2
    y[:2] = 0, 1
    return X, y


def contrary_labels(model, X):
    """Labels that an adversary gives, who sees every prediction first."""
    y = np.empty(len(X), int)
    for t, x in enumerate(X):
        told = t > 0 and model.decision_function(x[None])[0] >= 0
        y[t] = 0 if told else 1
        model.partial_fit(x[None], [y[t]], classes=[0, 1] if t == 0 else None)
    return y


def random_comparators(run, rng, n_directions=8):
    """Values y_t u.x_t of unit vectors u: any directions, and some that separate a little."""
    if run.prototypes:
        Z, _ = run.sequence.coordinates()
        for _ in range(n_directions):
            W = rng.normal(size=(run.n_classes, Z.shape[1]))
            scores = Z @ (W / np.linalg.norm(W)).T
            every = np.arange(len(scores))
            true = scores[every, run.codes]
            scores[every, run.codes] = -np.inf
            yield true - scores.max(axis=1)
        return
    Z, _ = run.sequence.coordinates()
    for i in range(n_directions):
        u = rng.normal(size=Z.shape[1])
        if i % 2:
            u = u + Z.T @ run.signs
        length = np.linalg.norm(u)
        yield run.signs * (Z @ (u / length)) if length > 0 else np.zeros(len(Z))

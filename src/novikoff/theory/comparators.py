"""Good comparators: directions from support vector machines, and the best margin along each.

Any vector gives a true bound; these are looked for because what a bound adds up, a norm and a
hinge loss, is what a support vector machine minimises.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

PENALTIES = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
TRAINED_ON = 5000  # rows; the comparator found is judged on all of them
WORK = 3e8  # multiplications that one machine may take, roughly
MARGINS = np.geomspace(1e-6, 1e4, 201)
SHOWN = np.geomspace(1 / 30, 30.0, 81)  # margins about the best at which its bound is kept


class Direction(NamedTuple):
    """A comparator of length 1, without its margin."""

    values: np.ndarray  # y_t u.x_t, or the true class's score minus the best other's
    description: str


class Comparator(NamedTuple):
    """A comparator of length 1, its margin, its hinge loss there, and the bound it gives.

    ``profile`` holds margins around that one, and the bounds that they would have given.
    """

    bound: float
    margin: float
    loss: float
    description: str
    profile: tuple[np.ndarray, np.ndarray]


def binary_directions(Z: Any, signs: np.ndarray, metric: Any = None) -> Iterator[Direction]:
    """Directions for rows of two classes.

    ``metric`` is a matrix T of coordinates; machines are also trained on the rows Z T, which
    penalises a direction u = T v by |v| instead of |u|.
    """
    mean = Z.T @ signs
    yield _direction(Z, signs, mean, "difference of the class sums")
    part = _part(len(signs))
    for penalty in PENALTIES:
        w = _svm(Z[part], signs[part], penalty)
        yield _direction(Z, signs, w, f"support vector machine, C = {penalty:g}")
    if metric is None:
        return
    warped = Z @ metric
    for penalty in PENALTIES:
        w = metric @ _svm(warped[part], signs[part], penalty)
        yield _direction(
            Z, signs, w, f"support vector machine in the run's metric, C = {penalty:g}"
        )


def prototype_directions(Z: Any, codes: np.ndarray, n_classes: int) -> Iterator[Direction]:
    """Directions for rows of several classes: one vector a class, of joint length 1."""
    part = _part(len(codes))
    present = np.unique(codes[part])
    means = np.vstack([Z.T @ (np.where(codes == c, 1.0, 0.0)) for c in range(n_classes)])
    yield _joint(Z, codes, means - means.mean(axis=0), "centred class sums")
    if present.size < 3:
        return
    for penalty in PENALTIES:
        machine = LinearSVC(
            multi_class="crammer_singer", C=penalty, fit_intercept=False, random_state=0
        )
        W = np.zeros((n_classes, Z.shape[1]))
        W[present] = _trained(machine, Z[part], codes[part])
        yield _joint(Z, codes, W, f"multiclass support vector machine, C = {penalty:g}")


def best_comparator(
    directions: Iterator[Direction],
    bound: Callable[[np.ndarray, np.ndarray, float], np.ndarray],
    least_margin: float,
    spread: Callable[[np.ndarray], float],
) -> Comparator:
    """The comparator with the smallest bound.

    ``bound(losses, margins, spread(values))`` judges a direction at many margins at once.
    """
    best: tuple[float, float, Direction] | None = None
    for direction in directions:
        judge = _judge(direction, bound, spread)
        margins = _margins(direction.values, least_margin)
        for _ in range(2):  # a coarse look, and a fine one around the best
            found = judge(margins)
            i = int(np.argmin(found))
            if best is None or found[i] < best[0]:
                best = float(found[i]), float(margins[i]), direction
            ends = margins[max(i - 1, 0)], margins[min(i + 1, margins.size - 1)]
            margins = np.linspace(*ends, 101)
    assert best is not None
    least, margin, direction = best
    loss = float(_Losses(direction.values)(np.array([margin]))[0])
    shown = margin * SHOWN
    shown = shown[shown > least_margin]
    profile = shown, _judge(direction, bound, spread)(shown)
    return Comparator(least, margin, loss, direction.description, profile)


def _judge(
    direction: Direction,
    bound: Callable[[np.ndarray, np.ndarray, float], np.ndarray],
    spread: Callable[[np.ndarray], float],
) -> Callable[[np.ndarray], np.ndarray]:
    """The bounds that a direction gives at many margins."""
    losses, of_values = _Losses(direction.values), spread(direction.values)
    return lambda margins: bound(losses(margins), margins, of_values)


class _Losses:
    """sum_t max(0, gamma - v_t) for many gammas, from sorted values and their running sums."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = np.sort(values)
        self.sums = np.concatenate([[0.0], self.values.cumsum()])

    def __call__(self, margins: np.ndarray) -> np.ndarray:
        below = np.searchsorted(self.values, margins, side="left")
        return np.maximum(margins * below - self.sums[below], 0.0)


def _margins(values: np.ndarray, least: float) -> np.ndarray:
    """Margins worth trying, in order, all above ``least``; kinks of the loss among them."""
    scale = max(float(np.abs(values).max()), least) or 1.0
    kinks = np.quantile(values, np.linspace(0.0, 1.0, 201), method="lower")
    # At least what the theorem asks for, and a rounding more where it asks for strictly more.
    wide = np.concatenate([kinks, scale * MARGINS, least + scale * MARGINS, [least * (1 + 1e-9)]])
    return np.unique(wide[(wide > least) & (wide > 0.0)])


def _direction(Z: Any, signs: np.ndarray, w: np.ndarray, description: str) -> Direction:
    return Direction(signs * (Z @ _of_length_one(w)), description)


def _joint(Z: Any, codes: np.ndarray, W: np.ndarray, description: str) -> Direction:
    scores = np.asarray(Z @ _of_length_one(W).T)
    every = np.arange(len(codes))
    true = scores[every, codes].copy()
    scores[every, codes] = -np.inf
    return Direction(true - scores.max(axis=1), description)


def _of_length_one(w: np.ndarray) -> np.ndarray:
    w = w / (np.abs(w).max() or 1.0)  # squares neither overflow nor vanish
    return w / (np.sqrt((w * w).sum()) or 1.0)


def _part(n: int) -> np.ndarray:
    if n <= TRAINED_ON:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).permutation(n)[:TRAINED_ON])


def _svm(Z: Any, signs: np.ndarray, penalty: float) -> np.ndarray:
    """Weights of a machine without intercept, where (z, y) and (-z, -y) are one example."""
    if np.all(signs == signs[0]):
        if len(signs) == 1:
            return np.asarray(Z.T @ signs)
        flip = np.where(np.arange(len(signs)) == 0, -1.0, 1.0)
        Z = sp.csr_matrix(sp.diags(flip) @ Z) if sp.issparse(Z) else Z * flip[:, None]
        signs = signs * flip
    machine = LinearSVC(loss="hinge", C=penalty, fit_intercept=False, random_state=0)
    return _trained(machine, Z, signs)[0]


def _trained(machine: LinearSVC, Z: Any, targets: np.ndarray) -> np.ndarray:
    """Weights after training on rows of length about 1, converged or not."""
    size = Z.nnz if sp.issparse(Z) else Z.size
    lengths = np.sqrt((Z.multiply(Z) if sp.issparse(Z) else Z * Z).sum(axis=1).max())
    machine.set_params(max_iter=int(np.clip(WORK / max(size, 1), 50, 5000)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(Z / (lengths or 1.0), targets)
    return machine.coef_

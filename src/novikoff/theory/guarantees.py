"""Which theorem holds for which learner, and what of a run it asks for.

``GUARANTEES`` is the one table. An entry takes a :class:`Run` and returns a :class:`Guarantee`, or
raises ``ValueError`` where the learner's settings are none of the theorem's.

A mistaken row of length 0 changes nothing, so no theorem counts it; but every comparator loses
gamma on it, which raises each bound by at least 1.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.utils import check_array

from novikoff.budgets import Project
from novikoff.theory import bounds
from novikoff.theory.sequence import Sequence, sequence_of

LENGTH_ONE = 1.0 + bounds.ROUNDING


class Run:
    """One pass of a learner over rows, in order; made when its decisions are first asked for.

    Parameters
    ----------
    model : estimator
        Without a trial so far.
    X : array, CSR matrix or data frame
        Rows as the learner is given them.
    y : array of shape (n_samples,)
    """

    def __init__(self, model: Any, X: Any, y: Any) -> None:
        self.model, self._given, self._y = model, X, y
        self.name = type(model).__name__
        self.X = check_array(X, accept_sparse="csr", dtype=np.float64)
        self.labels, self.codes = np.unique(np.asarray(y), return_inverse=True)
        self.n_classes = self.labels.size

    @cached_property
    def decisions(self) -> np.ndarray:
        """What the predictions were made with."""
        return self.model.run_trials(self._given, self._y, classes=self.labels)

    @property
    def n_mistakes(self) -> int:
        """How many trials were mistaken, as the learner counts them."""
        _ = self.decisions  # makes the run
        return int(self.model.n_mistakes_)

    @property
    def prototypes(self) -> bool:
        """Whether there is one vector a class."""
        return self.n_classes > 2

    @cached_property
    def sequence(self) -> Sequence:
        """The rows as the learner sees them."""
        unit = self.name == "ALMA" or bool(getattr(self.model, "normalize", False))
        return sequence_of(self.model, self.X, unit)

    @cached_property
    def signs(self) -> np.ndarray:
        """Labels -1 and +1, of two classes."""
        return np.where(self.codes == 1, 1.0, -1.0)

    @cached_property
    def margins(self) -> np.ndarray:
        """y_t f_{t-1}(x_t), of two classes."""
        return self.signs * self.decisions

    @cached_property
    def updated(self) -> np.ndarray:
        """Which trials were mistaken on a row that is not zero, of two classes."""
        return (self.margins <= 0.0) & (self.sequence.lengths > 0.0)

    @cached_property
    def gram(self) -> np.ndarray:
        """The Gram matrix of the mistaken rows."""
        rows = np.flatnonzero(self.updated)
        return self.sequence.products(rows, rows)

    @cached_property
    def eigenvalues(self) -> np.ndarray:
        """Of the Gram matrix of the mistaken rows."""
        return np.maximum(np.linalg.eigvalsh(self.gram), 0.0)


class Guarantee(NamedTuple):
    """A theorem with the numbers of a run put in.

    ``bound(losses, margins, spread)`` is what is left of it: a function of the comparator. Margins
    must be above ``least_margin``. Where the theorem is about a ``transformed`` sequence, that is
    (rows, signs). ``metric`` is a, where the comparator's norm is a |u|^2 + spread.
    """

    theorem: str
    bound: Callable[[np.ndarray, np.ndarray, float], np.ndarray]
    terms: dict[str, float]
    least_margin: float = 0.0
    in_expectation: bool = False
    transformed: tuple[np.ndarray, np.ndarray] | None = None
    metric: float | None = None


def refuse_unknown(name: str) -> None:
    """``ValueError`` for a learner that has no theorem."""
    if name not in GUARANTEES:
        raise ValueError(
            f"{name} has no mistake bound in our papers; those that have one: "
            f"{', '.join(sorted(GUARANTEES))}"
        )


def guarantee_of(run: Run) -> Guarantee:
    """The theorem of a run's learner; its settings are looked at before the run is made."""
    if run.n_classes < 2:
        raise ValueError(f"y must hold at least two classes, got {run.labels.tolist()}")
    if run.prototypes:
        if run.model.multiclass == "ovr":
            raise ValueError(
                f"y has {run.n_classes} classes, and one-versus-rest makes one run of each: "
                "certify a class against the rest, certify(model, X, y == label), or give "
                "multiclass='prototype'"
            )
        if run.name not in WITH_PROTOTYPES:
            raise ValueError(
                f"no theorem covers {run.name} with multiclass='prototype'; those it covers: "
                f"{', '.join(sorted(WITH_PROTOTYPES))}"
            )
    return GUARANTEES[run.name](run)


# --- P2 and Novikoff -------------------------------------------------------------------------


def _perceptron(run: Run) -> Guarantee:
    model = run.model
    _demand(run, model.margin == 0, "margin", model.margin, "margin=0")
    if isinstance(model.budget, Project):
        return _projecting(run, model.budget.eta)
    _demand(run, model.budget is None, "budget", model.budget, "budget=None or Project(eta)")
    return _projecting(run, 0.0)


def _projectron(run: Run) -> Guarantee:
    return _projecting(run, run.model.eta)


def _projecting(run: Run, eta: float) -> Guarantee:
    radius = _radius(run)
    theorem = "P2 Theorem 6, without margin errors" if run.prototypes else "P2 Theorem 3"
    if eta == 0.0:
        theorem = "P2 Theorem 6 at eta = 0" if run.prototypes else "P2 Theorem 3 at eta = 0"
        theorem += " (Novikoff's theorem where the hinge loss is 0)"
    return Guarantee(
        theorem,
        lambda loss, margin, spread: bounds.projectron_bound(loss, margin, eta, radius),
        {"R": radius, **({"eta": eta} if eta else {})},
        least_margin=eta,
    )


def _projectron_plus_plus(run: Run) -> Guarantee:
    eta, radius = run.model.eta, max(1.0, _radius(run))
    # With prototypes the spans are a class's each and not shown: B >= 0, so 0 is true.
    progress = 0.0 if run.prototypes else _projected_progress(run)
    return Guarantee(
        "P2 Theorem 6, with B = 0" if run.prototypes else "P2 Theorem 4",
        lambda loss, margin, spread: bounds.projectron_plus_plus_bound(
            loss, margin, eta, progress, radius
        ),
        {"R": radius, "eta": eta, "B": progress},
        least_margin=eta,
    )


def _projected_progress(run: Run) -> float:
    """B of P2 Theorem 4: what the margin errors gained.

    Rows only ever enter, so the span at trial t is that of the stored rows with a smaller number:
    |P x_t|^2 is a partial sum of the squares of L^{-1} k_t, L the Cholesky factor of them all.
    """
    trials = np.flatnonzero((run.margins > 0.0) & (run.margins < 1.0))
    stored = np.asarray(run.model.support_)
    if stored.size == 0 or trials.size == 0:
        return 0.0
    L = np.linalg.cholesky(run.sequence.products(stored, stored))
    V = solve_triangular(L, run.sequence.products(stored, trials), lower=True)
    sums = np.vstack([np.zeros(trials.size), (V**2).cumsum(axis=0)])
    inside = sums[np.searchsorted(stored, trials), np.arange(trials.size)]
    squared = run.sequence.lengths[trials] ** 2
    rest = squared - inside
    distance = np.sqrt(np.where(rest > 1e-12 * squared, rest, 0.0))
    loss, eta = 1.0 - run.margins[trials], run.model.eta
    spare = loss - distance / eta
    taken = (spare >= 0.0) & (inside > 0.0)
    loss, inside, spare = loss[taken], inside[taken], spare[taken]
    tau = np.minimum(np.minimum(loss, 2.0 * spare) / inside, 1.0)
    # No term is negative but by rounding, where tau is 2 spare / |P x|^2.
    return float(np.maximum(tau * (2.0 * spare - tau * inside), 0.0).sum())


def _passive_aggressive_1(run: Run) -> Guarantee:
    model, radius = run.model, run.sequence.radius
    _demand(run, model.budget is None, "budget", model.budget, "budget=None")
    C, progress = float(model.C), 0.0
    theorem = "Crammer et al. (2006) Theorem 4, which P2 section 4 improves upon for C R^2 <= 1"
    if C * radius**2 <= LENGTH_ONE:
        theorem = "P2 section 4, the remark after Theorem 4"
        wrong = (run.margins > 0.0) & (run.margins < 1.0) & (run.sequence.lengths > 0.0)
        loss, squared = 1.0 - run.margins[wrong], run.sequence.lengths[wrong] ** 2
        tau = np.minimum(C, loss / squared)
        progress = float((tau * (2.0 * loss - tau * squared)).sum())
    return Guarantee(
        theorem,
        lambda loss, margin, spread: bounds.passive_aggressive_1_bound(
            loss, margin, C, progress, radius or 1.0
        ),
        {"R": radius, "C": C, "B": progress},
    )


def _alma(run: Run) -> Guarantee:
    model = run.model
    eta = 0.0
    if isinstance(model.budget, Project):
        eta = model.budget.eta
    else:
        _demand(run, model.budget is None, "budget", model.budget, "budget=None or Project(eta)")
    p, alpha, B, C = model._rule_params(run.X.shape[1])
    _demand(run, p == 2.0, "p", model.p, "p=2")
    sides = C**2 + 2.0 * (1.0 - alpha) * B * C
    if abs(sides - 1.0) > 1e-9:
        raise ValueError(
            f"B={B:.6g}, C={C:.6g} and alpha={alpha:.6g} are none of P2 Theorem 7's, which wants "
            f"C^2 + 2 (1 - alpha) B C = 1 and not {sides:.6g}: give for example C=1/sqrt(2) and "
            "B=1/(4 (1 - alpha) C)"
        )
    return Guarantee(
        "P2 Theorem 7",
        lambda loss, margin, spread: bounds.alma_bound(loss, margin, C, eta),
        {"C": C, "eta": eta},
        least_margin=eta,
    )


# --- P4 --------------------------------------------------------------------------------------


def _modified_budget_perceptron(run: Run) -> Guarantee:
    model = run.model
    ball = np.sqrt(model.budget) / 8.0
    _ball_settings(run, eta=1 / 16, ball=ball)
    return Guarantee(
        "P4 Theorem 1, on the expected number of mistakes over the slots drawn",
        lambda loss, margin, spread: bounds.modified_budget_perceptron_bound(
            loss, margin, model.budget
        ),
        {"R": run.sequence.radius, "budget": model.budget, "ball": ball},
        least_margin=1.0 / ball,
        in_expectation=True,
    )


def _simplified_forgetron(run: Run) -> Guarantee:
    model = run.model
    _demand(run, model.budget >= 500, "budget", model.budget, "a budget of at least 500")
    ball = np.sqrt(model.budget / (32.0 * np.log2(8.0 * model.budget))) / 2.0
    _ball_settings(run, eta=1 / 32, ball=ball)
    return Guarantee(
        "P4 Theorem 2",
        lambda loss, margin, spread: bounds.simplified_forgetron_bound(loss, margin, model.budget),
        {"R": run.sequence.radius, "budget": model.budget, "ball": ball},
        least_margin=1.0 / ball,
    )


def _ball_settings(run: Run, eta: float, ball: float) -> None:
    model = run.model
    _demand(run, model.eta == eta, "eta", model.eta, f"eta={eta}")
    _demand(run, not model.lazy, "lazy", model.lazy, "lazy=False")
    _demand(
        run,
        model.radius is None or np.isclose(model.radius, ball, rtol=1e-9),
        "radius",
        model.radius,
        f"radius=None, which is {ball:.6g}",
    )
    _rows_of_length_one(run)


# --- P0 and P1 -------------------------------------------------------------------------------


def _second_order(run: Run) -> Guarantee:
    a = float(run.model.a)
    return Guarantee(
        "P0 Theorem 3.1" if _is_primal(run) else "P0 Corollary 3.4",
        lambda loss, margin, spread: bounds.second_order_bound(
            loss, margin, a, spread, run.eigenvalues
        ),
        {"a": a, "largest eigenvalue": float(run.eigenvalues.max(initial=0.0))},
        metric=a,
    )


def _adaptive_second_order(run: Run) -> Guarantee:
    model, m = run.model, int(run.updated.sum())
    if m == 0:
        return _never_updated("P0 Theorem 4.1")
    squares, c = run.sequence.lengths[run.updated] ** 2, float(model.c)
    theorem = "P0 Theorem 4.1"
    if model.radius is None:
        # At its k-th mistake the learner knows the rows before; at the first, w = 0 whatever a_1.
        known = np.maximum.accumulate(np.append(squares[0], squares[:-1]))
        a = c * known * np.arange(1, m + 1)
        growth = bounds.adaptive_growth_of(a, squares)
        theorem += ", with the radius that was known at each mistake in its proof"
    else:
        a = c * float(model.radius) ** 2 * np.arange(1, m + 1)
        growth = bounds.adaptive_growth(c, m)
    return Guarantee(
        theorem,
        lambda loss, margin, spread: bounds.adaptive_second_order_bound(
            loss, margin, a[-1], spread, run.eigenvalues, growth
        ),
        {"a_m": float(a[-1]), "B(c, m)": growth, "c": c, "m": m},
        metric=float(a[-1]),
    )


def _pseudoinverse_second_order(run: Run) -> Guarantee:
    m = int(run.updated.sum())
    if m == 0:
        return _never_updated("P0 Theorem 4.2")
    rank, smallest = _rank_and_smallest(run.gram, getattr(run.model, "tolerance", 1e-6))
    radius = run.sequence.radius
    return Guarantee(
        "P0 Theorem 4.2",
        lambda loss, margin, spread: bounds.pseudoinverse_second_order_bound(
            loss, margin, spread, rank, smallest, m, radius
        ),
        {"rank": rank, "lambda*": smallest, "m": m, "R": radius},
        metric=smallest,
    )


def _rank_and_smallest(G: np.ndarray, tolerance: float) -> tuple[int, float]:
    """Rank of the rows, and the smallest positive eigenvalue any of their beginnings has.

    A row off the span lowers the smallest positive eigenvalue (Cauchy's interlacing), a row in it
    raises all: only the last of several that lie off the span one after the other is looked at.
    """
    m = len(G)
    basis = np.zeros((m, m))
    rank, smallest = 0, np.inf
    grew = np.zeros(m, bool)
    ranks = np.zeros(m, np.intp)
    for k in range(m):
        # Rows of `basis` are inner products of an orthonormal basis with all rows.
        v = basis[:rank, k]
        rest = G[k, k] - v @ v
        grew[k] = rest > tolerance**2 * G[k, k]
        if grew[k]:
            basis[rank] = (G[k] - v @ basis[:rank]) / np.sqrt(rest)
            rank += 1
        ranks[k] = rank
    for k in np.flatnonzero(grew & ~np.append(grew[1:], False)):
        values = np.linalg.eigvalsh(G[: k + 1, : k + 1])
        smallest = min(smallest, float(values[-ranks[k]]))
    return rank, smallest


def _higher_order(run: Run) -> Guarantee:
    model = run.model
    _demand(run, model.p == 2, "p", model.p, "p=2 (P1 states its theorem for that)")
    lengths, c = run.sequence.lengths[run.updated], float(model.c)
    if not np.allclose(lengths, 1.0, rtol=1e-9):
        raise ValueError(
            "P1 Theorem 1 is for rows of length 1: use normalize=True, or scale the rows"
        )
    rows = _transformed(run.gram, run.signs[run.updated], c, bool(model.sparse_updates))
    # Mistaken rows of length 0 count with their whole margin.
    idle = int((run.margins <= 0.0).sum()) - len(rows)
    rows = np.vstack([rows, np.zeros((idle, rows.shape[1]))])
    signs = np.append(run.signs[run.updated], np.ones(idle))
    return Guarantee(
        "P1 Theorem 1, on the sequence the run transformed",
        lambda loss, margin, spread: bounds.higher_order_bound(loss, margin, c),
        {"c": c, "alpha": (1.0 + c) / (1.0 - c), "m": len(rows)},
        transformed=(rows, signs),
    )


def _transformed(G: np.ndarray, signs: np.ndarray, c: float, sparse: bool) -> np.ndarray:
    """Rows B_{k-1} x_{t(k)} of P1 (1), in coordinates of the span of the mistaken rows."""
    values, vectors = np.linalg.eigh(G)
    kept = values > 1e-14 * max(values[-1], 0.0) if values.size else values > 0.0
    X = vectors[:, kept] * np.sqrt(values[kept])
    B, v = np.eye(X.shape[1]), np.zeros(X.shape[1])
    out = np.empty_like(X)
    for k, (x, y) in enumerate(zip(X, signs, strict=True), start=1):
        out[k - 1] = B @ x
        if not sparse or y * (v @ x) >= 0.0:
            B -= c / k * np.outer(out[k - 1], x)
        v += y * x
    return out


# --- what they share -------------------------------------------------------------------------


def _never_updated(theorem: str) -> Guarantee:
    return Guarantee(theorem, lambda loss, margin, spread: loss / margin, {"m": 0})


def _is_primal(run: Run) -> bool:
    return getattr(run.model, "kernel", None) is None


def _radius(run: Run) -> float:
    """R: with prototypes a step is a difference of two joint features."""
    return (run.sequence.radius or 1.0) * (np.sqrt(2.0) if run.prototypes else 1.0)


def _rows_of_length_one(run: Run) -> None:
    radius = run.sequence.radius
    if radius > LENGTH_ONE:
        raise ValueError(
            f"X has a row of length {radius:.6g} in the learner's space, and the theorem of "
            f"{run.name} is for rows of length at most 1: scale the rows, or use kernel='rbf' "
            "without an intercept"
        )


def _demand(run: Run, fits: bool, name: str, value: Any, wanted: str) -> None:
    if not fits:
        raise ValueError(f"no theorem covers {run.name} with {name}={value!r}: use {wanted}")


GUARANTEES: dict[str, Callable[[Run], Guarantee]] = {
    "ALMA": _alma,  # P2 Theorem 7
    "AdaptiveSecondOrderPerceptron": _adaptive_second_order,  # P0 Theorem 4.1
    "HigherOrderPerceptron": _higher_order,  # P1 Theorem 1
    "ModifiedBudgetPerceptron": _modified_budget_perceptron,  # P4 Theorem 1
    "PassiveAggressiveI": _passive_aggressive_1,  # P2 section 4
    "Perceptron": _perceptron,  # Novikoff; P2 Theorems 3 and 6 at eta = 0
    "Projectron": _projectron,  # P2 Theorems 3 and 6
    "ProjectronPlusPlus": _projectron_plus_plus,  # P2 Theorems 4 and 6
    "PseudoinverseSecondOrderPerceptron": _pseudoinverse_second_order,  # P0 Theorem 4.2
    "SecondOrderPerceptron": _second_order,  # P0 Theorem 3.1, Corollary 3.4
    "SimplifiedForgetron": _simplified_forgetron,  # P4 Theorem 2
}
"""Learner: what finds its theorem."""

WITH_PROTOTYPES = {"Perceptron", "Projectron", "ProjectronPlusPlus"}
"""Learners whose theorem (P2 Theorem 6) is about one prototype a class."""

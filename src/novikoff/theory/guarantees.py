"""Which theorem holds for which learner, and what of a run it asks for.

``GUARANTEES`` is the one table. An entry takes a :class:`Run` and returns a :class:`Guarantee`, or
raises ``ValueError`` where the learner's settings are none of the theorem's.

A mistaken row of length 0 changes nothing, so no theorem counts it; but every comparator loses
gamma on it, which raises each bound by at least 1.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from novikoff.base import OnlineClassifier
from novikoff.budgets import Project
from novikoff.theory import bounds
from novikoff.theory.bounds.checks import ROUNDING
from novikoff.theory.run import Guarantee, Run, demand
from novikoff.theory.second_order import (
    adaptive_second_order,
    higher_order,
    pseudoinverse_second_order,
    second_order,
    whitened,
)

LENGTH_ONE = 1.0 + ROUNDING


def refuse_unknown(model: Any) -> None:
    """``ValueError`` for what is no learner, or one that has no theorem."""
    name = type(model).__name__
    if not isinstance(model, OnlineClassifier):
        raise ValueError(
            f"model must be a learner of novikoff, got {type(model).__module__}.{name}"
        )
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
    demand(run, model.margin == 0, "margin", model.margin, "margin=0")
    if isinstance(model.budget, Project):
        return _projecting(run, model.budget.eta)
    demand(run, model.budget is None, "budget", model.budget, "budget=None or Project(eta)")
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
    Where there is no such factor, 0: since B >= 0 that is true as well.
    """
    trials = np.flatnonzero((run.margins > 0.0) & (run.margins < 1.0))
    stored = np.asarray(run.model.support_)
    if stored.size == 0 or trials.size == 0:
        return 0.0
    try:
        L = np.linalg.cholesky(run.sequence.products(stored, stored))
    except np.linalg.LinAlgError:  # rows that single precision took for independent
        return 0.0
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
    demand(run, model.budget is None, "budget", model.budget, "budget=None")
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
        demand(run, model.budget is None, "budget", model.budget, "budget=None or Project(eta)")
    p, alpha, B, C = model._rule_params(run.X.shape[1])
    demand(run, p == 2.0, "p", model.p, "p=2")
    sides = C**2 + 2.0 * (1.0 - alpha) * B * C
    if abs(sides - 1.0) > 1e-9:
        raise ValueError(
            f"B={B:.6g}, C={C:.6g} and alpha={alpha:.6g} are none of P2 Theorem 7's, which wants "
            f"C^2 + 2 (1 - alpha) B C = 1 and not {sides:.6g}: give for example C=1/sqrt(2) and "
            "B=1/(4 (1 - alpha) C)"
        )
    weights = _setbacks(run, (1.0 - alpha) * B)
    return Guarantee(
        "P2 Theorem 7, with what its proof leaves out",
        lambda loss, margin, setback: bounds.alma_bound(loss, margin, C, eta, setback),
        {"C": C, "eta": eta},
        least_margin=eta,
        spread=lambda values: float(weights @ np.maximum(eta - values, 0.0)),
    )


def _setbacks(run: Run, wanted: float) -> np.ndarray:
    """sqrt((m + 1)/k) - 1 for the trial of ALMA_2's k-th update of m; 0 where there is none."""
    margins, k = run.margins * run.sequence.scale, np.zeros(len(run.codes))
    count = 0
    for t in np.flatnonzero(run.sequence.lengths > 0.0):
        if margins[t] <= wanted / np.sqrt(count + 1.0):
            count += 1
            k[t] = count
    return np.sqrt((count + 1.0) / np.where(k > 0.0, k, count + 1.0)) - 1.0


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
    demand(run, model.budget >= 500, "budget", model.budget, "a budget of at least 500")
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
    demand(run, model.eta == eta, "eta", model.eta, f"eta={eta}")
    demand(run, not model.lazy, "lazy", model.lazy, "lazy=False")
    demand(
        run,
        model.radius is None or np.isclose(model.radius, ball, rtol=1e-9),
        "radius",
        model.radius,
        f"radius=None, which is {ball:.6g}",
    )
    _rows_of_length_one(run)


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


GUARANTEES: dict[str, Callable[[Run], Guarantee]] = {
    "ALMA": _alma,  # P2 Theorem 7
    "AdaptiveSecondOrderPerceptron": adaptive_second_order,  # P0 Theorem 4.1
    "HigherOrderPerceptron": higher_order,  # P1 Theorem 1
    "ModifiedBudgetPerceptron": _modified_budget_perceptron,  # P4 Theorem 1
    "PassiveAggressiveI": _passive_aggressive_1,  # P2 section 4
    "Perceptron": _perceptron,  # Novikoff; P2 Theorems 3 and 6 at eta = 0
    "Projectron": _projectron,  # P2 Theorems 3 and 6
    "ProjectronPlusPlus": _projectron_plus_plus,  # P2 Theorems 4 and 6
    "PseudoinverseSecondOrderPerceptron": pseudoinverse_second_order,  # P0 Theorem 4.2
    "SecondOrderPerceptron": second_order,  # P0 Theorem 3.1, Corollary 3.4
    "SimplifiedForgetron": _simplified_forgetron,  # P4 Theorem 2
    "WhitenedPerceptron": whitened,  # P0 section 2
}
"""Learner: what finds its theorem."""

WITH_PROTOTYPES = {"Perceptron", "Projectron", "ProjectronPlusPlus"}
"""Learners whose theorem (P2 Theorem 6) is about one prototype a class."""

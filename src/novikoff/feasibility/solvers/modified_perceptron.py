"""The modified perceptron (P3 Algorithms 3, 5 and 8; Blum et al. 1998).

Looks for a point that is feasible up to sigma. From a random unit vector x,

    while some a in A has a.x <= -sigma |x|:    x <- x - (a.x) a / |a|^2,    s <- s + 1 / |a|^2

and starts again when s exceeds (2 / sigma^2) ln(1 / theta) or x vanishes. For unit vectors s
counts the updates, and this is Algorithm 5; with theta = 1 / sqrt n it is Algorithm 3. Otherwise
it is Algorithm 8.

When the set is separable with centre z, a start with x.z >= theta succeeds (Theorem 4.2), so each
start does with probability at least eta = P(x.z >= theta), known in closed form. After so many
failed starts that a separable set would show them with probability below 1e-12, the run ends with
``"unseparable"``.
Cost of an update: one question at level -sigma, O(n).
Departures from the paper: s grows by 1/|a|^2 as the proof of Theorem 6.5 needs (printed:
1/|a-bar|^2); the printed loops never end on a set that has no point feasible up to sigma.
"""

import copy
import math
from typing import Any

import numpy as np

from novikoff.feasibility.cap import cap_probability
from novikoff.feasibility.outcome import Callback, Outcome, Status, Vector
from novikoff.feasibility.run import (
    Oracle,
    Run,
    Seed,
    Start,
    check_open_interval,
    generator,
    length,
    method,
    unit,
)

DOUBT = 1e-12  # of calling a separable set unseparable
VANISHED = float(np.finfo(float).eps)  # a projection of a unit vector this short is rounding


def default_theta(n: int) -> float:
    """Algorithm 3's 1 / sqrt n; n = 1 would make it 1, which Lemma 4.3 excludes."""
    return 1.0 / math.sqrt(max(n, 2))


def random_unit(rng: np.random.Generator, n: int) -> Vector:
    """A point of the unit sphere, uniformly at random."""
    while True:
        x = rng.standard_normal(n)
        norm = length(x)
        if norm > 0.0:
            return x / norm


def relax(
    run: Run,
    oracle: Oracle,
    x: Vector | None,
    rng: np.random.Generator,
    sigma: float,
    theta: float,
    state: dict[str, Any],
) -> tuple[Vector, Status]:
    """Algorithm 8 inside a run; ``state`` holds its counters between calls.

    Returns the unit vector and ``"almost"``, or the last one and why it stopped.
    """
    budget = 2.0 / sigma**2 * math.log(1.0 / theta)
    starts = math.ceil(math.log(DOUBT) / math.log1p(-cap_probability(run.dim, theta)))
    if x is None:
        x = random_unit(rng, run.dim)
        state["spent"], state["failures"] = 0.0, 0
    while True:
        y = unit(x)
        a = run.ask(y, -sigma, oracle)
        if a is None:
            return y, "almost"
        if run.over:
            return x, "limit"
        norm = length(a)
        if norm == 0.0:
            return x, "unseparable"
        direction = unit(a)
        x = x - direction.dot(x) * direction
        state["spent"] += (1.0 / norm) ** 2
        run.updated(x)
        if not length(x) > VANISHED or state["spent"] > budget:
            state["failures"] += 1
            state["spent"] = 0.0
            if state["failures"] >= starts:
                return x, "unseparable"
            x = random_unit(rng, run.dim)


@method
def modified_perceptron(
    oracle: Oracle,
    dim: int,
    *,
    sigma: float | None = None,
    theta: float | None = None,
    x0: Start = None,
    max_updates: int | None = None,
    callback: Callback | None = None,
    random_state: Seed = None,
) -> Outcome:
    """Find a unit vector that is feasible up to sigma, by the modified perceptron.

    Parameters
    ----------
    oracle : callable
        ``oracle(x, level=...)`` returns a vector a with a.x <= level, or None.
    dim : int
        Length of x, n.
    sigma : float in (0, 1), optional
        Every a has a.x > -sigma |x| at the end; default ``1 / (32 dim)``. A larger one is met
        sooner and means less.
    theta : float in (0, 1), optional
        How close to the set's centre a start must be to be sure of success: default
        ``1 / sqrt(dim)``. A larger one allows a start fewer updates.
    x0 : array or Outcome, optional
        First start point, other than zero (default random), or an outcome of this method.
    max_updates, callback
        As for :func:`perceptron`.
    random_state : int, Generator or None
        Draws the start points.

    Returns
    -------
    Outcome
        ``"almost"``, or ``"feasible"`` when the point happens to be strictly feasible.

    Examples
    --------
    >>> from novikoff.feasibility import Halfspaces, modified_perceptron
    >>> rows = Halfspaces([[1.0, 0.0], [-1.0, 1e-3]])
    >>> outcome = modified_perceptron(rows, 2, sigma=0.1, random_state=0)
    >>> outcome.status, (rows.rows @ outcome.x).min() > -0.1
    ('almost', np.True_)
    """
    run = Run(
        "modified_perceptron",
        oracle,
        dim,
        x0=x0,
        max_updates=max_updates,
        callback=callback,
        levels=True,
    )
    sigma = 1.0 / (32 * run.dim) if sigma is None else sigma
    theta = default_theta(run.dim) if theta is None else theta
    check_open_interval("sigma", sigma, 0.0, 1.0, " (Lemma 4.3 asks for sigma < 1)")
    check_open_interval("theta", theta, 0.0, 1.0, " (Lemma 4.3 asks for 0 < theta < 1)")
    rng = copy.deepcopy(run.state.get("rng")) or generator(random_state)
    state = run.state.get("counters") or {"spent": 0.0, "failures": 0}
    state = dict(state)
    x: Vector | None = None
    if x0 is not None:
        x = run.start
        if not x.any():
            raise ValueError("x0 must not be zero: the method starts from a direction")
        # An outcome's x is the current projection, shorter than 1, and is taken as it is.
        x = x if isinstance(x0, Outcome) else unit(x)
    x, status = relax(run, oracle, x, rng, sigma, theta, state)
    if status == "almost" and run.inside(x):
        status = "feasible"
    return run.end(x, status, rng=rng, counters=state)

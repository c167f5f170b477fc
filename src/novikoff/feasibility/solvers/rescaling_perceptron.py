"""The perceptron rescaling algorithm (P3 Algorithms 4 and 6; Dunagan and Vempala 2008).

With H = I at first, repeat on the set {H a}:

    1. the perceptron (Algorithm 1) from 0 for at most 1 / rho^2 updates,
    2. the modified perceptron (Algorithm 5 or 8) with sigma and theta, for a unit vector y,
    3. H <- (I + y y') H,

until H'y is feasible. A round multiplies the margin by at least q_+ with the probability that
theta gives, and by at least q_- otherwise (Lemma 4.3; the theory module's
:func:`~novikoff.theory.rescaling_convergence` has the numbers).

Cost of an update: one question; O(n) before the first rescaling, O(n^2) after it for an oracle
that knows no rescaled set of its own (:class:`Halfspaces` does, and then the vectors H a are
normalised anew, as the algorithm says; for others phase 2 is Algorithm 8, as in P3 section 6.6).
Departures from the paper: the tests ">= 0" inside, which accept x = 0 and faces, are strict, and
the point that is returned is put to the original oracle once more.
"""

import copy
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from novikoff.feasibility.oracles.rescaled import rescaled
from novikoff.feasibility.outcome import Callback, Outcome, Status, Vector
from novikoff.feasibility.run import (
    Oracle,
    Run,
    Seed,
    Start,
    check_open_interval,
    generator,
    method,
    unit,
)
from novikoff.feasibility.solvers.modified_perceptron import default_theta, relax

SETTINGS: dict[
    str, Callable[[int], float]
] = {  # name: rho as a function of n; sigma = 1/(32 n) and theta = 1/sqrt(n) in all
    "algorithm-4": lambda n: 1.0 / (32.0 * n),
    "gamma=1": lambda n: 1.0 / (4.0 * n),
    "gamma=1/2": lambda n: 1.0 / (16.0 * math.sqrt(n)),
}


def _parameters(
    n: int, setting: str, rho: float | None, sigma: float | None, theta: float | None
) -> tuple[float, float, float]:
    if setting not in SETTINGS:
        raise ValueError(f"setting must be one of {', '.join(SETTINGS)}; got {setting!r}")
    rho = SETTINGS[setting](n) if rho is None else rho
    sigma = 1.0 / (32 * n) if sigma is None else sigma
    theta = default_theta(n) if theta is None else theta
    check_open_interval("rho", rho, 0.0, 1.0)
    lemma = " (Lemma 4.3 asks for sigma < 1 and 0 < rho/3 <= theta < 1)"
    check_open_interval("sigma", sigma, 0.0, 1.0, lemma)
    check_open_interval("theta", theta, 0.0, 1.0, lemma)
    if theta < rho / 3:
        raise ValueError(f"theta must be at least rho/3 = {rho / 3:g}, got {theta!r}{lemma}")
    return rho, sigma, theta


@method
def rescaling_perceptron(
    oracle: Oracle,
    dim: int,
    *,
    rho: float | None = None,
    sigma: float | None = None,
    theta: float | None = None,
    setting: str = "algorithm-4",
    x0: Start = None,
    max_updates: int | None = None,
    callback: Callback | None = None,
    random_state: Seed = None,
) -> Outcome:
    """Find a feasible point by the perceptron rescaling algorithm.

    Parameters
    ----------
    oracle : callable
        ``oracle(x, level=...)`` returns a vector a with a.x <= level, or None.
    dim : int
        Length of x, n.
    rho : float in (0, 1), optional
        The margin at which the perceptron phase succeeds: it makes at most 1 / rho^2 updates.
        Smaller means longer perceptron phases and fewer rescalings. Default: the setting's.
    sigma : float in (0, 1), optional
        How far from feasible a direction of rescaling may be; default ``1 / (32 dim)``.
    theta : float in (0, 1), at least rho / 3, optional
        How close to the centre it should be; default ``1 / sqrt(dim)``.
    setting : {"algorithm-4", "gamma=1", "gamma=1/2"}
        Where `rho` is not given: ``1 / (32 n)`` (P3 Algorithm 4), ``1 / (4 n)`` or
        ``1 / (16 sqrt n)`` (the two of P3 section 4.6).
    x0, max_updates, callback
        As for :func:`perceptron`.
    random_state : int, Generator or None
        Draws the starts of the second phase.

    Returns
    -------
    Outcome
        ``"unseparable"`` means that the second phase failed so often that a separable set would
        show it with probability below 1e-12. A set of margin exactly 0 may be rescaled without
        end: give `max_updates`.

    Examples
    --------
    >>> from novikoff.feasibility import Halfspaces, rescaling_perceptron
    >>> rows = Halfspaces([[1.0, 0.0], [-1.0, 1e-4]])  # margin 5e-5
    >>> outcome = rescaling_perceptron(rows, 2, setting="gamma=1", random_state=0)
    >>> outcome.status, (rows.rows @ outcome.x).min() > 0
    ('feasible', np.True_)
    """
    run = Run(
        "rescaling_perceptron",
        oracle,
        dim,
        x0=x0,
        max_updates=max_updates,
        callback=callback,
        levels=True,
    )
    rho, sigma, theta = _parameters(run.dim, setting, rho, sigma, theta)
    most = math.floor(1.0 / rho**2)
    rng = copy.deepcopy(run.state.get("rng")) or generator(random_state)
    H: Any = run.state.get("H")
    y: Vector | None = run.state.get("y", run.start)
    made = run.state.get("made", 0)  # updates of this perceptron phase
    relaxing = run.state.get("relaxing", False)
    counters = dict(run.state.get("counters", {"spent": 0.0, "failures": 0}))
    y = None if y is None else y.copy()

    def to_input(y: Vector, H: Any) -> Vector:
        return y.copy() if H is None else np.asarray(y @ H)

    run.to_input = functools.partial(to_input, H=H)
    image = oracle if H is None else rescaled(oracle, H)
    status: Status | None = None
    while status is None:
        if not relaxing:
            y = np.zeros(run.dim) if y is None else y
            status, made = _perceptron_phase(run, image, y, made, most)
            if status is None:
                relaxing, y = True, None
        else:
            y, ended = relax(run, image, y, rng, sigma, theta, counters)
            if ended != "almost":
                status = ended
            elif run.inside(w := to_input(y, H)):
                status = "feasible"
            else:
                H = np.eye(run.dim) + np.outer(y, y) if H is None else H + np.outer(y, w)
                run.to_input = functools.partial(to_input, H=H)
                run.n_rescalings += 1
                relaxing, made, y = False, 0, None
                if np.isfinite(H).all():
                    image = rescaled(oracle, H)
                else:
                    status = "limit"
    x = np.zeros(run.dim) if y is None else to_input(y, H)
    return run.end(x, status, H=H, y=y, made=made, relaxing=relaxing, counters=counters, rng=rng)


def _perceptron_phase(
    run: Run, image: Oracle, y: Vector, made: int, most: int
) -> tuple[Status | None, int]:
    """Algorithm 1 from y, changed in place; the status None means that it ran out of updates."""
    while True:
        b = run.ask(y, 0.0, image)
        if b is None:
            x = y if run.to_input is None else run.to_input(y)
            # Feasible for the image only up to rounding: rescaling goes on.
            return ("feasible" if run.inside(x) else None), made
        if made >= most:
            return None, made
        if run.over:
            return "limit", made
        if not b.any():
            return "unseparable", made
        y += unit(b)
        made += 1
        run.updated(y)

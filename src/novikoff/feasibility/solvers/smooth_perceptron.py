"""The smooth perceptron (Soheili and Pena 2012), for finitely many half-spaces.

With the m unit rows of A and the softmax weights w_mu(x) = exp(-A x / mu) / sum,

    x_0 = A'1/m,  mu_0 = 1,  w_0 = w_1(x_0);    theta_k = 2 / (k + 3)
    x_{k+1} = (1 - theta)(x_k + theta A'w_k) + theta^2 A'w_mu(x_k)
    mu_{k+1} = (1 - theta) mu_k
    w_{k+1} = (1 - theta) w_k + theta w_{mu_{k+1}}(x_{k+1})

until A x > 0. As long as it is not, rho^2 / 2 <= |A'w_k|^2 / 2 <= mu_k ln m with
mu_k = 2 / ((k + 1)(k + 2)), so that a set of margin rho takes at most 2 sqrt(ln m) / rho updates:
the square root of the perceptron's number, each with two products with A.
It sees all rows at once, so it needs :class:`Halfspaces` and not just any oracle.
Departures from the paper: none known; written from its recursion.
"""

from typing import Any

import numpy as np

from novikoff.feasibility.oracles.halfspaces import Halfspaces
from novikoff.feasibility.outcome import Callback, Outcome, Status, Vector
from novikoff.feasibility.run import Run, Seed, Start, check_open_interval, length, method


@method
def smooth_perceptron(
    oracle: Halfspaces,
    dim: int,
    *,
    rho: float | None = None,
    x0: Start = None,
    max_updates: int | None = None,
    callback: Callback | None = None,
    random_state: Seed = None,
) -> Outcome:
    """Find a feasible point of finitely many half-spaces by the smooth perceptron.

    Parameters
    ----------
    oracle : Halfspaces
        The rows; no other oracle gives what the method needs.
    dim : int
        Length of x.
    rho : float in (0, 1), optional
        Stop with ``"unseparable"`` once |A'w| < rho for weights w >= 0 that sum to 1, which
        proves that the margin is below `rho`. Without it an empty set is never recognised; give
        `max_updates` then.
    x0 : array or Outcome, optional
        A point to try before the method's own start, the mean of the rows; or an outcome of this
        method to go on with.
    max_updates, callback, random_state
        As for :func:`perceptron`.

    Returns
    -------
    Outcome

    Examples
    --------
    >>> from novikoff.feasibility import Halfspaces, smooth_perceptron
    >>> smooth_perceptron(Halfspaces([[1.0, 0.0], [-0.8, 0.6]]), 2).status
    'feasible'
    """
    if not isinstance(oracle, Halfspaces):
        raise TypeError(
            "smooth_perceptron needs a Halfspaces oracle, because it weighs all rows at once; "
            f"got {type(oracle).__name__}"
        )
    if rho is not None:
        check_open_interval("rho", rho, 0.0, 1.0)
    run = Run("smooth_perceptron", oracle, dim, x0=x0, max_updates=max_updates, callback=callback)
    A = oracle.unit_rows
    if not run.state:
        x = run.start
        if x.any() and run.ask(x) is None and run.inside(x):
            return run.end(x, "feasible")
    x = run.start if run.state else np.asarray(A.mean(axis=0)).ravel()
    k = run.state.get("k", 0)
    mu = run.state.get("mu", 1.0)
    w: Vector = run.state["w"].copy() if run.state else _softmax(A @ x, mu)
    # What rounding may take from |A'w| when the sum of w and the products are not exact.
    rounding = (oracle.n_rows + run.dim) * float(np.finfo(np.float64).eps)
    asked = bool(run.state)  # where the run stopped
    status: Status
    while True:
        scores: Vector = A @ x
        run.n_oracle_calls += not asked
        asked = False
        if scores.min() > 0.0 and run.inside(x):
            status = "feasible"
            break
        mean: Any = w @ A
        if rho is not None and length(mean) < rho - rounding:
            status = "unseparable"
            break
        if run.over:
            status = "limit"
            break
        theta = 2.0 / (k + 3)
        x = (1.0 - theta) * (x + theta * mean) + theta**2 * (_softmax(scores, mu) @ A)
        mu *= 1.0 - theta
        w = (1.0 - theta) * w + theta * _softmax(A @ x, mu)
        k += 1
        run.updated(x)
    return run.end(x, status, w=w, mu=mu, k=k)


def _softmax(scores: Vector, mu: float) -> Vector:
    """Weights proportional to exp(-scores / mu)."""
    weights: Vector = np.exp((scores.min() - scores) / mu)
    return weights / weights.sum()

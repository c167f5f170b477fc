"""When the perceptron rescaling algorithm converges, and how fast (P3 chapter 4).

With rho = 1/(c n^gamma), sigma = 1/(d n^beta), theta = kappa / n^(beta/2), a round multiplies the
margin by at least (4.11), (4.12)

    q_+ = (1 - sigma)(1 - 3 sigma^2/2)(1 - rho^2/8 - rho theta/4 + 3 theta^2/8)
    q_- = (1 - sigma)(1 - 3 sigma^2/2)(1 - rho^2/6),

q_+ with probability at least eta = P(x.z >= theta), x a random unit vector. It converges when

    L = eta (1 - epsilon) ln q_+ + (1 - eta (1 - epsilon)) ln q_- >= 1/(b n^beta)        (4.17)

for some b, and then takes at most T = max(2/(epsilon^2 eta), b) n^beta ln(1/rho_A) rounds (4.8).
eta is half a regularised incomplete beta function; P3 calls it hard to estimate and takes 1/8.
Departures from the paper: (4.7)'s inequality is reversed (the probability must be at most
e^(-n^beta)), which leaves T as it is; the probability in Lemma 4.3's case 1 is at most 1 - eta.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from novikoff.feasibility.cap import cap_probability
from novikoff.theory.complexity import _dimension

__all__ = ["RescalingConvergence", "best_rescaling", "cap_probability", "rescaling_convergence"]


@dataclass(frozen=True)
class RescalingConvergence:
    """Convergence of one setting in one dimension; unpacks as left side, b, T.

    ``left_side`` of (4.17); ``b``, the smallest that it allows (inf when it is not positive) or
    the one that was given; ``holds``, whether (4.21) holds with it; ``eta``, ``rho``, ``sigma``,
    ``theta``, ``q_plus``, ``q_minus``; ``rate``, T / ln(1/rho_A); ``corollary_side``, the left
    side of (4.20), which may stand for that of (4.17) because it is no larger.

    Examples
    --------
    >>> from novikoff.theory import rescaling_convergence
    >>> found = rescaling_convergence(10, eta=1 / 8, b=1024)  # P3 Theorem 4.1
    >>> found.holds, round(found.rate)
    (True, 40960)
    >>> left_side, b, T = found
    >>> left_side >= 1 / (b * 10), round(T(0.01))
    (True, 188628)
    """

    left_side: float
    b: float
    holds: bool
    eta: float
    rho: float
    sigma: float
    theta: float
    q_plus: float
    q_minus: float
    rate: float
    corollary_side: float

    def __iter__(self):
        return iter((self.left_side, self.b, self.iterations))

    def __getitem__(self, index):
        return tuple(self)[index]

    def iterations(self, rho):
        """Return T(rho): rounds that suffice, with high probability, for a set of margin rho."""
        if not 0.0 < rho < 1.0:
            raise ValueError(f"rho must lie strictly between 0 and 1, got {rho!r}")
        return self.rate * math.log(1.0 / rho)

    def updates(self, rho):
        """Return the updates that T(rho) rounds take at most, restarts at their mean number."""
        if self.rate == math.inf:
            return math.inf
        relaxed = 2.0 / self.sigma**2 * math.log(1.0 / self.theta) / self.eta
        return self.iterations(rho) * (1.0 / self.rho**2 + relaxed)


def rescaling_convergence(
    n, *, gamma=1.0, c=32.0, beta=1.0, d=32.0, kappa=1.0, epsilon=1 / 16, b=None, eta=None
):
    """Return whether and how fast the perceptron rescaling algorithm converges in dimension n.

    Parameters
    ----------
    n : int
        Dimension.
    gamma, c : float > 0
        rho = 1/(c n^gamma).
    beta, d : float > 0
        sigma = 1/(d n^beta).
    kappa : float > 0
        theta = kappa / n^(beta/2).
    epsilon : float in (0, 1)
        How far the number of successful rounds may fall below its mean.
    b : float > 0, optional
        Test (4.21) with this b; default: the smallest that (4.17) allows.
    eta : float in (0, 1], optional
        Use this probability (P3: 1/8) instead of the exact one.

    Returns
    -------
    RescalingConvergence
        The left side of (4.17), b, and the function T of the margin, ``iterations``; it also says
        whether the condition ``holds``.

    Examples
    --------
    >>> from novikoff.theory import rescaling_convergence
    >>> rescaling_convergence(10, c=4.0, b=1024, eta=1 / 8).holds
    True
    >>> rescaling_convergence(1, c=4.0, b=1024, eta=1 / 8).holds  # P3 says for every n
    False
    >>> rescaling_convergence(1, c=4.0, b=1024).holds  # with the exact eta
    True
    """
    n = _dimension(n)
    named = {"gamma": gamma, "c": c, "beta": beta, "d": d, "kappa": kappa}
    if b is not None:
        named["b"] = b
    for name, value in named.items():
        if not (_is_number(value) and 0.0 < value < math.inf):
            raise ValueError(f"{name} must be a positive number, got {value!r}")
    if not (_is_number(epsilon) and 0.0 < epsilon < 1.0):
        raise ValueError(f"epsilon must lie strictly between 0 and 1, got {epsilon!r}")
    if eta is not None and not (_is_number(eta) and 0.0 < eta <= 1.0):
        raise ValueError(f"eta must lie in (0, 1], got {eta!r}")
    rho, sigma, theta = 1.0 / (c * n**gamma), 1.0 / (d * n**beta), kappa / n ** (beta / 2.0)
    if not (sigma < 1.0 and rho / 3.0 <= theta <= 1.0):
        raise ValueError(
            "the setting must satisfy Lemma 4.3, sigma < 1 and rho/3 <= theta <= 1; "
            f"got rho = {rho:g}, sigma = {sigma:g}, theta = {theta:g}"
        )
    eta = cap_probability(n, theta) if eta is None else eta
    common = math.log1p(-sigma) + math.log1p(-1.5 * sigma**2)
    log_plus = common + math.log1p(0.375 * theta**2 - rho * theta / 4.0 - rho**2 / 8.0)
    log_minus = common + math.log1p(-(rho**2) / 6.0)
    share = eta * (1.0 - epsilon)
    left = share * log_plus + (1.0 - share) * log_minus
    if b is None:
        b = 1.0 / (left * n**beta) if left > 0.0 else math.inf
        holds = left > 0.0
    else:
        holds = left >= 1.0 / (b * n**beta)
    # (4.18), (4.19): 1 / (p_+ + 1) = 1 - 1/q_+ and 1 / (p_- - 1) = 1/q_- - 1.
    corollary = -share * math.expm1(-log_plus) - (1.0 - share) * math.expm1(-log_minus)
    rate = max(2.0 / (epsilon**2 * eta), b) * n**beta if holds and eta > 0.0 else math.inf
    return RescalingConvergence(
        left,
        b,
        holds,
        eta,
        rho,
        sigma,
        theta,
        math.exp(log_plus),
        math.exp(log_minus),
        rate,
        corollary,
    )


def _is_number(value):
    return isinstance(value, int | float | np.number)


def best_rescaling(n, *, fewest="updates"):
    """Return the setting with the fewest guaranteed iterations, or updates, in dimension n.

    The search that P3 section 4.5 leaves open for want of eta. For a single n, c, d, kappa and
    epsilon range over everything Lemma 4.3 allows, so gamma = 1 is no restriction, and beta = 1
    is only the promise that the number suffices but for a probability of e^-n. The fewest
    iterations alone are reached as rho and sigma go to 0, where each takes ever more updates; they
    are kept at P3's c = d = 32 then.

    Parameters
    ----------
    n : int >= 2
        Dimension.
    fewest : {"updates", "iterations"}
        What is minimised.

    Returns
    -------
    setting : dict
        ``c``, ``d``, ``kappa``, ``epsilon``: arguments of :func:`rescaling_convergence`.
    convergence : RescalingConvergence
        What they give.

    Examples
    --------
    >>> from novikoff.theory import best_rescaling, rescaling_convergence
    >>> setting, best = best_rescaling(20)
    >>> best.updates(1e-6) < rescaling_convergence(20).updates(1e-6)
    True
    """
    n = _dimension(n, 2)
    if fewest not in ("updates", "iterations"):
        raise ValueError(f"fewest must be 'updates' or 'iterations', got {fewest!r}")

    def cost(setting):
        try:
            found = rescaling_convergence(n, **setting)
            found = rescaling_convergence(n, **setting, epsilon=_best_epsilon(n, found))
        except ValueError:
            return math.inf
        return found.updates(0.5) if fewest == "updates" else found.rate

    best = {"c": 32.0, "d": 32.0, "kappa": 1.0}
    free = ("kappa", "c", "d") if fewest == "updates" else ("kappa",)
    value = cost(best)
    for _ in range(60):  # one parameter after the other, on a logarithmic scale
        before = value
        for name in free:
            value, best = _along(name, best, value, cost, n)
        if value > before * (1.0 - 1e-7):
            break
    best["epsilon"] = _best_epsilon(n, rescaling_convergence(n, **best))
    return best, rescaling_convergence(n, **best)


def _best_epsilon(n, found):
    """Where the two terms of T meet: the first falls with epsilon, the second, b, rises."""
    plus, minus = math.log(found.q_plus), math.log(found.q_minus)
    mean = minus + found.eta * (plus - minus)  # (4.17)'s left side at epsilon = 0
    if mean <= 0.0 or found.eta == 0.0:
        return 0.5
    half = n * (plus - minus)
    root = -half + math.sqrt(half * half + 2.0 * n * mean / found.eta)
    return min(max(root, 1e-6), 0.999)


def _along(name, best, value, cost, n):
    low, high = {
        "c": (1e-2, 1e3),
        "d": (1.0 / n, 1e3),
        "kappa": (0.05, 0.999 * math.sqrt(n)),
    }[name]
    grid = np.geomspace(low * 1.000001, high, 40)
    values = [cost({**best, name: float(v)}) for v in grid]
    k = int(np.argmin(values))
    if not math.isfinite(values[k]):
        return value, best
    found = minimize_scalar(
        lambda v: min(cost({**best, name: float(v)}), 1e300),
        bounds=(grid[max(k - 1, 0)], grid[min(k + 1, len(grid) - 1)]),
        method="bounded",
    )
    candidates = [(values[k], float(grid[k])), (float(found.fun), float(found.x))]
    least, at = min(candidates)
    return (least, {**best, name: at}) if least < value else (value, best)

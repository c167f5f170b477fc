"""Mistake bounds of the papers, each a function of a run and of a comparator.

A comparator is a vector u of length 1 together with a margin gamma > 0; its hinge loss is
D = sum_t max(0, gamma - y_t u.x_t) over the trials. Where a paper speaks of any function g and of
the loss at margin 1, g = u/gamma: |g| = 1/gamma and D_1(g) = D/gamma. So all bounds take ``loss``
(D) and ``margin`` (gamma), as numbers or as arrays of many comparators at once, and any u and
gamma give a true bound: the best is the smallest.

P0 is Cesa-Bianchi, Conconi, Gentile (2005), P1 Brotto, Gentile, Vitale (2007), P2 Orabona, Keshet,
Caputo (2009), P4 Sutskever (2009).

Departures from the papers: P2's theorems are for rows of length at most 1; ``radius`` carries
their proofs out for rows of length at most R, where R^2 stands for the 1 that bounds k(x, x). P2
Theorem 7's rho^2 is 1/(C^2 (gamma - eta)^2), and it lacks a term for rows against u
(:func:`alma_bound`). P1 Theorem 1's c is 1 - c' for the learner's rho_k = c'/k.
"""

from novikoff.theory.bounds.budget import (
    modified_budget_perceptron_bound,
    simplified_forgetron_bound,
)
from novikoff.theory.bounds.first_order import (
    alma_bound,
    novikoff_bound,
    passive_aggressive_1_bound,
    perceptron_bound,
    projectron_bound,
    projectron_plus_plus_bound,
)
from novikoff.theory.bounds.second_order import (
    adaptive_growth,
    adaptive_growth_of,
    adaptive_second_order_bound,
    higher_order_bound,
    pseudoinverse_second_order_bound,
    second_order_bound,
)

__all__ = [
    "adaptive_growth",
    "adaptive_growth_of",
    "adaptive_second_order_bound",
    "alma_bound",
    "higher_order_bound",
    "modified_budget_perceptron_bound",
    "novikoff_bound",
    "passive_aggressive_1_bound",
    "perceptron_bound",
    "projectron_bound",
    "projectron_plus_plus_bound",
    "pseudoinverse_second_order_bound",
    "second_order_bound",
    "simplified_forgetron_bound",
]

"""Feasible points behind an oracle: perceptrons, dilation, ellipsoids, rescaling.

A set of vectors a is known only through an oracle, which says of a point x that a.x > 0 for every
one of them, or returns one for which it is not so. Oracles are in ``oracles``, methods in
``solvers``; each returns an :class:`Outcome` with a status that is true and, when that is
``"feasible"``, an x that passed a strict check of its own. Semidefinite programs are read from
SDPA files (``read_sdpa``), made feasible (``find_feasible``) and minimised (``minimize``).
"""

from novikoff.feasibility.oracles import Halfspaces, Intersection, Rescaled, Semidefinite
from novikoff.feasibility.outcome import Event, Outcome
from novikoff.feasibility.program import SemidefiniteProgram, maxcut_program
from novikoff.feasibility.sdpa import read_sdpa, write_sdpa
from novikoff.feasibility.sequence import find_feasible, minimize
from novikoff.feasibility.solvers import (
    METHODS,
    deterministic_rescaled_perceptron,
    dilated_perceptron,
    ellipsoid,
    margin_perceptron,
    modified_perceptron,
    perceptron,
    rescaling_perceptron,
    smooth_perceptron,
    solve,
)

__all__ = [
    "METHODS",
    "Event",
    "Halfspaces",
    "Intersection",
    "Outcome",
    "Rescaled",
    "Semidefinite",
    "SemidefiniteProgram",
    "deterministic_rescaled_perceptron",
    "dilated_perceptron",
    "ellipsoid",
    "find_feasible",
    "margin_perceptron",
    "maxcut_program",
    "minimize",
    "modified_perceptron",
    "perceptron",
    "read_sdpa",
    "rescaling_perceptron",
    "smooth_perceptron",
    "solve",
    "write_sdpa",
]

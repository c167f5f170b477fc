"""Feasible sets behind a question: one a file.

An oracle is called as ``oracle(x, level=0.0)`` and returns a vector a of its set with
a.x <= level, or None when there is none. It may also have

- ``dim``: the dimension of x, which solvers check;
- ``pure``: true when it leaves the array that it is asked about alone;
- ``contains(x)``: whether x is strictly feasible with rounding errors allowed for;
- ``doubtful(x)``: a vector a of its set of which rounding errors leave open whether a.x > 0, or
  None when ``contains(x)``: a run goes on with it where it would end with a point that fails;
- ``rescaled(H)``: the oracle of the set {H a}, normalised anew if this one is.
"""

from novikoff.feasibility.oracles.halfspaces import Halfspaces
from novikoff.feasibility.oracles.intersection import Intersection
from novikoff.feasibility.oracles.rescaled import Rescaled, rescaled
from novikoff.feasibility.oracles.semidefinite import Semidefinite

__all__ = ["Halfspaces", "Intersection", "Rescaled", "Semidefinite", "rescaled"]

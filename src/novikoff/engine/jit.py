"""How kernels are compiled: the few decorators, and the one set of floating-point flags.

A rule is handed to a loop by inlining the loop into an entry point that stands in the rule's own
file. Other ways of composing (a rule as an argument, a closure, a jitclass) recompile in every
process; the measurements are in docs/decisions/composing-compiled-code.md.

Lines of arrays are copied by loops: an assignment of slices brings the text of its error along,
more than a second of compilation.
"""

from collections.abc import Callable
from typing import Any

from numba import njit

# Dot products and additions may be reordered and fused; NaN, infinities and signed zeros keep
# their meaning. Rules get no flags: a tie or a NaN test matters there.
REAL_ALGEBRA = {"reassoc", "contract"}

rule = njit(inline="always")
"""Decorator of an update rule: scalars in, scalars out."""

primitive = njit(fastmath=REAL_ALGEBRA)
"""Decorator of a loop over the numbers of one row, such as a dot product."""

inlined = njit(inline="always")
"""Decorator of a driver that each entry point takes in whole."""


def entry(function: Callable) -> Any:
    """Compile an entry point, cached beside the file that defines it.

    Code that lives in no file (typed at a prompt) cannot be cached; it is compiled per process.
    """
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return njit(nogil=True)(function)

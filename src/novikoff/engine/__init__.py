"""How trials are run: a closed set, nobody adds an algorithm here."""

from novikoff.engine.jit import entry, rule
from novikoff.engine.scan import KEEP, scan

__all__ = ["KEEP", "entry", "rule", "scan"]

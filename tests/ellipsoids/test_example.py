"""The example runs, and ranks better than chance."""

import re
import runpy
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "text_ranking.py"


def test_text_ranking(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE)])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    out = capsys.readouterr().out
    precision, chance = map(float, re.search(r"others: (\S+) \(by chance: (\S+)\)", out).groups())
    assert precision > 0.9 > 0.5 > chance

"""What the README says is so."""

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

from novikoff.learners import LEARNERS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def tool():
    spec = importlib.util.spec_from_file_location("readme_table", ROOT / "tools/readme_table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_of_learners_is_the_classes_own():
    assert tool().renewed(README) == README, "run: python tools/readme_table.py"


def test_every_learner_is_in_the_table_once():
    rows = re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE)
    assert rows == sorted(LEARNERS)


def test_the_example_runs_and_prints_what_it_shows():
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert (failed, tried > 5) == (0, True)


def test_the_commands_stand_in_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = re.findall(r"\bmake (\w+)", README)
    assert commands[:2] == ["demo", "test"]
    for command in commands:
        assert re.search(rf"^{command}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)]+)\)", (ROOT / page).read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_a_readme_without_markers_is_refused():
    with pytest.raises(ValueError, match="must hold the markers"):
        tool().renewed("# novikoff")

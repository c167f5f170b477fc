"""What the README says is so."""

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

import novikoff
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


def test_the_examples_run_and_print_what_they_show():
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert (failed, tried > 30) == (0, True)


def test_every_room_is_spoken_of():
    assert [room for room in novikoff._ROOMS if f"novikoff.{room}" not in README] == []


def test_every_decision_is_listed_once():
    pages = {path.name for path in (ROOT / "docs/decisions").glob("*.md")} - {"README.md"}
    index = (ROOT / "docs/decisions/README.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\]\(([\w-]+\.md)\)", index)) == sorted(pages)


def test_the_commands_stand_in_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = re.findall(r"\bmake (\w+)", README)
    assert commands[:2] == ["demo", "test"]
    for command in commands:
        assert re.search(rf"^{command}:", makefile, re.MULTILINE)


PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "changes" / "README.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_a_readme_without_markers_is_refused():
    with pytest.raises(ValueError, match="must hold the markers"):
        tool().renewed("# novikoff")

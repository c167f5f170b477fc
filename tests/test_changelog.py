"""Fragments become a changelog, and none gets lost."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SPEC = importlib.util.spec_from_file_location("changelog", ROOT / "tools" / "changelog.py")
changelog = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(changelog)


@pytest.fixture
def root(tmp_path):
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / "README.md").write_text("How to.")
    (tmp_path / "CHANGELOG.md").write_text(
        f"# Changelog\n\n{changelog.MARK}\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n"
    )
    return tmp_path


def add(root, name, text="Something\nnew.\n"):
    (root / "changes" / name).write_text(text)


def test_the_projects_own_fragments_are_well_formed():
    assert changelog.main(["--check"]) == 0


def test_a_release_collates_the_fragments_above_older_sections(root):
    add(root, "b.fix.md", "Mended b.")
    add(root, "a.feature.md")
    add(root, "a.fix.md", "Mended a.")
    changelog.collate(root, "0.2.0", "2026-02-02")
    assert (root / "CHANGELOG.md").read_text() == (
        f"# Changelog\n\n{changelog.MARK}\n\n## 0.2.0 (2026-02-02)\n\n### New\n\n"
        "- Something new.\n\n### Mended\n\n- Mended a.\n- Mended b.\n\n"
        "## 0.1.0 (2026-01-01)\n\n- Old.\n"
    )
    assert [path.name for path in (root / "changes").iterdir()] == ["README.md"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.novelty.md", "must be named <topic>.<kind>.md"),
        ("a.md", "must be named"),
        (".fix.md", "must be named"),
        ("a.fix.txt", "must be named"),
    ],
)
def test_a_fragment_of_no_known_kind_is_refused_and_nothing_changes(root, name, message):
    add(root, "good.fix.md")
    add(root, name)
    before = (root / "CHANGELOG.md").read_text()
    with pytest.raises(ValueError, match=message):
        changelog.collate(root, "0.2.0", "2026-02-02")
    assert (root / "CHANGELOG.md").read_text() == before
    assert (root / "changes" / "good.fix.md").exists()


def test_an_empty_fragment_is_refused(root):
    add(root, "a.fix.md", " \n")
    with pytest.raises(ValueError, match=r"a\.fix\.md is empty"):
        changelog.fragments(root / "changes")


@pytest.mark.parametrize(
    ("version", "message"),
    [("0.1.0", "already has a section"), ("next", "must look like"), ("0.2.0", "holds no frag")],
)
def test_a_release_that_makes_no_sense_is_refused(root, version, message):
    with pytest.raises(ValueError, match=message):
        changelog.collate(root, version, "2026-02-02")

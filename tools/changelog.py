"""Collate the fragments in changes/ into CHANGELOG.md.

python tools/changelog.py --draft         prints what the next section would be
python tools/changelog.py --check         only says whether every fragment is well formed
python tools/changelog.py 0.1.0           writes the section, and removes the fragments
"""

import argparse
import datetime
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
MARK = "<!-- new sections go below this line -->"
KINDS = {
    "feature": "New",
    "changed-model": "Models that come out differently",
    "fix": "Mended",
    "performance": "Faster or smaller",
    "docs": "Documentation",
}
VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")


def fragments(folder: Path) -> list[Path]:
    """The fragments, in alphabetical order; ``ValueError`` names one that is not well formed."""
    paths = sorted(path for path in folder.glob("*") if path.name != "README.md")
    for path in paths:
        _, _, kind = path.stem.rpartition(".")
        if path.suffix != ".md" or kind not in KINDS or path.stem == f".{kind}":
            raise ValueError(
                f"{path.name} must be named <topic>.<kind>.md, the kind one of {', '.join(KINDS)}"
            )
        if not path.read_text(encoding="utf-8").strip():
            raise ValueError(f"{path.name} is empty: write a sentence or two for users")
    return paths


def section(paths: list[Path], heading: str) -> str:
    """One section of the changelog, the kinds in their fixed order."""
    lines = [f"## {heading}", ""]
    for kind, title in KINDS.items():
        texts = [
            " ".join(path.read_text(encoding="utf-8").split())
            for path in paths
            if path.stem.endswith(f".{kind}")
        ]
        if texts:
            lines += [f"### {title}", "", *(f"- {text}" for text in texts), ""]
    return "\n".join(lines)


def collate(root: Path, version: str, date: str) -> None:
    """Write the section of a version above the older ones, then remove its fragments."""
    if not VERSION.fullmatch(version):
        raise ValueError(f"the version must look like 1.2.3 or 1.2.3rc1, got {version!r}")
    log = root / "CHANGELOG.md"
    text = log.read_text(encoding="utf-8")
    if f"\n## {version} " in text:
        raise ValueError(f"CHANGELOG.md already has a section for {version}")
    before, mark, after = text.partition(MARK)
    if not mark:
        raise ValueError(f"CHANGELOG.md must hold the line {MARK}")
    paths = fragments(root / "changes")
    if not paths:
        raise ValueError("there is nothing to collate: changes/ holds no fragment")
    new = section(paths, f"{version} ({date})")
    older = f"\n{after.lstrip()}" if after.strip() else ""
    log.write_text(f"{before}{mark}\n\n{new.rstrip()}\n{older}", encoding="utf-8")
    for path in paths:
        path.unlink()


def main(arguments: list[str]) -> int:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description="Collate changes/*.md into CHANGELOG.md.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("version", nargs="?", help="the version that is released")
    what.add_argument("--draft", action="store_true", help="print the next section")
    what.add_argument("--check", action="store_true", help="check the fragments only")
    options = parser.parse_args(arguments)
    try:
        if options.version:
            collate(ROOT, options.version, datetime.date.today().isoformat())
        else:
            paths = fragments(ROOT / "changes")
            if options.draft:
                sys.stdout.write(section(paths, "Not yet released"))
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

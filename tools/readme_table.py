"""Regenerate the README's table of learners from the first lines of the classes' docstrings.

python tools/readme_table.py          rewrites README.md
python tools/readme_table.py --check  only says, by its exit code, whether it is up to date
"""

import inspect
import sys
from pathlib import Path

import novikoff
from novikoff.learners import LEARNERS

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- learners: begin -->", "<!-- learners: end -->"


def table() -> str:
    """The table as Markdown, a learner a row, in alphabetical order."""
    lines = ["| learner | |", "|---|---|"]
    for name in sorted(LEARNERS):
        first = inspect.getdoc(getattr(novikoff, name)).splitlines()[0]
        lines.append(f"| `{name}` | {first.replace('|', '&#124;')} |")
    return "\n".join(lines)


def renewed(text: str) -> str:
    """The README's text with the table between its markers renewed."""
    before, found, rest = text.partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not (found and closed):
        raise ValueError(f"README.md must hold the markers {BEGIN} and {END}, in this order")
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Rewrite the README, or check it; the exit code is 1 when it had to change."""
    old = README.read_text(encoding="utf-8")
    new = renewed(old)
    if old == new:
        return 0
    if "--check" in arguments:
        sys.stderr.write("README.md is out of date: run python tools/readme_table.py\n")
        return 1
    README.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

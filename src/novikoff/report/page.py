"""One HTML page, written from top to bottom."""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

STYLE = """
:root { color-scheme: light dark;
  --paper: #fdfdfb; --ink: #1d2129; --soft: #5a6270; --faint: #b9bfc8; --rule: #e3e5e8;
  --band: #f3f4f1; --accent: #1f5fa8;
  --c0: #1f5fa8; --c1: #b5471b; --c2: #25794b; --c3: #8a3d9b;
  --c4: #8a6a00; --c5: #b3264f; --c6: #0f7480; --c7: #5d5f66; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14171c; --ink: #e6e8eb; --soft: #a3abb7; --faint: #4c5460; --rule: #2b3038;
  --band: #1c2027; --accent: #7db4f0;
  --c0: #7db4f0; --c1: #f0966c; --c2: #74c997; --c3: #cf98de;
  --c4: #d9b84a; --c5: #f18aa6; --c6: #5fc6d1; --c7: #b6bac2; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 2.5rem 1.25rem 4rem; background: var(--paper);
  color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .6rem; letter-spacing: -.01em; }
h2 { font-size: 1.35rem; margin: 3rem 0 .4rem; padding-top: 1.2rem;
  border-top: 1px solid var(--rule); }
h3 { font-size: 1.05rem; margin: 1.8rem 0 .3rem; }
p, li { max-width: 46rem; } .lead { font-size: 1.1rem; color: var(--soft); }
a { color: var(--accent); } code { font-size: .92em; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding: 0 0 .5rem; font-size: .92rem; }
th, td { padding: .28rem .6rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: .4rem; }
td.text, th.text { text-align: left; white-space: normal; }
thead th { border-bottom: 1.5px solid var(--soft); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 500; } tbody tr { border-bottom: 1px solid var(--rule); }
tbody tr:hover { background: var(--band); } td.best { font-weight: 700; color: var(--accent); }
figure { margin: 1rem 0 0; }
figcaption { color: var(--soft); font-size: .92rem; max-width: 46rem; }
svg.chart { width: 100%; height: auto; display: block; overflow: visible; }
svg.spark { width: 96px; height: 22px; vertical-align: middle; }
svg text { font: 12.5px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  font-variant-numeric: tabular-nums; }
.tick { fill: var(--soft); } .axis-name { fill: var(--soft); } .name { font-weight: 500; }
.grid { stroke: var(--rule); fill: none; } .axis { stroke: var(--soft); fill: none; }
.line { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.spark .line { stroke-width: 1.5; } svg.chart .line:hover { stroke-width: 4; }
.dots { stroke-width: 1; }
.leader { fill: none; stroke-width: 1; opacity: .6; }
footer { margin-top: 3.5rem; border-top: 1px solid var(--rule); padding-top: 1rem;
  color: var(--soft); font-size: .9rem; }
@media print { body { max-width: none; padding: 0; } h2 { break-after: avoid; }
  figure, table { break-inside: avoid; } }
"""


@dataclass(frozen=True)
class Cell:
    """A cell that is more than its text: ``html`` is put in as it is, ``best`` stands out."""

    text: str = ""
    html: str = ""
    best: bool = False
    prose: bool = False


class Page:
    """A self-contained HTML page.

    Parameters
    ----------
    title : str
    lead : str
        One or two sentences under the title.

    Examples
    --------
    >>> from novikoff.report import Page
    >>> page = Page("Two learners", "What they did.")
    >>> page.heading("Mistakes")
    >>> page.table(["learner", "mistakes"], [["Perceptron", 33], ["ALMA", 30]], "One epoch.")
    >>> "<th scope=\\"row\\">ALMA</th><td>30</td>" in page.html()
    True
    """

    def __init__(self, title: str, lead: str = "") -> None:
        self.title = title
        self._parts = [f"<h1>{escape(title)}</h1>"]
        if lead:
            self._parts.append(f'<p class="lead">{escape(lead)}</p>')

    def heading(self, text: str, level: int = 2, anchor: str | None = None) -> None:
        """Begin a section; links reach it under ``anchor``.

        Parameters
        ----------
        text : str
        level : int, default=2
        anchor : str, optional
        """
        mark = f' id="{escape(anchor)}"' if anchor else ""
        self._parts.append(f"<h{level}{mark}>{escape(text)}</h{level}>")

    def text(self, text: str) -> None:
        """Add a paragraph.

        Parameters
        ----------
        text : str
        """
        self._parts.append(f"<p>{escape(text)}</p>")

    def items(self, texts: Sequence[str]) -> None:
        """Add a list.

        Parameters
        ----------
        texts : sequence of str
        """
        self._parts.append("<ul>" + "".join(f"<li>{escape(t)}</li>" for t in texts) + "</ul>")

    def table(
        self, columns: Sequence[Any], rows: Sequence[Sequence[Any]], caption: str = ""
    ) -> None:
        """Add a table; the first cell of a row is its heading.

        Parameters
        ----------
        columns : sequence of str or Cell
        rows : sequence of sequences of str, number or Cell
        caption : str
        """
        head = "".join(
            f'<th scope="col"{_mark(column)}>{_content(column)}</th>' for column in columns
        )
        body = []
        for first, *others in rows:
            cells = "".join(f"<td{_mark(cell)}>{_content(cell)}</td>" for cell in others)
            body.append(f'<tr><th scope="row">{_content(first)}</th>{cells}</tr>')
        name = f' aria-label="{escape(caption or self.title)}"'
        self._parts.append(
            f'<div class="scroll" role="region" tabindex="0"{name}><table>'
            + (f"<caption>{escape(caption)}</caption>" if caption else "")
            + f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
        )

    def figure(self, svg: str, caption: str = "") -> None:
        """Add a picture.

        Parameters
        ----------
        svg : str
            From :func:`line_chart` or :func:`scatter_chart`.
        caption : str
        """
        below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
        self._parts.append(f"<figure>{svg}{below}</figure>")

    def footer(self, text: str) -> None:
        """Add the small print.

        Parameters
        ----------
        text : str
        """
        self._parts.append(f"<footer>{escape(text)}</footer>")

    def html(self) -> str:
        """The whole page.

        Returns
        -------
        html : str
        """
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(self.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
            + "\n".join(self._parts)
            + "\n</body>\n</html>\n"
        )

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file: whole, or not at all.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        path : Path
        """
        target = Path(path)
        if not target.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {str(target.parent)!r} to write to")
        handle, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(self.html())
            os.chmod(beside, 0o644)
            os.replace(beside, target)
        finally:
            Path(beside).unlink(missing_ok=True)
        return target


def _content(cell: Any) -> str:
    if isinstance(cell, Cell):
        return cell.html or escape(cell.text)
    return escape(str(cell))


def _mark(cell: Any) -> str:
    names = []
    if isinstance(cell, Cell):
        names = [name for name, on in (("best", cell.best), ("text", cell.prose)) if on]
    return f' class="{" ".join(names)}"' if names else ""

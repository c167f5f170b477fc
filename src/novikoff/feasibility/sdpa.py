"""SDPA sparse files: semidefinite programs as text.

Comment lines first (beginning with ``"`` or ``*``), then m, the number of blocks, the block sizes
(negative for a diagonal block), c, and one line ``matrix block i j value`` for each entry of an
upper triangle, matrices counted from 0, the rest from 1. Numbers may be separated by blanks,
commas, braces or parentheses; text after m and after the number of blocks is ignored.
"""

import os
import re
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import numpy as np
from scipy import sparse

from novikoff.feasibility.program import SemidefiniteProgram

_SEPARATORS = str.maketrans(",{}()\t\r", "       ")
_LEADING_INTEGER = re.compile(r"[+-]?\d+(?![\w.])")  # "3=m" is 3, "3.5" is not


class _Lines:
    """The lines of a file that are not empty, and the number of the last one taken."""

    def __init__(self, path: Path) -> None:
        self.path, self.number = path, 0
        self._lines = iter(path.read_text(encoding="utf-8-sig", errors="replace").split("\n"))

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.number += 1
            text = line.translate(_SEPARATORS).strip()
            if text:
                yield text

    def error(self, text: str) -> ValueError:
        return ValueError(f"{self.path.name}, line {self.number}: {text}")


def read_sdpa(path: str | os.PathLike[str]) -> SemidefiniteProgram:
    """Read a semidefinite program from an SDPA sparse file (``.dat-s``).

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    SemidefiniteProgram

    Examples
    --------
    >>> import os, tempfile
    >>> from novikoff.feasibility import read_sdpa
    >>> path = os.path.join(tempfile.mkdtemp(), "small.dat-s")
    >>> with open(path, "w") as file:
    ...     _ = file.write(
    ...         '"a comment\\n1 = m\\n1\\n{2}\\n{1.0}\\n0 1 1 2 1\\n1 1 1 1 1\\n1 1 2 2 1\\n'
    ...     )
    >>> program = read_sdpa(path)
    >>> program.blocks, program.matrices[0].toarray()
    ([2], array([[0., 1.],
           [1., 0.]]))
    """
    lines = _Lines(Path(path))
    take = iter(lines)
    m = _count(lines, take, "the number of matrices m", comments=True)
    n_blocks = _count(lines, take, "the number of blocks")
    blocks = [
        _integer(lines, word, "a block size")
        for word in _words(lines, take, n_blocks, "block sizes")
    ]
    if 0 in blocks:
        raise lines.error("a block size must not be 0")
    c = [_number(lines, word, "a number of c") for word in _words(lines, take, m, "numbers of c")]

    offsets = [0, *accumulate(abs(size) for size in blocks)]
    entries: list[dict[tuple[int, int], float]] = [{} for _ in range(m + 1)]
    for line in take:
        words = line.split()
        if len(words) != 5:
            raise lines.error(f"an entry is 'matrix block i j value', got {line!r}")
        matrix, block, i, j = (_integer(lines, word, "an index") for word in words[:4])
        value = _number(lines, words[4], "a value")
        if not 0 <= matrix <= m:
            raise lines.error(f"matrix {matrix} is not among 0, ..., {m}")
        if not 1 <= block <= n_blocks:
            raise lines.error(f"block {block} is not among 1, ..., {n_blocks}")
        size = blocks[block - 1]
        if not (1 <= i <= abs(size) and 1 <= j <= abs(size)):
            raise lines.error(f"({i}, {j}) is outside block {block} of size {abs(size)}")
        if size < 0 and i != j:
            raise lines.error(f"({i}, {j}) is off the diagonal of diagonal block {block}")
        row, column = offsets[block - 1] + min(i, j) - 1, offsets[block - 1] + max(i, j) - 1
        known = entries[matrix].setdefault((row, column), value)
        if known != value:
            raise lines.error(f"entry ({i}, {j}) of matrix {matrix} was {known!r} before")
    return SemidefiniteProgram(
        np.array(c), blocks, [_symmetric(table, offsets[-1]) for table in entries]
    )


def _count(lines: _Lines, take: Iterator[str], what: str, comments: bool = False) -> int:
    for line in take:
        if comments and line[0] in '"*':
            continue
        found = _LEADING_INTEGER.match(line)
        if not found or int(found.group()) < 1:
            raise lines.error(f"{what} must be a positive integer, got {line!r}")
        return int(found.group())
    raise lines.error(f"the file ends before {what}")


def _words(lines: _Lines, take: Iterator[str], count: int, what: str) -> list[str]:
    """Words from as many lines as hold `count` of them."""
    words: list[str] = []
    while len(words) < count:
        line = next(take, None)
        if line is None:
            raise lines.error(f"the file ends after {len(words)} of {count} {what}")
        words += line.split()
    if len(words) > count and not all(word.startswith("=") for word in words[count : count + 1]):
        raise lines.error(f"{count} {what} are expected, got {len(words)}")
    return words[:count]


def _integer(lines: _Lines, word: str, what: str) -> int:
    try:
        if "_" in word:  # Python's own liberty
            raise ValueError
        return int(word)
    except ValueError:
        raise lines.error(f"{what} must be an integer, got {word!r}") from None


def _number(lines: _Lines, word: str, what: str) -> float:
    try:
        if "_" in word:
            raise ValueError
        value = float(word.replace("D", "e").replace("d", "e"))
    except ValueError:
        raise lines.error(f"{what} must be a number, got {word!r}") from None
    if not np.isfinite(value):
        raise lines.error(f"{what} must be finite, got {word!r}")
    return value


def _symmetric(table: dict[tuple[int, int], float], size: int) -> sparse.csr_array:
    if not table:
        return sparse.csr_array((size, size))
    rows, columns = np.array(list(table)).T
    values = np.fromiter(table.values(), dtype=np.float64)
    off = rows != columns
    return sparse.csr_array(
        (
            np.concatenate([values, values[off]]),
            (np.concatenate([rows, columns[off]]), np.concatenate([columns, rows[off]])),
        ),
        shape=(size, size),
    )


def write_sdpa(path: str | os.PathLike[str], program: SemidefiniteProgram) -> None:
    """Write a semidefinite program to an SDPA sparse file; reading it back gives it exactly.

    Parameters
    ----------
    path : str or path
        The file, replaced if it exists.
    program : SemidefiniteProgram
        What to write.

    Examples
    --------
    >>> import os, tempfile
    >>> from novikoff.feasibility import maxcut_program, read_sdpa, write_sdpa
    >>> path = os.path.join(tempfile.mkdtemp(), "edge.dat-s")
    >>> write_sdpa(path, maxcut_program([[0, 1], [1, 0]]))
    >>> read_sdpa(path).matrices[0].toarray()
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    lines = [
        str(program.dim),
        str(len(program.blocks)),
        " ".join(str(size) for size in program.blocks),
        " ".join(repr(float(value)) for value in program.c),
    ]
    starts = np.array([0, *accumulate(abs(size) for size in program.blocks)])
    for number, F in enumerate(program.matrices):
        upper = sparse.triu(F, format="coo")
        for i, j, value in sorted(
            zip(upper.row.tolist(), upper.col.tolist(), upper.data.tolist(), strict=True)
        ):
            block = int(np.searchsorted(starts, i, side="right"))
            first = int(starts[block - 1])
            lines.append(f"{number} {block} {i - first + 1} {j - first + 1} {value!r}")
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")

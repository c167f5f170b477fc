"""Where a command writes: refused before any work when nothing can be written there."""

import os
from pathlib import Path

import typer


def check_output(path: Path) -> None:
    """Refuse a path that no file can be written to."""
    folder = path.parent
    if path.is_dir():
        raise typer.BadParameter(f"{str(path)!r} is a folder: give the name of a file")
    if not folder.is_dir():
        raise typer.BadParameter(f"there is no folder {str(folder)!r} to write to")
    if not os.access(folder, os.W_OK):
        raise typer.BadParameter(f"the folder {str(folder)!r} cannot be written to")

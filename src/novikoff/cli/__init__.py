"""The command line: ``novikoff demo | solve | ...``, one command a file.

A command is a file in this folder with a function ``command``; its docstring is the help text.
``COMMANDS`` is the list.
"""

import sys
from importlib import import_module
from typing import Annotated

import novikoff

COMMANDS: dict[str, str] = {  # command name: the file that holds it
    "demo": "demo",
    "reproduce": "reproduce",
    "solve": "solve",
}


def main() -> None:
    """Run the command line."""
    try:
        import rich  # noqa: F401
        import typer
    except ImportError:
        sys.exit("novikoff: the command line needs its extra: pip install 'novikoff[cli]'")
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",  # lines of a paragraph of help are one paragraph
    )

    def tell_version(asked: bool) -> None:
        if asked:
            typer.echo(f"novikoff {novikoff.__version__}")
            raise typer.Exit

    @app.callback()
    def _group(
        version: Annotated[
            bool,
            typer.Option(
                "--version",
                callback=tell_version,
                is_eager=True,
                help="Show the version and exit.",
            ),
        ] = False,
    ) -> None:
        """Learn linear-threshold functions from a stream; find feasible points."""

    for name, module in COMMANDS.items():
        app.command(name=name)(import_module(f"novikoff.cli.{module}").command)
    app()

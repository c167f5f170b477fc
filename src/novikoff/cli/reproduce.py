"""``novikoff reproduce``: a table or figure of the papers, our numbers beside theirs."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from novikoff.cli.output import check_output
from novikoff.papers import EXPERIMENTS, Result, load_experiment
from novikoff.streams.data import DataMissing, data_file

PAPERS = """\
P0: Cesa-Bianchi, Conconi, Gentile (2005), a second-order perceptron algorithm.
P1: Brotto, Gentile, Vitale (2007), on higher-order perceptron algorithms.
P2: Orabona, Keshet, Caputo (2009), bounded kernel-based online learning.
P3: Kharechko (2009), linear and ellipsoidal pattern separation.
Run one with: novikoff reproduce KEY
Data lies in folders of these names, in the one that NOVIKOFF_DATA names."""


def command(
    key: Annotated[
        str | None, typer.Argument(help="Which table or figure; without it, they are listed.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write an HTML page as well.")
    ] = None,
) -> None:
    """Reproduce a table or figure of the papers.

    Real data is read from the folder that the environment variable NOVIKOFF_DATA names.
    """
    out = Console()
    if key is None:
        out.print(_list_of_experiments())
        return
    if output is not None:
        check_output(output)
    try:
        experiment = load_experiment(key)
        for name in experiment.needs:
            data_file(name)
    except (ValueError, DataMissing) as error:
        raise typer.BadParameter(str(error)) from None
    begin = time.perf_counter()
    what = f"{experiment.source}: {experiment.title}"
    with Console(stderr=True).status(Text(what)) as status:
        result = experiment.run(lambda text: status.update(Text(f"{what}\n{text}")))
    out.print(Text(what, style="bold"))
    out.print(_table_of(result))
    for note in result.notes:
        out.print(Text(note))
    out.print(f"{time.perf_counter() - begin:.1f} s.")
    if output is not None:
        _page(what, result).write(output)
        out.print(Text(f"Written: {output}"), soft_wrap=True)


def cell_text(value: Any) -> str:
    """A number to four digits, anything else as it prints."""
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return "–" if value is None else str(value)
    number = float(value)
    if number.is_integer() and abs(number) < 1e15:
        return f"{int(number):,}"
    return f"{number:.4g}"


def _list_of_experiments() -> Table:
    table = Table(box=box.SIMPLE, caption=PAPERS, caption_justify="left")
    table.add_column("key", no_wrap=True)
    table.add_column("what it is")
    table.add_column("data it needs", overflow="fold")
    for key in sorted(EXPERIMENTS):
        experiment = load_experiment(key)
        sets = dict.fromkeys(name.partition("/")[0] for name in experiment.needs)
        what = f"{experiment.source}: {experiment.title}"
        table.add_row(*(Text(cell) for cell in (key, what, "\n".join(sets))))
    return table


def _table_of(result: Result) -> Table:
    table = Table(box=box.SIMPLE)
    for column in result.columns:
        table.add_column(Text(column), justify="left" if column == result.columns[0] else "right")
    for row in result.rows:
        table.add_row(*(Text(cell_text(value)) for value in row))
    return table


def _page(title: str, result: Result) -> Any:
    from novikoff.report import Line, Page, Points, line_chart, scatter_chart

    page = Page(title)
    labels: dict[str, Any] = {"x_label": result.x_label, "y_label": result.y_label}
    for caption, groups in result.points.items():
        dots = [Points(name, x, y, i) for i, (name, (x, y)) in enumerate(groups.items())]
        described = f"Points of {', '.join(groups)}."
        svg = scatter_chart(dots, title=caption, description=described, **labels)
        page.figure(svg, caption)
    for chart in result.charts:
        lines = [Line(name, x, y, i) for i, (name, (x, y)) in enumerate(chart.curves.items())]
        svg = line_chart(
            lines,
            title=chart.title,
            description=f"Curves of {', '.join(chart.curves)}.",
            x_label=chart.x_label,
            y_label=chart.y_label,
            log_x=chart.log_x,
            log_y=chart.log_y,
        )
        page.figure(svg, chart.title)
    page.table(result.columns, [[cell_text(value) for value in row] for row in result.rows])
    if result.notes:
        page.items(result.notes)
    return page

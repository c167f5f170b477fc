"""``novikoff demo``: every learner at work on data that needs no download."""

import os
import platform
import time
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

import novikoff
from novikoff.cli.demo_runs import Run, available, data_sets, run_all
from novikoff.cli.output import check_output
from novikoff.report.demo import demo_page, percent, rate, size


def command(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where the HTML page goes.")
    ] = Path("novikoff-demo.html"),
    learner: Annotated[
        list[str] | None, typer.Option(help="Run this one only; may be given several times.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes that share the learners out.")] = min(
        2, os.cpu_count() or 1
    ),
    time_limit: Annotated[
        float,
        typer.Option(min=0.01, help="Seconds that a learner may spend learning one data set."),
    ] = 0.4,
) -> None:
    """Run every learner on small data, print a table and write a page with mistake curves.

    The data comes with scikit-learn or is generated. The first run compiles each learner, which
    takes some seconds each; later runs find them compiled.
    """
    begin = time.perf_counter()
    check_output(output)
    try:
        names, skipped = available(learner)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    data = data_sets()
    runs = _with_progress(names, len(data), jobs, time_limit)
    page = demo_page(runs, {rows.name: rows.about for rows in data}, skipped, setting())
    page.write(output)
    out = Console()
    for rows in data:
        out.print(table_of(rows.name, [run for run in runs if run.data == rows.name]))
        out.print()
    for name, reason in skipped.items():
        out.print(f"{name} was left out: it {reason}.")
    for run in runs:
        if run.refused:
            out.print(f"{run.learner} did not run on {run.data}: {run.refused}", markup=False)
    out.print(
        f"{len(names)} learners on {len(data)} data sets in {time.perf_counter() - begin:.0f} s, "
        "compilation included."
    )
    out.print(f"Mistake curves to look at: {output}", soft_wrap=True, markup=False)


def table_of(name: str, runs: list[Run]) -> Table:
    """The runs on one data set, from the lowest online error up."""
    ran = sorted((run for run in runs if not run.refused), key=lambda run: run.online_error)
    rows = f"{ran[0].n_rows:,} rows" if ran else "nothing ran"
    table = Table(
        title=f"{name}, {rows}",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=0,  # the longest name fits into 80 columns
    )
    table.add_column("learner", overflow="fold")
    for column in ("online\nerror", "test\nerror", "updates", "support", "memory", "rows/s"):
        table.add_column(column, justify="right", no_wrap=True)
    for run in ran:
        table.add_row(
            f"{run.learner} (first {run.n_trials:,})" if run.cut_short else run.learner,
            percent(run.online_error),
            percent(run.test_error),
            f"{run.n_updates:,}",
            "–" if run.n_support is None else f"{run.n_support:,}",
            size(run.memory),
            rate(run.rows_per_second),
        )
    return table


def setting() -> str:
    """What the numbers were measured with."""
    import numba
    import numpy
    import sklearn

    return (
        f"novikoff {novikoff.__version__}, Python {platform.python_version()}, NumPy "
        f"{numpy.__version__}, Numba {numba.__version__}, scikit-learn {sklearn.__version__}; "
        f"{os.cpu_count()} cores, BLAS on one thread; {time.strftime('%Y-%m-%d')}."
    )


def _with_progress(names: list[str], n_sets: int, jobs: int, time_limit: float) -> list[Run]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        whole = progress.add_task("learners x data sets", total=len(names) * n_sets)
        lines: dict[int, TaskID] = {}

        def listen(process: int, learner: str, data: str, done: int, n: int) -> None:
            if process not in lines:
                lines[process] = progress.add_task("", total=n)
            text = f"{learner}, {data}" + (" (the first use compiles)" if done == 0 else "")
            progress.update(lines[process], description=text, completed=done, total=n)
            if done == 0:
                started.add((learner, data))
                progress.update(whole, completed=max(0, len(started) - len(lines)))

        started: set[tuple[str, str]] = set()
        return run_all(names, jobs, time_limit, listen)

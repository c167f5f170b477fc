"""The page that ``novikoff demo`` writes."""

from collections.abc import Mapping, Sequence
from typing import Any

from novikoff.report.page import Cell, Page
from novikoff.report.svg import Line, line_chart, sparkline

FIRST_TRIAL = 10  # curves are drawn from here on: before, an online error is one of a few tries
LEAST_ERROR = 1e-4  # where a logarithmic axis ends for curves that reach 0


def percent(share: float) -> str:
    """A share as a percentage with one decimal.

    Parameters
    ----------
    share : float

    Returns
    -------
    text : str

    Examples
    --------
    >>> from novikoff.report.demo import percent
    >>> percent(0.0584)
    '5.8 %'
    """
    return f"{100 * share:.1f} %"


def size(n_bytes: int) -> str:
    """A number of bytes in B, kB or MB.

    Parameters
    ----------
    n_bytes : int

    Returns
    -------
    text : str

    Examples
    --------
    >>> from novikoff.report.demo import size
    >>> size(880), size(52_000), size(1_230_000)
    ('880 B', '52 kB', '1.2 MB')
    """
    for limit, unit in ((1e6, "MB"), (1e3, "kB")):
        if n_bytes >= limit:
            value = n_bytes / limit
            return f"{value:.1f} {unit}" if value < 10 else f"{value:,.0f} {unit}"
    return f"{n_bytes} B"


def rate(per_second: float) -> str:
    """Rows a second, to two digits.

    Parameters
    ----------
    per_second : float

    Returns
    -------
    text : str

    Examples
    --------
    >>> from novikoff.report.demo import rate
    >>> rate(1_234_567.0), rate(53_210.0), rate(85.4)
    ('1.2 M', '53 k', '85')
    """
    value = float(f"{per_second:.2g}")
    for limit, unit in ((1e6, " M"), (1e3, " k")):
        if value >= limit:
            return f"{value / limit:,.3g}{unit}"
    return f"{value:,.3g}"


def demo_page(
    runs: Sequence[Any],
    abouts: Mapping[str, str],
    skipped: Mapping[str, str],
    setting: str,
) -> Page:
    """Lay out the runs of all learners.

    Parameters
    ----------
    runs : sequence
        Objects with the fields of ``novikoff.cli.demo_runs.Run``.
    abouts : mapping
        Data set -> what it is, in the order of the page.
    skipped : mapping
        Learner -> why it did not run.
    setting : str
        What the numbers were measured with.

    Returns
    -------
    page : Page

    Examples
    --------
    >>> from novikoff.cli.demo_runs import Run
    >>> from novikoff.report.demo import demo_page
    >>> run = Run("Perceptron", "rows", "", 2, 2, 0.5, 0.5, 1, None, 80, 9e5, (1, 2), (1.0, 0.5))
    >>> "Perceptron" in demo_page([run], {"rows": "Two rows."}, {}, "here").html()
    True
    """
    learners = list(dict.fromkeys(run.learner for run in runs))
    what = f"{_counted(len(learners), 'online learner')} on {_counted(len(abouts), 'stream')}"
    page = Page(
        f"novikoff: {what}",
        "Each row is predicted first and learnt afterwards, once, in the order given. The online "
        "error is the share of rows whose prediction was wrong at the time.",
    )
    _glance(page, runs, list(abouts))
    page.heading("Online error", anchor="online-error")
    _overview(page, learners, runs, list(abouts))
    for name, about in abouts.items():
        page.heading(name[:1].upper() + name[1:], anchor=_anchor(name))
        of_data = [run for run in runs if run.data == name]
        _section(page, about, [run for run in of_data if not run.refused])
        refused = [f"{run.learner}: {run.refused}" for run in of_data if run.refused]
        if refused:
            page.text("Not run here:")
            page.items(refused)
    page.heading("How this was measured")
    page.items(
        [
            "Every learner runs with its default parameters, and random_state=0 where it takes "
            "one. Nothing was tuned: the order of the learners here says little about what they "
            "can do.",
            "Features are scaled to mean 0 and variance 1 by the rows to be learnt. The test "
            "error is that of the final model on rows it never saw.",
            "Updates are binary updates summed over classes; rows stored are those that a kernel "
            "learner keeps; memory is what the model's arrays hold.",
            "Rows a second do not include compilation. The streams are short and several "
            "learners run at a time: see the benchmarks for speeds worth quoting.",
            *(f"{name} was left out: it {reason}." for name, reason in skipped.items()),
        ]
    )
    page.footer(setting)
    return page


def _finished(runs: Sequence[Any], name: str) -> list[Any]:
    """Runs on a data set that saw all its rows, or else those that were cut short."""
    ran = [run for run in runs if run.data == name and not run.refused]
    return [run for run in ran if not run.cut_short] or ran


def _glance(page: Page, runs: Sequence[Any], names: Sequence[str]) -> None:
    """Who made the fewest mistakes on each data set, and how few rows a kernel learner needed."""
    rows = []
    for name in names:
        ran = sorted(_finished(runs, name), key=lambda run: (run.online_error, run.n_support or 0))
        storing = [run for run in ran if run.n_support is not None]
        kept = f"{storing[0].n_support:,} of {storing[0].n_trials:,}" if storing else "–"
        heading = Cell(html=f'<a href="#{_anchor(name)}">{name}</a>')
        rows.append([heading, _winner(ran), _winner(storing), kept])
    columns = [
        "stream",
        Cell("fewest mistakes", prose=True),
        Cell("fewest with a kernel", prose=True),
        "rows it keeps",
    ]
    page.table(columns, rows, "At a glance.")


def _winner(runs: list[Any]) -> Cell:
    if not runs:
        return Cell("–", prose=True)
    return Cell(f"{runs[0].learner}, {percent(runs[0].online_error)}", prose=True)


def _overview(page: Page, learners: list[str], runs: Sequence[Any], names: list[str]) -> None:
    by_key = {(run.learner, run.data): run for run in runs if not run.refused}
    finished = {name: _finished(runs, name) for name in names}
    best = {
        name: [run for run in of_data if run.online_error == min(r.online_error for r in of_data)]
        for name, of_data in finished.items()
    }
    rows = []
    for learner in learners:
        cells: list[Any] = [learner]
        for name in names:
            run = by_key.get((learner, name))
            if run is None:
                cells.append("–")
            else:
                text = percent(run.online_error) + ("*" if run.cut_short else "")
                cells.append(Cell(text, best=run in best[name]))
        rows.append(cells)
    heads = [Cell(html=f'<a href="#{_anchor(name)}">{name}</a>') for name in names]
    caption = "Share of rows predicted wrongly; the lowest stands out."
    if any(run.cut_short for run in by_key.values()):
        caption += " * Time was up before the last row: the share is of the rows before."
    page.table(["learner", *heads], rows, caption)


def _section(page: Page, about: str, runs: list[Any]) -> None:
    if not runs:
        page.text(about)
        return
    page.text(f"{about} {max(run.n_rows for run in runs):,} rows.")
    primal = [run for run in runs if run.n_support is None]
    kernel = [run for run in runs if run.n_support is not None]
    styles = {run.learner: i for group in (primal, kernel) for i, run in enumerate(group)}
    errors = [error for run in runs for error in _late(run)[1]]
    limits = max(0.9 * min(errors), LEAST_ERROR), max(1.05 * max(errors), 10 * LEAST_ERROR)
    for group, kind in ((primal, "in input space"), (kernel, "with a kernel")):
        if group:
            page.figure(
                line_chart(
                    [Line(run.learner, *_late(run), styles[run.learner]) for run in group],
                    title=f"Online error {kind}",
                    description="The table below has the values at the end.",
                    x_label="rows seen",
                    y_label="online error so far",
                    log_x=True,
                    log_y=True,
                    y_range=limits,
                    format_y=_tick_percent,
                    height=340,
                ),
                f"Learners {kind}: online error so far, both axes logarithmic."
                if kernel and primal
                else "Online error so far, both axes logarithmic.",
            )
    if kernel:
        page.figure(
            line_chart(
                [
                    Line(run.learner, *_late(run, run.support), styles[run.learner])
                    for run in kernel
                ],
                title="Rows stored",
                description="The table below has the values at the end.",
                x_label="rows seen",
                y_label="rows stored",
                height=300,
            ),
            "Rows stored so far. A budget is a ceiling; with projection the data decide.",
        )
    _table(page, runs, styles, limits)


def _table(
    page: Page, runs: list[Any], styles: Mapping[str, int], limits: tuple[float, float]
) -> None:
    finished = _finished(runs, runs[0].data)
    online = min(run.online_error for run in finished)
    test = min(run.test_error for run in finished)
    stored = any(run.n_support is not None for run in runs)
    rows = []
    for run in sorted(runs, key=lambda run: run.online_error):
        spark = sparkline(
            *_late(run),
            title=f"online error of {run.learner}",
            style=styles[run.learner],
            y_range=limits,
        )
        name = f"{run.learner} (first {run.n_trials:,} rows)" if run.cut_short else run.learner
        support = [] if not stored else ["–" if run.n_support is None else f"{run.n_support:,}"]
        rows.append(
            [
                name,
                Cell(html=spark),
                Cell(percent(run.online_error), best=run.online_error == online),
                Cell(percent(run.test_error), best=run.test_error == test),
                f"{run.n_updates:,}",
                *support,
                size(run.memory),
                rate(run.rows_per_second),
            ]
        )
    columns = ["learner", "curve", "online error", "test error", "updates"]
    columns += ["rows stored"] if stored else []
    page.table([*columns, "memory", "rows a second"], rows, "From the lowest online error up.")


def _late(run: Any, values: Sequence[float] | None = None) -> tuple[list[int], list[float]]:
    """A curve from the first drawn trial on, or the last point of a shorter one."""
    values = run.errors if values is None else values
    points = [(t, v) for t, v in zip(run.trials, values, strict=True) if t >= FIRST_TRIAL]
    points = points or [(run.trials[-1], values[-1])]
    return [t for t, _ in points], [v for _, v in points]


def _tick_percent(value: float) -> str:
    return f"{100 * value:.3g} %"


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" + ("" if n == 1 else "s")


def _anchor(name: str) -> str:
    return name.replace(" ", "-")

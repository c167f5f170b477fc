"""``novikoff solve``: semidefinite programs from SDPA files, from the command line."""

import signal
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

from novikoff.cli.output import check_output
from novikoff.feasibility import (
    METHODS,
    Event,
    Outcome,
    SemidefiniteProgram,
    find_feasible,
    minimize,
    read_sdpa,
)

Path_ = Annotated[Path, typer.Argument(help="an SDPA sparse file (.dat-s)")]


def command(
    problem: Path_,
    method: Annotated[str, typer.Option(help="one of " + ", ".join(METHODS))] = "ellipsoid",
    optimize: Annotated[
        bool, typer.Option("--minimize", help="minimise the objective, not only find a point")
    ] = False,
    rel_tol: Annotated[float, typer.Option(help="how close to the lower bound to end")] = 0.05,
    max_updates: Annotated[int | None, typer.Option(help="stop after so many updates")] = None,
    seed: Annotated[int, typer.Option(help="for methods that draw random starts")] = 0,
    pivoting: Annotated[
        bool, typer.Option("--pivoting", help="the thesis's pivoted Cholesky counterexamples")
    ] = False,
    output: Annotated[Path | None, typer.Option(help="write x here, one number a line")] = None,
    check: Annotated[
        Path | None, typer.Option(help="do not solve: verify the x in this file instead")
    ] = None,
) -> None:
    """Find a strictly feasible point of a semidefinite program, or minimise its objective.

    Ctrl-C ends the run and keeps the best point. The exit code is 0 when the point is strictly
    feasible, 1 when it is not, 2 when the input is wrong.
    """
    console = Console()
    if output is not None:
        check_output(output)
    try:
        program = read_sdpa(problem)
        if check is not None:
            ok = _check(console, program, check)
        else:
            options: dict[str, Any] = {
                "max_updates": max_updates,
                "random_state": seed,
                "pivoting": pivoting,
            }
            outcome = _run(console, program, method, rel_tol if optimize else None, options)
            ok = _report(console, program, outcome, optimize)
            if output is not None and np.isfinite(outcome.x).all():
                output.write_text("\n".join(repr(float(v)) for v in outcome.x) + "\n")
                console.print(f"x written to {output}")
    except (OSError, ValueError, TypeError) as error:
        console.print(f"novikoff solve: {error}", style="red", markup=False, soft_wrap=True)
        raise typer.Exit(2) from None
    raise typer.Exit(0 if ok else 1)


def _run(
    console: Console,
    program: SemidefiniteProgram,
    method: str,
    rel_tol: float | None,
    options: dict[str, Any],
) -> Outcome:
    """Solve with progress on standard error; the first Ctrl-C asks the run to stop."""
    interrupted: list[bool] = []
    shown = [time.perf_counter()]

    def progress(event: Event) -> bool:
        now = time.perf_counter()
        if now - shown[0] >= 0.2 and sys.stderr.isatty():
            shown[0] = now
            best = "" if np.isnan(event.objective) else f", objective {event.objective:.6g}"
            print(
                f"\r{event.n_updates} updates, {event.n_rescalings} rescalings{best}, "
                f"{event.elapsed:.1f} s   ",
                end="",
                file=sys.stderr,
                flush=True,
            )
        return bool(interrupted)

    before = signal.signal(signal.SIGINT, lambda *_: interrupted.append(True))
    try:
        if rel_tol is None:
            return find_feasible(program, method, callback=progress, **options)
        return minimize(program, method, rel_tol, callback=progress, **options)
    finally:
        signal.signal(signal.SIGINT, before)
        if sys.stderr.isatty():
            print(file=sys.stderr)


def _report(
    console: Console, program: SemidefiniteProgram, outcome: Outcome, optimize: bool
) -> bool:
    console.print(
        f"{outcome.status}: {outcome.n_updates} updates, {outcome.n_rescalings} rescalings, "
        f"{outcome.n_oracle_calls} questions, {outcome.seconds:.3f} s"
    )
    inside = program.contains(outcome.x)
    if inside:
        console.print(f"objective {outcome.objective:.8g}")
    if optimize:
        console.print(f"lower bound {outcome.lower_bound:.8g}")
    return inside


def _check(console: Console, program: SemidefiniteProgram, path: Path) -> bool:
    words = path.read_text().replace(",", " ").split()
    try:
        x = np.array([float(word) for word in words])
    except ValueError:
        raise ValueError(f"{path.name} must hold {program.dim} numbers and nothing else") from None
    if len(x) != program.dim:
        raise ValueError(f"{path.name} must hold {program.dim} numbers, it holds {len(x)}")
    if not np.isfinite(x).all():
        raise ValueError(f"{path.name} holds NaN or infinity")
    inside = program.contains(x)
    least = np.linalg.eigvalsh(program.slack(x))[0]
    console.print(f"smallest eigenvalue of the slack: {least:.6g}")
    console.print(f"objective {program.objective(x):.8g}")
    console.print("strictly feasible" if inside else "not strictly feasible")
    return inside

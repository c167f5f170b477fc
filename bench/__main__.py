"""``python -m bench [name ...]``: run benchmarks, print one table, write bench-results.json."""

import argparse
import importlib
import json
import pkgutil
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

import bench
from bench.harness import BENCHMARKS, threads
from novikoff.streams.data import DataMissing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="benchmarks to run (default: all)")
    parser.add_argument("--json", default="bench-results.json", help="where the rows are written")
    options = parser.parse_args()

    for module in pkgutil.iter_modules(bench.__path__, "bench."):
        if module.name.startswith("bench.bench_"):
            importlib.import_module(module.name)
    unknown = set(options.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"no benchmark named {sorted(unknown)}; there are {sorted(BENCHMARKS)}")

    console = Console()
    table = Table("benchmark", "what", "measured", "asked", "", "note")
    rows = []
    for name in options.names or sorted(BENCHMARKS):
        console.print(f"[dim]{name} ...[/dim]")
        measured = []
        try:
            for row in BENCHMARKS[name]():
                measured.append(row)
                console.print(f"  {row.what}: {row.value:.4g} {row.unit}", highlight=False)
        except DataMissing as missing:
            table.add_row(name, "", "skipped", "", "", str(missing))
        for row in measured:
            sign = "" if row.limit is None else (">= " if row.at_least else "<= ")
            asked = "" if row.limit is None else f"{sign}{row.limit:g} {row.unit}"
            mark = {None: "", True: "[green]holds[/green]", False: "[red]missed[/red]"}[row.holds]
            table.add_row(name, row.what, f"{row.value:.4g} {row.unit}", asked, mark, row.note)
            rows.append({"benchmark": name, **asdict(row), "holds": row.holds})
    settings = threads()
    table.caption = "  ".join(f"{key}: {value}" for key, value in settings.items())
    console.print(table)
    Path(options.json).write_text(json.dumps({"threads": settings, "rows": rows}, indent=1))
    console.print(f"written to {options.json}")


if __name__ == "__main__":
    main()

"""``novikoff solve``."""

import signal

import numpy as np
import pytest

from novikoff.feasibility import maxcut_program, minimize, read_sdpa, write_sdpa

pytest.importorskip("typer")

import typer
from typer.testing import CliRunner

from novikoff.cli import COMMANDS
from novikoff.cli.solve import command


@pytest.fixture
def problem(tmp_path):
    path = tmp_path / "graph.dat-s"
    write_sdpa(path, maxcut_program(np.ones((6, 6)) - np.eye(6)))
    return path


def run(*arguments):
    app = typer.Typer()
    app.command()(command)
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    return result.exit_code, " ".join(result.output.split())


def test_find_write_and_check(problem, tmp_path):
    solution = tmp_path / "x.txt"
    code, text = run(problem, "--method", "perceptron", "--output", solution)
    assert code == 0
    assert text.startswith("feasible: ")
    x = np.loadtxt(solution)
    assert read_sdpa(problem).contains(x)
    code, text = run(problem, "--check", solution)
    assert code == 0
    assert text.endswith("strictly feasible")
    solution.write_text("\n".join(["0.1"] * 6))
    code, text = run(problem, "--check", solution)
    assert code == 1
    assert text.endswith("not strictly feasible")


def test_minimize(problem):
    code, text = run(problem, "--minimize", "--rel-tol", "0.02")
    assert code == 0
    bound = float(text.split("lower bound ")[1])
    value = float(text.split("objective ")[1].split()[0])
    assert bound <= 9.0 <= value <= bound * 1.021  # 6 vertices, complete graph: 36 / 4


def test_limits_and_mistakes(problem, tmp_path):
    code, text = run(problem, "--max-updates", "1")
    assert code == 1
    assert text.startswith("limit: 1 updates")
    solution = tmp_path / "x.txt"
    for content in ("1 2 3", "1 2 3 4 5 x", "1 2 3 4 5 nan"):
        solution.write_text(content)
        code, text = run(problem, "--check", solution)
        assert code == 2
        assert "x.txt" in text
    assert run(problem, "--method", "simplex")[0] == 2
    assert run(tmp_path / "none.dat-s")[0] == 2


def test_command_is_listed():
    assert COMMANDS["solve"] == "solve"


def test_interruption_keeps_the_best_point(problem, tmp_path, monkeypatch):
    """Ctrl-C in the middle of a run that would go on for long."""

    def interrupted(*args, callback, **options):
        def ring(event):
            if event.n_updates == 500:
                signal.raise_signal(signal.SIGINT)
            return callback(event)

        return minimize(*args, callback=ring, **options)

    monkeypatch.setattr("novikoff.cli.solve.minimize", interrupted)
    solution = tmp_path / "x.txt"
    code, text = run(
        *(problem, "--minimize", "--method", "margin_perceptron", "--rel-tol", "1e-6"),
        *("--output", solution),
    )
    assert code == 0
    assert text.startswith("limit: 50")  # the handler may run a few updates later
    assert read_sdpa(problem).contains(np.loadtxt(solution))

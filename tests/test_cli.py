"""The command line as a whole: what is missing or wrong is said in one sentence."""

import importlib
import inspect
import re
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

import novikoff.papers
from novikoff.cli import COMMANDS, reproduce
from novikoff.cli.reproduce import cell_text
from novikoff.papers import Chart, Experiment, Result


def run(code, *arguments):
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_a_missing_extra_is_one_sentence(missing):
    code = f"import sys; sys.modules[{missing!r}] = None; from novikoff.cli import main; main()"
    result = run(code, "demo")
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr == (
        "novikoff: the command line needs its extra: pip install 'novikoff[cli]'\n"
    )


def test_help_lists_every_command():
    result = run("from novikoff.cli import main; main()", "--help")
    assert result.returncode == 0
    for name in COMMANDS:
        assert name in result.stdout


def test_the_package_runs_as_a_module_and_tells_its_version():
    result = subprocess.run(
        [sys.executable, "-m", "novikoff", "--version"], capture_output=True, text=True, check=True
    )
    assert result.stdout == f"novikoff {novikoff.__version__}\n"


def test_a_paragraph_of_help_is_filled():
    result = run("from novikoff.cli import main; main()", "demo", "--help")
    assert "compiles each learner, which takes some" in " ".join(result.stdout.split())
    assert not re.search(r"learner, which\s*\n", result.stdout)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_text_and_described_options(name):
    command = importlib.import_module(f"novikoff.cli.{COMMANDS[name]}").command
    assert inspect.getdoc(command)
    for parameter in inspect.signature(command).parameters.values():
        (info,) = parameter.annotation.__metadata__
        assert info.help, f"{name}: {parameter.name} is not described"


def test_importing_the_package_imports_no_command_line():
    code = "import sys, novikoff; print(sorted({'rich', 'typer', 'numba'} & set(sys.modules)))"
    assert run(code).stdout == "[]\n"


@pytest.fixture
def app(monkeypatch):
    """``novikoff reproduce`` over two experiments of our own."""

    def work(say):
        say("half way")
        return Result(
            ["graph", "paper's", "ours"],
            [["mcp100", 12345, 12345.0], ["[b]", None, 0.123456]],
            notes=["One differs [because] of rounding."],
            points={"Rows [seen]": {"one": ([1.0], [2.0]), "other": ([3.0, 4.0], [5.0, 6.0])}},
            x_label="size",
            charts=[Chart("Time", "hours [h]", "cost", {"a": ([1, 2], [3, 4])})],
        )

    experiments = {
        "good": Experiment("P9, Table 1", "A table [of] ours", work),
        "far": Experiment("P9, Table 2", "Needs a file", work, needs=("nowhere/rows.txt",)),
    }

    def load(key):
        if key not in experiments:
            raise ValueError(f"no experiment {key!r}; there are far, good")
        return experiments[key]

    monkeypatch.setattr(reproduce, "EXPERIMENTS", {"good": "x", "far": "y"})
    monkeypatch.setattr(reproduce, "load_experiment", load)
    app = typer.Typer()
    app.command()(reproduce.command)
    return lambda *arguments: CliRunner().invoke(app, [str(a) for a in arguments])


def test_without_a_key_the_experiments_are_listed(app):
    output = app().output
    for text in ("far", "good", "P9, Table 1", "A table [of] ours", "nowhere", "P3: Kharechko"):
        assert text in output


def test_an_experiment_is_printed_beside_the_papers_numbers(app, tmp_path):
    result = app("good", "--output", tmp_path / "page.html")
    assert result.exit_code == 0, result.output
    for text in ("A table [of] ours", "mcp100", "12,345", "[b]", "–", "0.1235", "[because]"):
        assert text in result.output
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert html.count("<polyline") == 1
    assert html.count("<circle") == 3 + 2  # and one a name
    assert "<figcaption>Rows [seen]</figcaption>" in html
    assert html.count(">size</text>") == 1
    assert html.count(">hours [h]</text>") == html.count(">cost</text>") == 1
    assert "12,345" in html


def test_an_unknown_key_is_refused_with_the_keys_there_are(app):
    result = app("bad")
    assert result.exit_code == 2
    assert "no experiment 'bad'; there are far, good" in result.output


def test_missing_data_is_named_before_any_work(app, monkeypatch, tmp_path):
    monkeypatch.setenv("NOVIKOFF_DATA", str(tmp_path))
    result = app("far")
    assert result.exit_code == 2
    assert "'nowhere/rows.txt'" in result.output
    monkeypatch.delenv("NOVIKOFF_DATA")
    assert "NOVIKOFF_DATA" in app("far").output


def test_every_listed_experiment_can_be_loaded():
    for key in novikoff.papers.EXPERIMENTS:
        assert novikoff.papers.load_experiment(key).source


@pytest.mark.parametrize(
    ("value", "text"),
    [(3, "3"), (12345.0, "12,345"), (0.123456, "0.1235"), (None, "–"), ("a", "a"), (True, "True")],
)
def test_numbers_are_printed_with_four_digits(value, text):
    assert cell_text(value) == text

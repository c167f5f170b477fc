"""The demonstration finds the learners by itself and shows what they did."""

import re

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import novikoff
from novikoff.cli import demo_runs
from novikoff.cli.demo import command, table_of
from novikoff.cli.demo_runs import Run, available, data_sets, run_all, run_learner
from novikoff.cli.output import check_output
from novikoff.learners import LEARNERS


class Untimely(novikoff.Perceptron):
    """Has a parameter without a default."""

    def __init__(self, problem):
        super().__init__()
        self.problem = problem


class TwoClassesOnly(novikoff.Perceptron):
    """Refuses more than two classes in one sentence."""

    def partial_fit(self, X, y, classes=None):
        if len(classes) > 2:
            raise ValueError("TwoClassesOnly learns two classes, got 10")
        return super().partial_fit(X, y, classes)


@pytest.fixture
def one_more(monkeypatch):
    """Adds a class to the public list."""

    def add(cls):
        monkeypatch.setitem(LEARNERS, cls.__name__, "elsewhere")
        monkeypatch.setattr(novikoff, cls.__name__, cls, raising=False)

    return add


@pytest.fixture
def demo():
    """Runs ``novikoff demo``."""
    app = typer.Typer()
    app.command()(command)
    return lambda *arguments: CliRunner().invoke(app, [str(a) for a in arguments])


def test_every_learner_runs_or_is_left_out_with_a_reason():
    runnable, skipped = available()
    assert sorted([*runnable, *skipped]) == sorted(LEARNERS)
    assert "Perceptron" in runnable
    assert all("no default" in reason for reason in skipped.values())


def test_a_learner_that_needs_a_parameter_is_left_out(one_more):
    one_more(Untimely)
    runnable, skipped = available()
    assert "Untimely" not in runnable
    assert skipped["Untimely"] == "needs problem, which has no default"


def test_an_unknown_learner_is_refused():
    with pytest.raises(ValueError, match="no learner 'Perceptro'; there are ALMA"):
        available(["Perceptro"])


def test_data_is_dense_scaled_and_always_the_same():
    for rows, again in zip(data_sets(), data_sets(), strict=True):
        assert rows.X.dtype == np.float64
        assert rows.X.flags.c_contiguous
        np.testing.assert_allclose(rows.X.mean(axis=0), 0.0, atol=1e-9)
        deviations = rows.X.std(axis=0)
        np.testing.assert_allclose(deviations[deviations > 0], 1.0)
        assert len(rows.X) == len(rows.y) >= len(rows.X_test) == len(rows.y_test) > 0
        assert set(rows.y_test.tolist()) <= set(rows.y.tolist())
        np.testing.assert_array_equal(rows.X, again.X)
        np.testing.assert_array_equal(rows.y_test, again.y_test)


def test_a_run_is_the_learners_own():
    events, data = [], data_sets()[1]
    (run,) = run_learner("Perceptron", [data], 10.0, lambda *event: events.append(event))
    model = novikoff.Perceptron().fit(data.X, data.y)
    assert run.online_error == model.n_mistakes_ / len(data.y)
    assert run.test_error == pytest.approx(1 - model.score(data.X_test, data.y_test))
    assert run.n_updates == model.n_updates_
    assert run.n_support is None
    assert run.trials[-1] == run.n_trials == run.n_rows == len(data.y)
    assert not run.cut_short
    assert [event[1:] for event in events] == [
        ("Perceptron", "breast cancer", done, 400) for done in (0, 400)
    ]


def test_a_time_limit_cuts_a_run_short(monkeypatch):
    monkeypatch.setattr(demo_runs, "CHUNK", 100)
    (run,) = run_learner("Perceptron", [data_sets()[1]], 1e-9, lambda *_: None)
    assert run.cut_short
    assert run.n_trials == 100
    assert "Perceptron (first 100)" in list(table_of("rows", [run]).columns[0].cells)


def test_a_refusal_is_shown_and_the_others_go_on(one_more):
    one_more(TwoClassesOnly)
    digits, cancer = run_learner("TwoClassesOnly", data_sets()[:2], 10.0, lambda *_: None)
    assert digits.refused == "TwoClassesOnly learns two classes, got 10"
    assert cancer.refused == ""
    assert table_of("digits", [digits]).row_count == 0


def test_processes_give_what_one_process_gives():
    names = ["PassiveAggressive", "Perceptron"]
    events = []
    together = run_all(names, 2, 10.0, lambda *event: events.append(event))
    alone = run_all(names, 1, 10.0, lambda *_: None)
    assert [(r.learner, r.data) for r in together] == [(r.learner, r.data) for r in alone]
    assert [(r.errors, r.test_error) for r in together] == [
        (r.errors, r.test_error) for r in alone
    ]
    assert {event[1:3] for event in events} == {(r.learner, r.data) for r in alone}


def test_the_command_prints_tables_and_writes_a_page(demo, tmp_path):
    page = tmp_path / "page.html"
    options = ("--learner", "Perceptron", "--learner", "PassiveAggressive", "--jobs", 1)
    result = demo(*options, "--output", page)
    assert result.exit_code == 0, result.output
    for name in ("digits", "breast cancer", "Perceptron", "PassiveAggressive", str(page)):
        assert name in result.output.replace("\n", "")
    html = page.read_text(encoding="utf-8")
    for rows in data_sets():
        assert rows.about.split(",")[0] in html
    errors = re.findall(r"(\d+\.\d) %", result.output)
    assert len(errors) == 2 * 2 * len(data_sets())
    assert all(f"{error} %" in html for error in errors)


def test_the_command_refuses_what_cannot_work(demo, tmp_path):
    refusals = (
        (("--output", tmp_path / "none" / "page.html"), "there is no folder"),
        (("--output", tmp_path), "is a folder"),
        (("--learner", "Nobody"), "no learner 'Nobody'"),
    )
    for options, sentence in refusals:
        result = demo(*options)
        assert result.exit_code == 2
        # The sentence stands in a frame and is broken where a path is long.
        assert sentence in " ".join(result.output.replace("│", " ").split())


def test_a_folder_that_cannot_be_written_to_is_refused_before_any_work(monkeypatch, tmp_path):
    monkeypatch.setattr("os.access", lambda path, mode: path != tmp_path)
    check_output(tmp_path.parent / "page.html")
    with pytest.raises(typer.BadParameter, match="cannot be written to"):
        check_output(tmp_path / "page.html")


def test_tables_fit_a_terminal_of_eighty_columns():
    from rich.console import Console

    longest = max(LEARNERS, key=len)
    run = Run(longest, "r", "", 3500, 3500, 0.1, 0.1, 123_456, 1234)
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(table_of("r", [run]))
    text = console.export_text()
    assert "123,456" in text
    assert longest in text  # on one line
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80

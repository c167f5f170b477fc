"""What a reproduced table or figure is made of."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Chart:
    """Lines over axes of their own: a figure, or a panel of one.

    ``curves`` holds name -> (x values, y values).

    Examples
    --------
    >>> from novikoff.papers import Chart
    >>> Chart("Squares", "n", "n squared", {"squares": ([1, 2, 3], [1, 4, 9])}).x_label
    'n'
    """

    title: str
    x_label: str
    y_label: str
    curves: dict[str, tuple[Any, Any]]
    log_x: bool = False
    log_y: bool = False


@dataclass
class Result:
    """The numbers of a reproduction, the paper's beside ours.

    ``charts`` are its figures of lines; ``points``, for figures of points over axes ``x_label``
    and ``y_label``, is title -> {name -> (x values, y values)}. ``notes`` says in sentences what
    differs from the paper and why.

    Examples
    --------
    >>> from novikoff.papers import Result
    >>> result = Result(["learner", "paper", "ours"], [["Perceptron", 28, 27.4]])
    >>> result.notes
    []
    """

    columns: list[str]
    rows: list[list[Any]]
    notes: list[str] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    points: dict[str, dict[str, tuple[Any, Any]]] = field(default_factory=dict)
    x_label: str = "x"
    y_label: str = "y"


@dataclass(frozen=True)
class Experiment:
    """One table or figure of a paper, runnable.

    ``run(say)`` does the work and returns a :class:`Result`; it calls ``say(text)`` now and then,
    so that whoever waits sees where it stands. ``needs`` names the files, relative to the data
    folder, that must be at hand.

    Examples
    --------
    >>> from novikoff.papers import Experiment, Result
    >>> experiment = Experiment("P0, Table 5.1", "mistakes", lambda say: Result(["n"], [[28]]))
    >>> experiment.run(print).rows
    [[28]]
    """

    source: str  # "P3, Table 6.1"
    title: str
    run: Callable[[Callable[[str], None]], Result]
    needs: tuple[str, ...] = ()

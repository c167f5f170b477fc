"""The papers' tables and figures, reproduced: one declarative file each.

``EXPERIMENTS`` is the list. Each file defines ``EXPERIMENT``, an
:class:`~novikoff.papers.experiment.Experiment`.
"""

from importlib import import_module

from novikoff.papers.experiment import Experiment, Result

EXPERIMENTS: dict[str, str] = {  # key on the command line: the file that holds it
    "p0-table-5.1": "p0_table5_1",
    "p1-figure-2": "p1_figure_2",
    "p1-table-1": "p1_table_1",
    "p1-table-2": "p1_table_2",
    "p1-table-3": "p1_table_3",
    "p2-figure-6": "p2_figure6",
    "p3-figure-3.2": "p3_figure_3_2",
    "p3-figure-4.1": "p3_figure_4_1",
    "p3-figure-6.1": "p3_figure_6_1",
    "p3-small-margin": "p3_small_margin",
    "p3-table-6.1": "p3_table_6_1",
    "p3-figure-7.4": "p3_fig7_4",
    "p3-figure-8.1": "p3_fig8_1",
    "p3-table-8.1": "p3_table8_1",
}

__all__ = ["EXPERIMENTS", "Experiment", "Result", "load_experiment"]


def load_experiment(key: str) -> Experiment:
    """Return the experiment with this key; ``ValueError`` lists the keys there are.

    Parameters
    ----------
    key : str
        Name on the command line, one of ``EXPERIMENTS``.

    Examples
    --------
    >>> from novikoff.papers import EXPERIMENTS, load_experiment
    >>> [load_experiment(key).source for key in sorted(EXPERIMENTS)[:0]]
    []
    """
    if key not in EXPERIMENTS:
        raise ValueError(f"no experiment {key!r}; there are {', '.join(sorted(EXPERIMENTS))}")
    return import_module(f"novikoff.papers.{EXPERIMENTS[key]}").EXPERIMENT

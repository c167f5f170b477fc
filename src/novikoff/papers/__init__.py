"""The papers' tables and figures, reproduced: one declarative file each.

``EXPERIMENTS`` is the list. Each file defines ``EXPERIMENT``, an
:class:`~novikoff.papers.experiment.Experiment`.
"""

import re
from importlib import import_module

from novikoff.papers.experiment import Chart, Experiment, Result

EXPERIMENTS: dict[str, str] = {  # key on the command line: the file that holds it
    key: re.sub(r"\W", "_", key)
    for key in (
        "p0-table-5.1",
        "p1-figure-2",
        "p1-table-1",
        "p1-table-2",
        "p1-table-3",
        "p2-figure-6",
        "p3-figure-3.2",
        "p3-figure-4.1",
        "p3-figure-6.1",
        "p3-figure-7.4",
        "p3-figure-8.1",
        "p3-small-margin",
        "p3-table-6.1",
        "p3-table-8.1",
    )
}

__all__ = ["EXPERIMENTS", "Chart", "Experiment", "Result", "load_experiment"]


def load_experiment(key: str) -> Experiment:
    """Return the experiment with this key; ``ValueError`` lists the keys there are.

    Parameters
    ----------
    key : str
        Name on the command line, one of ``EXPERIMENTS``.

    Returns
    -------
    experiment : Experiment

    Examples
    --------
    >>> from novikoff.papers import load_experiment
    >>> experiment = load_experiment("p3-figure-3.2")
    >>> experiment.source, experiment.title
    ('P3, Figure 3.2', 'Where the perceptron beats the ellipsoid')
    """
    if key not in EXPERIMENTS:
        raise ValueError(f"no experiment {key!r}; there are {', '.join(sorted(EXPERIMENTS))}")
    return import_module(f"novikoff.papers.{EXPERIMENTS[key]}").EXPERIMENT

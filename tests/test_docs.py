"""Every public name is documented, and every learner file says where it departs from its paper."""

import ast
import dataclasses
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import novikoff
from novikoff.learners import LEARNERS

ROOT = Path(__file__).parents[1]


def public_names():
    """(room, name) of all that the rooms offer in their __all__."""
    names = [("", name) for name in novikoff.__all__ if name != "__version__"]
    for room in (*novikoff._ROOMS, "theory.bounds"):
        module = import_module(f"novikoff.{room}")
        names += [(room, name) for name in module.__all__]
    return sorted(set(names))


def objects():
    """The public classes and functions."""
    found = []
    for room, name in public_names():
        if name in novikoff._ROOMS:
            continue
        home = import_module(f"novikoff.{room}") if room else novikoff
        thing = getattr(home, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            found.append(pytest.param(thing, id=f"{room}.{name}".strip(".")))
    return found


def documented_parameters(text):
    """Names in a numpydoc Parameters section."""
    section = re.search(r"\nParameters\n-+\n(.*?)(?=\n\n\w[\w ]*\n-+\n|\Z)", text, re.S)
    if not section:
        return []
    heads = re.findall(r"^(\*{0,2}\w[\w, *]*?)(?: :.*)?$", section[1], re.M)
    return [name.strip(" *") for head in heads for name in head.split(",")]


@pytest.mark.parametrize("thing", objects())
def test_public_names_are_documented_with_an_example(thing):
    text = inspect.getdoc(thing)
    assert text
    assert ">>>" in text, "no runnable example"
    if issubclass(thing, BaseException) if inspect.isclass(thing) else False:
        return
    signature = inspect.signature(thing).parameters.values()
    names = [p.name for p in signature if p.name not in ("self", "cls")]
    # A class that users are given, and do not make, has its attributes described instead.
    if names and (inspect.isfunction(thing) or "Parameters\n---" in text):
        assert documented_parameters(text) == names
    if inspect.isclass(thing) and names:
        assert re.search(r"\n(Parameters|Attributes)\n---", text) or is_shown(thing)
    if inspect.isfunction(thing) and returns_something(thing):
        assert "\nReturns\n---" in text


def returns_something(function):
    """Whether a function has anything to return, by its own code."""
    nodes = ast.walk(ast.parse(inspect.getsource(function)))
    return any(isinstance(node, ast.Return) and node.value is not None for node in nodes)


def is_shown(thing):
    """Whether a class is a plain record, whose signature says what it holds."""
    return dataclasses.is_dataclass(thing) or hasattr(thing, "_fields")


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_learner_files_are_complete(name):
    module = import_module(f"novikoff.learners.{LEARNERS[name]}")
    assert "Departures from the paper:" in module.__doc__
    assert "Cost per trial:" in module.__doc__
    assert ".. [1]" in module.__doc__
    text = inspect.getdoc(getattr(module, name))
    parameters = inspect.signature(getattr(module, name)).parameters
    assert documented_parameters(text) == list(parameters)
    for section in ("Attributes", "Examples"):
        assert f"\n{section}\n---" in text
    reference = import_module(f"tests.reference.{LEARNERS[name]}")
    assert callable(reference.run)
    assert callable(reference.run_multiclass)


def test_the_reader_of_parameters_reads_them():
    text = inspect.getdoc(novikoff.Perceptron)
    assert documented_parameters(text)[:2] == ["margin", "normalize"]


def test_nothing_machine_specific_is_committed():
    for path in [*ROOT.glob("src/**/*.py"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.py")]:
        assert not re.search(r"(?<![\w.])/(work|root|tmp)/", path.read_text()), path

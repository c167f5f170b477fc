"""Imports go one way: cli, report, papers -> learners and their like -> base -> engine."""

import ast
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src" / "novikoff"
TOP = {"cli", "report", "papers"}
MIDDLE = {"learners", "labels", "feasibility", "ellipsoids", "theory"}
BASE = {"base", "kernel_base", "kernels", "budgets", "params", "rows", "modelfile"}


def imports_of(path):
    """The modules of ours that a file imports anywhere in it, as dotted names inside novikoff."""
    package = ("novikoff", *path.relative_to(SOURCES).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*start, *([node.module] if node.module else [])])
            names = [f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        found |= {name.removeprefix("novikoff.") for name in names if name.startswith("novikoff.")}
    return found


FILES = sorted(SOURCES.rglob("*.py"))
ROOM_OF = {path: path.relative_to(SOURCES).parts[0].removesuffix(".py") for path in FILES}


def rooms_used(path):
    """First parts of the modules that a file imports."""
    return {name.split(".")[0] for name in imports_of(path)}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCES)))
def test_imports_go_one_way(path):
    room, used = ROOM_OF[path], rooms_used(path)
    if room == "__init__":
        return  # the public face names every room, and loads it on first use
    if room == "engine":
        assert used <= {"engine"}
    if room not in TOP | {"evaluate"}:
        assert not used & TOP
    if room in BASE:
        allowed = {"labels"} if room in ("base", "kernel_base") else set()
        assert not used & (MIDDLE - allowed)
    if room == "feasibility":
        assert not used & {"learners", "base", "labels"}
    if room == "labels":
        assert "learners" not in used or path.name != "classes.py"


def test_the_reader_of_imports_sees_them():
    seen = imports_of(SOURCES / "learners" / "perceptron.py")
    assert any(name.startswith("engine") for name in seen)
    assert any(name.startswith("params.") for name in seen)


COMPILED = {"entry", "inlined", "njit", "primitive", "rule"}


def unchecked(tree):
    """Functions without a decorator that compiles them, some argument or result unannotated."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        decorators = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
        if any(isinstance(d, ast.Name) and d.id in COMPILED for d in decorators):
            continue
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        bare = [a.arg for a in given if a.annotation is None and a.arg not in ("self", "cls")]
        if bare or node.returns is None:
            yield node.name


ENGINE = [path for path in FILES if ROOM_OF[path] == "engine"]


@pytest.mark.parametrize("path", ENGINE, ids=lambda p: p.name)
def test_only_compiled_functions_of_the_engine_go_without_types(path):
    assert list(unchecked(ast.parse(path.read_text()))) == []


def test_functions_without_types_are_found():
    tree = ast.parse("@rule\ndef a(x): ...\ndef b(x) -> int: ...\ndef c(x: int) -> int: ...")
    assert list(unchecked(tree)) == ["b"]

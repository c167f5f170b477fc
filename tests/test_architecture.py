"""Imports go one way, from the rooms that users enter down to the engine."""

import ast
from pathlib import Path

import pytest

from novikoff.engine.jit import REAL_ALGEBRA
from novikoff.learners import LEARNERS

SOURCES = Path(__file__).parents[1] / "src" / "novikoff"
# From the ground up. A file imports from its own room and from lower layers, and from nowhere
# else; a new room is placed here first.
LAYERS = (
    {"engine", "labels", "lazy", "params", "progress", "treecodec"},
    {"container", "rows"},
    {"modelfile"},
    {"kernels"},
    {"budgets"},
    {"learnt"},
    {"base"},
    {"kernel_base"},
    {"told_base"},
    {"ellipsoids", "feasibility", "learners", "streams"},
    {"evaluate", "theory"},
    {"papers", "report"},
    {"cli"},
    {"__init__", "__main__"},
)
ALONE = {"engine", "feasibility"}  # these import nothing of ours but themselves


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
        # The package itself, or a learner from it: whoever has it reaches the learners.
        found |= {"learners" for name in names if name == "novikoff"}
    found = {"learners" if name in LEARNERS else name for name in found}
    return found - {"__version__"}


FILES = sorted(SOURCES.rglob("*.py"))
ROOM_OF = {path: path.relative_to(SOURCES).parts[0].removesuffix(".py") for path in FILES}


def rooms_used(path):
    """First parts of the modules that a file imports."""
    return {name.split(".")[0] for name in imports_of(path)}


LAYER_OF = {room: height for height, rooms in enumerate(LAYERS) for room in rooms}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCES)))
def test_imports_go_one_way(path):
    room = ROOM_OF[path]
    used = rooms_used(path) - {room}
    lower = {other for other, height in LAYER_OF.items() if height < LAYER_OF[room]}
    assert used <= (set() if room in ALONE else lower)


def test_every_room_has_its_place():
    assert sorted(LAYER_OF) == sorted(set(ROOM_OF.values()))
    assert len(LAYER_OF) == sum(map(len, LAYERS))


def test_the_reader_of_imports_sees_them():
    seen = imports_of(SOURCES / "learners" / "perceptron.py")
    assert any(name.startswith("engine") for name in seen)
    assert any(name.startswith("params.") for name in seen)
    assert "learners" in imports_of(SOURCES / "papers" / "higher_order.py")
    assert "learners" in imports_of(SOURCES / "cli" / "demo_runs.py")


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


def floating_point_flags(tree):
    """Names that calls with ``fastmath`` are assigned to, "" for a call that stands elsewhere."""
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and any(k.arg == "fastmath" for k in node.keywords)
    ]
    named = {
        id(node.value): node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    return [named.get(id(call), "") for call in calls]


def test_only_primitives_reorder_sums():
    found = {
        path.relative_to(SOURCES): floating_point_flags(ast.parse(path.read_text()))
        for path in FILES
    }
    assert {str(path): flags for path, flags in found.items() if flags} == {
        "engine/jit.py": ["primitive"]
    }
    assert sorted(REAL_ALGEBRA) == [
        "contract",
        "reassoc",
    ]  # NaN, infinities and signed zeros are kept
    decorated = {path for path in FILES if "@primitive" in path.read_text()}
    assert {ROOM_OF[path] for path in decorated} == {"engine"}


def test_flags_are_found_wherever_they_stand():
    tree = ast.parse("a = njit(fastmath=True)\n@njit(fastmath=True)\ndef b(x): ...")
    assert sorted(floating_point_flags(tree)) == ["", "a"]

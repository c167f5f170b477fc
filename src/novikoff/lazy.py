"""Names of a package that are loaded on first use (PEP 562)."""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, names: Mapping[str, str], rooms: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package that loads its public names on first use.

    ``names`` maps each class or function to the file of the package that holds it; ``rooms`` are
    public modules of the package. The package's ``__all__`` says what ``dir`` lists.
    """
    modules = frozenset(rooms)
    home = vars(sys.modules[package])

    def load(name: str) -> Any:
        if name in names:
            value = getattr(import_module(f"{package}.{names[name]}"), name)
        elif name in modules:
            value = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home[name] = value
        return value

    return load, lambda: sorted(home["__all__"])

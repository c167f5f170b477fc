"""Models in files: `save_model` and `load`, for every estimator of the library.

A model file holds plain data only: the public name of a class, its parameters and what it has
learnt. Nothing in it is executed, and no name in it is looked up outside the library's own tables.
How it lies in the file is `novikoff.container`'s.

What an estimator offers to be storable: ``get_params(deep=False)``, ``_get_state()``, which
returns a tree of plain values and arrays (see `write_container`), and ``_set_state(tree)``, which
checks such a tree and raises ValueError if it is not one of its own. A parameter that is a kernel
or a budget offers ``to_tree()``, which raises TypeError if it holds a function of the user's, and
the class method ``from_tree(tree)``; a parameter that is an estimator of ours is its parameters.
"""

import inspect
import os
from collections.abc import Mapping
from importlib import import_module
from types import NoneType
from typing import Any

import numpy as np

from novikoff import __version__
from novikoff.container import ModelFileError, file_name, read_container, write_container
from novikoff.treecodec import check_tree

__all__ = [
    "ModelFileError",
    "check_fields",
    "load",
    "public_class",
    "random_from_tree",
    "random_to_tree",
    "read_container",
    "save_model",
    "write_container",
]

ESTIMATOR_ROOMS = ("learners", "ellipsoids")
PARAMETER_ROOMS = ("kernels", "budgets", "ellipsoids")

_BIT_GENERATORS = {
    name: getattr(np.random, name) for name in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
}
_MODEL = {"novikoff": str, "class": str, "parameters": dict, "supplied": dict, "state": object}


def public_class(name: str, rooms: tuple[str, ...] = ("learners", *PARAMETER_ROOMS)) -> type:
    """The class that users reach as ``novikoff.<name>``, from the library's own tables only.

    Examples
    --------
    >>> public_class("ellipsoids.Cone")
    Traceback (most recent call last):
        ...
    LookupError: novikoff has no public class 'ellipsoids.Cone'
    """
    room, dot, plain = name.rpartition(".")
    room = room if dot else "learners"
    if room in rooms:
        module = import_module(f"novikoff.{room}")
        names = module.LEARNERS if room == "learners" else getattr(module, "__all__", ())
        found = getattr(module, plain) if plain in names else None
        if isinstance(found, type):
            return found
    raise LookupError(f"novikoff has no public class {name!r}")


def _public_name(cls: type, rooms: tuple[str, ...]) -> str | None:
    """The name by which `public_class` finds this very class again, if there is one."""
    for room in rooms:
        if f"{cls.__module__}.".startswith(f"novikoff.{room}."):
            name = cls.__name__ if room == "learners" else f"{room}.{cls.__name__}"
            try:
                return name if public_class(name, rooms) is cls else None
            except LookupError:
                return None
    return None


def check_fields(
    tree: Any, fields: Mapping[str, type | tuple[type, ...]], name: str = "the state"
) -> None:
    """Raise ValueError unless `tree` is a dict of exactly these keys with values of these types.

    `name` is that of the tree in the message.

    Examples
    --------
    >>> check_fields({"n_seen": 3.0}, {"n_seen": int})
    Traceback (most recent call last):
        ...
    ValueError: the state has 'n_seen' of type float, not int
    """
    if not isinstance(tree, dict):
        raise ValueError(f"{name} is of type {type(tree).__name__}, not dict")
    for key in sorted(fields.keys() ^ tree.keys()):
        raise ValueError(f"{name} has {'no' if key in fields else 'an unknown'} entry {key!r}")
    for key, types in fields.items():
        types = types if isinstance(types, tuple) else (types,)
        # A bool is an int for Python, but no count.
        if not isinstance(tree[key], types) or (type(tree[key]) is bool and int in types):
            wanted = " or ".join(each.__name__ for each in types)
            raise ValueError(
                f"{name} has {key!r} of type {type(tree[key]).__name__}, not {wanted}"
            )


# Random sources ----------------------------------------------------------------------------------


def random_to_tree(source: np.random.RandomState | np.random.Generator) -> dict[str, Any]:
    """A source of random numbers as plain data: it goes on where it stood, children included.

    Examples
    --------
    >>> source = np.random.default_rng(0)
    >>> again = random_from_tree(random_to_tree(source))
    >>> again.random() == source.random()
    True
    """
    if type(source) is np.random.RandomState:
        state: Any = source.get_state(legacy=False)
        seed = None  # only a Generator has children
    elif type(source) is np.random.Generator:
        state = source.bit_generator.state
        seed = _seed_to_tree(source.bit_generator.seed_seq)
    else:
        raise TypeError(f"{source!r} is neither a numpy RandomState nor a Generator")
    if state["bit_generator"] not in _BIT_GENERATORS:
        raise TypeError(f"{source!r} does not use a bit generator of numpy's own")
    return {"source": type(source).__name__, "state": state, "seed": seed}


def random_from_tree(tree: Any) -> np.random.RandomState | np.random.Generator:
    """The source of random numbers that `random_to_tree` stored; ValueError if it is not one."""
    fields: dict[str, type | tuple[type, ...]] = {
        "source": str,
        "state": dict,
        "seed": (NoneType, dict),
    }
    check_fields(tree, fields, "the source of random numbers")
    if tree["source"] not in ("RandomState", "Generator"):
        raise ValueError(f"{tree['source']!r} is no known source of random numbers")
    state = tree["state"]
    make = _BIT_GENERATORS.get(str(state.get("bit_generator")))
    if make is None:
        raise ValueError(f"{state.get('bit_generator')!r} is no known bit generator")
    bits = make(0 if tree["seed"] is None else _seed_from_tree(tree["seed"]))
    if tree["source"] == "RandomState":
        legacy = np.random.RandomState(bits)
        _check_state(state, legacy.get_state(legacy=False))
        legacy.set_state(state)
        return legacy
    _check_state(state, bits.state)
    bits.state = state
    return np.random.Generator(bits)


def _seed_to_tree(seed: Any) -> dict[str, Any] | None:
    if seed is None:
        return None
    if type(seed) is not np.random.SeedSequence:
        raise TypeError(f"{seed!r} is not a SeedSequence of numpy's own")
    entropy: Any = seed.entropy
    one = isinstance(entropy, int | np.integer)
    if not one and not all(isinstance(n, int | np.integer) for n in entropy):
        raise TypeError(f"{seed!r} was not made of integers")
    return {
        "entropy": int(entropy) if one else [int(n) for n in entropy],
        "spawn_key": tuple(int(n) for n in seed.spawn_key),
        "pool_size": int(seed.pool_size),
        "n_children_spawned": int(seed.n_children_spawned),
    }


def _seed_from_tree(tree: dict[str, Any]) -> np.random.SeedSequence:
    check_fields(
        tree,
        {
            "entropy": (int, list),
            "spawn_key": tuple,
            "pool_size": int,
            "n_children_spawned": int,
        },
        "the seed of the random numbers",
    )
    entropy, counts = tree["entropy"], (tree["pool_size"], tree["n_children_spawned"])
    numbers = (*(entropy if isinstance(entropy, list) else [entropy]), *tree["spawn_key"])
    if any(type(n) is not int or n < 0 for n in (*numbers, *counts)):
        raise ValueError("the seed of the random numbers is not made of numbers >= 0")
    if not 4 <= tree["pool_size"] <= 1024 or tree["n_children_spawned"] >= 2**32:
        raise ValueError("the seed of the random numbers has an impossible size")
    return np.random.SeedSequence(**tree)


def _check_state(state: Any, like: Any, name: str = "state") -> None:
    """Compare with a valid state: NumPy itself does not look, and would read out of bounds."""
    bound = {"pos": 625, "buffer_pos": 5, "has_gauss": 2, "has_uint32": 2, "uinteger": 2**32}
    wrong = ValueError(f"{name!r} of the random numbers is not what it should be")
    if type(state) is not type(like):
        raise wrong
    if isinstance(like, dict):
        check_fields(state, dict.fromkeys(like, object), "the state of the random numbers")
        for key in like:
            _check_state(state[key], like[key], key)
    elif isinstance(like, np.ndarray):
        if state.dtype != like.dtype or state.shape != like.shape:
            raise wrong
    elif isinstance(like, int) and not 0 <= state < bound.get(name, 2**128):
        raise wrong


# Models ------------------------------------------------------------------------------------------


def _parameter_to_tree(value: Any) -> dict[str, Any]:
    if isinstance(value, np.random.RandomState | np.random.Generator):
        tree = {"kind": "random", "value": random_to_tree(value)}
    elif (name := _public_name(type(value), PARAMETER_ROOMS)) is not None:
        if hasattr(value, "get_params"):
            own = value.get_params(deep=False)
            tree = {"kind": name, "value": {key: _parameter_to_tree(own[key]) for key in own}}
        else:
            tree = {"kind": name, "value": value.to_tree()}
    else:
        tree = {"kind": "value", "value": value}
    check_tree(tree)
    return tree


def _parameter_from_tree(key: str, tree: Any) -> Any:
    check_fields(tree, {"kind": str, "value": object}, f"the parameter {key!r}")
    if tree["kind"] == "value":
        return tree["value"]
    if tree["kind"] == "random":
        return random_from_tree(tree["value"])
    found: Any = public_class(tree["kind"], PARAMETER_ROOMS)
    if hasattr(found, "from_tree"):
        return found.from_tree(tree["value"])
    if not hasattr(found, "get_params"):
        raise LookupError(f"{tree['kind']} is no parameter that a file can hold")
    given = {"class": tree["kind"], "parameters": tree["value"], "supplied": {}}
    check_fields(given, {"class": str, "parameters": dict, "supplied": dict}, tree["kind"])
    return found(**_read_parameters(given, inspect.signature(found).parameters))


def save_model(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write an estimator to a file; what ``estimator.save(path)`` does.

    The file appears whole or not at all. A parameter that cannot be plain data, such as a kernel
    function of the user's own, is left out and has to be given again to `load`.

    Parameters
    ----------
    estimator : one of novikoff's estimators
        A class derived from one is refused: nothing could find it again.
    path : str or path-like
        Where; an existing file is replaced in one step.

    Examples
    --------
    >>> save_model(3, "model")
    Traceback (most recent call last):
        ...
    TypeError: cannot save a int: only novikoff's own estimators can be found again by load, ...
    """
    cls = type(estimator)
    name = _public_name(cls, ESTIMATOR_ROOMS)
    if name is None:
        raise TypeError(
            f"cannot save a {cls.__name__}: only novikoff's own estimators can be found again by "
            "load, so save one of those, not of a class derived from it"
        )
    parameters: dict[str, Any] = {}
    supplied: dict[str, str] = {}
    for key, value in estimator.get_params(deep=False).items():
        try:
            parameters[key] = _parameter_to_tree(value)
        except TypeError:
            supplied[key] = str(getattr(value, "__qualname__", f"a {type(value).__qualname__}"))
    tree = {
        "novikoff": __version__,
        "class": name,
        "parameters": parameters,
        "supplied": supplied,
        "state": estimator._get_state(),
    }
    write_container(path, tree)


def load(path: str | os.PathLike[str], **parameters: Any) -> Any:
    """Read a model that was saved; it goes on learning as if it had never been saved.

    Parameters
    ----------
    path : str or path-like
        The file that ``save`` wrote.
    **parameters
        The parameters that a file cannot hold, such as a kernel function of one's own:
        ``load(path, kernel=function)``. Needed for those, and allowed for no other.

    Returns
    -------
    estimator
        Of the class that was saved, with its parameters and all that it had learnt, the state of
        its random numbers included.

    Raises
    ------
    ModelFileError
        (a ValueError) If the file is truncated, altered, foreign or of another version.

    Examples
    --------
    >>> import os, tempfile, novikoff
    >>> model = novikoff.Perceptron().partial_fit([[1.0, 2.0], [3.0, -1.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model")
    ...     model.save(path)
    ...     again = novikoff.load(path)
    >>> again.predict([[2.0, -3.0]])
    array(['yes'], ...)
    >>> again.n_seen_
    2
    """
    name = file_name(path)
    tree = read_container(path)
    try:
        check_fields(tree, _MODEL, "its tree")
    except ValueError as error:
        raise ModelFileError(f"the model file {name!r} holds no novikoff model: {error}") from None
    try:
        cls: Any = public_class(tree["class"], ESTIMATOR_ROOMS)
        values = _read_parameters(tree, inspect.signature(cls).parameters)
    except (LookupError, ValueError) as error:
        raise ModelFileError(
            f"the model file {name!r}, written by novikoff {tree['novikoff']}, cannot be used by "
            f"novikoff {__version__}: {error}"
        ) from error
    _check_supplied(name, tree["supplied"], parameters)
    estimator = cls(**values, **parameters)
    try:
        estimator._set_state(tree["state"])
    # What a tree of another make can cause where an estimator looks less closely than it should.
    except (ValueError, TypeError, LookupError, OverflowError) as error:
        raise ModelFileError(
            f"the model file {name!r}, written by novikoff {tree['novikoff']}, does not hold a "
            f"state of {tree['class']}: {error}"
        ) from error
    return estimator


def _read_parameters(
    tree: dict[str, Any], known: Mapping[str, inspect.Parameter]
) -> dict[str, Any]:
    """The stored values, after every name was found among those that the class knows."""
    names = {k for k, p in known.items() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
    for key in (*tree["parameters"], *tree["supplied"]):
        if key not in names:
            raise LookupError(f"{tree['class']} has no parameter {key!r}")
    for key in names - tree["parameters"].keys() - tree["supplied"].keys():
        if known[key].default is inspect.Parameter.empty:
            raise LookupError(f"{tree['class']} needs a parameter {key!r}")
    check_fields(tree["supplied"], dict.fromkeys(tree["supplied"], str), "the list left out")
    for key in tree["parameters"].keys() & tree["supplied"].keys():
        raise ValueError(f"the parameter {key!r} is stored and left out at once")
    return {key: _parameter_from_tree(key, value) for key, value in tree["parameters"].items()}


def _check_supplied(name: str, needed: dict[str, str], given: dict[str, Any]) -> None:
    missing = needed.keys() - given.keys()
    if missing:
        left_out = ", ".join(f"{key} ({needed[key]})" for key in sorted(missing))
        call = ", ".join(f"{key}=..." for key in sorted(missing))
        raise ValueError(
            f"the model in {name!r} was saved without {left_out}, which no file can hold: pass it "
            f"again, novikoff.load({name!r}, {call})"
        )
    for key in sorted(given.keys() - needed.keys()):
        only = ", ".join(sorted(needed)) or "none"
        raise ValueError(
            f"{key} cannot be given to load, which takes only the parameters that the file was "
            f"saved without ({only}): change it with set_params afterwards"
        )

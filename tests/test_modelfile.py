"""A stored model is the model; whatever is not one gets one clear sentence.

The estimator here stands for all: it learns from random numbers, so that a state that was lost
shows. Every learner of the library goes through the same door in ``tests/laws``.
"""

import os
import sys
import types
from importlib import import_module

import numpy as np
import pytest

import novikoff
from container_files import header_end, put, resealed
from novikoff import learners
from novikoff.modelfile import (
    ModelFileError,
    check_fields,
    load,
    public_class,
    random_from_tree,
    random_to_tree,
    read_container,
    save_model,
    write_container,
)


class Drunkard:
    """An estimator that walks at random."""

    def __init__(self, *, step=1.0, kernel=None, classes=None, random_state=None):
        self.step = step
        self.kernel = kernel
        self.classes = classes
        self.random_state = random_state

    def get_params(self, deep=True):
        names = ("step", "kernel", "classes", "random_state")
        return {name: getattr(self, name) for name in names}

    def fit(self, n):
        self.place_ = np.zeros(n)
        self.random_ = np.random.RandomState(self.random_state)
        return self

    def partial_fit(self):
        self.place_ += self.step * self.random_.standard_normal(len(self.place_))
        return self

    def _get_state(self):
        return {"place": self.place_, "random": random_to_tree(self.random_)}

    def _set_state(self, tree):
        check_fields(tree, {"place": np.ndarray, "random": dict})
        self.place_ = tree["place"]
        self.random_ = random_from_tree(tree["random"])


class Bell:
    """A kernel of the library."""

    def __init__(self, width, map=None):
        self.width, self.map = width, map

    def to_tree(self):
        if self.map is not None:
            raise TypeError("map is a function")
        return {"width": self.width}

    @classmethod
    def from_tree(cls, tree):
        check_fields(tree, {"width": float})
        if tree["width"] <= 0:
            raise ValueError("width must be > 0")
        return cls(tree["width"])


def own_kernel(x, y):
    return x @ y


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """Drunkard is novikoff.Drunkard, and Bell is novikoff.kernels.Bell."""
    import_module("novikoff.ellipsoids")  # while the real kernels can be found
    for module, cls in (("novikoff.learners.drunkard", Drunkard), ("novikoff.kernels", Bell)):
        fake = types.ModuleType(module)
        fake.__all__ = [cls.__name__]
        setattr(fake, cls.__name__, cls)
        monkeypatch.setitem(sys.modules, module, fake)
        monkeypatch.setattr(cls, "__module__", module)
    monkeypatch.setitem(learners.LEARNERS, "Drunkard", "drunkard")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model"


def walker(**parameters):
    return Drunkard(**parameters).fit(3).partial_fit()


def altered(path, **changes):
    """The stored tree with some of its entries replaced, under a right checksum."""
    write_container(path, read_container(path) | changes)


def refused(path, match):
    with pytest.raises(ModelFileError, match=match) as caught:
        load(path)
    assert repr(str(path)) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_stored_model_goes_on_as_if_never_stored(path):
    model = walker(step=0.5, random_state=3)
    save_model(model, path)
    again = novikoff.load(path)
    assert type(again) is Drunkard
    assert again.get_params() == model.get_params()
    for _ in range(5):
        np.testing.assert_array_equal(model.place_, again.place_)
        model.partial_fit()
        again.partial_fit()


def test_saving_does_not_change_the_model(path):
    model, twin = walker(random_state=3), walker(random_state=3)
    save_model(model, path)
    np.testing.assert_array_equal(twin.partial_fit().place_, model.partial_fit().place_)


@pytest.mark.parametrize(
    "step", [None, 2, "auto", (1, 2.5), np.float32(0.1), {"a": [True]}, 1e300]
)
def test_parameters_keep_value_and_type(path, step):
    save_model(Drunkard(step=step).fit(1), path)
    again = load(path)
    assert again.step == step
    assert type(again.step) is type(step)


def test_arrays_are_parameters(path):
    save_model(Drunkard(classes=np.array(["b", "a"], object)).fit(1), path)
    assert load(path).classes.tolist() == ["b", "a"]


def test_kernels_and_budgets_are_parameters(path):
    save_model(Drunkard(kernel=Bell(2.5)).fit(1), path)
    again = load(path)
    assert type(again.kernel) is Bell
    assert again.kernel.width == 2.5


def bit_generators():
    return ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


@pytest.mark.parametrize("bits", bit_generators())
def test_a_generator_goes_on_where_it_stood(path, bits):
    source = np.random.Generator(getattr(np.random, bits)(5))
    source.integers(0, 2**16, 3, dtype=np.uint16)  # leaves half a word behind
    source.spawn(2)
    write_container(path, random_to_tree(source))
    again = random_from_tree(read_container(path))
    np.testing.assert_array_equal(source.random(1000), again.random(1000))
    np.testing.assert_array_equal(source.integers(0, 9, 9), again.integers(0, 9, 9))
    assert source.spawn(1)[0].random() == again.spawn(1)[0].random()


@pytest.mark.parametrize("bits", bit_generators())
def test_a_random_state_goes_on_where_it_stood(path, bits):
    source = np.random.RandomState(getattr(np.random, bits)(5))
    source.standard_normal()  # leaves the second of a pair behind
    write_container(path, random_to_tree(source))
    again = random_from_tree(read_container(path))
    assert source.standard_normal() == again.standard_normal()
    np.testing.assert_array_equal(source.permutation(99), again.permutation(99))


@pytest.mark.parametrize("seed", [[1, 2**40], np.array([3, 4], np.uint32), np.int64(7), None])
def test_a_seed_of_any_kind_is_kept(seed):
    source = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(np.int32(2),)))
    again = random_from_tree(random_to_tree(source))
    assert source.spawn(1)[0].random() == again.spawn(1)[0].random()


def test_sources_of_random_numbers_are_parameters(path):
    for source in (np.random.RandomState(3), np.random.default_rng(3)):
        source.random()
        save_model(Drunkard(classes=source).fit(1), path)
        again = load(path).classes
        assert type(again) is type(source)
        assert again.random() == source.random()


class _OwnGenerator(np.random.Generator):
    pass


def test_a_source_that_is_not_numpys_own_is_no_plain_data():
    with pytest.raises(TypeError, match="neither a numpy RandomState nor a Generator"):
        random_to_tree(_OwnGenerator(np.random.PCG64(1)))
    with pytest.raises(TypeError, match="neither a numpy RandomState nor a Generator"):
        random_to_tree(3)


def damaged(tree, *keys, value):
    tree = dict(tree)
    if len(keys) == 1:
        tree[keys[0]] = value
    else:
        tree[keys[0]] = damaged(tree[keys[0]], *keys[1:], value=value)
    return tree


@pytest.mark.parametrize(
    ("bits", "keys", "value"),
    [
        ("MT19937", ("state", "state", "pos"), 625),
        ("MT19937", ("state", "state", "pos"), -1),
        ("MT19937", ("state", "state", "pos"), 2.0),
        ("MT19937", ("state", "state", "key"), np.zeros(623, np.uint32)),
        ("MT19937", ("state", "state", "key"), np.zeros(624, np.int64)),
        ("MT19937", ("state", "state", "key"), [0] * 624),
        ("MT19937", ("state", "state"), {}),
        ("MT19937", ("state", "more"), 1),
        ("PCG64", ("state", "state", "state"), 2**128),
        ("PCG64", ("state", "state", "inc"), -1),
        ("PCG64", ("state", "uinteger"), 2**32),
        ("PCG64", ("state", "has_uint32"), 2),
        ("PCG64", ("state", "bit_generator"), "SFC64"),
        ("PCG64", ("state", "bit_generator"), "seed"),
        ("PCG64", ("state", "bit_generator"), ["PCG64"]),
        ("Philox", ("state", "buffer_pos"), 5),
        ("PCG64", ("source",), "default_rng"),
        ("PCG64", ("source",), "RandomState"),
        ("PCG64", ("seed",), 3),
        ("PCG64", ("seed", "pool_size"), 2**40),
        ("PCG64", ("seed", "pool_size"), 1),
        ("PCG64", ("seed", "entropy"), -1),
        ("PCG64", ("seed", "entropy"), ["x"]),
        ("PCG64", ("seed", "entropy"), True),
        ("PCG64", ("seed", "spawn_key"), (1.5,)),
        ("PCG64", ("seed", "n_children_spawned"), 2**32),
        ("PCG64", ("state",), None),
    ],
)
def test_a_damaged_source_of_random_numbers_is_refused(bits, keys, value):
    tree = random_to_tree(np.random.Generator(getattr(np.random, bits)(5)))
    with pytest.raises(ValueError):
        random_from_tree(damaged(tree, *keys, value=value))


# What no file can hold ---------------------------------------------------------------------------


def test_a_function_has_to_be_given_again(path):
    save_model(walker(kernel=own_kernel, step=0.5), path)
    with pytest.raises(ValueError, match=r"without kernel \(own_kernel\).*, kernel=\.\.\.\)"):
        load(path)
    again = load(path, kernel=own_kernel)
    assert again.kernel is own_kernel
    assert again.step == 0.5
    with pytest.raises(ValueError, match=r"step cannot be given to load.*\(kernel\)"):
        load(path, kernel=own_kernel, step=0.1)


def test_what_was_stored_cannot_be_given(path):
    save_model(walker(), path)
    with pytest.raises(ValueError, match=r"kernel cannot be given to load.*\(none\).*set_params"):
        load(path, kernel=own_kernel)


class _OwnKernel(Bell):
    pass


@pytest.mark.parametrize("kernel", [Bell(1.0, map=own_kernel), _OwnKernel(1.0), {1}, np.random])
def test_other_things_that_are_no_plain_data_have_to_be_given_again(path, kernel):
    save_model(walker(kernel=kernel), path)
    with pytest.raises(ValueError, match="saved without kernel"):
        load(path)
    assert load(path, kernel=kernel).kernel is kernel


def test_a_class_of_the_users_own_is_refused(path):
    class Own(Drunkard):
        pass

    for model in (Own(), object(), Bell(1.0)):
        with pytest.raises(TypeError, match=f"cannot save a {type(model).__name__}: only"):
            save_model(model, path)
    assert not path.exists()


def test_a_users_class_that_takes_a_public_name_is_refused(path):
    own = type("Drunkard", (Drunkard,), {"__module__": "novikoff.learners.drunkard"})
    with pytest.raises(TypeError, match="cannot save a Drunkard"):
        save_model(own(), path)


def test_a_state_that_is_no_plain_data_is_an_error_with_its_place(path):
    model = walker()
    model.place_ = {1, 2}
    with pytest.raises(TypeError, match=r"tree\['state'\]\['place'\] is of type set"):
        save_model(model, path)
    assert not path.exists()


# Files that are not what they should be ----------------------------------------------------------


def test_a_missing_file_is_a_missing_file(path):
    with pytest.raises(FileNotFoundError):
        load(path)


def test_a_truncated_model_is_refused(path):
    save_model(walker(), path)
    put(path, path.read_bytes()[:-1])
    refused(path, "is truncated")


def test_a_class_that_this_version_lacks_is_named_with_the_version_that_had_it(path):
    save_model(walker(), path)
    altered(path, **{"class": "Teetotaller", "novikoff": "9.1"})
    refused(path, "written by novikoff 9.1.*has no public class 'Teetotaller'")


@pytest.mark.parametrize(
    "name", ["os.system", "kernels.Bell", "LEARNERS", "learners.import_module", "", ".", "a.b.c"]
)
def test_no_name_outside_the_tables_of_estimators_is_looked_up(path, name):
    save_model(walker(), path)
    altered(path, **{"class": name})
    refused(path, "has no public class")


def value(content, kind="value"):
    return {"kind": kind, "value": content}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"parameters": {"__class__": value(1)}}, "no parameter '__class__'"),
        ({"parameters": {"self": value(1)}}, "no parameter 'self'"),
        ({"supplied": {"colour": "x"}}, "no parameter 'colour'"),
        ({"supplied": {"kernel": "x"}}, "stored and left out"),
        ({"parameters": {}, "supplied": {"kernel": 3}}, "'kernel' of type int"),
        ({"parameters": {"step": 1.0}}, "the parameter 'step' is of type float"),
        ({"parameters": {"step": {"kind": "value"}}}, "the parameter 'step' has no entry 'value'"),
        ({"parameters": {"step": value(1, "random")}}, "random numbers is of type int"),
        ({"parameters": {"kernel": value({}, "kernels.Sigmoid")}}, "no public class"),
        ({"parameters": {"kernel": value({}, "Drunkard")}}, "no public class"),
        (
            {"parameters": {"kernel": value({}, "ellipsoids.EllipsoidDisplay")}},
            "no parameter that a file can hold",
        ),
        (
            {"parameters": {"kernel": value(3, "ellipsoids.GramSchmidtFeatures")}},
            "ellipsoids.GramSchmidtFeatures has 'parameters' of type int",
        ),
        (
            {
                "parameters": {
                    "kernel": value({"width": value(1)}, "ellipsoids.GramSchmidtFeatures")
                }
            },
            "ellipsoids.GramSchmidtFeatures has no parameter 'width'",
        ),
        ({"parameters": {"kernel": value({}, "kernels.Bell")}}, "no entry 'width'"),
        ({"parameters": {"kernel": value({"width": -1.0}, "kernels.Bell")}}, "width must be > 0"),
        ({"parameters": []}, "its tree has 'parameters' of type list"),
        ({"class": 3}, "'class' of type int"),
        ({"more": 1}, "an unknown entry 'more'"),
        (
            {"state": {"place": 3, "random": {}}},
            "not hold a state of Drunkard: the state has 'place' of",
        ),
        ({"state": None}, "not hold a state of Drunkard"),
    ],
)
def test_a_tree_that_is_no_model_is_refused(path, changes, said):
    save_model(walker(), path)
    altered(path, **changes)
    refused(path, said)


def test_any_altered_byte_of_a_model_is_refused_or_harmless_even_if_resealed(path):
    save_model(walker(step=0.5, kernel=Bell(2.5), classes=np.random.default_rng(1)), path)
    whole = path.read_bytes()
    end = header_end(whole)
    n_refused = 0
    for at in range(24, end):
        for mask in (0x01, 0x02, 0x10):
            damaged = bytearray(whole)
            damaged[at] ^= mask
            put(path, resealed(bytes(damaged)))
            try:
                load(path)
            except ModelFileError:
                n_refused += 1
    assert n_refused > end


@pytest.mark.parametrize("error", [KeyError("place"), TypeError("no array"), OverflowError("n")])
def test_whatever_an_estimator_says_of_a_foreign_state_is_a_defect_of_the_file(
    path, monkeypatch, error
):
    def _set_state(self, tree):
        raise error

    save_model(walker(), path)
    monkeypatch.setattr(Drunkard, "_set_state", _set_state)
    refused(path, "does not hold a state of Drunkard")


def test_a_file_of_something_else_is_refused(path):
    write_container(path, np.zeros(3))
    refused(path, "holds no novikoff model")


def test_a_parameter_that_came_later_takes_its_default(path):
    save_model(walker(step=3.0), path)
    tree = read_container(path)
    del tree["parameters"]["step"]
    write_container(path, tree)
    assert load(path).step == 1.0


def test_a_needed_parameter_that_came_later_is_named(path, monkeypatch):
    def __init__(self, problem, *, step=1.0, kernel=None, classes=None, random_state=None):
        self.problem = problem

    save_model(walker(), path)
    monkeypatch.setattr(Drunkard, "__init__", __init__)
    refused(path, "needs a parameter 'problem'")


def test_public_names_lead_to_their_classes():
    assert public_class("Drunkard") is Drunkard
    assert public_class("kernels.Bell") is Bell
    with pytest.raises(LookupError, match=r"'kernels\.own_kernel'"):
        public_class("kernels.own_kernel")


def test_fields_are_checked_by_name_and_type():
    check_fields({"n": 3, "w": None}, {"n": int, "w": (type(None), np.ndarray)})
    for tree, said in [
        ([], "the state is of type list, not dict"),
        ({"n": 3, "m": 4}, "an unknown entry 'm'"),
        ({}, "no entry 'n'"),
        ({"n": True}, "'n' of type bool, not int"),
        ({"n": "3"}, "'n' of type str, not int"),
    ]:
        with pytest.raises(ValueError, match=said):
            check_fields(tree, {"n": int})


def test_a_path_is_a_str_or_path_like(path):
    save_model(walker(), str(path))
    assert load(os.fsencode(path)).step == 1.0
    with pytest.raises(TypeError, match="path must be a str or path-like"):
        load(3)

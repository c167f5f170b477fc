"""A container gives back what it was given, bit for bit, and nothing from any other file."""

import os
import signal
import stat
import struct
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from container_files import forge, put, same
from novikoff import container
from novikoff.container import ModelFileError, read_container, write_container
from novikoff.treecodec import MAX_DEPTH, check_tree

# Files on a busy disk take the time they take.
relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def texts():
    return st.text(st.characters(codec=None, exclude_categories=()), max_size=8)


def numeric_dtypes():
    kinds = (
        hnp.boolean_dtypes(),
        hnp.integer_dtypes(endianness="?"),
        hnp.unsigned_integer_dtypes(endianness="?"),
        hnp.floating_dtypes(endianness="?", sizes=(16, 32, 64)),
    )
    return st.one_of(*kinds)


def raw_arrays(dtypes):
    """Arrays of any bits, so of NaNs of every payload, in C and Fortran order and with strides."""

    @st.composite
    def build(draw):
        dtype = draw(dtypes)
        shape = draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
        n = int(np.prod(shape, dtype=np.int64))
        if dtype.kind == "b":
            array = draw(hnp.arrays(bool, shape))
        else:
            bits = draw(st.binary(min_size=n * dtype.itemsize, max_size=n * dtype.itemsize))
            array = np.frombuffer(bits, dtype, count=n).reshape(shape)
        layout = draw(st.sampled_from(("C", "F", "strided")))
        if layout == "strided" and array.ndim:
            return np.repeat(array, 2, axis=-1)[..., ::-2]
        return np.asarray(array, order="F" if layout == "F" else "C")

    return build()


@st.composite
def sparse_rows(draw):
    dense = draw(hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=5)))
    matrix = draw(st.sampled_from((sp.csr_matrix, sp.csr_array)))(dense)
    width = draw(st.sampled_from((np.int32, np.int64)))
    matrix.indices, matrix.indptr = matrix.indices.astype(width), matrix.indptr.astype(width)
    return matrix


def leaves():
    bits = st.binary(min_size=8, max_size=8)
    return st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.integers(min_value=2**62, max_value=2**9000),
        bits.map(lambda b: struct.unpack("<d", b)[0]),
        st.floats(),
        texts(),
        st.binary(max_size=9),
        bits.map(lambda b: np.frombuffer(b, np.float64)[0]),
        st.integers(-128, 127).map(np.int8),
        st.booleans().map(np.bool_),
        texts().map(np.str_),
        st.binary(max_size=5).map(np.bytes_),
        raw_arrays(numeric_dtypes()),
        hnp.arrays(hnp.unicode_string_dtypes(endianness="?", max_len=5), 3),
        hnp.arrays(hnp.byte_string_dtypes(max_len=5), (2, 2)),
        hnp.arrays(object, hnp.array_shapes(min_side=0), elements=texts()),
        sparse_rows(),
    )


def trees():
    return st.recursive(
        leaves(),
        lambda inner: st.one_of(
            st.lists(inner, max_size=4),
            st.lists(inner, max_size=4).map(tuple),
            st.dictionaries(texts(), inner, max_size=4),
        ),
        max_leaves=12,
    )


@pytest.fixture(scope="module")
def shared_path(tmp_path_factory):
    return tmp_path_factory.mktemp("container") / "tree"


@relaxed
@given(trees())
@example({"": [(), [], {}, b"", np.zeros((0, 3)), np.array(1.5), float("-inf"), -0.0]})
@example("\ud83d\ude00 \x00 \u2028")
@example(-(2**63) - 1)
@example(10**6000)
@example([np.str_("a\0"), np.bytes_(b"\0"), np.array(["a\0"], object)])
def test_what_is_read_is_what_was_written(shared_path, tree):
    write_container(shared_path, tree)
    again = read_container(shared_path)
    assert same(tree, again)


@relaxed
@given(raw_arrays(numeric_dtypes()))
def test_arrays_come_back_writable_contiguous_and_native(shared_path, array):
    write_container(shared_path, array)
    again = read_container(shared_path)
    assert again.flags.writeable
    assert again.flags.c_contiguous
    assert again.dtype.isnative


def test_records_and_memory_maps_come_back(tmp_path):
    curve = np.zeros(3, [("trial", "<i8"), ("rate", ">f4"), ("name", "U3")])
    curve["trial"], curve["rate"], curve["name"] = [1, 2, 4], [0.5, np.nan, 0.25], ["a", "é", ""]
    mapped = np.memmap(tmp_path / "mapped", np.int16, "w+", shape=(2, 3))
    mapped[:] = [[1, 2, 3], [4, 5, 6]]
    write_container(tmp_path / "tree", {"curve": curve, "mapped": mapped, "empty": curve[:0]})
    again = read_container(tmp_path / "tree")
    assert again["curve"].dtype == curve.dtype.newbyteorder("=")
    assert again["curve"].tolist()[0] == (1, 0.5, "a")
    assert same(curve, again["curve"])
    assert again["empty"].shape == (0,)
    assert type(again["mapped"]) is np.ndarray
    assert again["mapped"].tolist() == mapped.tolist()


def test_unused_room_of_a_sparse_matrix_is_not_stored(tmp_path):
    matrix = sp.csr_matrix(np.eye(2))
    matrix.data, matrix.indices = np.append(matrix.data, 9.0), np.array([0, 1, 1], np.int32)
    write_container(tmp_path / "tree", matrix)
    again = read_container(tmp_path / "tree")
    assert again.data.size == 2
    np.testing.assert_array_equal(again.toarray(), np.eye(2))


class _Number(int):
    pass


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({1: "x"}, r"tree\['a'\]\[0\] is a dict with the key 1"),
        ({1, 2}, r"tree\['a'\]\[0\] is of type set"),
        (_Number(3), "of type _Number"),
        (print, "of type builtin_function_or_method"),
        (1j, "of type complex"),
        (np.zeros(2, complex), "of dtype complex128"),
        (np.longdouble(1), "of dtype"),
        (np.zeros(2, "M8[s]"), "of dtype datetime64"),
        (np.array([1, "a"], object), "an object array of other things than str"),
        (np.ma.masked_array([1, 2]), "of type MaskedArray"),
        (np.zeros(2, [("x", "f8", (2,))]), "record array"),
        (np.zeros(2, np.dtype([("x", "i1"), ("y", "f8")], align=True)), "record array"),
        (sp.csc_matrix(np.eye(2)), "of type csc_matrix"),
    ],
)
def test_what_cannot_be_held_is_refused_with_its_place(tmp_path, value, said):
    with pytest.raises(TypeError, match=said):
        write_container(tmp_path / "tree", {"a": [value]})
    with pytest.raises(TypeError, match=said):
        check_tree({"a": [value]})
    assert list(tmp_path.iterdir()) == []


def test_a_broken_sparse_matrix_is_refused(tmp_path):
    matrix = sp.csr_matrix(np.eye(3))
    matrix.indices[1] = 3
    with pytest.raises(ValueError, match="index outside its columns"):
        write_container(tmp_path / "tree", matrix)


def test_depth_and_header_are_bounded_alike_in_both_directions(tmp_path, monkeypatch):
    tree = 0
    for _ in range(MAX_DEPTH):
        tree = [tree]
    write_container(tmp_path / "tree", tree)
    assert read_container(tmp_path / "tree") == tree
    with pytest.raises(TypeError, match="nested more than 64 deep"):
        write_container(tmp_path / "deeper", [tree])
    cycle = []
    cycle.append(cycle)
    with pytest.raises(TypeError, match="nested more than 64 deep"):
        write_container(tmp_path / "cycle", cycle)
    monkeypatch.setattr(container, "MAX_HEADER", 1000)
    with pytest.raises(ValueError, match="put long lists into NumPy arrays"):
        write_container(tmp_path / "long", list(range(1000)))


SMALL = {
    "weights": np.array([1.0, -2.5, np.nan]),
    "classes": np.array(["no", "yes"], object),
    "rows": sp.csr_matrix(np.eye(2)),
    "seen": np.array([True, False]),
    "n": 2**70,
    "state": (1, [2.5, None], b"xy"),
}


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small"
    write_container(path, SMALL)
    return path


def json_trees():
    keys = ("dict", "tuple", "int", "float", "bytes", "scalar", "array", "texts", "record")
    return st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(-2, 5), st.floats(), st.text(max_size=3)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=5),
            st.dictionaries(
                st.sampled_from((*keys, "csr_matrix", "str_", "x")), inner, max_size=1
            ),
        ),
        max_leaves=20,
    )


@relaxed
@given(
    tree=json_trees(),
    shapes=st.lists(st.lists(st.integers(0, 3), max_size=3), max_size=4),
    names=st.lists(st.sampled_from(("|b1", "|u1", "<i8", "<f8", "<U2", "|S3")), min_size=4),
    data=st.binary(min_size=1, max_size=9),
)
def test_any_tree_over_any_blocks_is_read_or_refused(shared_path, tree, shapes, names, data):
    blocks, end = [], 0
    for shape, name in zip(shapes, names, strict=False):
        length = int(np.prod(shape)) * np.dtype(name).itemsize
        blocks.append([name, shape, -(-end // 64) * 64, length])
        end = blocks[-1][2] + length
    raw = (data * end)[:end]
    put(shared_path, forge(blocks, tree, raw))
    try:
        again = read_container(shared_path)
    except ModelFileError:
        return
    write_container(shared_path, again)
    assert same(again, read_container(shared_path))


# Writing -----------------------------------------------------------------------------------------


def fail(*_):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_failing_write_leaves_the_old_file_and_nothing_else(small, monkeypatch, step):
    before = small.read_bytes()
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="No space left"):
        write_container(small, {"new": np.ones(3)})
    assert small.read_bytes() == before
    assert list(small.parent.iterdir()) == [small]


CHILD = """
import os, resource, signal, sys
import numpy as np
from novikoff.container import write_container
if sys.argv[2] == "in the middle":  # the kernel kills at the first byte past the limit
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))
else:
    os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
write_container(sys.argv[1], np.ones(1_000_000))
"""


@pytest.mark.skipif(os.name != "posix", reason="kills by POSIX signals")
@pytest.mark.parametrize(("when", "by"), [("in the middle", "SIGXFSZ"), ("at the end", "SIGKILL")])
def test_a_kill_leaves_the_old_file(small, when, by):
    ended = subprocess.run([sys.executable, "-c", CHILD, small, when], check=False)
    assert ended.returncode == -getattr(signal, by)
    assert same(SMALL, read_container(small))


def test_a_link_stays_a_link_to_the_new_file(small):
    link = small.parent / "link"
    link.symlink_to(small.name)
    write_container(link, [1])
    assert link.is_symlink()
    assert read_container(small) == [1]
    dangling = small.parent / "dangling"
    dangling.symlink_to("new")
    write_container(dangling, [2])
    assert read_container(small.parent / "new") == [2]


@pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")
def test_permissions_are_the_old_files_or_the_umasks(small):
    os.chmod(small, 0o640)
    write_container(small, [1])
    assert stat.S_IMODE(small.stat().st_mode) == 0o640
    old = os.umask(0o027)
    try:
        write_container(small.parent / "fresh", [1])
    finally:
        os.umask(old)
    assert stat.S_IMODE((small.parent / "fresh").stat().st_mode) == 0o640


def test_what_is_no_regular_file_is_not_replaced(tmp_path, small):
    with pytest.raises(ValueError, match="not a regular file"):
        write_container(tmp_path, [1])
    with pytest.raises(ValueError, match="not a regular file"):
        write_container(os.devnull, [1])
    with pytest.raises(FileNotFoundError, match="create it first"):
        write_container(tmp_path / "nowhere" / "model", [1])
    with pytest.raises(TypeError, match="path must be a str or path-like, got 3"):
        write_container(3, [1])
    with pytest.raises(TypeError, match="path must be a str or path-like, got None"):
        read_container(None)
    assert same(SMALL, read_container(small))


def test_a_write_protected_file_is_not_replaced(small, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anything
    with pytest.raises(PermissionError, match="write-protected"):
        write_container(small, [1])
    assert same(SMALL, read_container(small))


def peak_bytes(action):
    tracemalloc.start()
    action()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_arrays_are_written_from_where_they_lie_and_read_to_where_they_stay(tmp_path):
    array = np.ones((2000, 1000))
    slack = 2_000_000
    path = tmp_path / "tree"
    assert peak_bytes(lambda: write_container(path, [array] * 3)) < slack
    assert peak_bytes(lambda: write_container(path, [array.T] * 3)) < 2 * array.nbytes + slack
    assert peak_bytes(lambda: read_container(path)) < 3 * array.nbytes + slack

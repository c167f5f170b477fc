"""A file that is truncated, altered, foreign or made to mislead is refused in one sentence."""

import io
import pickle
import struct
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

from container_files import forge, header_end, put, resealed
from novikoff import container
from novikoff.container import ModelFileError, read_container, write_container

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


def refused(path, content, match=None):
    put(path, content)
    with pytest.raises(ModelFileError, match=match) as caught:
        read_container(path)
    said = str(caught.value)
    assert repr(str(path)) in said
    assert "\n" not in said
    return said


def test_every_truncation_is_found(small):
    whole = small.read_bytes()
    for n in range(len(whole)):
        said = refused(small, whole[:n])
        assert "truncated" in said or "empty" in said


def test_every_altered_byte_is_found(small):
    whole = small.read_bytes()
    for at in range(len(whole)):
        for mask in (0x01, 0x80, 0xFF):
            altered = bytearray(whole)
            altered[at] ^= mask
            refused(small, bytes(altered))


def test_appended_bytes_are_found(small):
    refused(small, small.read_bytes() + b"\0", "appended")


def test_a_text_mode_transfer_is_found(small):
    refused(small, small.read_bytes().replace(b"\r\n", b"\n"), "not written by novikoff")


def test_foreign_files_are_refused(tmp_path):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("weights", "1 2 3")
    png = b"\x89PNG\r\n\x1a\n" + bytes(100)
    for content in (png, pickle.dumps(SMALL), archive.getvalue(), b"a", b"text\n" * 50):
        refused(tmp_path / "foreign", content, "not written by novikoff")
    refused(tmp_path / "foreign", b"", "is empty")
    refused(tmp_path / "foreign", container.MAGIC, "is truncated")


def test_a_missing_file_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read_container(tmp_path / "nowhere")


def test_the_forger_can_write_a_good_file(tmp_path):
    data = np.array([1.0, 2.0]).tobytes()
    path = tmp_path / "good"
    put(path, forge([["<f8", [2], 0, 16]], {"array": 0}, data))
    assert read_container(path).tolist() == [1.0, 2.0]


A, B = ["|u1", [3], 0, 3], ["|u1", [3], 64, 3]
TWO = bytes(67)
BOTH = [{"array": 0}, {"array": 1}]


@pytest.mark.parametrize(
    ("blocks", "tree", "data", "said"),
    [
        # The table of blocks.
        ([["<f8", [2**40], 0, 2**43]], {"array": 0}, bytes(16), "none can be"),
        ([["<f8", [2**40], 0, 16]], {"array": 0}, bytes(16), "not that of its bytes"),
        ([["<f8", [2**32, 2**32], 0, 0]], {"array": 0}, b"", "impossible shape"),
        ([["<f8", [0, 2**61], 0, 0]], {"array": 0}, b"", "impossible shape"),
        ([["<f8", [2**64], 0, 0]], {"array": 0}, b"", "impossible length"),
        ([["<f8", [-2], 0, 16]], {"array": 0}, bytes(16), "negative"),
        ([["<f8", [-1, -2], 0, 16]], {"array": 0}, bytes(16), "negative"),
        ([["<f8", [True, 2], 0, 16]], {"array": 0}, bytes(16), "impossible length"),
        ([["<f8", [2.0], 0, 16]], {"array": 0}, bytes(16), "impossible length"),
        ([["<f8", [2], -64, 16]], {"array": 0}, bytes(16), "negative"),
        ([["<f8", [2], 64, 16]], {"array": 0}, bytes(80), "none can be"),
        ([["<f8", [2], 8, 16]], {"array": 0}, bytes(24), "none can be"),
        ([["<f8", [2], 0, -16]], {"array": 0}, bytes(16), "negative"),
        ([["<f8", [1] * 33, 0, 8]], {"array": 0}, bytes(8), "no list of lengths"),
        ([["<f8", 2, 0, 16]], {"array": 0}, bytes(16), "no list of lengths"),
        ([["<f8", [2], 0]], {"array": 0}, bytes(16), "malformed entry"),
        (["<f8"], {"array": 0}, bytes(16), "malformed entry"),
        ({}, [], b"", "without a table"),
        ([["|O", [2], 0, 16]], {"array": 0}, bytes(16), "unknown type"),
        ([["<f8,<f8", [1], 0, 16]], {"array": 0}, bytes(16), "unknown type"),
        ([[7, [2], 0, 16]], {"array": 0}, bytes(16), "unknown type"),
        ([["<U0", [2], 0, 0]], {"array": 0}, b"", "unknown type"),
        ([A, ["|u1", [3], 0, 3]], BOTH, TWO, "none can be"),
        ([B, A], BOTH, TWO, "none can be"),
        ([A], {"array": 0}, TWO, "belong to no block"),
        ([], 1, bytes(64), "belong to no block"),
        # The tree's references to it.
        ([A, B], [{"array": 0}, {"array": 0}], TWO, "another's"),
        ([A, B], [{"array": 1}, {"array": 0}], TWO, "another's"),
        ([A, B], {"array": 0}, TWO, "nothing refers to"),
        ([A], [{"array": 0}, {"array": 1}], bytes(3), "not there"),
        ([A], {"array": -1}, bytes(3), "not there"),
        ([A], {"array": False}, bytes(3), "not there"),
        ([A], {"array": [0]}, bytes(3), "not there"),
        # The tree itself.
        ([], {"object": "os.system"}, b"", "unknown kind"),
        ([], {}, b"", "malformed entry"),
        ([], {"tuple": [], "dict": {}}, b"", "malformed entry"),
        ([], {"tuple": 3}, b"", "unknown kind"),
        ([], {"dict": [1]}, b"", "unknown kind"),
        ([], {"int": "12z"}, b"", "malformed int"),
        ([], {"int": 3}, b"", "malformed int"),
        ([], {"float": "00"}, b"", "malformed float"),
        ([], {"float": None}, b"", "malformed float"),
        ([], float("inf"), b"", "malformed number"),
        ([], {"scalar": ["<f8", "00"]}, b"", "malformed scalar"),
        ([], {"scalar": ["<f8"]}, b"", "malformed scalar"),
        ([], {"scalar": 3}, b"", "malformed scalar"),
        ([], {"scalar": ["|O", "00" * 8]}, b"", "malformed scalar"),
        ([], {"scalar": ["|b1", "02"]}, b"", "malformed scalar"),
        ([], {"scalar": ["<f8", "00" * 16]}, b"", "malformed scalar"),
        ([], {"str_": 3}, b"", "malformed str"),
        ([], {"bytes_": "0"}, b"", "malformed bytes"),
        ([["<i2", [1], 0, 2]], {"bytes": 0}, bytes(2), "has int16 where uint8"),
        ([["|b1", [2], 0, 2]], {"array": 0}, b"\1\2", "bool with other values"),
        ([["<U1", [1], 0, 4]], {"array": 0}, b"\xff" * 4, "other values than characters"),
        ([A, B], {"record": {"a": 0}}, TWO, "nothing refers to"),
        ([A, B], {"record": {}}, TWO, "unknown kind"),
        ([A], {"record": {"": 0}}, bytes(3), "unknown kind"),
        ([A, ["|u1", [1], 64, 1]], {"record": {"a": 0, "b": 1}}, bytes(65), "differ in shape"),
        (
            [["|b1", [0, 2**62], 0, 0], ["|b1", [0, 2**62], 0, 0]],
            {"record": {"a": 0, "b": 1}},
            b"",
            "impossible shape",
        ),
        (
            [["<U99999999", [0], 0, 0]] * 6,
            {"record": {"abcdef"[i]: i for i in range(6)}},
            b"",
            "impossible shape",
        ),
    ],
)
def test_a_misleading_file_with_right_checksums_is_refused(tmp_path, blocks, tree, data, said):
    refused(tmp_path / "forged", forge(blocks, tree, data), said)


def test_any_altered_byte_of_the_header_is_refused_or_harmless_even_if_resealed(small):
    whole = small.read_bytes()
    assert resealed(whole) == whole
    n_refused = 0
    end = header_end(whole)
    for at in range(24, end):
        for byte in b'\xff"[}9':
            altered = bytearray(whole)
            altered[at] = byte
            put(small, resealed(bytes(altered)))
            try:
                read_container(small)
            except ModelFileError:
                n_refused += 1
    assert n_refused > 3 * (end - 24)


def texts_file(lengths, text):
    sizes = np.array(lengths, "<i8")
    start = -(-len(text) // 64) * 64
    data = text + bytes(start - len(text)) + sizes.tobytes()
    blocks = [["|u1", [len(text)], 0, len(text)], ["<i8", [len(sizes)], start, sizes.nbytes]]
    return forge(blocks, {"texts": [0, 1]}, data)


def test_texts_with_other_lengths_or_bytes_are_refused(tmp_path):
    path = tmp_path / "forged"
    put(path, texts_file([1, 2], b"abc"))
    assert read_container(path).tolist() == ["a", "bc"]
    refused(path, texts_file([1, 3], b"abc"), "not those of their bytes")
    refused(path, texts_file([-1, 4], b"abc"), "not those of their bytes")
    refused(path, texts_file([2**63 - 1, 2], b"abc"), "not those of their bytes")
    refused(path, texts_file([1, 2], b"a\xff\xff"), "not UTF-8")


def sparse_file(shape, data, indices, indptr):
    blocks, raw = [], b""
    for part in (np.array(data, "<f8"), indices, indptr):
        raw += bytes(-len(raw) % 64)
        blocks.append([part.dtype.str, list(part.shape), len(raw), part.nbytes])
        raw += part.tobytes()
    return forge(blocks, {"csr_matrix": [shape, 0, 1, 2]}, raw)


def i4(*numbers):
    return np.array(numbers, "<i4")


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (([2, 3], [1, 2], i4(0, 3), i4(0, 1, 2)), "outside its columns"),
        (([2, 3], [1, 2], i4(-1, 2), i4(0, 1, 2)), "outside its columns"),
        (([2, 3], [1, 2], i4(0, 2), i4(0, 3, 2)), "rows overlap"),
        (([2, 3], [1, 2], i4(0, 2), i4(1, 1, 2)), "rows overlap"),
        (([2, 3], [1, 2], i4(0, 2), i4(0, 1, 3)), "rows overlap"),
        (([2, 3], [1, 2], i4(0), i4(0, 1, 2)), "differ in length"),
        (([3, 3], [1, 2], i4(0, 2), i4(0, 1, 2)), "differ in length"),
        (([2**62, 3], [1, 2], i4(0, 2), i4(0, 1, 2)), "differ in length"),
        (([2, 3, 4], [1, 2], i4(0, 2), i4(0, 1, 2)), "impossible shape"),
        (([2, -3], [1, 2], i4(0, 2), i4(0, 1, 2)), "impossible shape"),
        (([2, "3"], [1, 2], i4(0, 2), i4(0, 1, 2)), "impossible shape"),
        ((2, [1, 2], i4(0, 2), i4(0, 1, 2)), "impossible shape"),
        (([2, 3], [1, 2], i4(0, 2).astype("<i8"), i4(0, 1, 2)), "wrong type"),
        (([2, 3], [1, 2], i4(0, 2).astype("<f4"), i4(0, 1, 2).astype("<f4")), "wrong type"),
    ],
)
def test_a_sparse_matrix_that_would_be_followed_out_of_bounds_is_refused(tmp_path, parts, said):
    path = tmp_path / "forged"
    put(path, sparse_file([2, 3], [1, 2], i4(0, 2), i4(0, 1, 2)))
    assert read_container(path).toarray().tolist() == [[1, 0, 0], [0, 0, 2]]
    refused(path, sparse_file(*parts), said)


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (b"", "not readable JSON"),
        (b"{", "not readable JSON"),
        (b"\xff", "not readable JSON"),
        (b"[" * 1_000_000, "not readable JSON"),
        (b'{"blocks": [], "tree": ' + b"9" * 10_000 + b"}", "not readable JSON"),
        (b'{"blocks": [], "tree": {"dict": {"a": 1, "a": 2}}}', "not readable JSON"),
        (b'{"blocks": [], "tree": 1, "more": 2}', "without a table"),
        (b"[]", "without a table"),
        (b'{"blocks": [], "tree": ' + b"[" * 66 + b"]" * 66 + b"}", "nested more than 64 deep"),
        (b'{"blocks": [["<f8", [NaN], 0, 8]], "tree": 1}', "impossible length"),
    ],
)
def test_a_malformed_header_with_right_checksums_is_refused(tmp_path, header, said):
    refused(tmp_path / "forged", forge([], 0, header=header), said)


def test_another_format_is_named(tmp_path):
    said = refused(tmp_path / "newer", forge([], 0, version=2), "format 2")
    assert "reads format 1" in said


def test_a_stated_header_beyond_the_bound_is_not_read(tmp_path):
    head = struct.pack("<8sIIQ", container.MAGIC, 1, 2**32 - 1, 100)
    refused(tmp_path / "forged", head + bytes(100 - len(head)), "states a header of 4294967295")

"""One file that holds a tree of plain values and arrays, without pickle.

The layout, every number little-endian::

    magic (8 bytes), format (u32), length of the header (u32), length of the file (u64)
    header: JSON in UTF-8, {"blocks": [[dtype, shape, offset, length], ...], "tree": ...}
    SHA-256 of everything above
    zeros up to a multiple of 64, then the blocks: raw arrays, each at a multiple of 64
    SHA-256 of everything above

How the tree is put into JSON is `novikoff.treecodec`'s.

Nothing is parsed before its checksum has been compared, and nothing is allocated for a block
before the whole table of blocks has been found to lie inside the file. A file with a valid
checksum that was made to mislead is therefore refused as well, and cannot ask for more memory
than a small multiple of its own size.
"""

import hashlib
import json
import os
import secrets
import stat
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from math import prod
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from novikoff.treecodec import Decoder, Defect, Encoder, fits, stored_dtype

__all__ = ["ModelFileError", "file_name", "read_container", "write_container"]

MAGIC = b"\x8fNVK\r\n\x1a\n"  # a transfer in text mode changes it
FORMAT = 1
ALIGNMENT = 64
MAX_HEADER = 1 << 24
MAX_DIMENSIONS = 32
_PREFIX = struct.Struct("<8sIIQ")
_DIGEST = hashlib.sha256().digest_size
_CHUNK = 1 << 20  # hashed while still in the cache


class ModelFileError(ValueError):
    """A model file that cannot be used: truncated, altered, foreign or of another version.

    Examples
    --------
    >>> import tempfile, os, novikoff
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model")
    ...     with open(path, "wb") as file:
    ...         _ = file.write(b"something else")
    ...     try:
    ...         novikoff.load(path)
    ...     except ValueError as error:
    ...         print(type(error).__name__)
    ModelFileError
    """


class _Block(NamedTuple):
    dtype: np.dtype
    shape: tuple[int, ...]
    offset: int  # from the first block
    length: int


def file_name(path: str | os.PathLike[str]) -> str:
    """The path as a str, for the system and for messages."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise TypeError(f"path must be a str or path-like, got {path!r}") from None


def _aligned(position: int) -> int:
    return -(-position // ALIGNMENT) * ALIGNMENT


def _lay_out(arrays: list[np.ndarray]) -> list[_Block]:
    blocks, end = [], 0
    for array in arrays:
        dtype = array.dtype.newbyteorder("<")
        blocks.append(_Block(dtype, array.shape, _aligned(end), array.size * dtype.itemsize))
        end = blocks[-1].offset + blocks[-1].length
    return blocks


def _raw(array: np.ndarray, dtype: np.dtype) -> memoryview:
    """The bytes of an array in C order: a view where it is laid out so already, else a copy."""
    return np.asarray(array, dtype, order="C").reshape(-1).view(np.uint8).data


def write_container(path: str | os.PathLike[str], tree: Any) -> None:
    """Write a tree of plain values and arrays to a file, which appears whole or not at all.

    Parameters
    ----------
    path : str or path-like
        Where. An existing file is replaced in one step and keeps its permissions; through a
        symbolic link, the file it names is replaced.
    tree : object
        None, bool, int, float, str, bytes, NumPy scalars and arrays (bool, integer, float up to
        64 bits, str, bytes, records of these, objects that are all str), CSR matrices, and dicts
        with str keys, lists and tuples of them.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "tree")
    ...     write_container(path, {"w": np.arange(3.0), "classes": ("no", "yes")})
    ...     read_container(path)
    {'w': array([0., 1., 2.]), 'classes': ('no', 'yes')}
    """
    encoder = Encoder()
    encoded = encoder.encode(tree)
    blocks = _lay_out(encoder.blocks)
    table = [[b.dtype.str, list(b.shape), b.offset, b.length] for b in blocks]
    text = json.dumps({"blocks": table, "tree": encoded}, ensure_ascii=False, allow_nan=False)
    header = text.encode("utf-8", "surrogatepass")
    if len(header) > MAX_HEADER:
        raise ValueError(
            f"tree holds {len(header)} bytes outside its arrays, more than the {MAX_HEADER} that "
            "a model file takes: put long lists into NumPy arrays"
        )
    start = _aligned(_PREFIX.size + len(header) + _DIGEST)
    end = start + (blocks[-1].offset + blocks[-1].length if blocks else 0)
    head = _PREFIX.pack(MAGIC, FORMAT, len(header), end + _DIGEST) + header
    head += hashlib.sha256(head).digest()

    def pieces() -> Iterator[bytes | memoryview]:
        position = len(head)
        yield head
        for array, block in zip(encoder.blocks, blocks, strict=True):
            yield bytes(start + block.offset - position)
            position = start + block.offset + block.length
            raw = _raw(array, block.dtype)
            yield from (raw[i : i + _CHUNK] for i in range(0, block.length, _CHUNK))
        yield bytes(end - position)

    def write(file: BinaryIO) -> None:
        digest = hashlib.sha256()
        for piece in pieces():
            file.write(piece)
            digest.update(piece)
        file.write(digest.digest())

    _write_beside(path, write)


def _write_beside(path: str | os.PathLike[str], write: Callable[[BinaryIO], None]) -> None:
    """Let `write` fill a new file in the same folder, and put it in the old one's place."""
    target = os.path.realpath(file_name(path))
    old = os.stat(target) if os.path.exists(target) else None
    if old is not None and not stat.S_ISREG(old.st_mode):
        raise ValueError(f"path={target!r} is not a regular file: give the name of a file")
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(f"path={target!r} is write-protected: allow writing or use another")
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"path={target!r} is in no existing folder: create it first")
    beside = os.path.join(folder, f".novikoff-{secrets.token_hex(8)}.tmp")
    try:
        with open(beside, "xb") as file:
            if old is not None:
                os.chmod(beside, stat.S_IMODE(old.st_mode))
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    finally:
        if os.path.lexists(beside):
            os.unlink(beside)
    if os.name == "posix":
        # The new name, too, should survive a power failure; some file systems cannot do that.
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def read_container(path: str | os.PathLike[str]) -> Any:
    """Read the tree that `write_container` wrote; arrays come back writable and in C order.

    Raises
    ------
    ModelFileError
        If the file is not such a file, or was truncated or altered.

    Examples
    --------
    >>> read_container("no-such-file")
    Traceback (most recent call last):
        ...
    FileNotFoundError: [Errno 2] No such file or directory: 'no-such-file'
    """
    name = file_name(path)
    with open(name, "rb") as file:
        try:
            return _read(file, os.fstat(file.fileno()).st_size)
        except Defect as defect:
            raise ModelFileError(f"the model file {name!r} {defect}") from None


def _read(file: BinaryIO, size: int) -> Any:
    digest = hashlib.sha256()

    def fill(target: memoryview) -> None:
        done = 0
        while done < len(target):
            n = file.readinto(target[done : done + _CHUNK])  # type: ignore[attr-defined]
            if not n:
                raise Defect("ends before its contents do: it is truncated")
            digest.update(target[done : done + n])
            done += n

    def take(n: int) -> bytes:
        buffer = bytearray(n)
        fill(memoryview(buffer))
        return bytes(buffer)

    if size == 0:
        raise Defect("is empty")
    prefix = take(min(size, _PREFIX.size))
    if prefix[: len(MAGIC)] != MAGIC[: len(prefix)]:
        raise Defect(f"was not written by novikoff: it begins with {prefix[: len(MAGIC)]!r}")
    if len(prefix) < _PREFIX.size:
        raise Defect(f"is truncated: it ends after {size} bytes")
    _, version, n_header, length = _PREFIX.unpack(prefix)
    if version != FORMAT:
        raise Defect(
            f"is in format {version}, and this novikoff reads format {FORMAT}: use the version "
            "that wrote it or a newer one"
        )
    if length != size:
        wrong = "is truncated" if size < length else "was appended to or altered"
        raise Defect(f"{wrong}: it should be {length} bytes long and is {size}")
    start = _aligned(_PREFIX.size + n_header + _DIGEST)
    if n_header > MAX_HEADER or start + _DIGEST > size:
        raise Defect(f"is altered: it states a header of {n_header} bytes")
    header = take(n_header)
    expected = digest.digest()
    if take(_DIGEST) != expected:
        raise Defect("is altered: its header does not match its checksum")

    blocks, tree = _parse_header(header, size - _DIGEST - start)
    arrays, position = [], _PREFIX.size + n_header + _DIGEST
    for block in blocks:
        take(start + block.offset - position)
        array = np.empty(block.shape, block.dtype)
        if block.length:
            fill(_raw(array, block.dtype))
        position = start + block.offset + block.length
        arrays.append(array)
    take(size - _DIGEST - position)
    expected = digest.digest()
    if take(_DIGEST) != expected:
        raise Defect("is altered: its contents do not match its checksum")
    return Decoder(arrays).decode(tree)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("duplicate keys")
    return result


def _parse_header(header: bytes, room: int) -> tuple[list[_Block], Any]:
    """The table of blocks, found to lie in order inside `room` bytes, and the tree, unparsed."""
    try:
        text = header.decode("utf-8", "surrogatepass")
        content = json.loads(text, object_pairs_hook=_no_duplicates)
    except (ValueError, RecursionError):
        raise Defect("has a header that is not readable JSON") from None
    if not isinstance(content, dict) or content.keys() != {"blocks", "tree"}:
        raise Defect("has a header without a table of blocks and a tree")
    if not isinstance(content["blocks"], list):
        raise Defect("has a header without a table of blocks and a tree")
    blocks = [_parse_block(entry) for entry in content["blocks"]]
    ends = [0, *(block.offset + block.length for block in blocks)]
    for block, (before, end) in zip(blocks, pairwise(ends), strict=True):
        # One layout only: no overlap, no gap, no block outside the file.
        if block.offset != _aligned(before) or end > room:
            raise Defect(f"places a block at {block.offset}, where none can be")
    if ends[-1] != room:
        raise Defect("holds bytes that belong to no block")
    return blocks, content["tree"]


def _parse_block(entry: Any) -> _Block:
    if not isinstance(entry, list) or len(entry) != 4:
        raise Defect("has a table of blocks with a malformed entry")
    name, shape, offset, length = entry
    dtype = stored_dtype(name)
    if dtype is None:
        raise Defect(f"holds an array of an unknown type {name!r:.40}")
    if not isinstance(shape, list) or len(shape) > MAX_DIMENSIONS:
        raise Defect("holds an array whose shape is no list of lengths")
    if any(type(n) is not int or not 0 <= n < 2**63 for n in (*shape, offset, length)):
        raise Defect("holds an array with a negative or impossible length")
    if not fits(tuple(shape), dtype.itemsize):
        raise Defect(f"holds an array of an impossible shape {tuple(shape)}")
    if prod(shape) * dtype.itemsize != length:
        raise Defect(f"holds an array whose shape {tuple(shape)} is not that of its bytes")
    return _Block(dtype, tuple(shape), offset, length)

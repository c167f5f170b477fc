"""Between a tree of plain values and what JSON and raw arrays can hold.

A tree is None, bool, int, float, str, bytes, NumPy scalars and arrays, CSR matrices, and dicts
with str keys, lists and tuples of them. Encoded, None, bools, strings, lists and most numbers
stand for themselves; everything else is a JSON object of one key, its kind (``"dict"``,
``"tuple"``, ``"array"``, ...). An array is the index of its block, and blocks are numbered in the
order in which the tree, read from left to right, comes to them.

Decoding gives back every bit, a NaN's payload included, and trusts nothing: what no encoder
writes is a `Defect`.
"""

import re
import struct
from collections.abc import Callable
from math import isfinite, prod
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["Decoder", "Defect", "Encoder", "check_tree", "fits", "stored_dtype"]

MAX_DEPTH = 64
_DTYPE = re.compile(r"\|b1|\|[iu]1|<[iu][248]|<f[248]|<U[1-9]\d{0,7}|\|S[1-9]\d{0,7}")


class Defect(Exception):
    """What is wrong with a file, as the end of a sentence that begins with its path."""


def stored_dtype(name: Any) -> np.dtype | None:
    """The dtype of this name if a block can have it."""
    return np.dtype(name) if isinstance(name, str) and _DTYPE.fullmatch(name) else None


def fits(shape: tuple[int, ...], width: int) -> bool:
    """Whether NumPy can have such an array: its bound counts empty axes as 1."""
    return prod(n for n in shape if n) * width < 2**63


class Encoder:
    """Turns a tree into JSON values and the arrays of its blocks, which are not copied here.

    `root` is the name of the tree in what is said about it.

    Examples
    --------
    >>> encoder = Encoder()
    >>> encoder.encode({"w": np.ones(2), "shape": (1, 2)})
    {'dict': {'w': {'array': 0}, 'shape': {'tuple': [1, 2]}}}
    >>> encoder.blocks
    [array([1., 1.])]
    """

    def __init__(self, root: str = "tree") -> None:
        self.root = root
        self.blocks: list[np.ndarray] = []

    def _refuse(self, where: str, what: str, instead: str) -> TypeError:
        return TypeError(
            f"{self.root}{where} is {what}, which a model file cannot hold: {instead}"
        )

    def encode(self, value: Any, where: str = "", depth: int = 0) -> Any:
        """The JSON value of a tree; its arrays are appended to `blocks`."""
        if depth > MAX_DEPTH:
            raise self._refuse("", f"nested more than {MAX_DEPTH} deep", "make it flatter")
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if -(2**63) <= value < 2**63 else {"int": hex(value)}
        if kind is float:
            return value if isfinite(value) else {"float": struct.pack("<d", value).hex()}
        if kind is list or kind is tuple:
            items = [self.encode(v, f"{where}[{i}]", depth + 1) for i, v in enumerate(value)]
            return items if kind is list else {"tuple": items}
        if kind is dict:
            for key in value:
                if type(key) is not str:
                    raise self._refuse(where, f"a dict with the key {key!r}", "use str keys")
            return {
                "dict": {k: self.encode(v, f"{where}[{k!r}]", depth + 1) for k, v in value.items()}
            }
        if kind is bytes:
            return {"bytes": self._block(np.frombuffer(value, np.uint8), where)}
        if isinstance(value, np.generic):
            return self._scalar(value, where)
        if kind is np.ndarray or kind is np.memmap:
            return self._array(value, where)
        if kind is sp.csr_matrix or kind is sp.csr_array:
            return self._csr(value, where)
        raise self._refuse(
            where, f"of type {kind.__name__}", "use plain Python values, NumPy arrays and CSR"
        )

    def _scalar(self, value: np.generic, where: str) -> Any:
        if isinstance(value, np.str_):
            return {"str_": str.__str__(value)}  # str() drops NULs at the end
        if isinstance(value, np.bytes_):
            return {"bytes_": value.hex()}
        dtype = self._dtype(value.dtype, where)
        return {"scalar": [dtype.str, np.asarray(value, dtype).tobytes().hex()]}

    def _dtype(self, dtype: np.dtype, where: str) -> np.dtype:
        little = dtype.newbyteorder("<")
        if stored_dtype(little.str) is None:
            raise self._refuse(
                where, f"of dtype {dtype}", "use bool, (u)int8 to 64, float16 to 64, str or bytes"
            )
        return little

    def _block(self, array: np.ndarray, where: str) -> int:
        self._dtype(array.dtype, where)
        self.blocks.append(array)
        return len(self.blocks) - 1

    def _array(self, array: np.ndarray, where: str) -> Any:
        if array.dtype == object:
            texts = array.ravel().tolist()
            if not all(isinstance(text, str) for text in texts):
                raise self._refuse(where, "an object array of other things than str", "use a list")
            encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
            lengths = np.array([len(text) for text in encoded], np.int64).reshape(array.shape)
            text = np.frombuffer(b"".join(encoded), np.uint8)
            return {"texts": [self._block(text, where), self._block(lengths, where)]}
        names = array.dtype.names
        if names is not None:
            fields = [(name, array.dtype[name]) for name in names]
            plain = all(field.subdtype is None for _, field in fields)
            if not names or not plain or array.dtype != np.dtype(fields):
                raise self._refuse(
                    where, "a record array with gaps or arrays in it", "use one scalar per field"
                )
            return {"record": {name: self._block(array[name], where) for name in names}}
        return {"array": self._block(array, where)}

    def _csr(self, matrix: Any, where: str) -> Any:
        # Arrays of a CSR may be longer than what its indptr uses.
        used = int(matrix.indptr[-1]) if matrix.indptr.size else 0
        parts = (matrix.data[:used], matrix.indices[:used], matrix.indptr)
        shape = tuple(int(side) for side in matrix.shape)
        try:
            _check_csr(shape, *parts)
        except Defect as defect:
            raise ValueError(f"{self.root}{where} cannot be stored: it {defect}") from None
        kind = "csr_matrix" if type(matrix) is sp.csr_matrix else "csr_array"
        return {kind: [list(shape), *(self._block(part, where) for part in parts)]}


def _check_csr(
    shape: tuple[int, ...], data: np.ndarray, indices: np.ndarray, indptr: np.ndarray
) -> None:
    """Compiled loops follow these indices unchecked, so a bad one would read foreign memory."""
    if len(shape) != 2 or any(type(n) is not int or not 0 <= n < 2**63 for n in shape):
        raise Defect("has a sparse matrix of an impossible shape")
    if indices.dtype != indptr.dtype or indices.dtype not in (np.int32, np.int64):
        raise Defect("has a sparse matrix with indices of a wrong type")
    if data.dtype.kind not in "biuf" or data.dtype == np.float16:
        raise Defect("has a sparse matrix with values of a wrong type")
    if data.ndim != 1 or data.shape != indices.shape or indptr.shape != (shape[0] + 1,):
        raise Defect("has a sparse matrix whose parts differ in length")
    if indptr[0] != 0 or indptr[-1] != data.size or (indptr[1:] < indptr[:-1]).any():
        raise Defect("has a sparse matrix whose rows overlap")
    if indices.size and not 0 <= indices.min() <= indices.max() < shape[1]:
        raise Defect("has a sparse matrix with an index outside its columns")


def check_tree(tree: Any, name: str = "tree") -> None:
    """Raise TypeError or ValueError, naming the place, if a file could not hold this tree.

    Examples
    --------
    >>> check_tree({"weights": [1.0, {2.0}]})
    Traceback (most recent call last):
        ...
    TypeError: tree['weights'][1] is of type set, which a model file cannot hold: use plain ...
    """
    Encoder(name).encode(tree)


class Decoder:
    """Turns JSON values and arrays back into the tree; each array is used exactly once."""

    def __init__(self, arrays: list[np.ndarray]) -> None:
        self.arrays = arrays
        self.used = 0

    def decode(self, node: Any) -> Any:
        """The tree of a JSON value that nothing is known of."""
        tree = self._node(node, 0)
        if self.used != len(self.arrays):
            raise Defect("holds blocks that nothing refers to")
        return tree

    def _node(self, node: Any, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise Defect(f"is nested more than {MAX_DEPTH} deep")
        if node is None or isinstance(node, bool | int | str):
            return node
        if isinstance(node, float):
            if not isfinite(node):
                raise Defect("has a malformed number")
            return node
        if isinstance(node, list):
            return [self._node(item, depth + 1) for item in node]
        if len(node) != 1:
            raise Defect("has a malformed entry in its tree")
        ((kind, content),) = node.items()
        if kind == "dict" and isinstance(content, dict):
            return {key: self._node(item, depth + 1) for key, item in content.items()}
        if kind == "tuple" and isinstance(content, list):
            return tuple(self._node(item, depth + 1) for item in content)
        if kind in ("int", "float", "str_", "bytes_", "scalar"):
            try:
                return _PLAIN[kind](content)
            except (ValueError, TypeError, struct.error):
                raise Defect(f"has a malformed {kind.rstrip('_')} in its tree") from None
        if kind == "array":
            return self._block(content)
        if kind == "bytes":
            return self._block(content, np.dtype(np.uint8)).tobytes()
        if kind == "record" and isinstance(content, dict) and content and "" not in content:
            return self._record(content)
        if kind == "texts" and isinstance(content, list) and len(content) == 2:
            return self._texts(content)
        if kind in _CSR and isinstance(content, list) and len(content) == 4:
            return self._csr(_CSR[kind], content)
        raise Defect(f"has an entry of an unknown kind {kind!r:.40} in its tree")

    def _block(self, index: Any, dtype: np.dtype | None = None) -> np.ndarray:
        if type(index) is not int or index != self.used or index >= len(self.arrays):
            raise Defect("refers to a block that is not there or is another's")
        self.used += 1
        array = self.arrays[index]
        if dtype is not None and array.dtype != dtype:
            raise Defect(f"has {array.dtype} where {dtype} is needed")
        # Bit patterns that no value has would mislead compiled code.
        if array.dtype.kind == "b" and array.view(np.uint8).max(initial=0) > 1:
            raise Defect("holds an array of bool with other values than 0 and 1")
        if array.dtype.kind == "U" and array.reshape(-1).view("<u4").max(initial=0) > 0x10FFFF:
            raise Defect("holds an array of str with other values than characters")
        return array.astype(array.dtype.newbyteorder("="), copy=False)

    def _record(self, content: dict[str, Any]) -> np.ndarray:
        columns = {name: self._block(index) for name, index in content.items()}
        shape, *others = (column.shape for column in columns.values())
        if any(other != shape for other in others):
            raise Defect("has a record array whose columns differ in shape")
        width = sum(column.dtype.itemsize for column in columns.values())
        if width >= 2**31 or not fits(shape, width):
            raise Defect(f"holds a record array of an impossible shape {shape}")
        dtype = np.dtype([(name, column.dtype) for name, column in columns.items()])
        result = np.empty(shape, dtype)
        for name, column in columns.items():
            result[name] = column
        return result

    def _texts(self, content: list[Any]) -> np.ndarray:
        joined = self._block(content[0], np.dtype(np.uint8)).tobytes()
        lengths = self._block(content[1], np.dtype(np.int64))
        sizes: list[int] = lengths.ravel().tolist()
        if any(n < 0 for n in sizes) or sum(sizes) != len(joined):
            raise Defect("holds texts whose lengths are not those of their bytes")
        result, start = np.empty(len(sizes), object), 0
        for i, n in enumerate(sizes):
            try:
                result[i] = joined[start : start + n].decode("utf-8", "surrogatepass")
            except UnicodeDecodeError:
                raise Defect("holds texts that are not UTF-8") from None
            start += n
        return result.reshape(lengths.shape)

    def _csr(self, kind: type, content: list[Any]) -> Any:
        shape, *indices = content
        parts = [self._block(index) for index in indices]
        if not isinstance(shape, list):
            raise Defect("has a sparse matrix of an impossible shape")
        _check_csr(tuple(shape), *parts)
        # SciPy's constructor would narrow 64-bit indices where it can.
        matrix = kind(tuple(shape), dtype=parts[0].dtype)
        matrix.data, matrix.indices, matrix.indptr = parts
        return matrix


_CSR = {"csr_matrix": sp.csr_matrix, "csr_array": sp.csr_array}


def _scalar(content: Any) -> Any:
    name, text = content
    if stored_dtype(name) is None or name[1] in "US":
        raise ValueError(name)
    raw = bytes.fromhex(text)
    if name == "|b1" and raw not in (b"\0", b"\1"):
        raise ValueError(text)
    (value,) = np.frombuffer(raw, name).astype(np.dtype(name).newbyteorder("="))
    return value


def _text(content: Any) -> np.str_:
    if not isinstance(content, str):
        raise TypeError(content)
    return np.str_(content)


_PLAIN: dict[str, Callable[[Any], Any]] = {
    "int": lambda content: int(content, 16),
    "float": lambda content: struct.unpack("<d", bytes.fromhex(content))[0],
    "str_": _text,
    "bytes_": lambda content: np.bytes_(bytes.fromhex(content)),
    "scalar": _scalar,
}

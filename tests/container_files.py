"""What the tests of model files share: bit-for-bit equality and files made to mislead."""

import hashlib
import json
import struct

import numpy as np
import scipy.sparse as sp

MAGIC = b"\x8fNVK\r\n\x1a\n"
N_DIGEST = 32


def same(a, b):
    """Equal in type and in every bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if sp.issparse(a):
        parts = ("data", "indices", "indptr")
        return a.shape == b.shape and all(same(getattr(a, p), getattr(b, p)) for p in parts)
    if isinstance(a, np.ndarray):
        if a.dtype.newbyteorder("=") != b.dtype or a.shape != b.shape:
            return False
        if a.dtype == object:
            return same(a.ravel().tolist(), b.ravel().tolist())
        return a.astype(b.dtype).tobytes() == b.tobytes()
    if isinstance(a, np.generic) and not isinstance(a, np.character):
        return a.dtype == b.dtype and a.tobytes() == b.tobytes()
    if isinstance(a, float):
        return struct.pack("<d", a) == struct.pack("<d", b)
    return a == b


def put(path, content):
    """Replace what a file holds, without the flush to disk that ext4 adds after emptying one."""
    with open(path, "r+b" if path.exists() else "wb") as file:
        file.write(content)
        file.truncate()


def header_end(whole):
    return 24 + struct.unpack_from("<I", whole, 12)[0]


def resealed(whole):
    """The file with its checksums made right again."""
    end = header_end(whole)
    whole = whole[:end] + hashlib.sha256(whole[:end]).digest() + whole[end + N_DIGEST :]
    return whole[:-N_DIGEST] + hashlib.sha256(whole[:-N_DIGEST]).digest()


def forge(blocks, tree, data=b"", version=1, header=None):
    """A file with right checksums whose header claims what it likes."""
    if header is None:
        header = json.dumps({"blocks": blocks, "tree": tree}).encode()
    start = -(-(24 + len(header) + 32) // 64) * 64
    head = struct.pack("<8sIIQ", MAGIC, version, len(header), start + len(data) + 32)
    head += header
    head += hashlib.sha256(head).digest()
    body = head + bytes(start - len(head)) + data
    return body + hashlib.sha256(body).digest()

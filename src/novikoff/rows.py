"""From what users hand over to rows as the compiled loops take them."""

from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from novikoff.engine.jit import entry
from novikoff.engine.rows import Rows, unmarked

CSR = (sp.csr_matrix, sp.csr_array)


class Form(NamedTuple):
    """What the first rows fixed for a model: their width, their precision, and if they are CSR."""

    n_features: int
    dtype: str
    sparse: bool

    @classmethod
    def checked(cls, n_features: Any, dtype: Any, sparse: Any) -> Self:
        """Return a form read from a file; ``ValueError`` when it is none."""
        whole = isinstance(n_features, int) and not isinstance(n_features, bool)
        if not (whole and 0 < n_features < 2**63 and isinstance(sparse, bool)):
            raise ValueError("has rows of an impossible width")
        if dtype not in ("float32", "float64"):
            raise ValueError(f"has rows of {dtype!r} instead of float32 or float64")
        return cls(n_features, dtype, sparse)


def form_of(X: np.ndarray | sp.csr_matrix) -> Form:
    """The form of validated rows."""
    return Form(int(X.shape[1]), X.dtype.name, sp.issparse(X))


def as_rows(X: np.ndarray | sp.csr_matrix, merge: bool = False) -> Rows:
    """Validated dense or CSR rows as the compiled loops take them.

    ``merge`` adds up entries that a CSR row stores twice; products do not need it, norms do.
    """
    n, width = X.shape
    if isinstance(X, np.ndarray):
        return Rows(unmarked(np.ascontiguousarray(X).reshape(-1)), None, None, n, width)
    if merge and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    # Unsigned 32-bit indices serve up to 2^32 features and spare one specialisation.
    if width <= 2**32:
        indices = X.indices.astype(np.int32, copy=False).view(np.uint32)
    else:
        indices = X.indices.view(np.uint64)
    if indices.size and int(indices.max()) >= width:
        raise ValueError(f"X is a sparse matrix with a column index outside its {width} columns")
    indptr = X.indptr.astype(np.int64, copy=False)
    return Rows(unmarked(np.asarray(X.data)), unmarked(indices), unmarked(indptr), n, width)


def one_row(x: Any, width: int, merge: bool, name: str) -> Rows:
    """One row as the loops take it; checked, but without the toll of array validation.

    ``name`` is that of the estimator, for messages.
    """
    # What most rows are, with one look at each thing that must hold of them.
    if type(x) is np.ndarray and x.shape == (width,) and x.dtype == np.float64 and x.flags.carray:
        if isfinite(x.dot(x)):
            return Rows(x, None, None, 1, width)
        return Rows(finite(x), None, None, 1, width)
    if type(x) in CSR and x.shape == (1, width) and not merge:
        data, indices = x.data, x.indices
        if data.dtype == np.float64 and indices.dtype == np.int32:
            data, indices = unmarked(data), unmarked(indices).view(np.uint32)
            if sound(data, indices, width):
                return Rows(data, indices, ends(data.size), 1, width)
    if isinstance(x, dict):
        return _one_dict(x, width)
    if isinstance(x, np.ndarray) and x.ndim == 1:
        data, indices, indptr = x, None, None
        n = x.size
    elif sp.issparse(x) and x.format == "csr" and x.shape[0] == 1:
        if merge and not x.has_canonical_format:
            x = x.copy()
            x.sum_duplicates()
        data, n = x.data, x.shape[1]
        indices = x.indices.astype(np.int32, copy=False).view(np.uint32)
        indptr = ends(data.size)
        if data.size and int(indices.max()) >= width:
            raise ValueError(f"x has a column index outside its {width} columns")
    else:
        raise ValueError(
            "x must be one row: a 1-D array, a 1 x n CSR matrix or a dict {feature index: "
            f"value}}; got {type(x).__name__}"
            + (f" of shape {x.shape}" if hasattr(x, "shape") else "")
        )
    if n != width:
        raise ValueError(f"x has {n} features, but {name} is expecting {width} features")
    if data.dtype != np.float64 and data.dtype != np.float32:
        if data.dtype.kind not in "fiub":
            raise ValueError(f"x must hold real numbers, got an array of {data.dtype}")
        data = data.astype(np.float64)
    # A finite sum of squares needs finite entries; the reverse fails on overflow only.
    if not isfinite(data.dot(data)):
        finite(data)
    if not data.flags.c_contiguous:
        data = data.copy()
    if indices is not None:
        indices = unmarked(indices)
    return Rows(unmarked(data), indices, indptr, 1, width)


@entry
def sound(data, indices, width):  # type: ignore[no-untyped-def]
    """Whether the numbers of a CSR row are finite and its indices below the width."""
    total, top = 0.0, np.uint32(0)
    for j in range(data.size):
        total += 0.0 * data[j]  # NaN as soon as one number is not finite
        top = max(top, indices[j])
    return total == 0.0 and data.size == indices.size and (data.size == 0 or top < width)


@lru_cache(maxsize=1024)
def ends(n: int) -> np.ndarray:
    """The index pointer of a single CSR row with n entries."""
    return np.array((0, n))


def finite(data: np.ndarray) -> np.ndarray:
    """The numbers of one row, if they are finite."""
    if not np.isfinite(data).all():
        raise ValueError("x contains NaN or infinity")
    return data


def _one_dict(x: dict, width: int) -> Rows:
    try:
        indices = np.array(list(x), np.intp if not x else None)
        data = np.fromiter(x.values(), np.float64, len(x))
    except (TypeError, ValueError):
        raise ValueError("x must map feature indices to numbers") from None
    if indices.dtype.kind not in "iu" or indices.ndim != 1:
        raise ValueError(f"x must map feature indices, which are integers; got {list(x)[:3]}")
    if len(x) and not (indices.min() >= 0 and indices.max() < width):
        raise ValueError(f"x has a feature index outside 0 to {width - 1}")
    finite(data)
    return Rows(data, indices.astype(np.uint32), ends(len(x)), 1, width)

"""From what users hand over to rows as the compiled loops take them."""

from functools import lru_cache
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from novikoff.engine.jit import entry
from novikoff.engine.rows import LARGEST_SQUARE, Rows, single_row, unmarked
from novikoff.engine.views import sqnorm

CSR = (sp.csr_matrix, sp.csr_array)
# NumPy has one object for each of these types: a comparison with it is one of addresses.
FLOAT64, INT32, UINT32 = np.dtype(np.float64), np.dtype(np.int32), np.dtype(np.uint32)
# What a single row is for; given by position, because a keyword costs a call some 60 ns.
LEARNING, LOOKING = True, False


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


def check_numeric(X: Any) -> None:
    """Raise ``ValueError`` for an array of words or dates, which NumPy would read."""
    dtype = getattr(X, "dtype", None)
    kind = getattr(dtype, "kind", "f")
    if kind not in "fiubO":
        complex_ = "Complex data not supported: " if kind == "c" else ""
        raise ValueError(f"{complex_}X must hold real numbers, got an array of {dtype}")


def as_rows(X: np.ndarray | sp.csr_matrix, merge: bool = False) -> Rows:
    """Validated dense or CSR rows as the compiled loops take them.

    ``merge`` adds up entries that a CSR row stores twice; products do not need it, norms do.
    """
    n, width = X.shape
    if isinstance(X, np.ndarray):
        return Rows(unmarked(np.ascontiguousarray(X).reshape(-1)), None, None, n, width)
    check_csr(X, "X")
    if merge and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    # Unsigned 32-bit indices serve up to 2^32 features and spare one specialisation.
    if width <= 2**32:
        indices = X.indices.astype(np.int32, copy=False).view(np.uint32)
    else:
        indices = X.indices.view(np.uint64)
    indptr = X.indptr.astype(np.int64, copy=False)
    return Rows(unmarked(np.asarray(X.data)), unmarked(indices), unmarked(indptr), n, width)


def check_csr(X: Any, name: str) -> None:
    """Raise ``ValueError`` where loops over CSR rows would leave the arrays or the columns."""
    ends, stored = X.indptr, min(X.data.size, X.indices.size)
    rising = ends.size == X.shape[0] + 1 and ends[0] == 0 and ends[-1] <= stored
    if not rising or (ends[1:] < ends[:-1]).any():
        raise ValueError(f"{name} is a sparse matrix with an index pointer that skips or repeats")
    # Seen as unsigned, a negative index is a large one.
    indices = X.indices.view(np.dtype(f"u{X.indices.itemsize}"))
    if indices.size and int(indices.max()) >= X.shape[1]:
        raise ValueError(f"{name} has a column index outside its {X.shape[1]} columns")


def one_row(x: Any, width: int, merge: bool, name: str, learning: bool) -> Rows:
    """One row as the loops take it; checked, but without the toll of array validation.

    ``name`` is that of the estimator, for messages. ``learning`` refuses rows whose squares
    overflow.
    """
    # What most rows are, with one look at each thing that must hold of them.
    plain = type(x) is np.ndarray and x.dtype == FLOAT64 and x.flags.carray
    if plain and x.shape == (width,) and square(x) <= LARGEST_SQUARE:
        return single_row(x, None, None, width)
    if type(x) in CSR and x.shape == (1, width):
        data, indices = x.data, x.indices
        if data.dtype == FLOAT64 and indices.dtype == INT32:
            data, indices = unmarked(data), unmarked(indices).view(UINT32)
            if sound(data, indices, width, merge):
                return single_row(data, indices, ends(data.size), width)
    if isinstance(x, dict):
        return _one_dict(x, width, learning)
    if is_one_row(x):
        data, indices, indptr = x, None, None
        n = x.size
    else:
        x = csr_row(x)
        check_csr(x, "x")
        if merge and not x.has_canonical_format:
            x = x.copy()
            x.sum_duplicates()
        data, n = x.data[: x.nnz], x.shape[1]
        indices = unmarked(x.indices[: x.nnz].astype(np.int32, copy=False).view(np.uint32))
        indptr = ends(data.size)
    if n != width:
        raise ValueError(f"x has {n} features, but {name} is expecting {width} features")
    if data.dtype != np.float64 and data.dtype != np.float32:
        if data.dtype.kind not in "fiub":
            raise ValueError(f"x must hold real numbers, got an array of {data.dtype}")
        data = data.astype(np.float64)
    data = unmarked(np.ascontiguousarray(data))
    check_numbers(data, learning)
    return single_row(data, indices, indptr, width)


def is_one_row(x: Any) -> bool:
    """Whether x is a vector."""
    return isinstance(x, np.ndarray) and x.ndim == 1


def csr_row(x: Any) -> sp.csr_matrix:
    """A sparse row as a CSR matrix of one row; ``ValueError`` when x is none."""
    if sp.issparse(x):
        if x.ndim == 1:  # what indexing SciPy's csr_array gives
            x = x.reshape(1, -1)
        if x.shape[0] == 1:
            return x.tocsr()
    raise ValueError(
        "x must be one row: a 1-D array, a 1 x n CSR matrix or a dict {feature index: "
        f"value}}; got {type(x).__name__}"
        + (f" of shape {x.shape}" if hasattr(x, "shape") else "")
    )


@entry
def square(data):  # type: ignore[no-untyped-def]
    """Sum of the squares of a row's numbers."""
    return sqnorm(data, 0, data.size)


@entry
def sound(data, indices, width, merge):  # type: ignore[no-untyped-def]
    """Whether a CSR row can be learnt from as it is: its numbers, its indices, each feature once.

    Where nothing has to be merged, any order of any features will do.
    """
    if data.size != indices.size:
        return False
    top = np.uint32(0)
    for j in range(indices.size):
        top = max(top, indices[j])
    if data.size and top >= width:
        return False
    if merge:
        for j in range(1, indices.size):
            if indices[j] <= indices[j - 1]:
                return False
    return sqnorm(data, 0, data.size) <= LARGEST_SQUARE


@lru_cache(maxsize=1024)
def ends(n: int) -> np.ndarray:
    """The index pointer of a single CSR row with n entries."""
    return np.array((0, n))


def check_numbers(data: np.ndarray, learning: bool) -> None:
    """Raise ``ValueError`` for numbers that are not finite, or too large to be learnt from."""
    total = square(data)
    if total <= LARGEST_SQUARE:
        return
    if not np.isfinite(data).all():
        raise ValueError("x contains NaN or infinity")
    if learning:
        raise ValueError(
            f"x has the squared norm {total:.3g}, and products of such rows overflow float64: "
            "scale the rows down"
        )


def _one_dict(x: dict, width: int, learning: bool) -> Rows:
    try:
        indices = np.array(list(x), np.intp if not x else None)
        data = np.fromiter(x.values(), np.float64, len(x))
    except (TypeError, ValueError):
        raise ValueError("x must map feature indices to numbers") from None
    if indices.dtype.kind not in "iu" or indices.ndim != 1:
        raise ValueError(f"x must map feature indices, which are integers; got {list(x)[:3]}")
    if len(x) and not (indices.min() >= 0 and indices.max() < width):
        raise ValueError(f"x has a feature index outside 0 to {width - 1}")
    check_numbers(data, learning)
    return single_row(data, indices.astype(UINT32), ends(len(x)), width)

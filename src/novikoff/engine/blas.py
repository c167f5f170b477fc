"""Triangular solves on part of a larger array, and BLAS threads around small products.

SciPy's wrappers copy a triangle that is not contiguous; a growing Cholesky factor lies in the
corner of a larger array. So BLAS is called with its own stride, through the address that SciPy
exports for compiled code.
"""

import ctypes
import os
from contextlib import nullcontext
from typing import Any

import numpy as np
from numba.extending import get_cython_function_address
from threadpoolctl import ThreadpoolController

_ONE = ctypes.c_double(1.0)
_THREAD_VARIABLES = (
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "OMP_NUM_THREADS",
)
# A controller looks through all loaded libraries: made once, at the first use.
_controller: list[ThreadpoolController] = []


def _blas(name: str, n_arguments: int) -> Any:
    address = get_cython_function_address("scipy.linalg.cython_blas", name)
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)(address)


_dtrsm = _blas("dtrsm", 11)
_dtrsv = _blas("dtrsv", 8)


def _letter(value: bytes) -> ctypes.Array:
    return ctypes.create_string_buffer(value, 1)


_R, _U, _N, _T = _letter(b"R"), _letter(b"U"), _letter(b"N"), _letter(b"T")


def _int(value: int) -> Any:
    return ctypes.byref(ctypes.c_int(value))


def solve_lower(L: np.ndarray, n: int, B: np.ndarray) -> None:
    """B <- L^{-1} B in place, L the lower triangle in the first n rows of a C-ordered array."""
    # Fortran sees L as the upper triangle L' and B as B': B' <- B' (L')^{-1}.
    columns = B.shape[1]
    if n == 0 or columns == 0:
        return
    _dtrsm(
        *(_R, _U, _N, _N, _int(columns), _int(n), ctypes.byref(_ONE)),
        *(L.ctypes.data, _int(L.shape[1]), B.ctypes.data, _int(columns)),
    )


def solve_lower_transposed(L: np.ndarray, n: int, B: np.ndarray) -> None:
    """B <- L'^{-1} B in place, as :func:`solve_lower`."""
    # Fortran: B' <- B' L^{-1}, where it sees L' for L: the upper triangle, transposed.
    columns = B.shape[1]
    if n == 0 or columns == 0:
        return
    _dtrsm(
        *(_R, _U, _T, _N, _int(columns), _int(n), ctypes.byref(_ONE)),
        *(L.ctypes.data, _int(L.shape[1]), B.ctypes.data, _int(columns)),
    )


def solve_lower_transposed_vector(L: np.ndarray, n: int, z: np.ndarray) -> None:
    """z <- L'^{-1} z in place, for a vector."""
    if n:
        _dtrsv(_U, _N, _N, _int(n), L.ctypes.data, _int(L.shape[1]), z.ctypes.data, _int(1))


def solve_lower_vector(L: np.ndarray, n: int, z: np.ndarray) -> None:
    """z <- L^{-1} z in place, for a vector."""
    if n:
        _dtrsv(_U, _T, _N, _int(n), L.ctypes.data, _int(L.shape[1]), z.ctypes.data, _int(1))


def few_threads() -> Any:
    """Context in which BLAS has one thread, unless the user's environment sets their number."""
    if any(name in os.environ for name in _THREAD_VARIABLES):
        return nullcontext()
    if not _controller:
        _controller.append(ThreadpoolController())
    return _controller[0].limit(limits=1, user_api="blas")

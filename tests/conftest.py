"""Shared set-up of the tests.

Numba's cache does not see edits in a callee's file, so tests compile into a folder named after a
hash of every source file that holds one.
"""

import hashlib
import os
import tempfile
from pathlib import Path

SOURCES = Path(__file__).parent.parent / "src" / "novikoff"


def _hash_of_sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*.py")):
        source = path.read_bytes()
        if b"njit" in source or b"novikoff.engine" in source:
            digest.update(source)
    return digest.hexdigest()[:16]


# For processes that tests start, and for this one: a plugin of pytest may have imported numba.
os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"novikoff-numba-{_hash_of_sources()}")
)
if not os.environ.get("NOVIKOFF_DATA"):
    os.environ["NOVIKOFF_DATA"] = str(SOURCES.parents[2] / "shared" / "data")

import numba  # noqa: E402
import pytest  # noqa: E402

numba.config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"]


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real data sets named by NOVIKOFF_DATA; tests that need it skip without."""
    folder = Path(os.environ["NOVIKOFF_DATA"])
    if not folder.is_dir():
        pytest.skip("real data not at hand: NOVIKOFF_DATA names no folder")
    return folder

"""Where real data sets lie on this machine."""

import os
from pathlib import Path


class DataMissing(FileNotFoundError):
    """Real data that was asked for is not at hand.

    Examples
    --------
    >>> from novikoff.streams import DataMissing
    >>> issubclass(DataMissing, FileNotFoundError)
    True
    """


def data_folder() -> Path:
    """Return the folder that the environment variable NOVIKOFF_DATA names.

    Returns
    -------
    folder : Path

    Examples
    --------
    >>> import os
    >>> from pathlib import Path
    >>> from unittest.mock import patch
    >>> from novikoff.streams import data_folder
    >>> with patch.dict(os.environ, NOVIKOFF_DATA="."):
    ...     data_folder() == Path(".")
    True
    """
    name = os.environ.get("NOVIKOFF_DATA")
    if not name:
        raise DataMissing(
            "real data sets are read from the folder that the environment variable NOVIKOFF_DATA "
            "names, and it is not set"
        )
    folder = Path(name)
    if not folder.is_dir():
        raise DataMissing(f"NOVIKOFF_DATA names {name!r}, which is not a folder")
    return folder


def data_file(name: str) -> Path:
    """Return the path of a file in that folder; :class:`DataMissing` where it is not there.

    Parameters
    ----------
    name : str
        Path relative to the folder, such as ``"a9a/a9a.xz"``.

    Returns
    -------
    path : Path

    Examples
    --------
    >>> import os
    >>> from unittest.mock import patch
    >>> from novikoff.streams import data_file
    >>> with patch.dict(os.environ, NOVIKOFF_DATA="."):
    ...     data_file("no/such.xz")
    Traceback (most recent call last):
    ...
    novikoff.streams.data.DataMissing: the folder that NOVIKOFF_DATA names has no 'no/such.xz'
    """
    path = data_folder() / name
    if not path.exists():
        raise DataMissing(f"the folder that NOVIKOFF_DATA names has no {name!r}")
    return path

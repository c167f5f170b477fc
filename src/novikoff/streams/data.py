"""Where real data sets lie on this machine."""

import os
from pathlib import Path


def data_folder() -> Path:
    """Return the folder that the environment variable NOVIKOFF_DATA names.

    Examples
    --------
    >>> import os
    >>> from pathlib import Path
    >>> from novikoff.streams.data import data_folder
    >>> os.environ["NOVIKOFF_DATA"] = "."
    >>> data_folder() == Path(".")
    True
    """
    name = os.environ.get("NOVIKOFF_DATA")
    if name is None:
        raise FileNotFoundError(
            "real data sets are read from the folder that the environment variable NOVIKOFF_DATA "
            "names, and it is not set"
        )
    folder = Path(name)
    if not folder.is_dir():
        raise FileNotFoundError(f"NOVIKOFF_DATA names {name!r}, which is not a folder")
    return folder

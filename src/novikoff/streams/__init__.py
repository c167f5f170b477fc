"""Where rows come from: generators, and the folder of real data sets.

Every generator takes ``random_state`` and returns ``(X, y)``; the same seed gives the same rows.
"""

from novikoff.lazy import lazy_names

_NAMES = {  # public name: the file that holds it
    "DataMissing": "data",
    "data_file": "data",
    "data_folder": "data",
    "make_a9a_like": "sparse_rows",
    "make_dekel": "dense_rows",
    "make_drifting": "dense_rows",
    "make_noisy": "dense_rows",
    "make_separable": "dense_rows",
    "make_sparse_target": "dense_rows",
    "make_text_like": "sparse_rows",
}

__all__ = sorted(_NAMES)

__getattr__, __dir__ = lazy_names(__name__, _NAMES)

"""State of an ellipsoid estimator: kept when a fit fails, and written to a model file."""

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from novikoff.modelfile import check_fields, save_model

ARRAY = np.ndarray
ROWS = (np.ndarray, sparse.csr_matrix, sparse.csr_array, type(None))
NAMES = (np.ndarray, type(None))


class StoredMixin:
    """``save``, the state that a file holds, and the way back from a fit that failed.

    ``_state_fields`` names the learnt attributes and their types; ``_expected_shapes(state)``
    gives the shapes that arrays among them must have.
    """

    _state_fields: dict[str, Any]

    def save(self, path: str | PathLike) -> None:
        """Write the fitted estimator to a file, from which ``novikoff.load`` makes it again.

        Parameters
        ----------
        path : str or path-like
            An existing file is replaced in one step.
        """
        check_is_fitted(self)
        save_model(self, path)

    @contextmanager
    def _unchanged_on_error(self) -> Iterator[None]:
        before, done = dict(self.__dict__), False
        try:
            yield
            done = True
        finally:
            if not done:
                self.__dict__.clear()
                self.__dict__.update(before)

    def _get_state(self) -> dict[str, Any]:
        return {name: getattr(self, name, None) for name in self._state_fields}

    def _set_state(self, state: dict[str, Any]) -> None:
        check_fields(state, self._state_fields)
        for name, shape in self._expected_shapes(state).items():
            if np.shape(state[name]) != shape:
                raise ValueError(
                    f"the state has {name!r} of shape {np.shape(state[name])}, not {shape}"
                )
        for name, value in state.items():
            if value is not None or name not in ("feature_names_in_", "features_"):
                setattr(self, name, value)

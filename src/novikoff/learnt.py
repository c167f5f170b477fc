"""What a learner shows of what it has learnt: predictions, counters, the curve, weights."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from novikoff.labels.classes import Classes
from novikoff.rows import LOOKING, as_rows, check_numeric, one_row

CURVE_FIELDS = ("trial", "mistakes", "updates", "support")


class Learnt(ClassifierMixin, BaseEstimator):
    """The half of an estimator that is looked at; the driver of the trials derives from it.

    It reads the machine, the classes and the form of single rows, which the driver sets with the
    first trial.
    """

    _machine: Any
    _classes: Classes
    _row_form: tuple[int, bool, str]  # width, whether entries are merged, name for messages

    def _validate_rows(self, X: Any, reset: bool, finite: bool = True) -> Any:
        check_numeric(X)
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=[np.float64, np.float32],
            order="C",
            ensure_all_finite=finite,
        )

    def __sklearn_is_fitted__(self) -> bool:
        """Whether a trial was ever run."""
        return "_machine" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        """Say to scikit-learn that sparse rows are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _fitted(self) -> Any:
        """Return the machine; ``AttributeError`` before the first trial, as properties must."""
        if "_machine" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has learnt nothing yet")
        return self._machine

    def decision_function(self, X: Any) -> np.ndarray:
        """Decision values of rows, by what was learnt so far.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        decisions : array of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        rows = as_rows(self._validate_rows(X, reset=False))
        decisions = self._machine.decide(rows)
        return decisions[:, 0] if decisions.shape[1] == 1 else decisions

    def predict(self, X: Any) -> np.ndarray:
        """Labels of rows; the positive class where the decision value is 0.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        labels : array of shape (n_samples,)
        """
        decisions = self.decision_function(X)
        return self.classes_[self._codes(decisions.reshape(len(decisions), -1))]

    def predict_one(self, x: Any) -> Any:
        """Label of one row, quickly.

        Parameters
        ----------
        x : array of shape (n_features,), CSR matrix of shape (1, n_features) or dict

        Returns
        -------
        label
        """
        if "_machine" not in self.__dict__:
            check_is_fitted(self)  # raises; where there is nothing to say it takes its time
        row = one_row(x, *self._row_form, LOOKING)
        return self.classes_[self._codes(self._machine.decide(row))[0]]

    def _codes(self, decisions: np.ndarray) -> np.ndarray:
        if self._classes.size == 1:
            return np.zeros(len(decisions), np.intp)
        if decisions.shape[1] == 1:
            return (decisions[:, 0] >= 0).astype(np.intp)
        return decisions.argmax(axis=1)

    @property
    def classes_(self) -> np.ndarray:
        """Sorted labels."""
        self._fitted()
        return self._classes.labels

    @property
    def n_seen_(self) -> int:
        """Trials so far."""
        return self._fitted().seen

    @property
    def n_mistakes_(self) -> int:
        """Mistaken trials so far."""
        return self._fitted().mistakes

    @property
    def n_updates_(self) -> int:
        """Binary updates so far, summed over classes."""
        return self._fitted().updates

    @property
    def curve_(self) -> np.ndarray:
        """Structured array (trial, mistakes, updates, support) at geometrically spaced trials."""
        return self._fitted().curve(CURVE_FIELDS)

    @property
    def coef_(self) -> np.ndarray:
        """Weights, of shape (1, n_features) for two classes and (n_classes, n_features) else."""
        machine = self._fitted()
        return np.ascontiguousarray(machine.columns()[: machine.layout.n_features].T)

    @property
    def intercept_(self) -> np.ndarray:
        """Intercepts, of shape (1,) for two classes and (n_classes,) else."""
        machine = self._fitted()
        if not machine.layout.bias:
            return np.zeros(machine.layout.n_columns)
        return machine.columns()[-1].copy()

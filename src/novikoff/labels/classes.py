"""Which classes there are, and the codes 0, 1, ... that stand for them in sorted order."""

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, column_or_1d

# Whole numbers within this range of each other are counted instead of sorted.
COUNTED_RANGE = 65536


def check_labels(y: Any, n: int, name: str = "y") -> np.ndarray:
    """Return labels as a vector of length n; ``ValueError`` says what is wrong with them."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    if getattr(getattr(y, "dtype", None), "kind", "") == "c":
        raise ValueError(f"Complex data not supported: {name} must hold labels, got {y.dtype}")
    y = column_or_1d(y, warn=True)
    if y.shape[0] != n:
        raise ValueError(f"X has {n} rows and y has {y.shape[0]} labels: give one label per row")
    if y.dtype.kind == "O":
        _check_words(y, name)
    # The checks pass over the labels: not for those that cannot fail.
    elif y.dtype.kind not in "iub":
        assert_all_finite(y, input_name=name)
        check_classification_targets(y)
    return y


def _check_words(y: np.ndarray, name: str) -> None:
    """Raise ``ValueError`` unless an array of objects holds words only."""
    for label in y.tolist():
        if not isinstance(label, str):
            raise ValueError(
                f"Unknown label type: {name} is an array of objects and holds {label!r}, which is "
                "no word: give numbers as an array of numbers, and leave out rows without a label"
            )


def check_classes(classes: Any) -> np.ndarray:
    """Return the labels given as classes; ``ValueError`` says what is wrong with them."""
    labels = np.asarray(classes)
    if labels.ndim != 1:
        raise ValueError(f"classes must be a list of labels, got {classes!r}")
    return check_labels(labels, labels.size, "classes")


class Classes:
    """Sorted labels; ``given`` tells whether the user fixed them in advance."""

    def __init__(self, labels: np.ndarray, *, given: bool) -> None:
        self.labels = labels
        self.given = given
        self.code_of = {label: code for code, label in enumerate(labels.tolist())}
        # Each label's target as a batch of one trial takes it.
        codes = self.targets(np.arange(labels.size))
        self.single = {label: codes[code : code + 1] for label, code in self.code_of.items()}

    @property
    def size(self) -> int:
        """How many classes there are."""
        return int(self.labels.size)

    @property
    def n_columns(self) -> int:
        """Columns of weights: one for two classes, else one a class."""
        return 1 if self.size <= 2 else self.size

    def encode(self, y: np.ndarray) -> np.ndarray:
        """Codes of labels; -1 for a label that is no class."""
        if self.size == 0:
            return np.full(y.shape, -1, np.int64)
        if not comparable(y, self.labels):
            return np.array([self.code_of.get(label, -1) for label in y.tolist()], np.int64)
        codes = np.searchsorted(self.labels, y).astype(np.int64, copy=False)
        codes[codes == self.size] = 0
        unknown = self.labels[codes] != y
        if unknown.any():
            codes[unknown] = -1
        return codes

    def targets(self, codes: np.ndarray) -> np.ndarray:
        """Codes as the trials take them: a class that stands alone counts as the positive one."""
        return np.ones_like(codes) if self.size == 1 else codes

    def check_new(self, labels: np.ndarray) -> None:
        """Raise ``ValueError`` unless more labels can stand among these without being changed."""
        if self.size == 0:
            return
        old = self.labels
        # Integers of unlike types can meet in floats that some of them round to.
        if not comparable(labels, old) or (
            np.concatenate([old, labels]).tolist() != old.tolist() + labels.tolist()
        ):
            raise ValueError(
                f"y holds the label {labels.tolist()[0]!r}, which cannot be ordered among the "
                f"classes so far, {old.tolist()}: use labels of one kind"
            )

    def with_label(self, new: np.ndarray) -> "tuple[Classes, int]":
        """These classes and the one in ``new``, and where it stands among them."""
        if self.size == 0:
            return Classes(new, given=False), 0
        position = int(np.searchsorted(self.labels, new)[0])
        labels = np.concatenate([self.labels[:position], new, self.labels[position:]])
        return Classes(labels, given=False), position


def classes_of(y: np.ndarray) -> tuple[Classes, np.ndarray]:
    """The classes that labels name, and their codes."""
    if y.dtype.kind in "iu" and y.size and int(y.max()) - int(y.min()) < COUNTED_RANGE:
        # Counting beats sorting several times for labels that are small numbers. Differences wrap
        # around in signed integers, which are unsigned ones seen otherwise.
        unsigned, lowest = np.dtype(f"u{y.itemsize}"), y.min()
        places = (y - lowest).view(unsigned).astype(np.intp)
        present = np.bincount(places) > 0
        labels = np.flatnonzero(present).astype(y.dtype) + lowest
        return Classes(labels, given=True), (np.cumsum(present) - 1)[places]
    classes = Classes(np.unique(y), given=True)
    return classes, classes.encode(y)


def comparable(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether labels of two arrays can be sorted together: numbers, or words."""
    kinds = {a.dtype.kind, b.dtype.kind}
    return len(kinds) == 1 or kinds <= set("iufb") or kinds <= set("UO")


def growth(n_old: int, position: int, prototype: bool) -> tuple[np.ndarray, np.ndarray]:
    """Where each column comes from when a class enters at ``position`` among ``n_old`` others.

    Returns ``(source, factor)``: column c becomes ``factor[c]`` times the old column
    ``source[c]``, or starts at zero where the source is -1.

    One column serves two classes, positive for the higher one. A learner is symmetric in the two
    labels, so "a against b" is minus "b against a", and a class that stood alone so far was taken
    for the positive one. When a third class enters, one-versus-rest gives the old pair w and -w;
    prototypes share w out as w/2 and -w/2, whose difference it is.
    """
    n_new = n_old + 1
    if n_new <= 2:
        source = np.zeros(1, np.int64)
        factor = np.array([-1.0 if n_old == 1 and position == 1 else 1.0])
        return source, factor
    source = np.insert(np.arange(n_old), position, -1)
    factor = np.ones(n_new)
    if n_old == 2:
        share = 0.5 if prototype else 1.0
        low, high = np.flatnonzero(source >= 0)
        source[[low, high]] = 0
        factor[low], factor[high] = -share, share
    return source, factor

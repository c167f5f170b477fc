"""Certificates: a run's mistakes beside the bound that its learner's theorem gives on it."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_array

from novikoff.kernels import FunctionKernel, Precomputed
from novikoff.theory.comparators import (
    Comparator,
    best_comparator,
    binary_directions,
    prototype_directions,
)
from novikoff.theory.guarantees import guarantee_of, refuse_unknown
from novikoff.theory.run import Guarantee, Run


@dataclass(frozen=True)
class Certificate:
    """What a theorem says about one run.

    Attributes
    ----------
    learner : str
        Class of the learner.
    theorem : str
        Which theorem, P0 to P4 as in :mod:`novikoff.theory.bounds`.
    n_trials, mistakes : int
        Length of the run, and how many trials were mistaken.
    bound : float
        The theorem's bound with this comparator.
    margin : float
        gamma, the margin at which the comparator, of length 1, is charged.
    hinge_loss : float
        sum over the trials of max(0, gamma - y u.x); 0 where the comparator separates the rows
        with this margin. For the higher-order perceptron the trials are the mistaken ones, their
        rows transformed.
    comparator : str
        Where the comparator comes from.
    terms : dict
        The other numbers in the bound.
    in_expectation : bool
        Whether the theorem bounds the expected number of mistakes, over the learner's own draws:
        then a run may exceed it.
    curve : tuple of (int, int)
        Trials, and the mistakes made up to each.
    profile : tuple of (float, float)
        Margins, and the bounds that the comparator gives at each.

    See Also
    --------
    novikoff.report.certificate_page : the picture.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.theory import certify
    >>> print(certify(Perceptron(), [[3.0, 4.0], [-3.0, -4.0], [0.0, 5.0]], [1, 0, 1]))
    Perceptron: 1 mistake in 3 trials
      bound       1.1  (holds)
      theorem     P2 Theorem 3 at eta = 0 (Novikoff's theorem where the hinge loss is 0)
      comparator  support vector machine, C = 1; any of the 2 features' weights
      margin      4.743
      hinge loss  0  (0.0 times the margin)
      with        R = 5
    """

    learner: str
    theorem: str
    n_trials: int
    mistakes: int
    bound: float
    margin: float
    hinge_loss: float
    comparator: str
    terms: dict[str, float]
    in_expectation: bool = False
    curve: tuple[tuple[int, int], ...] = field(default=(), repr=False)
    profile: tuple[tuple[float, float], ...] = field(default=(), repr=False)

    @property
    def holds(self) -> bool:
        """Whether the run kept within the bound, up to the rounding of the bound."""
        return bool(self.mistakes <= self.bound * (1.0 + 1e-9) + 1e-9)

    def to_dict(self) -> dict[str, Any]:
        """All numbers and words, as plain values.

        Examples
        --------
        >>> from novikoff import Perceptron
        >>> from novikoff.theory import certify
        >>> certify(Perceptron(), [[1.0], [-2.0]], [1, 0]).to_dict()["mistakes"]
        1
        """
        return {**asdict(self), "holds": self.holds}

    def __str__(self) -> str:
        """Some lines for people."""
        verdict = "holds" if self.holds else "does not hold"
        if self.in_expectation:
            verdict += " for this run; it is a bound in expectation"
        elif self.bound >= self.n_trials:
            verdict += ", but says no more than the number of trials"
        share = self.hinge_loss / self.margin
        plural = "" if self.mistakes == 1 else "s"
        terms = ", ".join(f"{name} = {value:.4g}" for name, value in self.terms.items())
        lines = [
            f"{self.learner}: {self.mistakes} mistake{plural} in {self.n_trials} trials",
            f"  bound       {self.bound:.1f}  ({verdict})",
            f"  theorem     {self.theorem}",
            f"  comparator  {self.comparator}",
            f"  margin      {self.margin:.4g}",
            f"  hinge loss  {self.hinge_loss:.4g}  ({share:.1f} times the margin)",
        ]
        return "\n".join([*lines, f"  with        {terms}"] if terms else lines)


def certify(model: Any, X: Any, y: Any) -> Certificate:
    """Run a learner over rows in order, and evaluate its mistake bound against a good comparator.

    The model itself is left alone: an unfitted clone makes one pass over the rows. Any comparator
    gives a true bound; this one is looked for among support vector machines of several C, along
    each of which the best margin is taken. With a kernel it lies in the span of the rows, or of
    600 of them drawn at random.

    Parameters
    ----------
    model : estimator
        A learner of two classes, fitted or not, or one with ``multiclass="prototype"`` of
        Perceptron, Projectron and ProjectronPlusPlus.
    X : array, CSR matrix or data frame of shape (n_samples, n_features)
        Rows, in the order of the trials.
    y : array of shape (n_samples,)
        Labels, of at least two classes.

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        When no theorem covers the learner or its settings; it says which ones do.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import Perceptron
    >>> from novikoff.theory import certify
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> certificate = certify(Perceptron(kernel="rbf"), scale(X), y)
    >>> certificate.mistakes, round(certificate.bound), certificate.holds
    (39, 134, True)
    """
    refuse_unknown(model)
    learner, rows = _with_rows(clone(model), X)
    learner._check()
    run = Run(learner, rows, y)
    guarantee = guarantee_of(run)
    comparator = best_of(run, guarantee)
    mistakes = run.n_mistakes
    curve = run.model.curve_[["trial", "mistakes"]].tolist()
    return Certificate(
        learner=run.name,
        theorem=guarantee.theorem,
        n_trials=len(run.codes),
        mistakes=mistakes,
        bound=comparator.bound,
        margin=comparator.margin,
        hinge_loss=comparator.loss,
        comparator=comparator.description,
        terms={name: float(value) for name, value in guarantee.terms.items()},
        in_expectation=guarantee.in_expectation,
        curve=tuple((int(t), int(m)) for t, m in curve),
        profile=tuple((float(x), float(y)) for x, y in zip(*comparator.profile, strict=True)),
    )


def best_of(run: Run, guarantee: Guarantee) -> Comparator:
    """The best comparator found for a run and its theorem."""
    if guarantee.transformed is not None:
        (Z, signs), where = guarantee.transformed, "in the span of the transformed rows"
    else:
        Z, where = run.sequence.coordinates()
    if Z.shape[1] == 0:  # rows that are all zero span nothing
        Z = np.zeros((Z.shape[0], 1))
    if guarantee.transformed is not None:
        counted = np.ones(len(signs), bool)
        directions = binary_directions(Z, signs)
    elif run.prototypes:
        counted = np.zeros(run.sequence.n, bool)
        directions = prototype_directions(Z, run.codes, run.n_classes)
    else:
        counted = run.updated
        directions = binary_directions(Z, run.signs, _metric(Z, counted, guarantee.metric))
    spread = guarantee.spread or (lambda values: float((values[counted] ** 2).sum()))
    found = best_comparator(directions, guarantee.bound, guarantee.least_margin, spread)
    return found._replace(description=f"{found.description}; {where}")


def _metric(Z: Any, counted: np.ndarray, a: float | None) -> np.ndarray | None:
    """(a I + Z_m' Z_m)^(-1/2) over the mistaken rows, where it is small enough to be formed."""
    if a is None or not isinstance(Z, np.ndarray) or Z.shape[1] > 1000:
        return None
    values, vectors = np.linalg.eigh(a * np.eye(Z.shape[1]) + Z[counted].T @ Z[counted])
    return (vectors / np.sqrt(np.maximum(values, a / 2.0))) @ vectors.T


def _with_rows(learner: Any, X: Any) -> tuple[Any, Any]:
    """A learner that takes trials one by one: a kernel matrix becomes a kernel of row numbers."""
    kernel = getattr(learner, "kernel", None)
    if not (
        isinstance(kernel, Precomputed) or (isinstance(kernel, str) and kernel == "precomputed")
    ):
        return learner, X
    K = check_array(X, dtype=np.float64)
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"X must be square for kernel='precomputed', got shape {K.shape}")

    def values(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        return K[np.ix_(A[:, 0].astype(np.intp), B[:, 0].astype(np.intp))]

    return learner.set_params(kernel=FunctionKernel(values)), np.arange(float(len(K)))[:, None]

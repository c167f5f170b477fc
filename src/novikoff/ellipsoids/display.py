"""Picture of a fitted ellipsoid in the plane (P3, Figure 7.2)."""

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted


class EllipsoidDisplay:
    """The three ellipsoids of a classifier, and the points it learnt from.

    As in the thesis: the two separating ellipsoids dashed, the one in the middle, which decides,
    solid; positive points are asterisks and the others circles. Points in the classifier's support
    are ringed.

    Make one with :meth:`from_estimator`.

    Parameters
    ----------
    estimator : EllipsoidClassifier
        Fitted on two features and two classes.
    X : array of shape (n_samples, 2)
    y : array of shape (n_samples,)

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    ellipsoids_ : list of three matplotlib lines: inner, middle, outer

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> from novikoff.ellipsoids import EllipsoidClassifier, EllipsoidDisplay
    >>> angles = np.linspace(0.0, 6.0, 8)
    >>> ring = np.column_stack([np.cos(angles), np.sin(angles)])
    >>> X, y = np.vstack([ring, 2.0 * ring]), np.repeat([1, 0], 8)
    >>> display = EllipsoidDisplay.from_estimator(EllipsoidClassifier().fit(X, y), X, y)
    >>> len(display.ellipsoids_)
    3
    >>> display.figure_.savefig("ellipsoids.png")  # doctest: +SKIP
    """

    def __init__(self, *, estimator, X, y):
        self.estimator = estimator
        self.X = X
        self.y = y

    @classmethod
    def from_estimator(cls, estimator, X, y, *, ax=None, feature_names=None):
        """Draw a fitted classifier and its training points.

        Parameters
        ----------
        estimator : EllipsoidClassifier
            Fitted on two features and two classes, without ``features``.
        X : array of shape (n_samples, 2)
            The points that ``fit`` was given, in that order.
        y : array of shape (n_samples,)
            Their labels.
        ax : matplotlib Axes, optional
            Where to draw; a new figure otherwise.
        feature_names : sequence of two str, optional
            Labels of the axes; by default the names seen in ``fit``, if any.

        Returns
        -------
        display : EllipsoidDisplay

        Examples
        --------
        >>> import matplotlib
        >>> matplotlib.use("Agg")
        >>> import numpy as np
        >>> from novikoff.ellipsoids import EllipsoidClassifier, EllipsoidDisplay
        >>> X = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1], [3, 0], [-3, 0], [0, 3], [0, -3]])
        >>> y = np.array([1, 1, 1, 1, 0, 0, 0, 0])
        >>> model = EllipsoidClassifier().fit(X, y)
        >>> display = EllipsoidDisplay.from_estimator(model, X, y)
        >>> len(display.ellipsoids_)
        3
        """
        check_is_fitted(estimator)
        if len(estimator.classes_) != 2 or np.shape(estimator.center_) != (2,):
            raise ValueError(
                f"a picture takes a classifier of two classes and two features, got "
                f"{len(estimator.classes_)} classes and {np.shape(estimator.center_)[-1]} features"
            )
        if estimator.features is not None:
            raise ValueError(
                "a picture takes a classifier without features=, whose ellipsoids lie elsewhere"
            )
        X = check_array(X)
        if X.shape[1] != 2 or len(y) != len(X):
            raise ValueError(
                f"X must have two columns and y one label a row, got shape {X.shape} and "
                f"{len(y)} labels"
            )
        if estimator.support_.max() >= len(X):
            raise ValueError(
                f"X must hold the points that fit was given, got {len(X)} points, fewer than those"
            )
        if feature_names is None:
            feature_names = getattr(estimator, "feature_names_in_", None)
        return cls(estimator=estimator, X=X, y=np.asarray(y)).plot(
            ax=ax, feature_names=feature_names
        )

    def plot(self, *, ax=None, feature_names=None):
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        feature_names : sequence of two str, optional

        Returns
        -------
        display : EllipsoidDisplay
            This object, with ``ax_``, ``figure_`` and ``ellipsoids_``.
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError(
                'pictures need the package matplotlib: pip install "novikoff[plots]"'
            ) from None
        if ax is None:
            _, ax = plt.subplots()
        model, X, y = self.estimator, self.X, self.y
        inside = y == model.classes_[1]
        outer_label, inner_label = model.classes_.tolist()
        ax.scatter(
            *X[~inside].T, marker="o", facecolors="none", edgecolors="C1", label=outer_label
        )
        ax.scatter(*X[inside].T, marker="*", color="C0", label=inner_label)
        ax.scatter(
            *X[model.support_].T,
            s=130,
            facecolors="none",
            edgecolors="0.5",
            linewidths=0.8,
            zorder=0.5,  # a soft margin rings many points: the rings stay behind them
            label="support",
        )
        points = ax.dataLim.frozen()
        middle = (model.inner_radius_ + model.outer_radius_) / 2
        self.ellipsoids_ = [
            ax.plot(*self._curve(radius), style, color="0.1", linewidth=width)[0]
            for radius, style, width in [
                (model.inner_radius_, "--", 1.0),
                (middle, "-", 1.6),
                (model.outer_radius_, "--", 1.0),
            ]
        ]
        # Where almost a pair of lines is optimal, an axis is a million times as long as the data.
        room, curve = np.ptp(X, axis=0) / 4, self.ellipsoids_[-1].get_xydata()
        ax.dataLim.set(points)
        ax.update_datalim(np.clip(curve, X.min(axis=0) - room, X.max(axis=0) + room))
        ax.autoscale_view()
        if feature_names is not None:
            ax.set_xlabel(feature_names[0])
            ax.set_ylabel(feature_names[1])
        ax.set_title(f"separation ratio {model.separation_ratio_:.3f}")
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _curve(self, radius):
        angle = np.linspace(0.0, 2.0 * np.pi, 361)
        circle = np.stack([np.cos(angle), np.sin(angle)])
        # |(x - c) factor| = radius
        return self.estimator.center_[:, None] + np.linalg.solve(
            self.estimator.factor_.T, radius * circle
        )

"""Ellipsoids as classifiers, and the features they are made for (P3, chapters 7 and 8)."""

from novikoff.ellipsoids.classifier import EllipsoidClassifier
from novikoff.ellipsoids.display import EllipsoidDisplay
from novikoff.ellipsoids.gram_schmidt import GramSchmidtFeatures
from novikoff.ellipsoids.ranking import microaverage_precision

__all__ = [
    "EllipsoidClassifier",
    "EllipsoidDisplay",
    "GramSchmidtFeatures",
    "microaverage_precision",
]

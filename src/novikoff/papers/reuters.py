"""Reuters-21578 as P3, chapter 8, uses it: ten categories, the ModApte split, bags of words."""

import json
import lzma
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer

from novikoff.ellipsoids import EllipsoidClassifier, GramSchmidtFeatures
from novikoff.ellipsoids.interior_point import solve
from novikoff.ellipsoids.squared_rows import quadratic
from novikoff.ellipsoids.whitening import whiten
from novikoff.streams.data import data_file

FILE = "reuters21578/reuters21578.jsonl.xz"
CATEGORIES = (
    "earn",
    "acq",
    "money-fx",
    "grain",
    "crude",
    "trade",
    "interest",
    "ship",
    "wheat",
    "corn",
)
ENDINGS = ("ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "s", "ly")
RESOLUTION = 1.03  # of 1 / C
WORDS_NOTE = (
    "The thesis does not say how words became features, only that it had 20,494 of them; here: "
    "words of letters, stop words out, endings cut, weights (1 + log tf) idf, unit length, "
    "22,314 features. Other choices move single numbers by several points either way."
)


@dataclass
class Documents:
    """Bags of words of the training and test documents, and their topics."""

    train: Any
    test: Any
    topics_train: list[list[str]]
    topics_test: list[list[str]]

    def labels(self, category: str) -> tuple[np.ndarray, np.ndarray]:
        """Return which training and test documents belong to the category."""
        return (
            np.array([category in t for t in self.topics_train]),
            np.array([category in t for t in self.topics_test]),
        )


def words(text: str) -> list[str]:
    """Return the words of letters that are no stop words, without their endings."""
    found = []
    for word in re.findall(r"[a-z]{2,}", text.lower()):
        if word in ENGLISH_STOP_WORDS:
            continue
        for ending in ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word[: -len(ending)]
                break
        found.append(word)
    return found


def read_documents() -> Documents:
    """Read the 9,603 training and 3,299 test documents."""
    texts: dict[str, list[str]] = {"train": [], "test": []}
    topics: dict[str, list[list[str]]] = {"train": [], "test": []}
    with lzma.open(data_file(FILE), "rt", encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            part = document["modapte"]
            if part in texts:
                texts[part].append(f"{document['title'] or ''}\n{document['body'] or ''}")
                topics[part].append(document["topics"])
    vectorizer = TfidfVectorizer(analyzer=words, sublinear_tf=True)
    train = vectorizer.fit_transform(texts["train"])
    return Documents(train, vectorizer.transform(texts["test"]), topics["train"], topics["test"])


def features(documents: Documents, category: str, n: int) -> tuple[np.ndarray, ...]:
    """Return n Gram-Schmidt features of training and test documents, and both labels."""
    y_train, y_test = documents.labels(category)
    space = GramSchmidtFeatures(n_components=n)
    return (
        space.fit_transform(documents.train, y_train),
        space.transform(documents.test),
        y_train,
        y_test,
    )


def hard_margin_scores(X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> tuple[Any, float]:
    """Return the test scores of the hard margin's matrix and the t it ends at.

    Where t comes to 0 the program's solution is the default one, (7.10), which ranks nothing; an
    interior-point solver ends a little beside it, and that is what is ranked by.
    """
    whitening = whiten(X[y], True)
    solution = solve(whitening.rows(X), y, tol=1e-6)
    return -quadratic(whitening.rows(X_test), solution.F), solution.bound - 1.0


def hardest_soft_margin(X: np.ndarray, y: np.ndarray) -> tuple[EllipsoidClassifier | None, int]:
    """Return the model of the largest C that separates the training set, and 1 / C.

    What separates goes on to separate as C falls, so 1 / C is halved in, to ``RESOLUTION``.
    """

    def fitted(size: int) -> EllipsoidClassifier | None:
        try:
            return EllipsoidClassifier(C=1.0 / size).fit(X, y)
        except ValueError as error:
            if "not separable" not in str(error):
                raise
            return None

    fails, size = 1, int(np.count_nonzero(y))
    best = fitted(size)
    while best is not None and size > RESOLUTION * fails and size > fails + 1:
        middle = round(np.sqrt(fails * size))
        model = fitted(middle)
        if model is None:
            fails = middle
        else:
            best, size = model, middle
    return best, size if best is not None else 0

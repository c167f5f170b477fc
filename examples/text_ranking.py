"""Rank documents by topic: bag of words -> Gram-Schmidt features -> ellipsoid.

Runs on made-up documents of the four topics below in a few seconds, or on Reuters-21578 where
the folder named by NOVIKOFF_DATA holds it:

    python examples/text_ranking.py
    NOVIKOFF_DATA=folder python examples/text_ranking.py grain
"""

import sys

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from novikoff.ellipsoids import EllipsoidClassifier, GramSchmidtFeatures, microaverage_precision

TOPICS = {
    "grain": "wheat corn harvest tonnes crop maize barley export silo farmer",
    "crude": "oil barrel opec refinery pipeline drilling crude petroleum well rig",
    "money": "bank currency dollar liquidity reserve exchange treasury yen mark deposit",
    "ship": "vessel port cargo strike tanker shipping canal freight crew harbour",
}
COMMON = "said year market price week report government company new group trade rise"


def made_up_documents(m: int, seed: int) -> tuple[list[str], np.ndarray]:
    """Return m documents of 20 words, common ones and of one topic mostly, and their topics."""
    rng = np.random.default_rng(seed)
    names = list(TOPICS)
    topics = rng.choice(names, size=m)
    texts = []
    for topic in topics:
        other = TOPICS[rng.choice(names)].split()  # of another topic, or of the same
        pool = [*COMMON.split(), *TOPICS[topic].split(), *other[:4]]
        texts.append(" ".join(rng.choice(pool, size=20)))
    return texts, topics


def main() -> None:
    """Fit on some documents, rank others."""
    if len(sys.argv) > 1:
        from novikoff.papers.reuters import read_documents

        topic = sys.argv[1]
        documents = read_documents()
        X, X_test = documents.train, documents.test
        y, y_test = documents.labels(topic)
        n_components, C = 30, 1 / 200
    else:
        topic = "grain"
        texts, topics = made_up_documents(800, seed=0)
        texts_test, topics_test = made_up_documents(400, seed=1)
        words = TfidfVectorizer()
        X, X_test = words.fit_transform(texts), words.transform(texts_test)
        y, y_test = topics == topic, topics_test == topic
        n_components, C = 8, 1 / 20

    ranker = make_pipeline(
        GramSchmidtFeatures(n_components=n_components), EllipsoidClassifier(C=C)
    )
    ranker.fit(X, y)
    scores = ranker.decision_function(X_test)
    ellipsoid = ranker[-1]
    sys.stdout.write(
        f"topic {topic!r}: {np.sum(y)} of {len(y)} documents to learn from\n"
        f"separation ratio {ellipsoid.separation_ratio_:.3f} "
        f"(at most {ellipsoid.ratio_bound_:.3f}), leaning on {len(ellipsoid.support_)} documents\n"
        f"micro-average precision of the ranking of {len(y_test)} others: "
        f"{microaverage_precision(y_test, scores):.3f} "
        f"(by chance: {np.mean(y_test):.3f})\n"
    )


if __name__ == "__main__":
    main()

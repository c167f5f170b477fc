"""The perceptron on structured output: P2 section 5's update without projection (Collins 2002).

features(x, label) is the joint feature vector, candidates(x) the labels x may have, in order; the
score is w.features. The trial is mistaken when the true label's score is no larger than that of
the best wrong candidate (the first among ties); then w += features(x, y) - features(x, rival).
decisions are the margins score(true) - score(best wrong).
"""

import numpy as np


def run(X, y, candidates, features):
    n = len(X)
    w = np.zeros_like(np.asarray(features(X[0], y[0]), float))
    decisions, mistakes, updates, rivals = np.zeros(n), np.zeros(n, bool), np.zeros(n, bool), []
    held = []  # the hypothesis after each trial
    for t in range(n):
        wrong = [label for label in candidates(X[t]) if label != y[t]]
        scores = [w @ features(X[t], label) for label in wrong]
        rival = wrong[int(np.argmax(scores))]  # the first among ties
        difference = np.asarray(features(X[t], y[t]), float) - features(X[t], rival)
        decisions[t] = w @ features(X[t], y[t]) - max(scores)
        mistakes[t] = decisions[t] <= 0
        if mistakes[t] and difference.any():
            w = w + difference
            updates[t] = True
        rivals.append(rival)
        held.append(w)
    return {
        "decisions": decisions,
        "mistakes": mistakes,
        "updates": updates,
        "rivals": rivals,
        "w": w,
        "mean_w": np.mean(held, axis=0),
    }

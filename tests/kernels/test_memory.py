"""Memory of a bounded learner stays where it is, however long the stream."""

import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys
import numpy as np
import scipy.sparse as sp
import novikoff
from novikoff.budgets import *

def piece(rng, wide):
    y = rng.integers(0, 2, 500)  # noise: mistakes never end
    if not wide:
        return rng.standard_normal((500, 20)), y
    columns = rng.integers(0, 20000, (500, 30))
    rows = np.repeat(np.arange(500), 30)
    values = rng.standard_normal(500 * 30)
    return sp.coo_matrix((values, (rows, columns.ravel())), shape=(500, 20000)).tocsr(), y

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

wide = {wide}
models = {models}
rng, sizes = np.random.default_rng(0), []
for i in range({n}):
    X, y = piece(rng, wide)
    for model in models:
        model.partial_fit(X, y)
    sizes.append(resident())
for model in models:
    assert model.n_updates_ > 100 * {n}, model
    print(type(model).__name__, model.n_support_, file=sys.stderr)
tenth = {n} // 10
print(max(sizes[:tenth]), max(sizes))
"""
DENSE = """[
    novikoff.RandomizedBudgetPerceptron(budget=200, random_state=0),
    novikoff.Forgetron(budget=200),
    novikoff.SimplifiedForgetron(budget=200, eta=1e-3),
    novikoff.ModifiedBudgetPerceptron(budget=200, random_state=0),
    novikoff.PassiveAggressiveI(kernel="rbf", budget=RemoveOldest(200)),
    novikoff.Projectron(eta=0.9, kernel="linear"),
    novikoff.ProjectronPlusPlus(eta=0.5, kernel="linear"),
    novikoff.Perceptron(kernel="linear", budget=Project(0.5), average="mean"),
]"""
WIDE = """[
    novikoff.RandomizedBudgetPerceptron(budget=200, kernel="linear", random_state=0),
    novikoff.Perceptron(budget=RemoveOldest(200), kernel="rbf", gamma=0.02),
    novikoff.Forgetron(budget=200, kernel="linear"),
]"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/statm")
@pytest.mark.parametrize(
    ("wide", "models", "n"), [(False, DENSE, 80), (True, WIDE, 60)], ids=["dense", "wide sparse"]
)
def test_resident_memory_is_flat_over_a_stream_ten_times_as_long(wide, models, n):
    program = PROGRAM.format(wide=wide, models=models, n=n)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    early, late = map(int, run.stdout.split())
    # A support as long as the stream would take tens of MB more.
    assert late - early < 8e6, (early, late, run.stderr)

"""What only shows in a process of its own: imports, the cache of compiled code, no compiler."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

COUNT_COMPILATIONS = """
import json
import os
from numba.core import event

class Compiled(event.Listener):
    names = []
    def on_start(self, e):
        self.names.append(e.data["dispatcher"].py_func.__qualname__)
    def on_end(self, e):
        pass

event.register("numba:compile", Compiled())
import scipy.sparse as sp
from tests.laws.cases import DEFAULTS, is_online, rows

NAMES = os.environ.get("LEARNERS", "").split()  # none: all
for case in DEFAULTS:
    if NAMES and case.name not in NAMES:
        continue
    X, y = rows("binary", 30)
    model = case.make().fit(X, y)
    model.predict(X)
    if is_online(case.name):
        model.partial_fit(sp.csr_matrix(X), y)
        model.learn_one(X[0], y[0])
        model.predict_one(X[0])
print(json.dumps(Compiled.names))
"""

WITHOUT_COMPILER = """
import json
import numba
import numpy as np
from tests.laws.cases import DEFAULTS, options, refused, rows, run_reference

assert numba.config.DISABLE_JIT
done = []
for case in DEFAULTS:
    for form in ("binary", "ovr", "prototype"):
        X, y = rows(form, 25)
        model = case.make(random_state=0, **options(form))
        if form == "prototype" and refused(model, X, y):
            continue
        model.fit(X, y)
        try:
            expected = run_reference(model, case.reference, X, y, form)
        except ValueError:
            assert form == "prototype"
            continue
        assert model.n_mistakes_ == expected["mistakes"].sum(), case
        probe, _ = rows(seed=4)
        if "w" in expected:
            np.testing.assert_allclose(model.coef_[0], expected["w"], rtol=1e-9, atol=1e-12)
        done.append(case.name)
print(json.dumps(sorted(set(done))))
"""


def run(code, **environment):
    """What a fresh interpreter prints last, as JSON."""
    paths = [str(ROOT), str(ROOT / "src")]
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)} | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_second_process_compiles_nothing():
    run(COUNT_COMPILATIONS)  # fills the cache with what other tests did not compile
    assert run(COUNT_COMPILATIONS) == []


def test_a_first_fit_compiles_no_messages(tmp_path):
    """``a[:] = b`` brings in the text about unlike shapes, which takes 1.5 s to compile."""
    loops = ["OnlineRidgeClassifier", "Perceptron", "Forgetron", "SecondOrderPerceptron"]
    environment = {"LEARNERS": " ".join(loops), "NUMBA_CACHE_DIR": str(tmp_path)}
    names = run(COUNT_COMPILATIONS, **environment)
    assert {"run_online_ridge", "run_perceptron", "run_perceptron_panel"} <= set(names)
    assert [name for name in names if "shape_context" in name] == []


def test_every_learner_runs_without_the_compiler():
    from novikoff.learners import LEARNERS

    assert run(WITHOUT_COMPILER, NUMBA_DISABLE_JIT="1") == sorted(LEARNERS)


def test_import_is_immediate():
    code = """
import json, sys, time
start = time.perf_counter()
import novikoff
seconds = time.perf_counter() - start
heavy = {"sklearn", "numba", "scipy", "numpy", "pandas", "matplotlib", "rich", "typer", "pyarrow"}
print(json.dumps([seconds, sorted(heavy & set(sys.modules)), len(dir(novikoff))]))
"""
    seconds, heavy, n_names = run(code)
    assert seconds < 1.0
    assert heavy == []
    assert n_names > 5


def test_importing_a_learner_compiles_nothing():
    code = """
import json
from numba.core import event
class Compiled(event.Listener):
    n = 0
    def on_start(self, e): Compiled.n += 1
    def on_end(self, e): pass
event.register("numba:compile", Compiled())
import novikoff
from novikoff.learners import LEARNERS
classes = [getattr(novikoff, name) for name in LEARNERS]
print(json.dumps([Compiled.n, len(classes)]))
"""
    compiled, n_classes = run(code)
    assert compiled == 0
    assert n_classes > 5

# Each target sets itself up in .venv: on a fresh machine with Python 3.11, `make demo` is all there is to type.
PYTHON ?= python3.11
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Small matrix products are faster on one thread, and timings steadier.
export OPENBLAS_NUM_THREADS ?= 1
export OMP_NUM_THREADS ?= 1

.PHONY: demo test lint types bench papers format clean

demo: $(VENV)/.demo
	$(BIN)/novikoff demo

test: lint types
	$(BIN)/python -m pytest -m "not slow" $(PYTEST_ARGS)

lint: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.test
	$(BIN)/mypy

format: $(VENV)/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.bench
	$(BIN)/python -m bench $(BENCH_ARGS)

papers: $(VENV)/.test
	$(BIN)/python -m pytest -m slow $(PYTEST_ARGS)

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# A stamp per set of extras, renewed when pyproject.toml changes.
$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(PIP) install -e ".[cli,plots]"
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	$(PIP) install -e ".[test]"
	@touch $@

$(VENV)/.bench: pyproject.toml | $(VENV)/bin/python
	$(PIP) install -e ".[bench]"
	@touch $@

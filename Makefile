# Each target sets itself up in .venv: on a fresh machine with Python 3.11 or newer, `make demo` is
# all there is to type. Another interpreter: make demo PYTHON=/path/to/python
PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3.13 python3,$(shell command -v $(name))))
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Small matrix products are faster on one thread, and timings steadier.
export OPENBLAS_NUM_THREADS ?= 1
export OMP_NUM_THREADS ?= 1

# Where real data lies beside the repository, tests, papers and benchmarks read it.
export NOVIKOFF_DATA ?= $(wildcard $(abspath ../shared/data))

.PHONY: demo test lint types bench papers format clean

demo: $(VENV)/.demo
	$(BIN)/novikoff demo

test: lint types
	$(BIN)/python -m pytest -m "not slow" -n auto --dist loadfile $(PYTEST_ARGS)

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

# What the papers' tables must show, then every table and figure whole, a page each; hours.
papers: $(VENV)/.test
	$(BIN)/python -m pytest -m slow $(PYTEST_ARGS)
	@mkdir -p reproduced; failed=0; \
	for key in $$($(BIN)/python -c 'from novikoff.papers import EXPERIMENTS; print(*sorted(EXPERIMENTS))'); do \
	  $(BIN)/novikoff reproduce $$key --output reproduced/$$key.html || failed=1; \
	done; exit $$failed

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache

$(VENV)/bin/python:
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "novikoff needs Python 3.11 or newer, and '$(PYTHON)' is not: install it, or name one with PYTHON=/path/to/python" >&2; \
	  exit 1; }
	@"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# A stamp per set of extras, renewed when pyproject.toml changes.
$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(PIP) install -e ".[cli]"
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	$(PIP) install -e ".[test]"
	@touch $@

$(VENV)/.bench: pyproject.toml | $(VENV)/bin/python
	$(PIP) install -e ".[bench]"
	@touch $@

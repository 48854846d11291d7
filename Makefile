# Each target works on a fresh machine that has Python 3.11 or later and make: the environment is made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

.PHONY: demo test check bench docs clean

demo: $(VENV)/.ready
	$(BIN)/python examples/compressors/measure.py

# One thread of linear algebra a worker, or the workers get into each other's way; the tests of a file share what is slow to make.
test: $(VENV)/.ready
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile

check: $(VENV)/.ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/docs.py --check

docs: $(VENV)/.ready
	$(BIN)/python scripts/docs.py --write

bench: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,bench]'
	$(BIN)/python benchmarks/max_t.py
	$(BIN)/python benchmarks/report.py

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist demo-output measurand-report.html

# Every target sets up .venv from pyproject.toml on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-all lint bench bench-docs docs rocq clean

demo: $(STAMP)  ## run the main job on built-in data and show the result
	$(BIN)/exactformer demo

test: $(STAMP)  ## the default suite, under five minutes on two cores
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not slow"

test-all: $(STAMP)  ## everything, slow campaigns and fuzzing included
	$(BIN)/python -m pytest -q -n 2 --dist worksteal --timeout 7200

lint: $(STAMP)  ## ruff, mypy strict, and the layer contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)  ## every benchmark: ratios measured in one run
	for script in benchmarks/*.py; do OMP_NUM_THREADS=1 $(BIN)/python $$script || exit 1; done

bench-docs: $(STAMP)  ## every benchmark, its output into the performance page
	for script in benchmarks/*.py; do \
	  OMP_NUM_THREADS=1 $(BIN)/python $$script > docs/benchmarks/$$(basename $$script .py).txt || exit 1; done
	$(BIN)/python -c "import sys; sys.path.insert(0, 'docs'); import make; make.performance()"

docs: $(VENV)/.docs  ## the pictures, then the site, strictly
	$(BIN)/python docs/make.py
	$(BIN)/mkdocs build --strict --quiet

$(VENV)/.docs: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	touch $@

rocq:  ## build the machine-checked theories (needs coqc; installs nothing)
	$(MAKE) -C proofs_check/rocq

$(STAMP): pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	touch $@

clean:
	rm -rf $(VENV) build dist site demo .pytest_cache .mypy_cache .ruff_cache .hypothesis

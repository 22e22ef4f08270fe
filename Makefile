# Every target sets up .venv from pyproject.toml on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# what the demo needs: everything but the solvers of cvxpy, which are most of the download
DEMO := numpy python-flint sympy mpmath networkx array-api-compat click rich matplotlib
PIP := $(BIN)/python -m pip install --disable-pip-version-check

.PHONY: demo test test-all lint bench bench-docs docs rocq clean

demo: $(VENV)/.demo  ## run the main job on built-in data and show the result
	@echo "Running the demo: about ten seconds; pictures and a page go into the folder demo."
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
	$(BIN)/python -c "import sys; sys.path.insert(0, 'docs'); import make; make.performance(); make.quote()"

docs: $(VENV)/.docs  ## the pictures, then the site, strictly
	$(BIN)/python docs/make.py
	$(BIN)/mkdocs build --strict --quiet

$(VENV)/.docs: $(STAMP)
	$(PIP) --quiet -e ".[docs]"
	touch $@

rocq:  ## build the machine-checked theories (needs coqc; installs nothing)
	$(MAKE) -C proofs_check/rocq

$(VENV)/.demo: pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	@echo "Setting up $(VENV) for the demo: about 65 MB to download, a minute or so."
	test -e $(STAMP) || { $(PIP) $(DEMO) && $(PIP) --quiet --no-deps -e . ; }
	touch $@

$(STAMP): pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	@echo "Setting up $(VENV) for tests: about 210 MB to download."
	$(PIP) --quiet -e ".[test]"
	touch $@

clean:
	rm -rf $(VENV) build dist site demo .pytest_cache .mypy_cache .ruff_cache .hypothesis

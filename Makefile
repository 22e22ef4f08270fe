# Every target sets up .venv from pyproject.toml on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# what the demo needs: everything but the solvers of cvxpy, which are most of the download
DEMO := numpy python-flint sympy mpmath networkx array-api-compat click rich matplotlib
PIP := $(BIN)/python -m pip install --disable-pip-version-check

.PHONY: demo test test-all mutants floors pythons wheel lint bench bench-docs docs rocq verified clean

demo: $(VENV)/.demo  ## run the main job on built-in data and show the result
	@echo "Running the demo: under a minute; pictures and a page go into the folder demo."
	$(BIN)/exactformer demo

test: $(STAMP)  ## the default suite, under five minutes on two cores
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not slow"

test-all: $(STAMP)  ## everything, slow campaigns, fuzzing and planted bugs included
	$(BIN)/python -m pytest -q -n 2 --dist worksteal --timeout 7200
	$(MAKE) mutants

mutants: $(STAMP)  ## the planted bugs that tell a story, then the score of every room from a fresh sample of mutants
	OMP_NUM_THREADS=1 $(BIN)/python tests/mutants/run.py --stories --workers 2
	OMP_NUM_THREADS=1 $(BIN)/python tests/mutants/run.py --workers 2

# the part of the suite that every version of every dependency must pass
QUICK := tests/unit tests/laws tests/cli/test_limit.py tests/cli/test_simulate.py tests/cli/test_sample.py \
  tests/cli/test_run_export_crosscheck.py tests/checker/test_corpus.py \
  tests/checker/test_short_cuts.py tests/checker/test_sequence_text.py exactformer
quick = $(1)/bin/python -m pytest -q -n 2 -m "not slow" -p no:cacheprovider $(QUICK)

floors: $(BIN)/uv  ## the quick part of the suite on the lowest versions that pyproject.toml allows
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-lowest
	$(BIN)/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct -e ".[test]"
	$(call quick,.venv-lowest)

pythons: $(BIN)/uv  ## the quick part of the suite on every supported Python that is installed (by pyenv, too)
	for version in 3.11 3.12 3.13; do \
	  PATH="$$(ls -d $$HOME/.pyenv/versions/$$version.*/bin 2>/dev/null | tail -1):$$PATH"; \
	  python$$version -c "" 2>/dev/null || { echo "Python $$version is not installed here"; continue; }; \
	  $(BIN)/uv venv --quiet --clear --python "$$(command -v python$$version)" .venv-python && \
	  $(BIN)/uv pip install --quiet --python .venv-python/bin/python -e ".[test]" && \
	  $(call quick,.venv-python) || exit 1; done

wheel: $(BIN)/uv  ## a wheel installed from nothing, outside this tree, and tried, types included
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python tests/architecture/try_wheel.py

$(BIN)/uv: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

lint: $(STAMP)  ## ruff, mypy strict, the layer contract, and spelling
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell README.md CHANGELOG.md docs exactformer proofs_check/*.md proofs_check/*.py proofs_check/*/*.py tests/README.md

bench: $(STAMP)  ## every benchmark: ratios measured in one run
	for script in benchmarks/*.py; do OMP_NUM_THREADS=1 $(BIN)/python $$script || exit 1; done

bench-docs: $(STAMP)  ## every benchmark, its output into the performance page
	for script in benchmarks/*.py; do \
	  OMP_NUM_THREADS=1 $(BIN)/python $$script > docs/benchmarks/$$(basename $$script .py).txt || exit 1; done
	$(BIN)/python -c "import sys; sys.path.insert(0, 'docs'); import make, performance; performance.write(); make.quote()"

docs: $(VENV)/.docs  ## the pictures, then the site, strictly
	OMP_NUM_THREADS=1 $(BIN)/python docs/make.py
	$(BIN)/mkdocs build --strict --quiet

$(VENV)/.docs: $(STAMP)
	$(PIP) --quiet -e ".[docs]"
	touch $@

rocq:  ## build the machine-checked theories (needs coqc; installs nothing)
	$(MAKE) -C proofs_check/rocq

verified:  ## the checker proved sound as a native program, and for pages (needs coqc, OCaml, Zarith; for pages js_of_ocaml; installs nothing)
	$(MAKE) -C proofs_check/verified

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
	rm -rf $(VENV) .venv-lowest .venv-python build dist site demo .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Every target makes the environment it needs; nothing is installed again unless a version changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Also where bytecode is forbidden, as in many containers: tests start some 200 processes, and each would
# compile all source again.
export PYTHONDONTWRITEBYTECODE :=
# A file that does not have the hash of its lock is refused; nothing is fetched for a build. A lock names
# every package that is needed, so pip does not resolve dependencies (--no-deps): for a dependency with an
# extra, such as coverage[toml], pip would choose the newest version, which no lock has.
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation
INSTALL_EMPTY = $(VENV)/empty/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation
INSTALL_ANNIF = $(VENV)/annif/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation
INSTALL_RECIPES = $(VENV)/recipes/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation
LOCKED = $(INSTALL) --no-deps --require-hashes --requirement
RESOLVE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--no-annotate --custom-compile-command "make lock"
HASHED = $(RESOLVE) --generate-hashes --constraint $(VERSIONS)
VERSIONS = $(VENV)/versions.txt
# Recipes have a lock of their own: their libraries would hold back the versions of all others. So has
# Annif, which needs an earlier scikit-learn than labelwise and is only run as a program.
EXTRAS = test bench docs fuzz
# The extras of the program itself, without a cluster.
RUN = cli reports save

.PHONY: demo test lint format test-random test-nojit test-bounds test-lowest test-newest bench bench-record bench-decisions bench-shift bench-coverage bench-guarantees bench-scale bench-texts docs fuzz studies test-recipes release-check lock clean

demo: $(VENV)/.run  ## the product in one minute, on bundled data
	@$(BIN)/labelwise demo

test: lint  ## every check
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m pytest -q tests/test_docstrings.py

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

test-random: $(VENV)/.test  ## the tests with other random examples in every run
	LABELWISE_EXAMPLES=random $(BIN)/python -m pytest -n 2

test-nojit: $(VENV)/.test  ## kernels as plain Python, for coverage
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 -o xfail_strict=false --cov --cov-report=term-missing:skip-covered

test-bounds: $(VENV)/.test  ## kernels with array bounds checked, in a cache of their own
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.numba-bounds $(BIN)/python -m pytest -n 2

# Versions that no lock has, in environments of their own; PYTHON=python3.13 tries another Python. PART are the
# tests nearest to other packages: input checks, files, tables, measures, curves and saved models.
PART ?= tests/test_extras.py tests/validation tests/io tests/tables tests/curves tests/measures tests/saving
RESOLUTION_lowest = lowest-direct
RESOLUTION_newest = highest
# New releases of other packages warn about old ones.
OPTIONS_lowest = -W default::DeprecationWarning

test-lowest test-newest: test-%: $(VENV)/.lock  ## a part of the tests with the lowest versions of pyproject.toml, or the newest
	$(PYTHON) -m venv --clear $(VENV)/$*
	$(BIN)/uv pip install --quiet --python $(VENV)/$*/bin/python --resolution $(RESOLUTION_$*) --editable '.[test]'
	NUMBA_CACHE_DIR=$(abspath $(VENV))/$*/numba $(VENV)/$*/bin/python -m pytest -n 2 $(OPTIONS_$*) $(PART)

bench: $(VENV)/.bench  ## speed beside the peers, and what became slower since the last record
	$(BIN)/python -m benchmarks

bench-record: $(VENV)/.bench  ## the same, and write the ratios to benchmarks/results.json
	$(BIN)/python -m benchmarks --record

bench-decisions: $(VENV)/.bench  ## thresholds and blends on unseen data; hours the first time, then minutes
	$(BIN)/python -m benchmarks decisions at_k blend

bench-shift: $(VENV)/.bench  ## thresholds after a shift of label frequencies; minutes
	$(BIN)/python -m benchmarks label_shift

bench-coverage: $(VENV)/.bench  ## how often intervals hold the value on new rows; half an hour
	$(BIN)/python -m benchmarks coverage

bench-guarantees: $(VENV)/.bench  ## how often guarantees are broken on new rows; hours, fewer with BENCH_DRAWS=100
	$(BIN)/python -m benchmarks guarantees guarantees_real certified_line deployment deployment_real slices incomplete_labels real_results

bench-scale: $(VENV)/.bench  ## time and memory against size: out of core, half a million labels, splits; minutes
	$(BIN)/python -m benchmarks scale_engine scale_labels cluster_simulation

bench-texts: $(VENV)/.bench  ## labelwise fit on raw texts beside scikit-learn; half an hour, fewer with BENCH_SETS=hoc
	$(BIN)/python -m benchmarks texts

studies: $(VENV)/.run  ## the published tables, reproduced
	$(BIN)/python -m studies

docs: $(VENV)/.docs  ## the pages, in docs/_build; warnings are errors
	$(BIN)/python -m sphinx -W --keep-going -q docs docs/_build

test-recipes:  ## docs/recipes with their libraries, in an environment of its own of 6 GB
	$(PYTHON) -m venv $(VENV)/recipes
	$(INSTALL_RECIPES) --no-deps --require-hashes --requirement locks/build.txt
	$(INSTALL_RECIPES) --no-deps --require-hashes --requirement locks/recipes.txt
	$(INSTALL_RECIPES) --no-deps --editable .
	$(PYTHON) -m venv $(VENV)/annif
	$(INSTALL_ANNIF) --no-deps --require-hashes --requirement locks/build.txt
	$(INSTALL_ANNIF) --no-deps --require-hashes --requirement locks/annif.txt
	-$(VENV)/annif/bin/python -m nltk.downloader -q punkt_tab
	ANNIF=$(VENV)/annif/bin/annif $(VENV)/recipes/bin/python -m pytest -q tests/test_recipes.py

release-check: $(VENV)/.build  ## the wheel and the sdist, each installed into an empty environment and tried
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist
	for package in dist/labelwise-*.whl dist/labelwise-*.tar.gz; do \
	  echo "Trying $$package ..." && rm -rf $(VENV)/empty && $(PYTHON) -m venv $(VENV)/empty && \
	  $(INSTALL_EMPTY) --no-deps --require-hashes --requirement locks/build.txt && \
	  $(INSTALL_EMPTY) --no-deps --require-hashes --requirement locks/run.txt && \
	  $(INSTALL_EMPTY) --no-deps $$package && \
	  $(VENV)/empty/bin/python -I tests/release_smoke.py || exit 1; done
	rm -rf $(VENV)/empty

fuzz: $(VENV)/.fuzz  ## some minutes of hostile files
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m fuzz.readers -max_total_time=60 -max_len=4096 -timeout=10
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m fuzz.models -max_total_time=60 -timeout=30
	$(BIN)/python -m fuzz.models --files 60

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.build $(VENV)/.lock: $(VENV)/.%: locks/%.txt $(VENV)/bin/python
	@echo "Setting up $(VENV) (once; a minute or two) ..."
	$(LOCKED) $<
	@touch $@

$(VENV)/.run $(VENV)/.test $(VENV)/.bench $(VENV)/.docs $(VENV)/.fuzz: $(VENV)/.%: locks/%.txt pyproject.toml $(VENV)/.build
	$(LOCKED) $<
	$(INSTALL) --no-deps --editable .
	@touch $@

lock: $(VENV)/.lock  ## the newest versions that pyproject.toml allows, the same in all locks
	$(RESOLVE) pyproject.toml $(addprefix --extra ,$(EXTRAS)) --group build --group lock --upgrade \
	  --output-file $(VERSIONS)
	$(HASHED) pyproject.toml $(addprefix --extra ,$(RUN)) --output-file locks/run.txt
	for group in build lock; do \
	  $(HASHED) --group $$group --output-file locks/$$group.txt || exit 1; done
	for extra in $(EXTRAS); do \
	  $(HASHED) pyproject.toml --extra $$extra --output-file locks/$$extra.txt || exit 1; done
	$(RESOLVE) --generate-hashes pyproject.toml --extra recipes --upgrade --output-file locks/recipes.txt
	echo "annif>=1.4" | $(RESOLVE) --generate-hashes --upgrade --output-file locks/annif.txt -

clean:
	rm -rf $(VENV) .numba-bounds .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Two commands for a newcomer: `make demo` and `make test`. Needs python3 >= 3.11 and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Small enough to run without compilation; tests/slow.py lists the exceptions among them.
KERNEL_TESTS := $(addprefix tests/,text encoding features inference learning deid/patterns) \
  tests/models/test_scoring.py $(wildcard $(addprefix tests/models/*/test_,objective.py variational.py \
  sticks.py rare_words.py rare_functions.py ppm.py states.py word_classes.py interpolation.py start.py em.py))

.PHONY: help demo test test-integrations quick coverage stress check format lock sbom clean

help:
	@echo "make demo      what lacuna does, on three notes"
	@echo "make test      run the tests"
	@echo "make quick     run the tests that are not slow, about a minute"
	@echo "make coverage  run the tests and print the share of lines that they run"
	@echo "make test-integrations  run the tests of adapters to other tools, in an environment of their own"
	@echo "make stress    kill runs, edits and servers, load a server, damage model files, check bounds"
	@echo "make check     lint, types, layers, sizes"
	@echo "make format    rewrite the code in house style"
	@echo "make lock      choose the versions that CI installs, with hashes: requirements/"
	@echo "make sbom      list what lacuna depends on: dist/lacuna.cdx.json (CycloneDX)"
	@echo "make clean     remove what make made"

# --- environments -------------------------------------------------------------------------------
# One virtual environment; a stamp file says what was last installed into it. pip shows its progress:
# a first installation downloads about 150 MB. With CI set, exactly the locked versions are installed.
PIP := $(BIN)/pip --disable-pip-version-check install
LOCKED := requirements/ci.txt
INTEGRATIONS := $(VENV)-integrations
LOCKED_INTEGRATIONS := requirements/integrations.txt

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lacuna needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	$(PIP) --editable .
	@$(BIN)/python -m compileall -q src  # commands start sooner, even where Python may not write
	@touch $@

$(VENV)/.dev: pyproject.toml $(LOCKED) | $(BIN)/python
ifdef CI
	$(PIP) --quiet --require-hashes --only-binary :all: --requirement $(LOCKED)
	$(PIP) --quiet --no-deps --no-build-isolation --editable .
	$(BIN)/pip check
else
	$(PIP) --editable '.[dev]'
endif
	@$(BIN)/python -m compileall -q src
	@touch $@ $(VENV)/.core

$(INTEGRATIONS)/.ready: pyproject.toml $(LOCKED_INTEGRATIONS) | $(BIN)/python
	$(PYTHON) -m venv $(INTEGRATIONS)
ifdef CI
	$(INTEGRATIONS)/bin/pip --disable-pip-version-check install --quiet --require-hashes --only-binary :all: \
	  --no-binary pyspark --requirement $(LOCKED_INTEGRATIONS)
	$(INTEGRATIONS)/bin/pip --disable-pip-version-check install --quiet --no-deps --no-build-isolation --editable .
else
	$(INTEGRATIONS)/bin/pip --disable-pip-version-check install --editable '.[integrations]'
endif
	@touch $@

# --- commands -----------------------------------------------------------------------------------
demo: $(VENV)/.core
	$(BIN)/lacuna demo

test: $(VENV)/.dev
	$(BIN)/pytest --numprocesses 2 --dist worksteal

test-integrations: $(INTEGRATIONS)/.ready
	LACUNA_REQUIRE=$(LACUNA_REQUIRE),integrations $(INTEGRATIONS)/bin/pytest -p no:cacheprovider tests/integrations

quick: $(VENV)/.dev
	$(BIN)/pytest --quiet --numprocesses 2 -m 'not slow' --hypothesis-profile quick \
	  --ignore tests/test_architecture.py

# Compiled kernels are invisible to coverage, so their own tests run a second time as plain Python.
# One thread: Python cannot trace threads that start at the same moment.
coverage: $(VENV)/.dev
	$(BIN)/coverage erase
	LACUNA_THREADS=1 $(BIN)/pytest --quiet --numprocesses 2 --cov --cov-report=
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest --quiet --numprocesses 2 --cov --cov-append --cov-report= $(KERNEL_TESTS)
	@echo "lines covered: $$($(BIN)/coverage report --format=total) %"

# Kernels that check bounds are compiled apart: numba does not tell them from the others in its cache.
STRICT := NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(VENV)/strict-kernels
stress: $(VENV)/.dev
	$(BIN)/python -m tests.archive.kills 50
	$(BIN)/python -m tests.web.kills 30
	$(BIN)/python -m tests.web.http_kills 30
	$(BIN)/python -m tests.web.load 60
	$(STRICT) $(BIN)/pytest --quiet --numprocesses 2 --hypothesis-profile quick -m 'not slow' \
	  $(addprefix tests/,text features inference learning models)
	$(STRICT) $(BIN)/python -m tests.models.mutations 200

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest --quiet tests/test_architecture.py

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# --- supply chain -------------------------------------------------------------------------------
# The versions are chosen by uv, for Python 3.11 and newer on every platform, in an environment of
# its own. ci.txt: all that checks and tests need, the build backend too; run.txt: lacuna alone.
LOCK_TOOLS := $(VENV)-lock
COMPILE := $(LOCK_TOOLS)/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 \
  --generate-hashes --no-annotate --no-config --custom-compile-command 'make lock' pyproject.toml

lock:
	$(PYTHON) -m venv $(LOCK_TOOLS)
	$(LOCK_TOOLS)/bin/pip install --quiet --disable-pip-version-check uv
	$(COMPILE) $(addprefix --extra ,dev arrow parquet serve) --output-file $(LOCKED)
	$(COMPILE) --constraints $(LOCKED) --extra integrations --output-file $(LOCKED_INTEGRATIONS)
	$(COMPILE) --constraints $(LOCKED) --output-file requirements/run.txt
	rm -rf $(LOCK_TOOLS)

sbom: $(VENV)/.dev
	$(BIN)/python requirements/sbom.py dist/lacuna.cdx.json

clean:
	rm -rf $(VENV) $(INTEGRATIONS) $(LOCK_TOOLS) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*

# Two commands for a newcomer: `make demo` and `make test`. Needs python3 >= 3.11 and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help demo test stress check format clean

help:
	@echo "make demo    what lacuna does, on notes it makes up"
	@echo "make test    run the tests"
	@echo "make stress  kill runs again and again, and continue them"
	@echo "make check   lint, types, layers, sizes"
	@echo "make format  rewrite the code in house style"
	@echo "make clean   remove what make made"

# --- environments -------------------------------------------------------------------------------
# One virtual environment; a stamp file says what was last installed into it.
$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lacuna needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	$(BIN)/python -m compileall -q src  # commands start sooner, also where Python may not write
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(BIN)/python -m compileall -q src
	@touch $@ $(VENV)/.core

# --- commands -----------------------------------------------------------------------------------
demo: $(VENV)/.core
	$(BIN)/lacuna demo

test: $(VENV)/.dev
	$(BIN)/pytest --numprocesses 2

stress: $(VENV)/.dev
	$(BIN)/python -m tests.archive.kills 50

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest --quiet tests/test_architecture.py

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

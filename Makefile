# `make` alone lists the targets. Needed: python3 (3.11 or newer), git, make, a package index.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
USABLE := $(VENV)/.usable
ARGS ?=
# Two for each core: most tests wait for the disk or for a program half of their time.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(2 * (os.cpu_count() or 1))' 2>/dev/null)

export PIP_DISABLE_PIP_VERSION_CHECK = 1
# Each worker of the test suite would compile every test anew: a minute on two cores.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo install test check lint types imports shape bench bench-peers bench-fleet proof matrix mutations torture chaos agents setup clean FORCE

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile

demo: $(USABLE) ## a whole workflow on a small real project, without a model, a key or a network
	@$(BIN)/podium demo $(ARGS)

# Agents, browsers and servers keep time: beside as many other tests as the machine can take they would be late.
OTHERS := agents or browser or fleet
# All of them are here (tests/test_groups.py holds to that); to look for them among the rest takes each worker a quarter of a minute.
PLACES := tests/agents/contract tests/fleet tests/web
FEWER ?= $(shell $(PYTHON) -c 'import os; print((3 * (os.cpu_count() or 1) + 1) // 2)' 2>/dev/null)

test: $(STAMP) ## the whole test suite (ARGS="-k name" for a part)
ifeq ($(strip $(ARGS)),)
	@failed=0; \
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m "not ($(OTHERS))" || failed=1; \
	$(BIN)/python -m pytest -n $(FEWER) --dist loadgroup -m "$(OTHERS)" $(PLACES) || failed=1; \
	exit $$failed
else
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup $(ARGS)
endif

check: lint types imports shape ## everything that judges the code without running it

lint: $(STAMP) ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP) ## mypy, strict
	$(BIN)/mypy src bench scripts

imports: $(STAMP) ## import-linter: layers, purity, no cycles (.importlinter)
	$(BIN)/lint-imports --no-cache --no-logo

shape: $(STAMP) ## sizes, names, open ends (scripts/shape.py)
	$(BIN)/python scripts/shape.py src scripts bench

BENCHES := overhead startup resume roadmap fan_out memory ui views

bench: $(STAMP) ## overhead of a step, fan-out, start-up, list, resume, memory, views; as ratios (bench/README.md)
	@failed=0; for each in $(BENCHES); do $(BIN)/python -m bench.$$each || failed=1; done; exit $$failed

bench-fleet: $(STAMP) ## a step on a worker against one alone, and 1 to 4 workers; writes docs/fleet-benchmarks.md
	$(BIN)/python -m bench.fleet --write

bench-peers: $(STAMP) ## the same work on LangGraph, DBOS, Prefect and Burr, in turns; writes docs/benchmarks.md
	$(BIN)/python -m bench.compare --write

proof: $(STAMP) ## a million steps against hostile agents, and their figures into docs/proof.md
	$(BIN)/podium simulate all --hostile --json > .proof.json
	$(BIN)/python -m json.tool --indent 2 .proof.json docs/proof.json && rm .proof.json
	$(BIN)/python scripts/docs.py

matrix: $(STAMP) ## real projects, agents that lie about them, and whether anybody believes them (ARGS="--projects perl --lies skips")
	@failed=0; \
	$(BIN)/python -m scripts.matrix $(ARGS) || failed=1; \
	$(BIN)/python scripts/docs.py || failed=1; \
	exit $$failed

mutations: $(STAMP) ## break one rule at a time in a copy; a test must notice each; results into docs/ (ARGS="--jobs 2")
	@failed=0; \
	$(BIN)/python scripts/mutations.py $(ARGS) || failed=1; \
	$(BIN)/python scripts/docs.py || failed=1; \
	exit $$failed

torture: $(STAMP) ## faults of disk, power, git, clock and agents on every workflow, long fuzzing, then every death (ARGS="--seed 7" for one alone)
	$(BIN)/python -m tests.faults.torture $(ARGS)

chaos: $(STAMP) ## a fleet of three workers and 20 runs, while a seed kills, stops and heals all parts (ARGS="--engine temporal --seed 7")
	$(BIN)/python -m tests.fleet.chaos $(ARGS)

agents: $(STAMP) ## pinned real agents into .agents, for the tests that drive them (ARGS="claude codex" for a part)
	$(BIN)/python scripts/agents.py $(ARGS)

setup: $(STAMP) ## .venv with everything in it, also what the tests need

PREFIX ?= $(HOME)/.local

install: $(USABLE) ## `podium`, and nothing else, in ~/.local/bin (PREFIX=/usr/local for another place)
	@mkdir -p "$(PREFIX)/bin"
	@if [ -e "$(PREFIX)/bin/podium" ] && [ ! -L "$(PREFIX)/bin/podium" ]; then \
	  echo "podium: $(PREFIX)/bin/podium is there and is no link; move it away, or name another place: make install PREFIX=…" >&2; exit 1; \
	fi
	@ln -sfn "$(CURDIR)/$(BIN)/podium" "$(PREFIX)/bin/podium"
	@echo "podium: $(PREFIX)/bin/podium leads to $(CURDIR)/$(BIN)/podium"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo "podium: $(PREFIX)/bin is not on your PATH yet" ;; esac

clean: ## .venv, caches and what was built
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .hypothesis .import_linter_cache bench/.work
	find src tests bench scripts -name __pycache__ -type d -prune -exec rm -rf {} +

# -- the environment

VERSION := import sys; print("%d.%d" % sys.version_info[:2])
RECENT := import sys; sys.exit(sys.version_info < (3, 11))
OURS := import os, podium; print(os.path.samefile(os.path.dirname(podium.__file__), "src/podium"))

# A stamp is worth nothing if the environment behind it is broken, was moved, or is of another Python than asked for.
ifneq ($(wildcard $(USABLE)),)
ifneq ($(filter-out help clean,$(MAKECMDGOALS)),)
ifneq ($(shell $(BIN)/python -c '$(OURS)' 2>/dev/null),True)
$(USABLE): FORCE
endif
ifneq ($(origin PYTHON),file)
ifneq ($(shell $(PYTHON) -c '$(VERSION)' 2>/dev/null),$(shell $(BIN)/python -c '$(VERSION)' 2>/dev/null))
$(USABLE): FORCE
endif
endif
endif
endif

# Who only wants to see Podium need not wait for what its tests, with their browsers and servers, take: that is most of it.
$(USABLE): pyproject.toml
	@command -v $(PYTHON) >/dev/null 2>&1 || \
	  { echo "podium: there is no '$(PYTHON)' here; install Python 3.11 or newer, or name one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c '$(RECENT)' || \
	  { echo "podium: $(PYTHON) is $$($(PYTHON) -c '$(VERSION)'), and Podium needs 3.11 or newer; name another one: make PYTHON=python3.12" >&2; exit 1; }
	@wanted=$$($(PYTHON) -c '$(VERSION)'); \
	if [ "$$($(BIN)/python -c '$(VERSION)' 2>/dev/null)" != "$$wanted" ] || ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
	  echo "podium: making $(VENV) with Python $$wanted"; \
	  rm -rf $(VENV) && $(PYTHON) -m venv $(VENV); \
	fi
	@echo "podium: installing Podium into $(VENV)"
	@$(BIN)/python -m pip install -q --upgrade pip
	@$(BIN)/python -m pip install -q -e .
	@$(BIN)/python -m compileall -q src
	@touch $(USABLE)

$(STAMP): $(USABLE)
	@echo "podium: installing what tests, linters and benchmarks need; this can take some minutes"
	@$(BIN)/python -m pip install -q -e '.[dev]'
	@touch $(STAMP)

FORCE:

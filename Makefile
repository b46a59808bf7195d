# Moorage. `make` alone lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-fast test-slurm test-faults check boundaries docs gen bench lock format

VENV ?= .venv
BIN := $(VENV)/bin
PYTHON := $(BIN)/python
ARGS ?=

# Two test processes, or more where there are cores for them; each has a database of its own.
WORKERS ?= $(shell n=$$(nproc); echo $$(( n < 2 ? 2 : n > 8 ? 8 : n )))
PYTEST := $(BIN)/pytest -q
PARALLEL := -n $(WORKERS) --dist loadfile
FAST := not lab and not slow
# What pytest ends with where ARGS leave no test.
NONE_THERE := 5

# A process of the platform reads a thousand modules; compiled ones are read in half the time. They
# are kept aside, whatever the environment says, so that none lies between the sources.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/.cache/bytecode
# The tools look at this tree, wherever the packages may be installed from.
export PYTHONPATH := $(CURDIR):$(CURDIR)/core/src:$(CURDIR)/sdk/src:$(CURDIR)/cli/src:$(CURDIR)/manifest/src:$(CURDIR)/lab/src:$(CURDIR)/agent/src:$(CURDIR)/conformance/src:$(CURDIR)/apps/echo/src:$(CURDIR)/apps/fixtures/peers/src:$(CURDIR)/apps/fixtures/trio/src:$(CURDIR)/apps/slurm/src

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install everything this clone needs (quick when nothing changed)
	@tools/setup.sh

demo: setup ## Start the platform and walk through it (ARGS=--once: then stop)
	@$(PYTHON) tools/demo.py $(ARGS)

test: setup ## Set up, then run all tests but the kit over Slurm, in lanes side by side
	@WORKERS=$(WORKERS) $(PYTHON) -m tools.lanes $(ARGS)

test-fast: setup ## Tests that need no lab and no browser, in a few minutes
	$(PYTEST) $(PARALLEL) -m "$(FAST)" $(ARGS)

# The kit publishes Slurm itself, which can be done once on a platform: it gets one of its own.
test-slurm: setup ## Clusters of Slurm on real hosts, and then the conformance kit over Slurm
	$(PYTEST) -m "slurm and not kit" tests/slurm $(ARGS) || [ $$? -eq $(NONE_THERE) ]
	$(PYTEST) -m kit tests/slurm $(ARGS) || [ $$? -eq $(NONE_THERE) ]

test-faults: setup ## The whole fault matrix; what was run stands in tests/faults/report/
	FAULTS=all $(PYTEST) -s tests/faults conformance/tests/test_run.py $(ARGS)
	SWEEP=all $(PYTEST) tests/slurm/test_trouble.py

check: setup ## Format, lint, types, boundaries, generated files, the console, links of the docs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(MAKE) --no-print-directory boundaries
	$(PYTHON) -m tools.lint
	$(BIN)/basedpyright
	$(PYTHON) -m tools.gen --check
	$(PYTHON) -m tools.docs --check
	cd console && PATH=$(CURDIR)/$(BIN):$$PATH && npm run --silent lint && npm run --silent types && npm run --silent gen -- --check && npm run --silent test

boundaries: ## App words in the platform, hosts in lock files, import contracts
	@crossed=0; \
	$(PYTHON) -m tools.boundary || crossed=1; \
	$(BIN)/lint-imports --no-logo || crossed=1; \
	exit $$crossed

docs: setup ## Build the docs site that the platform serves, and check its links
	$(PYTHON) -m tools.docs --check

gen: setup ## Regenerate the contract, SDK models and reference pages
	$(PYTHON) -m tools.gen
	cd console && PATH=$(CURDIR)/$(BIN):$$PATH npm run --silent gen

bench: setup ## Measure; results in bench/results/
	$(PYTHON) -m bench.run $(ARGS)

lock: setup ## Resolve the dependencies anew into requirements/*.lock
	tools/lock.sh

format: setup ## Format the code and mend what ruff can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

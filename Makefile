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
# Hosts of a lab are waited for most of the time, and what is slow without hosts waits as well: these
# lanes run beside the fast one, which yields to them. The browser comes last: people do not look at
# pages on a machine that is this busy, and what it waits for comes too late.
ON_HOSTS := "lab and not slurm and not browser and not kit and not tutorial" tutorial
SLOW := slow and not lab
FAST := not lab and not slow

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

test: setup ## Set up, then run every test but those of test-slurm
	@said=$$(mktemp -d); trap 'rm -rf $$said' EXIT; trap 'wait; cat $$said/*; exit 130' INT; lanes=; codes=; \
	for marks in $(ON_HOSTS); do \
		env --default-signal=INT $(PYTEST) -m "$$marks" $(ARGS) >"$$said/$$marks" 2>&1 & lanes+=" $$!"; \
	done; \
	env --default-signal=INT nice $(PYTEST) $(PARALLEL) -m "$(SLOW)" $(ARGS) >"$$said/slow" 2>&1 & lanes+=" $$!"; \
	nice $(PYTEST) $(PARALLEL) -m "$(FAST)" $(ARGS); codes+=$$?; \
	for lane in $$lanes; do wait $$lane; codes+=$$?; done; cat $$said/*; \
	$(PYTEST) -m browser $(ARGS); codes+=$$?; \
	case $$codes in *[!05]*) exit 1 ;; *0*) ;; *) exit 1 ;; esac # 5: ARGS names none of these

test-fast: setup ## Tests that need no lab and no browser, in a few minutes
	$(PYTEST) $(PARALLEL) -m "$(FAST)" $(ARGS)

test-slurm: setup ## Clusters of Slurm on real hosts, and what the conformance kit says of them; as root
	$(PYTEST) -m "slurm or kit" tests/slurm $(ARGS)

test-faults: setup ## The whole fault matrix; what was run stands in tests/faults/report/
	FAULTS=all $(PYTEST) -s tests/faults $(ARGS)

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

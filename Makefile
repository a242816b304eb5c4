# The few commands of this repository; `make` alone lists them.
#
# Needed on the machine: make, Python 3.11 or newer with its headers, and a C++ compiler, because hnswlib
# is compiled at install time. Another interpreter: `make test PYTHON=python3.13`.

PYTHON ?= python3
VENV = .venv
RUN = $(VENV)/bin/python
INSTALLED = $(VENV)/.installed

# An editable install in setuptools' default mode works with our package mapping: the links in smriti_es/
# lead to events/ and projections/, and the migrations are found by path. `editable_mode=compat` is not
# used because it would put the repository's root on sys.path, and with it a top-level `events`.
INSTALL = $(RUN) -m pip install --quiet --disable-pip-version-check --editable '.[dev,langchain,langgraph,mcp,minilm,multilingual,openai-agents,otel,postgres,pydantic-ai,server,ui,vault,zstd,bench,docs]'

# The folders whose tests have a long form.
GUARANTEES = tests/contract tests/crash tests/events tests/projections tests/properties

.DEFAULT_GOAL = help
.PHONY: help demo test check site guarantees mutation bench coverage wheel clean

help: ## List these commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{printf "  make %-11s %s\n", $$1, $$2}'

demo: $(INSTALLED) ## Ingest a conversation, answer from it, verify the log, rebuild
	@$(VENV)/bin/smriti-es demo

test: $(INSTALLED) ## Run the whole test suite on both databases (about a quarter of an hour on 2 cores)
	$(RUN) -m pytest -q -n 2

check: $(INSTALLED) ## Lint, check the format and the types, build the documentation strictly
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(RUN) -m mkdocs build

site: $(INSTALLED) ## Build the documentation, with the reference, into build/site
	$(RUN) -m mkdocs build
	@echo build/site/index.html

guarantees: $(INSTALLED) ## Run the crash tests and the properties at full length (an hour or so)
	SMRITI_ES_GUARANTEES=1 $(RUN) -m pytest -q -o faulthandler_timeout=7200 $(GUARANTEES)

mutation: $(INSTALLED) ## Try whether the tests notice small faults in codec, chain, tree and verifiers (an hour)
	nice $(RUN) -m bench.mutation

bench: $(INSTALLED) ## Run every benchmark and write bench/results/
	$(RUN) -m bench all

coverage: $(INSTALLED) ## Run the tests and report what they do not reach
	$(RUN) -m coverage run -m pytest -q
	$(RUN) -m coverage report

wheel: $(INSTALLED) ## Build sdist and wheel into dist/ and test the wheel in a bare environment
	rm -rf build dist
	$(RUN) -m build --quiet --outdir dist .
	.ci/wheel_check dist/*.whl

clean: ## Remove everything that these commands made
	rm -rf $(VENV) build dist *.egg-info htmlcov .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name .git -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "smriti-es needs Python 3.11 or newer, and $(PYTHON) is not. Name one: make PYTHON=python3.13" >&2; \
	  exit 1; }
	$(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV); this takes a minute or two."
	@$(INSTALL) || { echo "pip failed; trying once more." >&2; sleep 5; $(INSTALL); } || { \
	  echo "The install failed. If it was hnswlib: it needs a C++ compiler and Python's headers" >&2; \
	  echo "(on Debian: apt-get install g++ python3-dev)." >&2; exit 1; }
	@touch $@

# `make help` lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
OTHERS := $(VENV)/others
FINETUNE := $(VENV)/finetune
SPARK := $(VENV)/spark
PROVIDER := $(VENV)/provider
LOWEST := $(VENV)/lowest
TOOLS := $(VENV)/tools
DOCS := $(VENV)/docs

# The versions that the tests ran with: what is installed here today is installed tomorrow, too.
CONSTRAINTS := .ci/constraints.txt
INSTALL := -m pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS)

# A run of the tests starts hundreds of processes: what each of them imports is compiled once, also where the
# environment says that bytecode is not to be kept.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help app test test-finetune test-sign-in test-spark test-lowest test-pythons test-built test-beside test-paper test-accessible constraints audit java browser check format bench bench-beside bench-scale lights bands load calibrate crash fuzz samples schemas docs coverage results screenshots clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Set-up happens on first use, and again only when pyproject.toml or the tested versions changed.
$(READY): pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is required. Got " + sys.version.split()[0] + ". Try: make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python $(INSTALL) --editable '.[dev]'
	@touch $(READY)

app: $(READY) ## Start the app on a sample project
	$(BIN)/mandoline app

# One thread a process: threads that wait for each other would slow small matrices down a lot. One process more than
# there are cores: the one that drives a browser mostly waits for it. Whoever has nothing left takes from the others,
# so that tests that share a server, a browser or a sample stay together.
CORES := $(shell nproc 2>/dev/null || echo 2)
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
SPREAD := --dist worksteal -n $(shell expr $(CORES) + 1)
PYTEST := $(ONE_THREAD) $(BIN)/python -m pytest $(SPREAD)

test: $(READY) browser ## Run the whole test suite, including a real browser
	$(PYTEST) -m 'not long and not paper'

# PyTorch, which only fine-tuning needs, in an environment of its own. One version: an index may have a small build of
# it for processors, where a range would take a newer one with gigabytes of libraries for graphics cards.
$(FINETUNE)/.ready: pyproject.toml $(CONSTRAINTS) | $(READY)
	test -x $(FINETUNE)/bin/python || $(PYTHON) -m venv $(FINETUNE)
	$(FINETUNE)/bin/python $(INSTALL) torch==2.13.0 --editable '.[app,transformers]' hypothesis pytest
	@touch $@

test-finetune: $(FINETUNE)/.ready ## Test fine-tuning on a tiny model; installs PyTorch
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(FINETUNE)/bin/python -m pytest tests/finetune

# Spark is large, and runs in an environment of its own.
$(SPARK)/.ready: pyproject.toml $(CONSTRAINTS)
	test -x $(SPARK)/bin/python || $(PYTHON) -m venv $(SPARK)
	$(SPARK)/bin/python $(INSTALL) --editable '.[engines,spark]' hypothesis pytest
	@touch $@

test-spark: java ## Run the tests on a local Spark cluster
	@if [ -n "$$JAVA_HOME" ] || command -v java >/dev/null; then \
		$(MAKE) --no-print-directory $(SPARK)/.ready && OPENBLAS_NUM_THREADS=1 $(SPARK)/bin/python -m pytest tests/spark; \
	elif [ "$$CI" = true ]; then \
		echo "Spark needs Java, which is missing and could not be installed."; exit 1; \
	else \
		echo "No Java found: the tests on Spark are skipped. Install it (Debian: sudo apt-get install openjdk-17-jre-headless)."; \
	fi

# A provider to sign in with, a real one, in an environment of its own: it needs other versions of what we use.
$(PROVIDER)/.ready:
	test -x $(PROVIDER)/bin/python || $(PYTHON) -m venv $(PROVIDER)
	$(PROVIDER)/bin/python -m pip install --quiet --disable-pip-version-check 'canaille[front,oidc,server,sqlite]==0.3.6'
	@touch $@

test-sign-in: $(READY) $(PROVIDER)/.ready browser ## Test sign-in with a local OpenID provider
	PROVIDER=$(PROVIDER)/bin/canaille $(BIN)/python -m pytest tests/sign_in

# uv, which knows what the lowest versions are that pyproject.toml allows, and resolves for all platforms and versions of
# Python at once; pip does neither. Only these targets use it.
$(TOOLS)/.ready:
	test -x $(TOOLS)/bin/python || $(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check pip-audit uv
	@touch $@

# All extras but `transformers`, whose version of PyTorch is named above. No hashes: pip then wants one for the project
# itself, which is installed from its folder and has none.
EXTRAS = $(shell $(PYTHON) -c 'import tomllib; print(*("--extra " + name for name in \
	tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"] if name != "transformers"))')
constraints: $(TOOLS)/.ready ## Update .ci/constraints.txt to the newest versions
	{ echo '# The versions that the tests ran with. `make constraints` updates this file; then run `make test`.'; \
	$(TOOLS)/bin/uv pip compile pyproject.toml $(EXTRAS) --universal --python-version 3.11 --no-annotate --no-header --quiet \
	; } > $(TOOLS)/constraints.txt
	mv $(TOOLS)/constraints.txt $(CONSTRAINTS)

audit: $(TOOLS)/.ready ## Look up the tested versions among known vulnerabilities
	$(TOOLS)/bin/python .ci/audit.py $(CONSTRAINTS)

# The lowest versions that pyproject.toml names, of what it names itself, on the lowest Python that is here.
LOWEST_PYTHON = $(shell for python in python3.11 $(PYTHON); do $$python -c pass 2>/dev/null && echo $$python && break; done)
WITHOUT_BROWSER := tests/core tests/app mandoline_core
$(LOWEST)/.ready: pyproject.toml | $(TOOLS)/.ready
	rm -rf $(LOWEST) && $(LOWEST_PYTHON) -m venv $(LOWEST)
	$(TOOLS)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --editable '.[dev]'
	@touch $@

test-lowest: $(LOWEST)/.ready ## Run the tests without a browser on the lowest versions that pyproject.toml allows
	$(ONE_THREAD) $(LOWEST)/bin/python -m pytest $(SPREAD) -m 'not long and not paper' $(WITHOUT_BROWSER)

# A command may be there and not start: pyenv puts one up for every version it knows of.
test-pythons: ## Run the fast tests on Python 3.11 to 3.14, if installed
	@missing=''; \
	for version in 3.11 3.12 3.13 3.14; do \
		if python$$version -c pass 2>/dev/null; then \
			echo "Python $$version"; \
			test -x $(VENV)/$$version/bin/python || python$$version -m venv $(VENV)/$$version || exit 1; \
			$(VENV)/$$version/bin/python $(INSTALL) --editable '.[dev]' || exit 1; \
			$(ONE_THREAD) $(VENV)/$$version/bin/python -m pytest $(SPREAD) -q -m 'not slow and not long and not paper' $(WITHOUT_BROWSER) || exit 1; \
		else missing="$$missing $$version"; fi; \
	done; \
	test -z "$$missing" || echo "Not tested, because it is not installed: Python$$missing."

test-built: $(READY) ## Install the wheel and the sdist into new environments and test them
	$(BIN)/python -m pytest tests/core/test_wheel.py

# Whoever has these packages should need no other environment for ours.
test-beside: $(READY) $(TOOLS)/.ready ## Install the wheel beside NannyML, Fairlearn, balance and Evidently, and estimate there
	rm -rf $(TOOLS)/dist && $(BIN)/python -m build --no-isolation --wheel --outdir $(TOOLS)/dist .
	$(PYTHON) .ci/beside.py $(TOOLS)/dist/*.whl $(TOOLS)/bin/uv

test-paper: $(READY) ## Run the paper's experiments in a short form, and real cases if their data is there
	$(PYTEST) -m 'paper and not long' tests/core

test-accessible: $(READY) browser ## Test the accessibility of every page, light and dark
	$(BIN)/python -m pytest tests/browser/test_accessibility.py

# Java for Spark: the one that is here, or Debian's in continuous integration.
java:
	@if [ "$$CI" = true ] && [ -z "$$JAVA_HOME" ] && ! command -v java >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Java for the tests on Spark"; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq openjdk-17-jre-headless >/dev/null; \
	fi

# A browser for the tests: the one that is here, or Debian's where we may install it.
browser:
	@if [ -n "$$CHROMIUM" ] || command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		echo "Installing chromium for the browser tests"; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; \
	else \
		echo "No Chromium found: browser tests will be skipped. Install it (Debian: sudo apt-get install chromium),"; \
		echo "or set CHROMIUM to its path."; \
	fi

check: $(READY) ## Check format, lint, types, imports and the fast tests in about a minute
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(PYTEST) -n $(CORES) -q -m 'not slow and not long and not paper'

format: $(READY) ## Format the code and fix lint
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Packages that the benchmark compares with, in an environment of their own: they need other versions of what we use.
$(OTHERS)/.ready: | $(READY)
	test -x $(OTHERS)/bin/python || $(PYTHON) -m venv $(OTHERS)
	$(OTHERS)/bin/python -m pip install --quiet --disable-pip-version-check densratio && touch $@ || \
	echo "densratio could not be installed. The benchmark runs without it."

# Adapt takes minutes, and more to install: BENCH=--others compares with it, too.
bench: $(READY) $(OTHERS)/.ready ## Print benchmark ratios
	test -z "$(BENCH)" || $(OTHERS)/bin/python -m pip install --quiet --disable-pip-version-check adapt
	DENSITY_RATIO_PYTHON=$(OTHERS)/bin/python $(BIN)/python -m tests.benchmarks $(BENCH)

# NannyML and balance need other versions of what we use, also of each other: an environment each.
$(OTHERS)/%/bin/python: | $(TOOLS)/.ready
	$(TOOLS)/bin/uv venv --quiet --clear $(OTHERS)/$*
	$(TOOLS)/bin/uv pip install --quiet --python $@ $* $(if $(filter nannyml,$*),statsmodels)

bench-beside: $(READY) $(OTHERS)/nannyml/bin/python $(OTHERS)/balance/bin/python ## Compare lines, seconds and error with NannyML and balance
	$(ONE_THREAD) $(BIN)/python -m tests.benchmarks.beside mandoline=$(BIN)/python \
		nannyml=$(OTHERS)/nannyml/bin/python balance=$(OTHERS)/balance/bin/python

# From 1e5 to 1e8 rows, made in a temporary folder (1.5 GB) and removed; POWER=7 stops at 1e7. Writes SCALE.md.
POWER ?= 8
bench-scale: $(READY) ## Measure growth with rows, patterns and partitions into tests/benchmarks/SCALE.md
	$(BIN)/python -c 'import duckdb' 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check duckdb
	$(BIN)/python -m tests.benchmarks.scale $(POWER)

# Cases with true labels, each a folder with project files; without the folder there is nothing to do.
DATA ?= ../shared/data
RECORDS ?= $(VENV)/records.json
lights: $(READY) ## Measure coverage and error by light on real cases in DATA, and record the runs in RECORDS
	$(ONE_THREAD) $(BIN)/python -m tests.benchmarks.lights $(DATA) $(RECORDS)

# BASE says what the runs are of; MIX names the cases in which nothing changed but the mix of rows.
bands: $(READY) ## Write the table of the experience band from the runs in RECORDS (BASE="51 real cases")
	test -n "$(BASE)"
	$(BIN)/python -m tests.benchmarks.bands $(RECORDS) "$(BASE)" $(MIX) > $(VENV)/experience.toml
	mv $(VENV)/experience.toml mandoline_core/checks/experience.toml

# People at once, and how long they edit: SESSIONS=10 MINUTES=0.5 REST=5 gives a first idea.
load: $(READY) ## Measure many people editing at the same time (SESSIONS=50, MINUTES=5)
	SESSIONS=$(or $(SESSIONS),50) MINUTES=$(or $(MINUTES),5) REST=$(or $(REST),150) $(BIN)/python -m tests.benchmarks.load

calibrate: $(READY) browser ## Check interval coverage, properties on more examples and the longest app tests
	$(PYTEST) tests/calibration
	EXAMPLES=500 $(PYTEST) -m 'not long and not paper' tests/core/estimators tests/core/weighting tests/core/slices tests/core/metrics
	VISITORS=20 $(PYTEST) -m long

# What `make test` tries a few times, at length.
crash: $(READY) browser ## Kill the server, damage files and fill the disk, hundreds of times
	KILLS=200 EVERY_BYTE=1 DAMAGES=2000 SERVER_KILLS=10 $(PYTEST) -rP tests/browser/test_crash.py \
		$(foreach what,crashes power_loss damage faults schema,tests/app/project/test_$(what).py)

# INPUTS=1000 runs fewer, SEED=2 others. What fails is kept in test-results/fuzz.
INPUTS ?= 20000
SEED ?= 1
fuzz: $(READY) ## Run 20,000 damaged inputs through the command line, each within 5 s and 1 GB
	$(BIN)/python -m tests.fuzz $(INPUTS) $(SEED)

samples: $(READY) ## Regenerate the sample projects
	$(BIN)/python sample_data/generate.py

schemas: $(READY) ## Regenerate the JSON Schemas and the reference pages of the guide
	$(BIN)/python -c 'from mandoline_core.schemas import write_schemas; write_schemas()'
	$(BIN)/python -c 'from mandoline_core.reference import write_reference; write_reference()'

# The site, in an environment of its own.
$(DOCS)/.ready: pyproject.toml $(CONSTRAINTS)
	test -x $(DOCS)/bin/python || $(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python $(INSTALL) --editable '.[docs]'
	@touch $@

docs: schemas $(DOCS)/.ready ## Build the guide as a site into site/; any warning is an error
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --quiet --clean
	@echo "To read it, with search: $(PYTHON) -m http.server --directory site"

coverage: $(READY) ## Measure line coverage of the tests without a browser
	$(ONE_THREAD) $(BIN)/python -m pytest -q -n $(CORES) -m 'not long and not paper' --cov=mandoline_core --cov=app --cov-report=term:skip-covered $(WITHOUT_BROWSER)

# What the gallery shows. It takes about half an hour; RESULTS="blurry theorem" makes only these.
RESULTS ?= $(shell $(BIN)/python -c 'from mandoline_core.paper import EXPERIMENTS; print(*EXPERIMENTS)' 2>/dev/null)
results: $(READY) ## Run the paper's experiments in full and store the results
	for name in $(RESULTS); do \
		$(BIN)/mandoline reproduce $$name --json > $(VENV)/$$name.json && \
		mv $(VENV)/$$name.json mandoline_core/paper/results/$$name.json || exit 1; \
	done

screenshots: $(READY) browser ## Take a screenshot of every page into screenshots/
	$(BIN)/python -m tests.browser.screenshots

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .ruff_cache .mypy_cache .hypothesis dist build screenshots site test-results

# Two commands do everything on a machine that has Python 3.11+ and make (and, for speed, a C++ compiler):
#   make demo    make test
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# folders too, so that a deleted file counts as a change
SOURCES := pyproject.toml CMakeLists.txt README.md \
           $(shell find src native -name __pycache__ -prune -o -print 2>/dev/null)
# The build folder lives in the environment: it is kept between installations and dies with the compiler's paths.
# one process for each core
PARALLEL := -n auto --dist worksteal
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-build-isolation -Cbuild-dir=$(VENV)/build

.PHONY: help demo test thorough many-examples without-core docs look build sanitize fuzz fuzz-kernels bench accuracy clean
.DELETE_ON_ERROR:

help: ## say what can be made
	@sed -n 's/^\([a-z-]*\):.*## /  make \1 \t/p' Makefile

demo: $(VENV)/installed-demo ## install into .venv and show what nearwise does
	@$(BIN)/python tools/check_machine.py --engine
	@$(BIN)/nearwise demo

test: $(VENV)/installed-test ## install into .venv and run all checks and tests, with few examples of each property
	@$(BIN)/python tools/check_machine.py --engine
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python tools/check_layers.py
	$(BIN)/python -m pytest $(PARALLEL)

# What a person does not wait for, and every change has to pass.
thorough: many-examples without-core sanitize ## what make test leaves out: many examples, no core, sanitizers (a quarter of an hour)

many-examples: $(VENV)/installed-test ## run the properties on many examples, and the long sweeps
	NEARWISE_EXAMPLES=100 $(BIN)/python -m pytest $(PARALLEL) -m "hypothesis or attempts or thorough"

PURE := $(VENV)/pure
# tests/without_core.py lists what is proved by the run with the core, and why. The path is whole, since tests start
# processes in other folders.
without-core: $(PURE)/done ## run the tests on an installation without the native core
	NEARWISE_REQUIRE_NATIVE=0 PYTHONPATH="$(CURDIR)/$(PURE)" $(BIN)/python -m pytest $(PARALLEL) \
	  -m "not thorough and not same_without_core"

docs: $(VENV)/installed-docs ## build the documentation, warnings are errors; its pages may fetch nothing from elsewhere
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs
	$(BIN)/python tools/check_docs.py build/docs
	@echo "documentation: build/docs/index.html"

look: docs $(VENV)/installed-test ## look at every page of the documentation in Chromium, wide and narrow, light and dark (a quarter of an hour)
	$(BIN)/python tools/look_at_docs.py

build: $(VENV)/tools ## build and install the package anew, for instance after installing a compiler
	$(INSTALL) .
	@$(BIN)/python tools/check_machine.py --engine

# The sanitizers must be loaded before Python, libstdc++ with them so that they see exceptions. Python itself never
# frees everything, so leaks are not looked for.
SANITIZED := $(VENV)/sanitized
sanitize: $(VENV)/installed-test ## run the tests of the native core under the address and undefined-behaviour sanitizers
	rm -rf $(SANITIZED)
	NEARWISE_REQUIRE_NATIVE=1 $(BIN)/python -m pip install -qq --no-deps --no-build-isolation --target $(SANITIZED) \
	  -Cbuild-dir=$(VENV)/build-sanitize -Ccmake.define.NEARWISE_SANITIZE=ON .
	LD_PRELOAD="$$($${CXX:-g++} -print-file-name=libasan.so) $$($${CXX:-g++} -print-file-name=libstdc++.so.6)" \
	  ASAN_OPTIONS=detect_leaks=0 NEARWISE_EXAMPLES=25 NEARWISE_REQUIRE_NATIVE=1 PYTHONPATH=$(SANITIZED) $(BIN)/python -m pytest $(PARALLEL) tests/native \
	  tests/search/test_dense.py

# make fuzz SECONDS=600 tries for ten minutes, make fuzz REPLAY=search:17 runs one failing seed again, SEED=1 begins there.
SECONDS ?= 60
fuzz: $(VENV)/installed-test $(VENV)/atheris ## hold nearwise against what it must answer, on random problems and mutated files
	@$(BIN)/python -m fuzz $(if $(REPLAY),--replay $(REPLAY),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED))

fuzz-kernels: $(VENV)/installed-test ## compile faults into the native core, one by one, and see that fuzzing finds them
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m fuzz.kernels --seconds $(SECONDS)

# What guides mutations by the lines they reach is not to be had for every Python; the others do without it.
$(VENV)/atheris: $(VENV)/tools
	@$(BIN)/python -m pip install -qq --disable-pip-version-check atheris 2>/dev/null || \
	  echo "atheris cannot be installed: the readers are fuzzed by our own mutations alone."
	@touch $@

# An environment of its own, so that no peer is needed for anything else. A peer that cannot be had is told, and absent.
BENCH := .venv-bench
ARGS ?= --write
bench: $(BENCH)/installed ## time nearwise against its peers; make bench ARGS="--size tiny" tries it in minutes
	@$(BENCH)/bin/python tools/check_machine.py --engine
	@$(BENCH)/bin/python -m benchmarks $(ARGS)

accuracy: $(BENCH)/installed ## repeat the accuracy study; make accuracy ARGS="--size tiny" tries it in minutes
	@$(BENCH)/bin/python tools/check_machine.py --engine
	@$(BENCH)/bin/python -m benchmarks.accuracy $(ARGS)

clean: ## remove what was made
	rm -rf $(VENV) $(BENCH) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

# Installed, not linked to the sources: the tests see what a user gets. A changed source file installs anew (2 s).
$(VENV)/installed-demo: EXTRAS := sklearn,plots,frames
$(VENV)/installed-test: EXTRAS := test
$(VENV)/installed-docs: EXTRAS := docs
$(VENV)/installed-%: $(SOURCES) $(VENV)/tools
	@echo "Installing nearwise[$(EXTRAS)] into $(VENV) (a minute or two the first time) ..."
	@$(INSTALL) '.[$(EXTRAS)]'
	@touch $@

# As on a machine that has no compiler; the last line but one makes sure of it.
$(PURE)/done: $(VENV)/installed-test
	@rm -rf $(PURE)
	@CXX=/nonexistent CC=/nonexistent NEARWISE_REQUIRE_NATIVE=0 $(BIN)/python -m pip install -qq \
	  --disable-pip-version-check --no-index --no-deps --no-build-isolation --target $(PURE) .
	@NEARWISE_REQUIRE_NATIVE=0 PYTHONPATH=$(PURE) $(BIN)/python tools/check_machine.py --engine | grep "engine: NumPy"
	@touch $@

# The wheel is built by the first environment, whose build folder has most of it already.
$(BENCH)/installed: $(SOURCES) $(BENCH)/peers
	@rm -rf $(BENCH)/wheels
	@$(BIN)/python -m pip wheel -qq --disable-pip-version-check --no-deps --no-build-isolation \
	  -Cbuild-dir=$(VENV)/build --wheel-dir $(BENCH)/wheels .
	@$(BENCH)/bin/python -m pip install -qq --disable-pip-version-check $(BENCH)/wheels/*.whl
	@$(BENCH)/bin/python -m pip install -qq --disable-pip-version-check --force-reinstall --no-deps $(BENCH)/wheels/*.whl
	@touch $@

$(BENCH)/peers: benchmarks/peers.txt $(VENV)/tools
	@echo "Installing the peers into $(BENCH) (a minute or two) ..."
	@test -x $(BENCH)/bin/python || $(PYTHON) -m venv $(BENCH)
	@$(BENCH)/bin/python benchmarks/install_peers.py
	@touch $@

# CMake and ninja make the native core; where they cannot be had nearwise is installed without it.
$(VENV)/tools: pyproject.toml tools/check_machine.py
	@$(PYTHON) tools/check_machine.py
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
	  > $(VENV)/build-requires.txt
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -r $(VENV)/build-requires.txt
	@$(BIN)/python -m pip install -qq --disable-pip-version-check cmake ninja || echo "CMake could not be installed."
	@touch $@

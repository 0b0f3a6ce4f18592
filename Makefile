# make demo   run a BANG C kernel and a TPU-KERNEL one, and write their traces and reports
# make test   run the tests, those in C++ first
# make quick  run the first case of every test that is not slow: while editing
# make lint   style and types, of Python and of C++
# make aarch64   build the C++ tests for aarch64 and run them under qemu-user
# make report build the page of reports from its TypeScript; needs npm
# make site   build the pages of docs into out/site, with a search; nothing is fetched
# make docs   write the page of instructions and the counts in README and docs anew
# make mutants   falsify some declared facts and see that a test notices
# Each does its own set-up; it needs Python 3.11 or newer, a C++ compiler, and the network the first time.

PYTHON ?= python3
# Thousands of processes start here: each would compile all of its modules again.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
RUN := $(VENV)/bin/python
# Written when mlusim is installed, and when what developers need is, too.
RUNS := $(VENV)/runs
STAMP := $(VENV)/installed
PACKAGES := isa simulator traces kernels
TYPES := build/types
TIDY := build/tidy
TIDY_FLAGS := -std=c++17 -Wall -Wextra -Wno-missing-field-initializers -Wno-c++20-extensions -Wno-deprecated-declarations
NATIVE := simulator/native/runtime simulator/native/threads
CPP := $(shell find simulator/native tests/native/cpp -name '*.h' -o -name '*.cpp' | sort)
UNIT := build/unit
UNIT_FLAGS := -std=c++17 -O1 -Wall -Wextra -Werror $(NATIVE:%=-I%)
UNIT_SOURCES := $(wildcard tests/native/cpp/*.cpp simulator/native/runtime/*.cpp) \
    simulator/native/threads/shared.cpp simulator/native/threads/warps.cpp

# The pip of PYTHON installs into the environment: to put another one there takes as long as what mlusim needs.
# That takes 22.3 or newer. It is asked once, when a recipe needs it.
HAS_PIP = $(eval HAS_PIP := $(shell $(PYTHON) -c 'import pip; \
    print("yes" if [*map(int, pip.__version__.split(".")[:2])] >= [22, 3] else "")' 2>/dev/null))$(HAS_PIP)
# It compiles no module: of most packages few are ever imported, and those are compiled then.
PIP_INSTALL = $(if $(HAS_PIP),$(PYTHON) -m pip --python $(RUN),$(RUN) -m pip) install --quiet \
    --disable-pip-version-check --no-compile
# uv takes less than half of the time of pip, its own installation included; it knows no index but its own, so pip
# remains for others.
UV := $(VENV)/bin/uv
UV_INSTALL = { [ -x $(UV) ] || $(PIP_INSTALL) 'uv>=0.8,<1'; } && $(UV) pip install --quiet --python $(RUN)

# The compiler that kernels are built with: the user's CXX, not make's own default for it.
ifneq ($(filter default undefined,$(origin CXX)),)
COMPILERS := c++ g++ clang++
CXX := $(firstword $(foreach compiler,$(COMPILERS),$(shell command -v $(compiler))))
else
COMPILERS := $(firstword $(CXX))
endif

.PHONY: report site demo test quick unit aarch64 lint style native types docs mutants compiler

# Both at the same time, each on a core: most of it is what a new installation compiles. Their reports come in turn.
demo: compiler $(RUNS)
	@mkdir -p out
	$(RUN) -c "import numpy; numpy.save('out/rows.npy', numpy.random.default_rng(0).random((64, 1000), 'float32'))"
	$(RUN) -m mlusim.simulator op topk x=out/rows.npy k=5 --device bm1690 --out out/topk.npz --trace out/topk.trace.json \
	    --report out/topk.html > out/topk.txt 2>&1 & \
	    $(RUN) -m mlusim.simulator op logspace start=0 end=10 steps=65536 base=2 dtype=float32 \
	    --device mlu370-x4 --trace out/logspace.trace.json --report out/logspace.html; \
	    ended=$$?; wait $$! || ended=$$?; cat out/topk.txt; exit $$ended

test: compiler unit $(STAMP)
	$(RUN) -m pytest -n auto --dist worksteal --durations 10 --durations-min 10

quick: compiler $(STAMP)
	$(RUN) -m pytest --quick -n auto --dist worksteal

# C++ without Python: the parts of the runtimes that stand for themselves.
unit: $(UNIT)
	$(UNIT)

$(UNIT): $(UNIT_SOURCES) $(filter %.h,$(CPP)) | compiler
	@mkdir -p $(dir $(UNIT))
	$(CXX) $(UNIT_FLAGS) -o $(UNIT) $(UNIT_SOURCES) -lpthread -ldl

ARM_CXX := aarch64-linux-gnu-g++
ARM_RUN := qemu-aarch64 -L /usr/aarch64-linux-gnu

aarch64:
	@for tool in $(ARM_CXX) $(firstword $(ARM_RUN)); do command -v $$tool >/dev/null || { \
	    echo "mlusim: no $$tool found: install the cross compiler and the emulator (Debian, Ubuntu:" \
	        "apt install g++-aarch64-linux-gnu qemu-user)" >&2; exit 1; }; done
	@mkdir -p $(dir $(UNIT))
	$(ARM_CXX) $(UNIT_FLAGS) -o $(UNIT)-aarch64 $(UNIT_SOURCES) -lpthread -ldl
	$(ARM_RUN) $(UNIT)-aarch64

lint: style native types

style: $(STAMP)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

# clang-tidy parses the sources of a library as one: most of its time goes into headers.
native: $(STAMP)
	$(VENV)/bin/clang-format --dry-run -Werror $(CPP)
	@rm -rf $(TIDY) && mkdir -p $(TIDY)
	@printf '%s\n' $(filter simulator/%.cpp,$(CPP)) | awk -F/ '{ \
	    library = $$3 == "passes" || $$3 == "host" ? $$4 : $$3; sub(/[_.].*/, "", library); \
	    print "#include \"" $$0 "\"" > "$(TIDY)/" library ".cpp" }'
	printf '%s\n' $(TIDY)/*.cpp | xargs -P 2 -I{} $(VENV)/bin/clang-tidy --quiet {} -- \
	    $(TIDY_FLAGS) -I. $(NATIVE:%=-I%) -Isimulator/native/include/bang -Isimulator/native/include/sophgo \
	    -Isimulator/native/include/cuda

# mypy cannot follow the editable install of a namespace package, so it gets a copy of the tree as it is imported.
types: $(STAMP)
	@rm -rf $(TYPES)
	@$(RUN) setup.py --quiet build_py --build-lib $(TYPES)
	MYPYPATH=$(TYPES) $(RUN) -m mypy $(PACKAGES:%=-p mlusim.%)

report:
	npm ci --prefix report --no-audit --no-fund --loglevel error
	npm run --prefix report --silent check
	npm run --prefix report --silent build

# The theme announces its next version where standard error is read.
site: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --strict --quiet --site-dir out/site

docs: $(STAMP)
	$(RUN) -m tests.docs.generated

mutants: compiler $(STAMP)
	$(RUN) -m tests.mutate --sample 2 --seed 1 --limit 180

compiler:
	@case "$$(uname -sm)" in "Linux x86_64" | "Linux aarch64") ;; *) \
	    echo "mlusim: kernels in C need Linux on x86-64 or aarch64, and this is $$(uname -sm): run them in the container" \
	        "that the Containerfile builds (docs/install.md)" >&2; exit 1;; esac
	@for compiler in $(COMPILERS); do command -v "$$compiler" >/dev/null && exit 0; done; \
	echo "mlusim: no C++ compiler ($(COMPILERS)) found: install one (Debian, Ubuntu: apt install g++)" \
	    "or name yours with CXX=..." >&2; exit 1

# Written last, so that an installation that broke off is repeated. What is built meanwhile would be by tests, while
# others wait for it.
$(STAMP): $(RUNS)
	{ $(RUN) -m mlusim.simulator.native threads; $(RUN) -m mlusim.simulator toolkit build/toolkit; } >/dev/null 2>&1 & \
	    { $(UV_INSTALL) -r pyproject.toml --extra dev || $(PIP_INSTALL) 'mlusim[dev]'; } && wait
	@touch $@

# The C++ of mlusim is built meanwhile; who needs it and cannot have it says why.
$(RUNS): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { \
	    echo "mlusim: $(PYTHON) not found: install Python 3.11 or newer (Debian, Ubuntu: apt install python3" \
	        "python3-venv; macOS: brew install python) or name yours with PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "mlusim: $(PYTHON) is older than 3.11 or does not run: install Python 3.11 or newer" \
	        "or name yours with PYTHON=..., for example PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import venv' 2>/dev/null && { $(if $(HAS_PIP),true,$(PYTHON) -c 'import ensurepip' 2>/dev/null); } || { \
	    echo "mlusim: $(PYTHON) has no venv module: install it (Debian, Ubuntu: apt install python3-venv)" >&2; exit 1; }
	$(PYTHON) -m venv $(if $(HAS_PIP),--without-pip) $(VENV)
	$(PYTHON) -m mlusim.simulator.native >/dev/null 2>&1 & \
	    { $(UV_INSTALL) -e . || $(PIP_INSTALL) -e .; } && wait
	@touch $@

# make demo   run a BANG C kernel and a TPU-KERNEL one, and write their traces
# make test   run the tests
# make quick  run the first case of every test that is not slow: while editing
# make lint   style and types
# make docs   write the page of instructions and the counts in README and docs anew
# make mutants   falsify some declared facts and see that a test notices
# Each does its own set-up; it needs Python 3.11 or newer, a C++ compiler, and the network the first time.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
STAMP := $(VENV)/installed
PACKAGES := isa simulator traces kernels
TYPES := build/types

# The compiler that kernels are built with: the user's CXX, not make's own default for it.
ifneq ($(filter default undefined,$(origin CXX)),)
COMPILERS := c++ g++ clang++
else
COMPILERS := $(firstword $(CXX))
endif

.PHONY: demo test quick lint style types docs mutants compiler

demo: compiler $(STAMP)
	@mkdir -p out
	$(RUN) -m mlusim.simulator op logspace start=0 end=10 steps=65536 base=2 dtype=float32 \
	    --device mlu370-x4 --trace out/logspace.trace.json
	$(RUN) -c "import numpy; numpy.save('out/rows.npy', numpy.random.default_rng(0).random((64, 1000), 'float32'))"
	$(RUN) -m mlusim.simulator op topk x=out/rows.npy k=5 --device bm1690 --out out/topk.npz --trace out/topk.trace.json

test: compiler $(STAMP)
	$(RUN) -m pytest -n auto --dist worksteal --durations 10 --durations-min 10

quick: compiler $(STAMP)
	$(RUN) -m pytest --quick -n auto --dist worksteal

lint: style types

style: $(STAMP)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

# mypy cannot follow the editable install of a namespace package, so it gets a copy of the tree as it is imported.
types: $(STAMP)
	@rm -rf $(TYPES)
	@$(RUN) setup.py --quiet build_py --build-lib $(TYPES)
	MYPYPATH=$(TYPES) $(RUN) -m mypy $(PACKAGES:%=-p mlusim.%)

docs: $(STAMP)
	$(RUN) -m tests.docs.generated

mutants: compiler $(STAMP)
	$(RUN) -m tests.mutate --sample 20 --seed 1

compiler:
	@for compiler in $(COMPILERS); do command -v "$$compiler" >/dev/null && exit 0; done; \
	echo "mlusim: no C++ compiler ($(COMPILERS)) found: install one (Debian, Ubuntu: apt install g++;" \
	    "macOS: xcode-select --install) or name yours with CXX=..." >&2; exit 1

# Written last, so that an installation that broke off is repeated.
$(STAMP): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { \
	    echo "mlusim: $(PYTHON) not found: install Python 3.11 or newer (Debian, Ubuntu: apt install python3" \
	        "python3-venv; macOS: brew install python) or name yours with PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "mlusim: $(PYTHON) is older than 3.11 or does not run: install Python 3.11 or newer" \
	        "or name yours with PYTHON=..., for example PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	    echo "mlusim: $(PYTHON) has no venv module: install it (Debian, Ubuntu: apt install python3-venv)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

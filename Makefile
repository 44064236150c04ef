# Everything sets itself up: nothing but Python 3.11 and make is needed, and every target may be run twice.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
PEERS  := .venv-peers
MINUTES ?= 5

.PHONY: demo test check format sql soak bench bench-peers profile wheel lock clean

$(READY): .ci/requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "akm needs Python 3.11 or newer: make PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement .ci/requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

demo: $(READY)
	PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

# Three processes, because some tests wait for the clock instead of computing.
test: $(READY)
	$(BIN)/pytest --numprocesses 3 --dist worksteal

# Format, lint, types, import order, generated statements and migration drift, then the tests.
check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m akm.store.generate --check
	rm -f $(VENV)/.drift.db
	AKM_DATABASE_URL=sqlite:///$(VENV)/.drift.db $(BIN)/alembic upgrade head
	AKM_DATABASE_URL=sqlite:///$(VENV)/.drift.db $(BIN)/alembic check
	$(MAKE) --no-print-directory test

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Compile akm/store/statements/ into akm/store/sql.py.
sql: $(READY)
	$(BIN)/python -m akm.store.generate
	$(BIN)/ruff format akm/store/sql.py

# For MINUTES minutes, and until its last pass has ended: kill real runs at random and count what was lost or
# doubled, with the fault campaign (tests/faults) and the fuzzers (tests/fuzz) beside it.
soak: $(READY)
	$(BIN)/python tests/soak.py --minutes $(MINUTES)

# Measure against bare SQLite and an empty interpreter; prints measured beside target.
bench: $(READY)
	$(BIN)/python -m tests.bench

# The same beside DBOS Transact and LangGraph, which have an environment of their own; DISK=folder chooses the disk.
bench-peers: $(READY) $(PEERS)/.ready
	$(BIN)/python -m tests.bench.peers $(if $(DISK),--disk $(DISK))

$(PEERS)/.ready: .ci/peers.lock
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement $<
	touch $@

# Where the time of one unit goes.
profile: $(READY)
	$(BIN)/python -m tests.bench.profile

# Build the wheel, install it outside the checkout, migrate an empty file and run the demo workflow with it.
wheel: $(READY)
	BIN="$(CURDIR)/$(BIN)" sh .ci/wheel

# Renew the locked versions from the ranges in pyproject.toml.
lock:
	rm -rf $(VENV) && $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable . --group dev
	{ echo '# Versions that make and CI install. Renew with: make lock'; \
	  $(BIN)/python -m pip freeze --all --exclude-editable | grep -v '^setuptools=='; } > .ci/requirements.lock

clean:
	rm -rf $(VENV) $(PEERS) .demo dist build

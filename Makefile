# Everything a newcomer needs: `make demo` and `make test`. Both set themselves up.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Two tests at a time, each file of tests as a whole: a machine with more cores may take more. So
# may the slow tests, which wait for their daemons a third of the time.
WORKERS ?= 2
TESTS := $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder
QUICK := CLEW_QUICK=1 $(TESTS) -m "not slow"

.PHONY: demo test test-layer test-rest test-all test-long browser lint conformance faults quality quality-periods admission context-quality recall-quality window-quality bridges mcp-clients bench bench-short bench-scale bench-vectors soak dist-check plugin clean

demo: $(VENV)/.installed
	@$(BIN)/python -m tools.demo

# Every layer and a real daemon, with a fifth of the examples of each property.
test: $(VENV)/.developed
	$(QUICK)

# LAYER: values, text, disk, embed, vault, index, engine, query or surface.
test-layer: $(VENV)/.developed
	@test -n "$(LAYER)" || { echo "say which layer: make test-layer LAYER=text" >&2; exit 2; }
	$(QUICK) "tests/$(LAYER)"

# The slow tests, which `make test` leaves out.
test-rest: $(VENV)/.developed
	$(TESTS) -m slow

test-all: $(VENV)/.developed
	$(TESTS)

# The long forms: more examples, which differ from run to run, more kills, more hostile notes.
test-long: $(VENV)/.developed
	CLEW_LONG=1 $(TESTS)

# The tests that measure frames run by themselves: others at the same time would slow the frames.
FRAMES := tests/browser/test_frames.py

# The web page in a real browser and the diagrams in Mermaid itself: needs Chromium, such as
# Debian's package `chromium`, and Node.js with npm.
browser: $(VENV)/.developed
	$(BIN)/python -m pip install --quiet --editable '.[browser,dev]'
	cd tests/browser && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	CLEW_BROWSER=1 $(TESTS) tests/browser --ignore=$(FRAMES) -rA
	CLEW_BROWSER=1 $(BIN)/python -m pytest $(FRAMES) -rA

# The plugin for Obsidian, with a daemon on the sample vault: needs Node.js 18.18 or later, with npm.
# It builds main.js there, beside the manifest.
plugin: $(VENV)/.installed
	cd integrations/obsidian && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	cd integrations/obsidian && npm run --silent lint && npm run --silent types
	cd integrations/obsidian && CLEW_PYTHON="$(CURDIR)/$(BIN)/python" npm run --silent test
	cd integrations/obsidian && npm run --silent build

# 200 bridges for agents whose parents die, and 20 that are killed 20 times.
bridges: $(VENV)/.developed
	CLEW_LONG=1 $(BIN)/python -m pytest tests/surface/mcp/test_bridge.py -rA

# The bridge with both generations of the protocol's own Python client. Two versions of it cannot be in
# one environment, so each has its own, beside ours.
mcp-clients: $(VENV)/.developed $(VENV)/mcp-1/.made $(VENV)/mcp-2/.made
	CLEW_MCP_CLIENTS="$(VENV)/mcp-1/bin/python $(VENV)/mcp-2/bin/python" \
		$(BIN)/python -m pytest tests/surface/mcp/test_clients.py -rA

$(VENV)/mcp-1/.made: MCP := mcp>=1.30,<2
$(VENV)/mcp-2/.made: MCP := mcp>=2.3,<3
$(VENV)/mcp-%/.made: $(VENV)/.made
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet '$(MCP)'
	@touch $@

lint: $(VENV)/.developed
	$(BIN)/ruff format --check src tests benchmarks tools
	$(BIN)/ruff check src tests benchmarks tools
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/shape.py

# DATA: a folder of conformance cases, reference readings of vaults and an edit history.
conformance: $(VENV)/.developed
	CLEW_DATA="$(DATA)" $(TESTS) tests/conformance -rA

# DATA: a folder of other projects' hostile names, frames and notes, if you have one.
faults: $(VENV)/.developed
	CLEW_LONG=1 CLEW_DATA="$(DATA)" $(BIN)/python -m pytest tests/faults tests/engine/test_lost_hints.py -rA

# DATA: a folder of judged sets, each a vault with queries.jsonl, and qrels.tsv where graded.
# RUNS: a folder for run files, if they are wanted.
quality: $(VENV)/.developed
	$(BIN)/python -m benchmarks.quality "$(DATA)" $(if $(RUNS),--runs "$(RUNS)")

quality-periods: $(VENV)/.developed
	$(BIN)/python -m benchmarks.periods "$(DATA)"

# DATA: as for quality. MODEL: a model other than the one in the package, as the config names it.
admission: $(VENV)/.developed
	$(BIN)/python -m benchmarks.admission "$(DATA)" $(if $(MODEL),--model "$(MODEL)")

# DATA: as for quality; only collections with turns.jsonl are measured.
recall-quality: $(VENV)/.developed
	$(BIN)/python -m benchmarks.recall "$(DATA)"

# DATA: as for quality; only collections with turns.jsonl are measured.
window-quality: $(VENV)/.developed
	$(BIN)/python -m benchmarks.windows "$(DATA)"

# DATA: as for quality; only collections that name answers are measured.
context-quality: $(VENV)/.developed
	$(BIN)/python -m benchmarks.context_quality "$(DATA)"

bench: $(VENV)/.developed
	$(BIN)/python -m benchmarks.run

bench-short: $(VENV)/.developed
	$(BIN)/python -m benchmarks.run --short

# NOTES: the size of the vault; FOLDER: keep it and its state there, to measure again.
bench-scale: $(VENV)/.developed
	$(BIN)/python -m benchmarks.scale $(if $(NOTES),--notes $(NOTES)) $(if $(FOLDER),--folder "$(FOLDER)")

# An hour of edits and queries: memory and open files must stay as they are. MINUTES: a shorter run.
soak: $(VENV)/.developed
	$(BIN)/python -m benchmarks.soak $(if $(MINUTES),--minutes $(MINUTES))

# TEXT: folders of text files, such as /usr/share/doc. Without it the vectors are made up.
# SHORT=1: a few thousand vectors, in seconds.
bench-vectors: $(VENV)/.developed
	$(BIN)/python -m benchmarks.vectors $(addprefix --text ,$(TEXT)) $(if $(SHORT),--short)

# Builds the packages, installs each into an empty environment, and runs it there.
dist-check: $(VENV)/.developed
	$(BIN)/python -m tools.dist_check

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/.made:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "clew needs Python 3.11 or later")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.developed: $(VENV)/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.installed

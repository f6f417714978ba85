# make report: the bundled bank assistant, validated. make test: what CI runs.
PY ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# On plain Linux without a GPU, TORCH_INDEX=https://download.pytorch.org/whl/cpu keeps gigabytes of CUDA packages away.
PIP = $(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))
WHOLE = api assistant assistants cli diff hostile kit report run serve
LINTED = lib tests notebooks bench training docs/theme

.PHONY: report test suite fast simulate wild hostile lint docs bench bundle clean

report: $(VENV)/installed
	$(BIN)/ragassay run params/bank.yml --open || [ $$? -ge 2 ]  # 2: a gate or a check failed, 3: evidence incomplete; the report says so

test: $(VENV)/test-installed  # both at once; what one of them says is printed as it comes
	$(MAKE) -j 2 suite lint

# Three workers for two cores, as one often waits for processes that it started; one thread a worker for the matrix products of
# numpy and sklearn. Compiled files are kept wherever we are: hundreds of
# processes read the library, and each would compile it anew.
suite: $(VENV)/test-installed
	PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

fast: $(VENV)/test-installed  # without the rooms whose tests start processes or servers, run notebooks or write reports
	PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile --hypothesis-profile fast -m "not slow" $(WHOLE:%=--ignore=tests/%)

simulate: $(VENV)/test-installed
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 -m simulation --simulate

wild: $(VENV)/test-installed  # property tests on other inputs each time, a thousand each
	$(BIN)/python -m pytest -n 2 --hypothesis-profile wild -m "not slow"

hostile: $(VENV)/test-installed  # 1,200 hostile inputs
	HOSTILE=1200 $(BIN)/python -m pytest tests/hostile

lint: $(VENV)/test-installed
	$(BIN)/ruff check $(LINTED)
	$(BIN)/ruff format --check -q $(LINTED)
	$(BIN)/mypy
	$(BIN)/python tests/dead_code.py

docs: $(VENV)/installed  # the pages as a site, for a browser without a network: site/index.html
	$(PIP) -e ".[docs]"
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

bench: $(VENV)/test-installed
	$(BIN)/python bench/run.py
	$(BIN)/python bench/devices.py

bundle: $(VENV)/installed  # wheels, SBOM and hashes for an installation without a network; dist/bundle
	$(BIN)/python bench/bundle.py

clean:
	rm -rf .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find lib tests notebooks bench -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/installed: pyproject.toml constraints.txt
	$(PY) -m venv $(VENV)
	$(PIP) -e .
	touch $@

$(VENV)/test-installed: $(VENV)/installed
	$(PIP) -e ".[test]"
	touch $@

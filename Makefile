# All that this project needs from a shell; `make` alone lists it.

VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python -m
MODERN := import sys; sys.exit(sys.version_info < (3, 11))

# The first Python on this machine that is new enough; `make PYTHON=...` names another one.
PYTHON = $(firstword $(shell for python in python3 python3.15 python3.14 python3.13 python3.12 python3.11; \
	do $$python -c '$(MODERN)' 2>/dev/null && echo $$python; done) python3)

JOBS ?= 2
SITE ?= build/site
HANDOUT ?= build
LECTURE ?= build
NOTEBOOKS = $(wildcard notebooks/*.ipynb)
NBVAL = --nbval --nbval-current-env --nbval-cell-timeout=300 $(NOTEBOOKS)
# JupyterLab refuses to run as root, as one does inside a container, unless it is told to.
AS_ROOT = $(if $(filter 0,$(shell id -u)),--allow-root)
WIDGETS = $(addprefix tests/browser/test_,widgets_in_lab.py game_session.py stepper.py)
# Clicks on widgets are answered sooner so; tools/websocket.py says why.
PROMPT := --ServerApp.kernel_websocket_connection_class=tools.websocket.PromptConnection

.PHONY: help setup lab test quick browser pyodide site site-test kernels versions notebooks notebooks-twice handout slides printed pictures release benchmarks fast peers clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

setup: $(VENV)/.lab ## install the course with JupyterLab into .venv
	$(WARM)
	@echo "The course is installed in $(VENV)."

lab: setup ## open your copies of the notebooks in JupyterLab (makes what is missing)
	$(RUN) tools.coursework own --unchecked lab
	$(RUN) jupyterlab $(AS_ROOT) $(PROMPT) $(LAB_ARGS) lab

# The tests start hundreds of Pythons, which would compile all that they import again and again.
test quick: export PYTHONDONTWRITEBYTECODE =

test: $(VENV)/.test ## run everything that must hold: tests, every notebook, lint, types
	$(WARM)
	$(RUN) pytest -p tests.quick_start -n $(JOBS) --dist loadfile --no-loadscope-reorder \
		--ignore=tests/browser --ignore=tests/site $(NBVAL) tests

quick: $(VENV)/.test ## check the files that FILES names: lint, types, and their own tests
	$(RUN) tools.quick_check $(FILES)

browser: $(VENV)/.test ## click through the notebooks in a real Chromium
	$(RUN) pytest -p tests.quick_start -n $(JOBS) --dist loadfile tests/browser

pyodide: $(VENV)/.test $(VENV)/.site ## run the course in the Python of a browser tab, without a browser
	$(RUN) pytest -p tests.quick_start -n $(JOBS) --dist loadfile --no-loadscope-reorder tests/site \
		--ignore=tests/site/test_site.py --ignore=tests/site/test_faulty_servers.py

site: $(VENV)/.site ## write the course as static files that run in a browser tab (docs/site.md)
	$(RUN) tools.site $(SITE) $(SITE_ARGS)

site-test: $(VENV)/.test $(VENV)/.site ## run every cell of a site built from a clean clone, in Chromium
	$(RUN) pytest -s tests/site/test_site.py tests/site/test_faulty_servers.py

kernels: $(VENV)/.test ## click through the widgets on older ipykernels and the newest
	for kernel in "==6.31.*" "==7.3.*" ">=7"; do \
		place="$(VENV)/kernels/$$kernel"; \
		$(RUN) venv "$$place" && \
		"$$place/bin/pip" install --quiet --upgrade -e '.[widgets]' "ipykernel$$kernel" && \
		KERNEL_PYTHON="$$place/bin/python" $(RUN) pytest -q $(WIDGETS) || exit 1; \
	done

versions: $(VENV)/.test ## run the tests on other Pythons, and with the oldest versions of everything
	$(RUN) tools.versions $(VERSIONS)

notebooks: $(VENV)/.test ## run all notebooks and write their outputs anew
	$(RUN) tools.refresh_notebooks $(NOTEBOOKS)

notebooks-twice: $(VENV)/.test ## run every notebook twice in one kernel and compare (writes nothing)
	$(RUN) tools.refresh_notebooks --twice $(NOTEBOOKS)

handout: $(VENV)/.test ## write the notebooks for students, with solutions, and for nbgrader, all tried
	$(RUN) tools.coursework solved --jobs $(JOBS) --with-outputs $(HANDOUT)/solved
	$(RUN) tools.coursework student --unchecked $(HANDOUT)/student
	$(RUN) tools.distribution $(HANDOUT)/student
	$(RUN) tools.coursework release --unchecked $(HANDOUT)/course

slides: $(VENV)/.test ## write the notebooks as slides that need no network (docs/teacher/guide.md)
	$(RUN) tools.lecture.slides $(LECTURE)/slides $(LESSONS)

printed: $(VENV)/.test ## write the notebooks as pages to print, without answers
	$(RUN) tools.lecture.worksheets $(LECTURE)/printed $(LESSONS)

pictures: $(VENV)/.test ## draw the pictures of README.md anew, from the widgets in a real Chromium
	WRITE_PICTURES=1 $(RUN) pytest -q tests/browser/test_pictures.py

release: $(VENV)/.release ## build a release, try each extra of its wheel, and say what to do next
	$(RUN) tools.release $(if $(REPOSITORY),--repository $(REPOSITORY))

benchmarks: $(VENV)/.peers ## measure the searches beside other programs, and write docs/speed.md
	$(BIN)/python -m tools.benchmarks

fast: $(VENV)/.fast ## add the compiled searches to an install without them
	$(WARM)

peers: $(VENV)/.peers ## add the independent programs that some tests and benchmarks compare with

clean: ## remove the virtual environment and all caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info gamefast/__pycache__

# The machine code of the compiled searches, made once after an install or a change, so that nobody
# waits for a compiler.  Without one, everything else works all the same.
WARM = @$(MAKE) --no-print-directory --silent $(VENV)/.machine-code

$(VENV)/.machine-code: $(wildcard gamefast/*.py) pyproject.toml
	-! $(BIN)/python -c 'import numba' 2>/dev/null || $(BIN)/python -m gamefast
	touch $@

# One stamp for each extra of pyproject.toml: installed again only when that file has changed.
$(VENV)/.%: pyproject.toml | $(BIN)/pip
	@echo "Installing the packages of the extra '$*' into $(VENV). This may take minutes, without output."
	$(RUN) pip install --quiet --disable-pip-version-check -e '.[$*]'
	@touch $@

# pip is the last thing that venv makes: where it is missing, an earlier attempt was cut short.
$(BIN)/pip:
	@$(PYTHON) -c '$(MODERN)' || { \
		echo "This course needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1)."; \
		echo "Install a newer one, or name it: make PYTHON=/path/to/python3.12"; exit 1; } >&2
	$(PYTHON) -m venv $(VENV)

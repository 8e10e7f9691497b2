# The two commands that matter are `make demo` and `make test`.

CARGO ?= cargo
TARGET = $(or $(CARGO_TARGET_DIR),target)

# Where `make install` puts the program.
PREFIX ?= $(HOME)/.local

# How long `make fuzz` runs each target.
SECONDS ?= 300

.PHONY: demo build install dist packages dashboard screenshots figures test tidy types bench eval chaos recording fuzz help

help: ## List these targets
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

demo: ## Build and run the demo; needs no API key, and a network only to build
	@scripts/dashboard.sh || echo "the dashboard cannot be built (see above): Amelia is built without it" >&2
	$(CARGO) build --profile demo --locked --package amelia
	$(TARGET)/demo/amelia demo --auto

build: dashboard ## Build the release program, with its dashboard
	$(CARGO) build --release --locked --package amelia

install: build ## Install the program, its man pages and completions below PREFIX (~/.local)
	scripts/install.sh $(TARGET)/release/amelia "$(DESTDIR)$(PREFIX)"

dist: dashboard ## Build a statically linked program, packed in dist/ with its checksum
	CARGO="$(CARGO)" scripts/dist.sh

packages: ## Check that `make install`, `make dist` (in an empty root directory) and `cargo install` give a program that works
	@CARGO="$(CARGO)" MAKE="$(MAKE)" scripts/check-packages.sh

dashboard: ## Build the dashboard into dashboard/dist; quick when nothing has changed
	@scripts/dashboard.sh

test: tidy ## Run every check and every test
	@CARGO="$(CARGO)" scripts/test.sh

tidy: ## Check formatting, lints, licenses and the invariants of ARCHITECTURE.md
	$(CARGO) fetch --locked
	$(CARGO) xtask tidy
	$(CARGO) xtask deny

chaos: build ## Kill a worker more than a thousand times, and the examples of workflows and teams after every database commit
	$(TARGET)/release/amelia selftest --chaos --kills 1000
	AMELIA_EVERY_COMMIT=1 $(CARGO) test --locked --workspace --test doing -- --exact workflow_examples::whatever_the_commit_after_which_it_dies_an_example_ends_the_same \
		team_examples::whatever_the_commit_after_which_it_dies_a_team_ends_the_same

types: ## Regenerate the dashboard's types, after changing a wire type
	AMELIA_WRITE_TYPES=1 $(CARGO) test --quiet --package amelia-wire --lib the_dashboard

screenshots: dashboard ## Take a screenshot of every screen; with README=1, only those in the README
	$(CARGO) build --locked --package amelia
	cd dashboard && AMELIA_BIN=$(abspath $(TARGET))/debug/amelia node e2e/screenshots.mjs $(if $(README),--readme)

figures: dashboard ## Measure the dashboard in a real browser: load times, smoothness and size
	$(CARGO) build --release --locked --package amelia-bench --package amelia
	AMELIA_BIN=$(abspath $(TARGET))/release/amelia AMELIA_BENCH=$(abspath $(TARGET))/release/amelia-bench node bench/dashboard/measure.mjs

recording: ## Record again what `amelia demo --replay` plays, after an intended change
	scripts/record-demo.sh

fuzz: ## Fuzz every parser of untrusted input, each target for SECONDS=300 seconds
	@$(CARGO) +nightly fuzz --version >/dev/null || { echo "needs a nightly toolchain and cargo-fuzz" >&2; exit 1; }
	@for target in stream patch arguments script rich_text plan; do \
		mkdir -p fuzz/corpus/$$target && $(CARGO) +nightly fuzz run $$target fuzz/corpus/$$target fuzz/seeds/$$target \
			-- -max_total_time=$(SECONDS) -rss_limit_mb=2048 -timeout=20 || exit 1; \
	done

eval: dashboard ## Solve small issues with hidden tests: make eval PROFILE=work.yaml
	$(CARGO) build --release --locked --package amelia
	bench/prompts/run.py --amelia $(abspath $(TARGET))/release/amelia --profile $(PROFILE)

bench: dashboard ## Measure speed and size, side by side with other frameworks
	$(CARGO) build --release --locked --package amelia-bench --package amelia
	bench/peers/setup.sh
	$(TARGET)/release/amelia-bench compare

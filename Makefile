# SPDX-License-Identifier: MIT
# The front door. `make help` lists what it does; Meson does the work.

PREFIX     ?= /usr/local
ARGS       ?=
MESON_ARGS ?=
FUZZ_S     ?= 60

# Each build has a folder of its own; all but the release have the tests in them.
TESTS = -Dtests=true -Dpoints=true -Dwerror=true --buildtype=debugoptimized
SANITIZED = $(TESTS) -Db_lundef=false

SETUP = tools/setup-debian.sh
COUNT = tools/count_tests.py

# What another compiler or a sanitizer sees as `make test` does: sources, symbols, models. Processes
# that are killed at every step, and clients from outside, only take longer there.
ONCE = --no-suite hygiene --no-suite abi --no-suite models --no-suite interop \
	--no-suite interleave --no-suite crash

# What is left of it in a build without rendering. Under an emulator not the tests that kill
# processes or count on their times: they would test the emulator.
SMALL = --suite unit --suite cli --suite abi --suite fuzz
EMULATED = address alive client command copy descriptor duplex headers latest latest_core packet \
	queue queue_hostile reply runner scene units

.DEFAULT_GOAL = build
.PHONY: build demo serve test test-full asan tsan clang bare fuzz bench lint cross \
	install clean help setup setup-build

build: build/build.ninja ## build the release into build/
	@ninja --quiet -C build
	@echo 'built: build/cli/pinhole; try make demo'

demo: setup-build build ## fetch pictures by TCP and by shared memory, and compare them
	@build/cli/pinhole demo $(ARGS)

serve: setup-build build ## run the camera server; ARGS="--port 9001" for its options
	@build/cli/pinhole serve $(ARGS)

test: setup build-test/build.ninja ## build and run every test
	@ninja --quiet -C build-test
	@$(call run,build-test,)

test-full: setup build-test/build.ninja ## the long forms of the tests, too
	@ninja --quiet -C build-test
	@export PH_TEST_FULL=1; $(call run,build-test,--timeout-multiplier 10)

asan: setup build-asan/build.ninja ## the tests under AddressSanitizer and UBSan
	@ninja --quiet -C build-asan
	@$(call run,build-asan,$(ONCE) --timeout-multiplier 3)

tsan: setup build-tsan/build.ninja ## the unit tests under ThreadSanitizer
	@ninja --quiet -C build-tsan
	@$(call run,build-tsan,--suite unit --timeout-multiplier 3)

clang: setup build-clang/build.ninja ## the tests as clang builds them
	@ninja --quiet -C build-clang
	@$(call run,build-clang,$(ONCE) --no-suite stress)

bare: setup build-bare/build.ninja ## the tests of a build without any optional part
	@ninja --quiet -C build-bare
	@$(call run,build-bare,$(SMALL))

cross: setup build-cross/build.ninja ## build for aarch64 without optional parts, test with qemu
	@ninja --quiet -C build-cross
	@qemu-aarch64 -L /usr/aarch64-linux-gnu build-cross/cli/pinhole version
	@$(call run,build-cross,$(EMULATED) --timeout-multiplier 5)

fuzz: setup build-fuzz/build.ninja ## look for new inputs, FUZZ_S seconds for each harness
	@ninja --quiet -C build-fuzz
	@for fuzzer in $$(find build-fuzz/tests/fuzz -maxdepth 1 -type f -name 'fuzz-*'); do \
		name=$${fuzzer##*/fuzz-}; dict=tests/fuzz/$$name.dict; new=out/fuzz/$$name; \
		mkdir -p $$new; \
		$$fuzzer -max_total_time=$(FUZZ_S) $$([ -e $$dict ] && echo -dict=$$dict) \
			-artifact_prefix=$$new- $$new tests/fuzz/corpus/$$name >$$new.log 2>&1 || \
			{ tail -40 $$new.log; exit 1; }; \
		echo "$$name: $$(tail -1 $$new.log); new inputs in $$new"; \
	done

bench: setup-build build ## measure this machine: a line of JSON for each case
	@for program in commands latest roundtrip; do build/bench/bench-$$program $(ARGS) || exit 1; done

lint: setup build-test/build.ninja ## clang-tidy over src/ and cli/, warnings are errors
	@run-clang-tidy -quiet -p build-test '$(CURDIR)/(src|cli)/.*' >build-test/lint.log 2>&1 || \
		{ grep -E -A4 'warning:|error:' build-test/lint.log || cat build-test/lint.log; exit 1; }
	@echo 'lint: clang-tidy has nothing to say'

install: build ## install the release below PREFIX (DESTDIR is honoured)
	@meson configure build -Dprefix=$(PREFIX)
	@meson install -C build

clean: ## remove every build folder
	rm -rf build build-*/ out
	@$(MAKE) --no-print-directory -C examples clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | column -t -s '|'

# Runs a build's tests, a line for each program, and ends with "N passed, N failed, N skipped".
define run
log=$(1)/meson-logs; mkdir -p $$log; rm -f $$log/testlog.json; \
meson test -C $(1) --no-rebuild $(2) 2>&1 | tee $$log/run.txt | \
	grep --line-buffered -E '^ *[0-9]+/[0-9]+ ' || true; \
[ -e $$log/testlog.json ] || cat $$log/run.txt; \
$(COUNT) $$log/testlog.json
endef

setup:
	@$(SETUP) all

setup-build:
	@$(SETUP) build

# A build without its packages leaves parts out; one without Meson or a compiler is none at all.
build/build.ninja:
	@$(SETUP) --check build || echo 'make: what they are for is left out of this build' >&2
	@command -v meson >/dev/null && command -v ninja >/dev/null || \
		{ echo 'make: Meson and Ninja are needed: run $(SETUP)' >&2; exit 1; }
	$(call configure,build,--buildtype=release --prefix=$(PREFIX))

build-test/build.ninja:
	$(call configure,build-test,$(TESTS))

build-asan/build.ninja:
	$(call configure,build-asan,$(SANITIZED) -Db_sanitize=address$(comma)undefined)

build-tsan/build.ninja:
	$(call configure,build-tsan,$(SANITIZED) -Db_sanitize=thread)

build-clang/build.ninja:
	$(call configure,build-clang,$(TESTS),CC=clang)

build-bare/build.ninja:
	$(call configure,build-bare,$(TESTS) -Dauto_features=disabled)

build-fuzz/build.ninja:
	$(call configure,build-fuzz,$(SANITIZED) -Dfuzz=true \
		-Db_sanitize=address$(comma)undefined,CC=clang)

# With cmocka for arm64 the unit tests run under qemu; without it the program alone does.
build-cross/build.ninja:
	@if tools/aarch64-cmocka.sh build-cross-cmocka; then \
		set -- --cross-file build-cross-cmocka/cmocka.cross $(TESTS); \
	else \
		echo 'make: no cmocka for arm64 (is Debian reachable?): no tests on aarch64' >&2; \
		set -- -Dwerror=true; \
	fi; \
	mkdir -p build-cross && meson setup build-cross --cross-file tools/aarch64.cross \
		-Dauto_features=disabled "$$@" $(MESON_ARGS) >build-cross/setup.log || \
		{ cat build-cross/setup.log; exit 1; }

comma = ,
define configure
@mkdir -p $(1) && $(3) meson setup $(1) $(2) $(MESON_ARGS) >$(1)/setup.log || \
	{ cat $(1)/setup.log; echo 'make: if a package is missing: $(SETUP)' >&2; exit 1; }
endef

# SPDX-License-Identifier: MIT
# libtrace: `make` builds, `make demo` shows, `make check` tests; `make help` lists the rest.
VERSION := 0.1.0

BUILD    ?= build
PREFIX   ?= /usr/local
DESTDIR  ?=
ARCH     := $(shell uname -m)
CC       := $(if $(filter default undefined,$(origin CC)),gcc,$(CC))
SANITIZE ?=

WARNINGS := -Wall -Wextra
ifeq ($(DEV),1)
WARNINGS += -Werror -Wshadow -Wvla -Wmissing-prototypes -Wstrict-prototypes -Wwrite-strings \
	-Wpointer-arith -Wundef
endif
CFLAGS   ?= -O2 -g
BASE     := -std=gnu17 -I. -DLIBTRACE_VERSION='"$(VERSION)"' -D_GNU_SOURCE $(WARNINGS) $(SANITIZE)
SHIM     := -fPIC -fvisibility=hidden -ftls-model=initial-exec -ffunction-sections -fdata-sections \
	-fno-plt -fno-semantic-interposition -fcf-protection=full
TOOL     := -fPIE
archive   = $(shell $(CC) -print-file-name=$(1))

# Shown command lines with V=1, one short line otherwise.
ifeq ($(V),1)
say  = @:
cmd  =
else
say  = @printf '  %-7s %s\n'
cmd  = @
endif

format_src    := $(wildcard collector/base/*.c collector/format/*.c collector/codec/*.c)
collector_src := $(filter-out $(format_src),$(wildcard collector/*.c collector/*/*.c))
preload_src   := $(wildcard preload/*/*.c)
preload_asm   := $(wildcard preload/*/*_$(ARCH).S)
analyzer_src  := $(wildcard analyzer/*.c analyzer/*/*.c analyzer/*/*/*.c)
unit_src      := $(wildcard test/unit/*/test_*.c)

shim_obj := $(patsubst %.c,$(BUILD)/shim/%.o,$(format_src) $(collector_src) $(preload_src)) \
	$(patsubst %.S,$(BUILD)/shim/%.o,$(preload_asm))
tool_obj := $(patsubst %.c,$(BUILD)/tool/%.o,$(format_src) $(analyzer_src))
# What unit tests link: everything but the parts that interpose or hold a main().
unit_obj := $(patsubst %.c,$(BUILD)/tool/%.o,$(format_src) $(collector_src) \
	$(filter-out analyzer/main.c,$(analyzer_src)) \
	$(filter-out $(addprefix preload/,hooks/hooks.c hooks/exec.c hooks/ellipsis.c hooks/wait.c start/start.c \
		loader/loader.c cuda/real.c cupti/activity.c cupti/observe.c),$(preload_src)))
units    := $(patsubst test/unit/%.c,$(BUILD)/unit/%,$(unit_src))

.PHONY: all demo demo-c check check-all check-asan check-tsan mutants bench fuzz lint format install clean help ci \
	setup units tools
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BUILD)/libtrace.so $(BUILD)/trace-analyzer ## build the library and the analyzer

setup:
	@scripts/setup.sh build

include $(wildcard preload/hooks/exports.mk)

$(BUILD)/libtrace.so: $(shim_obj) $(BUILD)/exports.map
	$(say) LINK $@
	$(cmd)$(CC) -shared -o $@ $(shim_obj) $(SANITIZE) -Wl,--version-script=$(BUILD)/exports.map \
		-Wl,-soname,libtrace.so -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,-z,now -Wl,-z,relro -Wl,-z,defs \
		-Wl,--build-id $(call archive,libmsgpackc.a) $(call archive,libzstd.a)

$(BUILD)/trace-analyzer: $(tool_obj)
	$(say) LINK $@
	$(cmd)$(CC) -pie -o $@ $(tool_obj) $(SANITIZE) -lmsgpackc -lzstd -lm -ldl -lpthread

$(BUILD)/libunits.a: $(unit_obj)
	$(say) AR $@
	$(cmd)rm -f $@ && ar qcs $@ $(unit_obj)

# The recording side as it is in the library, for benches that link it.
$(BUILD)/libcollector.a: $(patsubst %.c,$(BUILD)/shim/%.o,$(format_src) $(collector_src))
	$(say) AR $@
	$(cmd)rm -f $@ && ar qcs $@ $^

$(BUILD)/unit/%: $(BUILD)/tool/test/unit/%.o $(BUILD)/libunits.a
	$(say) LINK $@
	$(cmd)mkdir -p $(@D) && $(CC) -pie -o $@ $< $(BUILD)/libunits.a $(SANITIZE) -lcriterion \
		-lmsgpackc -lzstd -lelf -lm -ldl -lpthread

# Programs used by tests and benches, one source file each beside the generator of traces.
tracegen_obj := $(addprefix $(BUILD)/tool/test/bench/tracegen_,model.o define.o)
$(BUILD)/bench/%: $(BUILD)/tool/test/bench/%.o $(tracegen_obj) $(BUILD)/libunits.a
	$(say) LINK $@
	$(cmd)mkdir -p $(@D) && $(CC) -pie -o $@ $^ $(SANITIZE) -lmsgpackc -lzstd -lelf -lm -ldl -lpthread

$(BUILD)/shim/%.o: %.c | setup
	$(say) CC $<
	$(cmd)mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(SHIM) -MMD -MP -c -o $@ $<

$(BUILD)/shim/%.o: %.S | setup
	$(say) AS $<
	$(cmd)mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(SHIM) -MMD -MP -c -o $@ $<

$(BUILD)/tool/%.o: %.c | setup
	$(say) CC $<
	$(cmd)mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(TOOL) -MMD -MP -c -o $@ $<

# Criterion's eq(str, ...) takes pointers to char that it does not write to.
$(BUILD)/tool/test/unit/%.o: BASE += -Wno-write-strings

units: $(units)

demo: all ## record and explain a real PyTorch training run (one download of about 540 MB, cached)
	@scripts/setup.sh demo
	@scripts/demo

demo-c: all ## the same in seconds with a C training loop, without a download
	@scripts/setup.sh demo
	@scripts/demo --c

check: ## all tests that fit in CI; SUITES='unit cli' runs some
	@scripts/setup.sh build demo test lint
	@$(MAKE) --no-print-directory all units
	@test/check.sh $(SUITES)

check-asan: ## the unit tests under AddressSanitizer and UBSan
	@test/sanitize.sh asan

check-tsan: ## ring, drain and interning tests under ThreadSanitizer
	@test/sanitize.sh tsan

mutants: ## small changes of the product that the quick suites must notice (ten minutes)
	@scripts/setup.sh build test
	@test/mutants/run.sh

check-all: ## check with both PyTorch wheels, scenarios, mutants, bench, fuzz: also what does not fit in CI
	@$(MAKE) --no-print-directory check CHECK_TORCH='2.9.1 2.15.0'
	@test/scenarios/run.sh
	@test/run/sampler/run.sh --reads 1000000
	@test/programs/run.sh --large
	@$(MAKE) --no-print-directory mutants bench fuzz

bench: ## cost per call, byte and event read, with limits and gates
	@scripts/setup.sh build demo test bench
	@$(MAKE) --no-print-directory all
	@test/bench/run.sh

fuzz: ## a minute of fuzzing for each entry point (FUZZ_SECONDS=60)
	@scripts/setup.sh build fuzz
	@test/fuzz/run.sh

lint: ## formatter, static analysis, include rule, sizes, documentation, banned calls
	@scripts/setup.sh build lint
	@scripts/lint.sh

format: ## reformat the C sources in place
	@git ls-files '*.c' '*.h' | xargs clang-format -i

install: all ## install below PREFIX (DESTDIR is honoured)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib \
		$(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -m 755 $(BUILD)/trace-analyzer scripts/trace-run $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(BUILD)/libtrace.so $(DESTDIR)$(PREFIX)/lib/libtrace.so.new
	mv $(DESTDIR)$(PREFIX)/lib/libtrace.so.new $(DESTDIR)$(PREFIX)/lib/libtrace.so
	install -m 644 scripts/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 scripts/completion/trace-analyzer scripts/completion/trace-run \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions

ci: ## what a change needs before it is merged: lint, check, bench, in this order
	@scripts/ci.sh

clean: ## remove what was built
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 14
	@echo 'Variables: V=1 shows commands, DEV=1 makes warnings errors, BUILD=, CC=, PREFIX=, DESTDIR='

-include $(shell find $(BUILD)/shim $(BUILD)/tool -name '*.d' 2>/dev/null)

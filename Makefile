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

format_src    := $(wildcard collector/base/*.c collector/own/*.c collector/format/*.c collector/codec/*.c)
collector_src := $(filter-out $(format_src),$(wildcard collector/*.c collector/*/*.c))
preload_src   := $(wildcard preload/*/*.c)
preload_asm   := $(wildcard preload/*/*_$(ARCH).S)
analyzer_src  := $(wildcard analyzer/*.c analyzer/*/*.c analyzer/*/*/*.c)
unit_src      := $(wildcard test/unit/*/test_*.c)

# What every start runs is linked first and so lies on few pages, and its small variables with it: a program
# that ends at once pays for each page that is touched (test/bench/bench_start.sh counts them).
start_src := $(addprefix preload/,$(addsuffix .c,$(addprefix start/,construct start text environment rundir settings sources \
	states interpreted training) process/process process/ending linker/linker linker/memory linker/kernel linker/initial linker/next \
	thread/arena window/window hooks/wait hooks/ellipsis cuda/real cuda/driver calls/calls cupti/activity cupti/turn)) \
	$(addprefix collector/,$(addsuffix .c,own/wiped own/sandbox own/last own/descriptor base/log base/clock collector \
	describe drain/process drain/session buffer/pause buffer/state)) \
	$(addprefix preload/,$(addsuffix .c,nvtx/nvtx python/python pauses/pauses pauses/collection pauses/gil onnxruntime/onnxruntime shapes/shapes torch/torch \
	torch/modules paddle/paddle mindspore/mindspore jax/jax tensorflow/tensorflow torch/budget nccl/real))
# Of these the ones that hold large tables, or code for later, keep that where the rest of the library is.
start_obj := $(patsubst %.c,$(BUILD)/shim/%.o,$(start_src))
start_text := $(filter-out $(addprefix %/,cuda/real.o cuda/driver.o nvtx/nvtx.o shapes/shapes.o),$(start_obj)) \
	*crtbegin*.o *libc_nonshared.a:*
start_functions := first_syscall real_resolve_libc* next_of newest driver_enable nvtx_enable shapes_enable memory_enable burst_init
start_small := $(filter-out $(addprefix %/,cuda/driver.o nccl/real.o nvtx/nvtx.o shapes/shapes.o collector/collector.o \
	drain/process.o buffer/pause.o buffer/state.o own/sandbox.o start/construct.o thread/arena.o),$(start_obj)) \
	$(BUILD)/shim/preload/thread/arena.o
shim_src := $(start_src) $(filter-out $(start_src),$(format_src) $(collector_src) $(preload_src))
shim_obj := $(patsubst %.c,$(BUILD)/shim/%.o,$(shim_src)) $(patsubst %.S,$(BUILD)/shim/%.o,$(preload_asm))
page_obj := $(BUILD)/tool/analyzer/page/assets.o
tool_obj := $(patsubst %.c,$(BUILD)/tool/%.o,$(format_src) $(analyzer_src)) $(page_obj)
# What unit tests link: everything but the parts that interpose or hold a main().
unit_obj := $(patsubst %.c,$(BUILD)/tool/%.o,$(format_src) $(collector_src) \
	$(filter-out analyzer/main.c,$(analyzer_src)) \
	$(filter-out $(addprefix preload/,hooks/hooks.c hooks/forbids.c hooks/exec.c hooks/ellipsis.c hooks/open.c hooks/queue.c hooks/signal.c hooks/wait.c start/start.c start/construct.c \
		loader/loader.c linker/memory.c linker/kernel.c cuda/real.c cupti/activity.c cupti/observe.c),$(preload_src))) $(page_obj) \
	$(BUILD)/tool/preload/probe/stub_$(ARCH).o
units    := $(patsubst test/unit/%.c,$(BUILD)/unit/%,$(unit_src))

.PHONY: all simulated demo demo-c check check-all check-asan check-tsan attack mutants bench fuzz lint format install clean help ci \
	setup units tools
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BUILD)/libtrace.so $(BUILD)/trace-analyzer ## build the library and the analyzer

setup:
	@scripts/setup.sh build

include $(wildcard preload/hooks/exports.mk)

# In front of the rest of the code, and of the variables.
$(BUILD)/start.ld: Makefile
	$(say) LAYOUT $@
	$(cmd)mkdir -p $(@D) && printf 'SECTIONS { .text.start : {\n%s\n} } INSERT BEFORE .text;\n%s\n' \
		'$(foreach obj,$(start_text),$(obj)(.text .text.*)) $(foreach name,$(start_functions),*(.text.$(name)))' \
		'SECTIONS { .bss.start (NOLOAD) : { *(.bss.start .bss.disabled .bss.wanted_permille) $(foreach obj,$(start_small),$(obj)(.bss .bss.*)) } } INSERT BEFORE .bss;' >$@

$(BUILD)/libtrace.so: $(shim_obj) $(BUILD)/exports.map $(BUILD)/start.ld
	$(say) LINK $@
	$(cmd)$(CC) -shared -o $@ $(shim_obj) $(SANITIZE) -Wl,--version-script=$(BUILD)/exports.map \
		-Wl,-soname,libtrace.so -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,-z,now -Wl,-z,relro -Wl,-z,defs -Wl,-fini=none \
		-Wl,-Bsymbolic-functions -Wl,--sort-section=alignment -Wl,-T,$(BUILD)/start.ld \
		-Wl,--build-id $(call archive,libmsgpackc.a) $(call archive,libzstd.a)

# Allocations whose failure analyzer/main.c notes.
noted := malloc calloc realloc aligned_alloc strdup
comma := ,
$(BUILD)/trace-analyzer: $(tool_obj)
	$(say) LINK $@
	$(cmd)$(CC) -pie -o $@ $(tool_obj) $(SANITIZE) $(addprefix -Wl$(comma)--wrap=,$(noted)) -lmsgpackc -lzstd -lz \
		-ljansson -lelf -lm -ldl -lpthread

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
		-lmsgpackc -lzstd -lz -ljansson -lelf -lm -ldl -lpthread

# Programs used by tests and benches, one source file each beside the generator of traces.
tracegen_obj := $(addprefix $(BUILD)/tool/test/bench/tracegen_,model.o define.o)
$(BUILD)/bench/%: $(BUILD)/tool/test/bench/%.o $(tracegen_obj) $(BUILD)/libunits.a
	$(say) LINK $@
	$(cmd)mkdir -p $(@D) && $(CC) -pie -o $@ $^ $(SANITIZE) -lmsgpackc -lzstd -lz -ljansson -lelf -lm -ldl -lpthread

$(BUILD)/shim/%.o: %.c | setup
	$(say) CC $<
	$(cmd)mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(SHIM) -MMD -MP -c -o $@ $<

$(BUILD)/shim/%.o: %.S | setup
	$(say) AS $<
	$(cmd)mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(SHIM) -MMD -MP -c -o $@ $<

$(BUILD)/tool/%.o: %.c | setup
	$(say) CC $<
	$(cmd)mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(TOOL) -MMD -MP -c -o $@ $<

$(BUILD)/tool/preload/%.o: preload/%.S | setup
	$(say) AS $<
	$(cmd)mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(TOOL) -MMD -MP -c -o $@ $<

# The HTML report without its data, as the analyzer embeds it.
$(BUILD)/page/stamp: analyzer/page/assemble.sh $(wildcard analyzer/page/assets/*)
	$(say) PAGE $(@D)
	$(cmd)analyzer/page/assemble.sh analyzer/page/assets $(@D) && touch $@

$(page_obj): analyzer/page/assets.S $(BUILD)/page/stamp | setup
	$(say) AS $<
	$(cmd)mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) $(TOOL) -DPAGE_BEFORE='"$(BUILD)/page/before.html"' \
		-DPAGE_AFTER='"$(BUILD)/page/after.html"' -c -o $@ $<

# Criterion's eq(str, ...) takes pointers to char that it does not write to.
# And its gt() is mended.
$(BUILD)/tool/test/unit/%.o: BASE += -Wno-write-strings -include test/unit/strictly.h

units: $(units)

demo: all ## record and explain a real PyTorch training run (one download of about 540 MB, cached)
	@scripts/setup.sh demo
	@scripts/demo

demo-c: all ## the same in seconds with a C training loop, without a download
	@scripts/setup.sh demo
	@scripts/demo --c

check: ## all tests that fit in CI; SUITES='unit cli' runs some
	@scripts/setup.sh build demo test lint
	@$(MAKE) --no-print-directory all units $(BUILD)/bench/tracegen
	@test/check.sh $(SUITES)

check-asan: ## the unit tests under AddressSanitizer and UBSan
	@test/sanitize.sh asan

check-tsan: ## ring, drain, interning and read-ahead tests under ThreadSanitizer
	@test/sanitize.sh tsan

attack: ## programs, failing calls, kills, hostile files: a table of what held (an hour; docs/attack.md)
	@scripts/setup.sh build test lint
	@test/attack/run.sh

mutants: ## small changes of the product that the quick suites must notice (ten minutes)
	@scripts/setup.sh build test
	@test/mutants/run.sh

check-all: ## check with both PyTorch wheels, scenarios, mutants, bench, fuzz: also what does not fit in CI
	@$(MAKE) --no-print-directory check CHECK_TORCH='2.9.1 2.15.0' CHECK_TRUTH=all
	@test/scenarios/run.sh
	@test/scenarios/run.sh --loaded
	@test/run/torch/run.sh debian
	@test/run/nccl/run.sh --wheels
	@test/run/sampler/run.sh --reads 1000000
	@test/programs/run.sh --large
	@test/run/window/run.sh --all
	@test/paddle/run.sh
	@test/frameworks/run.sh
	@test/frameworks/device.sh
	@test/pairs/run.sh
	@test/loaders/run.sh
	@test/run/gate/run.sh --all --pairs 100 --times --programs
	@test/export/run.sh
	@test/page/run.sh --all
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

# The parts of the simulated GPU; for which PyTorch they are linked is seen when it is used.
simulated: setup
	@mkdir -p build/cudasim
	@flock build/cudasim/.lock $(MAKE) --no-print-directory -s -C test/cudasim objects
	@flock build/cudasim/.lock $(MAKE) --no-print-directory -s -C test/cudasim/libs

simulated_at := $(DESTDIR)$(PREFIX)/lib/libtrace/cudasim
install: all simulated ## install below PREFIX (DESTDIR is honoured)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/libtrace/python $(DESTDIR)$(PREFIX)/include \
		$(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -m 755 $(BUILD)/trace-analyzer scripts/trace-run $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(BUILD)/libtrace.so $(DESTDIR)$(PREFIX)/lib/libtrace.so.new
	mv $(DESTDIR)$(PREFIX)/lib/libtrace.so.new $(DESTDIR)$(PREFIX)/lib/libtrace.so
	install -m 644 preload/marks/user/libtrace.h $(DESTDIR)$(PREFIX)/include
	install -m 644 preload/marks/user/libtrace.py $(DESTDIR)$(PREFIX)/lib/libtrace/python
	install -d $(simulated_at)/wheel $(simulated_at)/obj/12 $(simulated_at)/obj/13
	install -pm 644 build/cudasim/libcudasim_compute.so $(simulated_at)
	install -pm 644 build/cudasim/obj/12/lib*.o $(simulated_at)/obj/12
	install -pm 644 build/cudasim/obj/13/lib*.o $(simulated_at)/obj/13
	install -pm 644 $(addprefix test/cudasim/wheel/,simulate.py stubs.py lookups.py cache.py elf.py stub.h) \
		$(simulated_at)/wheel
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

/* SPDX-License-Identifier: MIT */
#include "preload/torch/observe.h"

#include <pthread.h>
#include <string.h>

#include "collector/describe.h"
#include "preload/python/python.h"
#include "preload/shapes/shapes.h"
#include "preload/thread/guard.h"
#include "preload/torch/help.h"
#include "preload/torch/memory.h"
#include "preload/torch/modules.h"
#include "preload/torch/sequence.h"
#include "preload/window/window.h"

#define MARK_PLAIN (PAUSE_KINDS + 1) /* of what push_plain() has begun */

/* A function call would keep more of the registers than all the rest. */
#if defined(__x86_64__)
#define CLOCK_IS_CALLED (!clock_use_tsc)
#else
#define CLOCK_IS_CALLED false
#endif

/*
 * PyTorch's own work for a pair of callbacks is nothing that we see. It takes as long as so many
 * multiplications that wait for each other, by test/bench/bench_own.sh.
 */
#define PYTORCHS_WORK 400

#define CHECK_COUNT 32 /* names that are read through the kernel before they are trusted */

static int recording;
static int unchecked = CHECK_COUNT;
static bool is_child; /* of a fork */

/*
 * Nothing but functions to be recorded: what is checked first has been, no shapes are wanted, this
 * is no fork. Most operators are like that, and take a way of fewer instructions.
 */
static bool plain;

static uint64_t pytorchs_ticks;

static void look_whether_plain(void)
{
	bool all = recording != 0 && unchecked <= 0 && !is_child && !help_is_all && !shapes_wanted;
	__atomic_store_n(&plain, all, __ATOMIC_RELAXED);
}

void observe_end(void)
{
	__atomic_store_n(&recording, 0, __ATOMIC_RELAXED);
	callbacks_end();
	look_whether_plain();
}

/* A C++ layout that is not what it was shows in the first names. */
static __attribute__((noinline)) bool check_name(const char *name, unsigned scope)
{
	if (!operator_name_is_sound(name, scope == OP_USER_SCOPE)) {
		observe_end();
		collector_source(
			"torch", "failed", "names of operators are not where they are expected");
		return false;
	}
	(void)__atomic_fetch_sub(&unchecked, 1, __ATOMIC_RELAXED);
	look_whether_plain();
	modules_look();
	return true;
}

/* What the range is to the window; by its text only once. */
static unsigned mark_of(struct operator_name *name, const char *text)
{
	if (name->kept == 0)
		name->kept = 1 + (unsigned)mark_of_operator(text, strlen(text));
	return name->kept - 1;
}

/*
 * Optimisers of one class are told apart: the range is opened by a function around the method,
 * which gets the optimiser as its first argument.
 */
static uint64_t optimizer(void)
{
	return python_owner("wrapper", "/torch/optim/optimizer.py");
}

/* What calls it is where the graph of the one around it broke, however short it is. */
static const char COMPILED[] = "Torch-Compiled";

static inline bool is_compiled(const char *text)
{
	return text != NULL && text[0] == COMPILED[0] &&
	       strncmp(text, COMPILED, sizeof(COMPILED) - 1) == 0;
}

/* A begin has taken so long, and PyTorch has worked in order to call it and the end. */
static void took(struct operators *own, uint64_t ticks)
{
	operators_took(own, ticks + pytorchs_ticks);
}

static void begin(const void *record, unsigned scope)
{
	struct operators *own = operators_of_caller();
	struct operator_name spare;
	if (own == NULL)
		return;
	uint64_t sampled = operators_sample(own);
	const char *text = frameworks.torch_name(record);
	if ((__builtin_expect(unchecked > 0, 0) && !check_name(text, scope)))
		return;
	struct operator_name *name = operator_name(&own->names, text, &spare);
	bool is_range = scope == OP_USER_SCOPE, recorded = collector_enabled != 0;
	unsigned mark = is_range && text != NULL ? mark_of(name, text) : PAUSE_KINDS;
	if (!recorded && (mark == PAUSE_KINDS || !window_counts))
		return;
	struct operator_open *range = operators_push(own, record);
	range->mark = (uint8_t)(window_counts ? mark : PAUSE_KINDS);
	range->recorded = recorded;
	range->name = name->id;
	range->scope = (uint8_t)scope;
	range->framework = OP_TORCH;
	sequence_read(record, scope, own, range);
	if (__builtin_expect(shapes_wanted, 0) && !is_range)
		range->shapes = shapes_of(record);
	/* loaders and optimisers are at work: the thread trains, with a device or without */
	if (is_range) {
		thread_trains();
		modules_look();
	} else if (__builtin_expect(is_child, 0)) {
		thread_trains(); /* for another process: what blocks it blocks that one */
	}
	if (__builtin_expect(help_is_all, 0) && help_ends(scope, text))
		look_whether_plain();
	range->place = is_range || is_compiled(text) ? python_place() : 0;
	if (mark == PAUSE_OPTIMIZERS && (range->object = optimizer()) != 0)
		memory_step();
	range->begin = clock_ticks();
	if (__builtin_expect(sampled != 0, 0))
		took(own, range->begin - sampled);
}

/*
 * The same of a function, when all is plain: what such a one never has is not set, and is not
 * looked at when it ends.
 */
static inline __attribute__((always_inline)) struct operator_open *push_plain(
	struct operators *own, const void *record, unsigned scope, uint32_t name)
{
	struct operator_open *range = &own->open[own->top++ % OPERATORS_OPEN];
	range->key = record;
	range->name = name;
	range->place = 0;
	range->forward = 0;
	range->kinds = OPERATORS_KINDS(scope, OP_TORCH, MARK_PLAIN, true);
	return range;
}

/* Its end needs its number, of which the backward pass has the same. */
static __attribute__((noinline)) void *begin_numbered(
	void *slot, const void *record, unsigned scope, struct operator_open *range)
{
	sequence_read(record, scope, operators_own, range);
	range->begin = clock_ticks();
	guard_leave();
	return slot;
}

/* Another text was at this address, or it is what a compiler has made. */
static __attribute__((noinline)) void *begin_named(
	void *slot, const void *record, unsigned scope, const char *text)
{
	struct operators *own = operators_own;
	uint32_t name = operator_name_id(&own->names, text);
	struct operator_open *range = push_plain(own, record, scope, name);
	range->place = is_compiled(text) ? python_place() : 0;
	return begin_numbered(slot, record, scope, range);
}

static void after_fork(void)
{
	operators_forget();
	modules_after_fork();
	is_child = true;
	help_after_fork();
	thread_state.caller = NULL;
	look_whether_plain();
}

/*
 * The guard is held in here only: what the operator itself calls is the program's.
 * unique_ptr<ObserverContext> is returned in memory that the caller provides; we need none.
 */
static __attribute__((noinline)) void *enter_any(void *slot, const void *record, unsigned scope)
{
	if (recording == 0 || !(scope == OP_USER_SCOPE ? window_sees() : collector_enabled) ||
		__builtin_expect(help_skips(scope), 0) || !guard_enter())
		return slot;
	begin(record, scope);
	guard_leave();
	return slot;
}

/*
 * What is not plain is left to functions that are called last: nothing has to be kept for when they
 * return.
 */
static inline __attribute__((always_inline)) void *enter_plain(
	void *slot, const void *record, unsigned scope)
{
	uint32_t name;
	guard.busy = 1;
	const char *text = frameworks.torch_name(record);
	struct operators *own = operators_own; /* again: cheaper than to be kept */
	if (__builtin_expect(!operator_name_quick(&own->names, text, &name), 0))
		return begin_named(slot, record, scope, text);
	struct operator_open *range = push_plain(own, record, scope, name);
	if (sequence_number(record) >= 0)
		return begin_numbered(slot, record, scope, range);
	range->begin = clock_ticks();
	guard_leave();
	return slot;
}

/* What it takes is measured. */
static __attribute__((noinline)) void *enter_sampled(void *slot, const void *record, unsigned scope)
{
	struct operators *own = operators_own;
	uint64_t begin = clock_ticks();
	(void)enter_plain(slot, record, scope);
	guard.busy = 1;
	took(own, own->open[(own->top - 1) % OPERATORS_OPEN].begin - begin);
	guard_leave();
	return slot;
}

static inline __attribute__((always_inline)) void *enter(
	void **slot, const void *record, unsigned scope)
{
	struct operators *own = operators_own;
	*slot = NULL;
	if (__builtin_expect(scope == OP_USER_SCOPE || !plain || !collector_enabled ||
				     own == NULL || guard.busy != 0 || CLOCK_IS_CALLED ||
				     own->top - own->bottom == OPERATORS_OPEN,
		    scope == OP_USER_SCOPE))
		return enter_any(slot, record, scope);
	if (__builtin_expect(own->until_sample == 0, 0))
		return enter_sampled(slot, record, scope);
	own->until_sample--;
	return enter_plain(slot, record, scope);
}

/* A range that ends on another thread than it began on is not found, and left out. */
static __attribute__((noinline)) void leave_any(const void *record)
{
	struct operators *own = operators_own;
	struct operator_open range;
	if (own == NULL || own->top == own->bottom)
		return;
	uint64_t end = clock_ticks();
	if (operators_pop(own, record, &range) && recording != 0 && guard_enter()) {
		if (range.mark == MARK_PLAIN) {
			range.object = 0;
			range.shapes = range.line = 0;
			range.mark = PAUSE_KINDS;
		}
		if (range.scope == OP_FUNCTION && range.forward != 0)
			sequence_end(&range);
		if (range.recorded)
			operators_emit(&range, end);
		if (__builtin_expect(range.mark != PAUSE_KINDS, 0))
			window_mark(range.mark, range.name, range.object, range.recorded);
		guard_leave();
	}
}

static inline __attribute__((always_inline)) void put_plain(
	struct record *record, const struct operator_open *ended, uint32_t number, uint64_t end)
{
	record->begin = ended->begin;
	record->end = end;
	record->kind = RECORD_OP;
	record->call = 0;
	record->place = ended->place;
	record->name = ended->name;
	record->result = 0;
	record->stream = 0;
	record->a = record_bits_OP_sequence(number); /* what stays costs no byte */
	record->b = 0;
	record->c = ended->kinds & 0xffff; /* scope and framework, as it has them */
	record->d = 0;
}

static void leave(const void *record, void *context)
{
	struct operators *own = operators_own;
	(void)context;
	if (__builtin_expect(!plain || own == NULL || guard.busy != 0 || CLOCK_IS_CALLED, 0)) {
		leave_any(record);
		return;
	}
	struct operator_open *range = &own->open[(own->top - 1) % OPERATORS_OPEN];
	if (__builtin_expect(range->key != record || own->top == own->bottom || own->holes ||
				     range->mark != MARK_PLAIN || range->forward != 0,
		    0)) {
		leave_any(record);
		return;
	}
	guard.busy = 1;
	uint64_t end = clock_ticks();
	if (__builtin_expect(end - range->begin >= OPERATORS_PLACE_TICKS ||
				     collector_thread.slot >= collector_thread.stop,
		    0)) {
		guard_leave();
		leave_any(record);
		return;
	}
	own->top--;
	put_plain(collector_thread.slot, range, own->sequence, end);
	collector_commit();
	guard_leave();
}

/*
 * One start per scope, because a RecordFunction does not tell its scope through a symbol. A class
 * that is returned in memory gets its address in the first argument register on x86-64, in x8 on
 * aarch64, where the other arguments stay where they are: hence the shim. The aarch64 form is
 * untested.
 */
/* clang-format off */
#define SCOPES(SCOPE)                       \
	SCOPE(FUNCTION, 0)                  \
	SCOPE(BACKWARD_FUNCTION, 1)         \
	SCOPE(TORCHSCRIPT_FUNCTION, 2)      \
	SCOPE(USER_SCOPE, 7)
/* clang-format on */

#if defined(__aarch64__)
void torch_enter(const void *record, void **slot, unsigned scope);
void torch_enter(const void *record, void **slot, unsigned scope)
{
	(void)enter(slot, record, scope);
}
#define START(scope, number)                                                                       \
	void torch_start_##scope(void);                                                            \
	__asm__(".text\n.p2align 2\n.hidden torch_start_" #scope "\n.globl torch_start_" #scope    \
		"\n.type torch_start_" #scope ", %function\ntorch_start_" #scope                   \
		":\n\thint #34\n\tmov x1, x8\n\tmov w2, #" #number "\n\tb torch_enter\n");
#else
#define START(scope, number)                                                                       \
	static void *torch_start_##scope(void **slot, const void *record)                          \
	{                                                                                          \
		return enter(slot, record, number);                                                \
	}
#endif
#define CHECK_NUMBER(scope, number) _Static_assert(OP_##scope == number, "as PyTorch numbers them");
SCOPES(START)
SCOPES(CHECK_NUMBER)

void observe_begin(const char *version)
{
	(void)pthread_atfork(callbacks_before_fork, callbacks_forked, after_fork);
	sequence_begin(version);
	pytorchs_ticks = operators_work(PYTORCHS_WORK);
	__atomic_store_n(&recording, 1, __ATOMIC_RELEASE);
	look_whether_plain();
#define ADD(scope, number)                                                                         \
	callbacks_add((void (*)(void))torch_start_##scope, (void (*)(void))leave, number);
	SCOPES(ADD)
}

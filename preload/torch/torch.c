/* SPDX-License-Identifier: MIT */
#include "preload/torch/torch.h"

#include <pthread.h>
#include <string.h>

#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/format/fields.h"
#include "preload/frameworks/frameworks.h"
#include "preload/python/python.h"
#include "preload/thread/guard.h"
#include "preload/thread/threadmem.h"
#include "preload/torch/names.h"
#include "preload/torch/version.h"

#define RANGE_LIMIT 128u /* open at once per thread, a power of two */
/* So long takes what is worth a line of the program; no clock ticks slower than 1 GHz. */
#define PLACE_LEAST_TICKS 100000u
#define CHECK_COUNT       32 /* names that are read through the kernel before they are trusted */

/* A range between its start and its end; record is NULL once it has ended before an inner one. */
struct range {
	const void *record; /* the RecordFunction, which never moves */
	uint64_t begin, object;
	uint32_t name, place;
	uint8_t scope;
};

struct thread {
	/* Ranges bottom to top - 1 are open, at these numbers modulo RANGE_LIMIT. */
	uint64_t bottom, top;
	bool holes; /* some of them have ended */
	struct range ranges[RANGE_LIMIT];
	struct torch_names names;
};

enum state {
	STATE_UNKNOWN,
	STATE_ATTACHED,
	STATE_REFUSED
};

static int state;
static int recording;
static int unchecked = CHECK_COUNT;
static bool enabled = true;
static struct threadmem pool;
static __thread struct thread *own_thread __attribute__((tls_model("initial-exec")));

static void refuse(const char *reason)
{
	__atomic_store_n(&recording, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&state, STATE_REFUSED, __ATOMIC_RELEASE);
	collector_source("torch", "failed", reason);
}

static void forget_ranges(void)
{
	if (own_thread != NULL)
		own_thread->bottom = own_thread->top;
}

static struct thread *thread_of_caller(void)
{
	if (__builtin_expect(own_thread == NULL, 0)) {
		own_thread = threadmem_take(&pool, sizeof(*own_thread));
		forget_ranges();
	}
	return own_thread;
}

/* A C++ layout that is not what it was shows in the first names. */
static __attribute__((noinline)) bool check_name(const char *name, unsigned scope)
{
	if (!torch_name_is_sound(name, scope == OP_USER_SCOPE)) {
		refuse("names of operators are not where they are expected");
		return false;
	}
	(void)__atomic_fetch_sub(&unchecked, 1, __ATOMIC_RELAXED);
	return true;
}

/*
 * Optimisers of one class are told apart: the range is opened by a function around the method,
 * which gets the optimiser as its first argument.
 */
static uint64_t object_of(const char *text)
{
	static const char step[] = "Optimizer.step#";
	return strncmp(text, step, sizeof(step) - 1) == 0
		       ? python_owner("wrapper", "/torch/optim/optimizer.py")
		       : 0;
}

/* The oldest range gives way: what is that deep has been left behind, not nested. */
static struct range *push(struct thread *thread)
{
	if (thread->top - thread->bottom == RANGE_LIMIT)
		thread->bottom++;
	return &thread->ranges[thread->top++ % RANGE_LIMIT];
}

static void begin(const void *record, unsigned scope)
{
	struct thread *thread = thread_of_caller();
	const char *text = frameworks.torch_name(record);
	struct torch_name spare;
	if (thread == NULL || (__builtin_expect(unchecked > 0, 0) && !check_name(text, scope)))
		return;
	const struct torch_name *name = torch_name(&thread->names, text, &spare);
	struct range *range = push(thread);
	range->record = record;
	range->name = name->id;
	range->scope = (uint8_t)scope;
	range->place = scope == OP_USER_SCOPE ? python_place() : 0;
	range->object = scope == OP_USER_SCOPE && text != NULL ? object_of(text) : 0;
	range->begin = clock_ticks();
}

/*
 * The guard is held in here only: what the operator itself calls is the program's.
 * unique_ptr<ObserverContext> is returned in memory that the caller provides; we need none.
 */
static inline void enter(void **slot, const void *record, unsigned scope)
{
	*slot = NULL;
	if (recording == 0 || collector_enabled == 0 || !guard_enter())
		return;
	begin(record, scope);
	guard_leave();
}

/*
 * Out of order, as ranges of Python generators end. False: it began on another thread, or was
 * given up.
 */
static __attribute__((noinline)) bool pop_inner(
	struct thread *thread, const void *record, struct range *ret_range)
{
	uint64_t at = thread->top;
	while (at > thread->bottom && thread->ranges[(at - 1) % RANGE_LIMIT].record != record)
		at--;
	if (at == thread->bottom)
		return false;
	struct range *range = &thread->ranges[(at - 1) % RANGE_LIMIT];
	*ret_range = *range;
	range->record = NULL;
	thread->holes = true;
	return true;
}

static void close_holes(struct thread *thread)
{
	while (thread->top > thread->bottom &&
		thread->ranges[(thread->top - 1) % RANGE_LIMIT].record == NULL)
		thread->top--;
	if (thread->top == thread->bottom)
		thread->holes = false;
}

static inline bool pop(struct thread *thread, const void *record, struct range *ret_range)
{
	const struct range *range = &thread->ranges[(thread->top - 1) % RANGE_LIMIT];
	if (__builtin_expect(range->record != record, 0))
		return pop_inner(thread, record, ret_range);
	*ret_range = *range;
	thread->top--;
	if (__builtin_expect(thread->holes, 0))
		close_holes(thread);
	return true;
}

static void emit(const struct range *range, uint64_t end)
{
	struct record *record = collector_reserve();
	if (record == NULL)
		return;
	record->begin = range->begin;
	record->end = end;
	record->kind = RECORD_OP;
	record->call = 0;
	record->place = range->place;
	record->name = range->name;
	record->result = 0;
	record->stream = record->a = 0;
	record->b = record_bits_OP_object(range->object);
	record->c = record_bits_OP_scope(range->scope) | record_bits_OP_framework(OP_TORCH);
	record->d = 0;
	collector_commit();
}

/* A range that ends on another thread than it began on is not found, and left out. */
static void leave(const void *record, void *context)
{
	struct thread *thread = own_thread;
	struct range range;
	(void)context;
	if (thread == NULL || thread->top == thread->bottom)
		return;
	uint64_t end = clock_ticks();
	if (!pop(thread, record, &range))
		return;
	if (recording != 0 && guard_enter()) {
		if (__builtin_expect(end - range.begin >= PLACE_LEAST_TICKS, 0) && range.place == 0)
			range.place = python_place();
		emit(&range, end);
		guard_leave();
	}
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
	enter(slot, record, scope);
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
		enter(slot, record, number);                                                       \
		return slot;                                                                       \
	}
#endif
#define CHECK_NUMBER(scope, number) _Static_assert(OP_##scope == number, "as PyTorch numbers them");
SCOPES(START)
SCOPES(CHECK_NUMBER)

static void add_callback(void (*start)(void), unsigned scope)
{
	struct torch_callback callback = {
		.start = start, .end = (void (*)(void))leave, .probability = 1.0};
	callback.scopes[scope] = 1;
	(void)frameworks.torch_add_callback(callback);
}

static void attach(void)
{
	char path[1024], version[64];
	void *library = frameworks_find("libtorch_cpu.so", path, sizeof(path));
	if (library == NULL) {
		static bool told;
		if (!told)
			collector_source("torch", "absent", "libtorch_cpu is not loaded");
		told = true;
		return;
	}
	torch_version(path, version, sizeof(version));
	collector_version("torch", version);
	const char *reason = torch_version_refused(version);
	if (reason == NULL)
		reason = frameworks_resolve(FRAMEWORK_torch, library);
	if (reason != NULL) {
		refuse(reason);
		return;
	}
	__atomic_store_n(&state, STATE_ATTACHED, __ATOMIC_RELEASE);
	(void)pthread_atfork(NULL, NULL, forget_ranges);
	collector_source("torch", "active", NULL);
	__atomic_store_n(&recording, 1, __ATOMIC_RELEASE);
#define ADD(scope, number) add_callback((void (*)(void))torch_start_##scope, number);
	SCOPES(ADD)
}

void torch_attach(void)
{
	static struct frameworks_search search;
	if (enabled && __atomic_load_n(&state, __ATOMIC_ACQUIRE) == STATE_UNKNOWN)
		frameworks_search(&search, attach);
}

void torch_enable(bool on)
{
	enabled = on;
	if (!on) {
		__atomic_store_n(&recording, 0, __ATOMIC_RELAXED);
		collector_source("torch", "off", NULL);
	}
}

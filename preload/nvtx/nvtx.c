/* SPDX-License-Identifier: MIT */
#include "preload/nvtx/nvtx.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/describe.h"
#include "preload/nvtx/emit.h"
#include "preload/nvtx/pairs.h"
#include "preload/nvtx/stack.h"
#include "preload/nvtx/text.h"
#include "preload/python/callsite.h"
#include "preload/thread/guard.h"
#include "preload/thread/threadmem.h"
#include "preload/window/window.h"

/* What NVTX answers without a tool: no levels are known. */
#define NO_LEVEL (-2)

/* The last slot is shared by all domains that do not fit; slot 0 is the default domain. */
#define SHARED_DOMAIN (NVTX_DOMAINS - 1)

struct thread {
	uint32_t number;
	struct nvtx_stack stack;
};

/* One of the three forms in which a function brings its text and more. */
struct message {
	const struct nvtx_attributes *attributes;
	const char *narrow;
	const wchar_t *wide;
};

static bool enabled;
static uint32_t domains[NVTX_DOMAINS]; /* names; 0: free */
static uint32_t threads;
static struct threadmem pool;
static __thread struct thread *own_thread __attribute__((tls_model("initial-exec")));

static struct thread *thread_of_caller(void)
{
	if (__builtin_expect(own_thread == NULL, 0)) {
		own_thread = threadmem_take(&pool, sizeof(*own_thread));
		if (own_thread != NULL) {
			own_thread->number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
			nvtx_stack_clear(&own_thread->stack);
		}
	}
	return own_thread;
}

static void count_lost(bool lost)
{
	if (__builtin_expect(lost, 0))
		collector_count(COUNTER_RANGES_LOST, 1);
}

static unsigned slot_of(const void *domain)
{
	uintptr_t offset = (uintptr_t)domain - (uintptr_t)domains;
	if (domain == NULL)
		return 0;
	if (offset >= sizeof(domains) || offset % sizeof(domains[0]) != 0)
		return SHARED_DOMAIN;
	return (unsigned)(offset / sizeof(domains[0]));
}

/* The same name is the same domain, whichever module asks. */
static const void *domain_of(uint32_t name)
{
	for (unsigned slot = 1; name != 0 && slot < SHARED_DOMAIN; slot++) {
		uint32_t seen = 0;
		if (__atomic_compare_exchange_n(&domains[slot], &seen, name, false,
			    __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
			seen == name)
			return &domains[slot];
	}
	return &domains[SHARED_DOMAIN];
}

static void add_payload(const struct nvtx_attributes *attributes, struct nvtx_range *range)
{
	static const uint32_t flags[NVTX_PAYLOAD_COUNT] = {
		[NVTX_PAYLOAD_UINT64] = RANGE_UINT64,
		[NVTX_PAYLOAD_INT64] = RANGE_INT64,
		[NVTX_PAYLOAD_DOUBLE] = RANGE_DOUBLE,
		[NVTX_PAYLOAD_UINT32] = RANGE_UINT32,
		[NVTX_PAYLOAD_INT32] = RANGE_INT32,
		[NVTX_PAYLOAD_FLOAT] = RANGE_FLOAT,
	};
	uint32_t type = (uint32_t)attributes->payload_type;
	if (type == 0 || type >= NVTX_PAYLOAD_COUNT)
		return;
	bool is_short = type >= NVTX_PAYLOAD_UINT32;
	range->flags |= flags[type];
	range->payload = is_short ? (uint32_t)attributes->payload : attributes->payload;
}

static void add_attributes(const struct nvtx_attributes *attributes, struct nvtx_range *range)
{
	if (attributes == NULL || attributes->size < sizeof(*attributes))
		return;
	range->category = attributes->category;
	add_payload(attributes, range);
	if (attributes->message_type == NVTX_MESSAGE_NARROW)
		range->name = nvtx_text_narrow(attributes->message.narrow);
	else if (attributes->message_type == NVTX_MESSAGE_WIDE)
		range->name = nvtx_text_wide(attributes->message.wide);
	else if (attributes->message_type == NVTX_MESSAGE_REGISTERED)
		range->name = nvtx_text_of_handle(attributes->message.registered);
}

static uint32_t text_of(struct message message)
{
	return message.wide != NULL ? nvtx_text_wide(message.wide)
				    : nvtx_text_narrow(message.narrow);
}

/* All but the begin, which is taken last. */
static void describe(
	struct nvtx_range *range, const void *domain, struct message message, const void *caller)
{
	uint32_t form = range->flags;
	unsigned slot = slot_of(domain);
	*range = (struct nvtx_range){.flags = form, .domain_slot = (uint16_t)slot};
	range->counted = collector_enabled == 0;
	if (!window_sees())
		return;
	range->domain = __atomic_load_n(&domains[slot], __ATOMIC_RELAXED);
	if (message.attributes != NULL)
		add_attributes(message.attributes, range);
	else
		range->name = text_of(message);
	range->place = callsite_place(caller);
	range->begin = clock_ticks();
}

/* The forms of nvtx.def. Inside the library itself nothing is seen, on either end. */

static void mark(const void *domain, struct message message, const void *caller)
{
	struct nvtx_range range = {.flags = RANGE_MARK};
	int saved = errno;
	if (collector_enabled == 0 || !guard_enter())
		return;
	describe(&range, domain, message, caller);
	nvtx_emit(&range, range.begin);
	guard_leave();
	errno = saved;
}

static int push(const void *domain, struct message message, const void *caller)
{
	struct nvtx_range range = {.flags = 0};
	int saved = errno, level = NO_LEVEL;
	if (!guard_enter())
		return level;
	struct thread *thread = thread_of_caller();
	if (thread != NULL) {
		bool lost;
		describe(&range, domain, message, caller);
		level = nvtx_stack_push(&thread->stack, &range, &lost);
		count_lost(lost);
	}
	guard_leave();
	errno = saved;
	return level;
}

static int pop(const void *domain)
{
	uint64_t now = clock_ticks();
	struct nvtx_range range;
	int saved = errno, level = NO_LEVEL;
	if (!guard_enter())
		return level;
	struct thread *thread = thread_of_caller();
	if (thread != NULL)
		level = nvtx_stack_pop(&thread->stack, slot_of(domain), &range);
	if (level >= 0)
		nvtx_emit(&range, now);
	guard_leave();
	errno = saved;
	return level;
}

static uint64_t start(const void *domain, struct message message, const void *caller)
{
	struct nvtx_range range = {.flags = RANGE_STARTED};
	int saved = errno;
	bool lost;
	if (!guard_enter())
		return 0;
	const struct thread *thread = thread_of_caller();
	describe(&range, domain, message, caller);
	uint64_t id = nvtx_pairs_start(&range, thread == NULL ? 0 : thread->number, &lost);
	count_lost(lost && range.begin != 0);
	guard_leave();
	errno = saved;
	return id;
}

static void end(uint64_t id)
{
	uint64_t now = clock_ticks();
	struct nvtx_range range;
	uint32_t beginner;
	int saved = errno;
	if (!guard_enter())
		return;
	const struct thread *thread = thread_of_caller();
	if (nvtx_pairs_end(id, &range, &beginner)) {
		if (thread == NULL || thread->number != beginner)
			range.flags |= RANGE_OTHER_THREAD;
		/* another processor's counter, read without a fence: it may be some 100 ns ahead */
		nvtx_emit(&range, now > range.begin ? now : range.begin);
	}
	guard_leave();
	errno = saved;
}

/* An id is one in all domains. */
static void end_in(const void *domain, uint64_t id)
{
	(void)domain;
	end(id);
}

static const void *register_text(const void *domain, struct message message)
{
	(void)domain;
	int saved = errno;
	const void *handle = nvtx_text_handle(text_of(message));
	errno = saved;
	return handle;
}

static const void *create_domain(struct message message)
{
	int saved = errno;
	const void *handle = domain_of(text_of(message));
	errno = saved;
	return handle;
}

/* clang-format off */
#define ATTRIBUTES(value) ((struct message){.attributes = (value)})
#define NARROW(value)     ((struct message){.narrow = (value)})
#define WIDE(value)       ((struct message){.wide = (value)})
#define CALLER            __builtin_return_address(0)
#define NVTX(module, id, name, type, params, form)                                                 \
	static type on_##name params                                                               \
	{                                                                                          \
		return form;                                                                       \
	}
#include "preload/nvtx/nvtx.def"

static const struct function {
	uint8_t module, id;
	nvtx_function *function;
} functions[] = {
#define NVTX(module, id, name, type, params, form) {NVTX_##module, id, (nvtx_function *)on_##name},
#include "preload/nvtx/nvtx.def"
};
/* clang-format on */

/* Which module's slots; an older one has fewer. 0 or -1. */
static int attach(const struct nvtx_callbacks *callbacks, int module)
{
	nvtx_slot *slots = NULL;
	unsigned count = 0;
	if (callbacks->get_functions(module, &slots, &count) == 0 || slots == NULL)
		return -1;
	for (unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (functions[i].module == module && functions[i].id < count &&
			slots[functions[i].id] != NULL)
			*slots[functions[i].id] = functions[i].function;
	return 0;
}

static void after_fork(void)
{
	nvtx_pairs_clear();
	if (own_thread != NULL)
		nvtx_stack_silence(&own_thread->stack);
}

static void prepare(void)
{
	static uint32_t once;
	if (__atomic_exchange_n(&once, 1, __ATOMIC_RELAXED) == 0)
		(void)pthread_atfork(NULL, NULL, after_fork);
}

int InitializeInjectionNvtx2(nvtx_get_table *get_table)
{
	int saved = errno, attached = 0;
	if (!enabled || get_table == NULL)
		return 0;
	const struct nvtx_version *version = get_table(NVTX_TABLE_VERSION);
	const struct nvtx_callbacks *callbacks = get_table(NVTX_TABLE_CALLBACKS);
	if (version != NULL && version->struct_size >= sizeof(*version) &&
		version->set_tool_version != NULL)
		version->set_tool_version(NVTX_VERSION_KNOWN);
	if (callbacks != NULL && callbacks->struct_size >= sizeof(*callbacks)) {
		prepare();
		attached = attach(callbacks, NVTX_CORE) == 0;
		attached += attach(callbacks, NVTX_CORE2) == 0;
	}
	collector_source("nvtx", attached != 0 ? "active" : "failed",
		attached != 0 ? NULL : "a module's table of functions is not as expected");
	errno = saved;
	return attached != 0;
}

static __attribute__((noinline)) bool is_same_file(const char *path, const char *other)
{
	char one[PATH_MAX], two[PATH_MAX];
	return strcmp(path, other) == 0 ||
	       (realpath(path, one) != NULL && realpath(other, two) != NULL &&
		       strcmp(one, two) == 0);
}

/* NULL when it cannot be told. */
static __attribute__((noinline)) const char *absolute(const char *path)
{
	static char found[PATH_MAX];
	return realpath(path, found);
}

const char *nvtx_enable(bool on, const char *set, const char *own)
{
	char reason[256];
	if (own != NULL && own[0] != '/')
		own = absolute(own);
	if (!on) {
		collector_source("nvtx", "off", "LIBTRACE_SOURCES");
	} else if (own == NULL) {
		collector_source("nvtx", "failed", "the path of this library is not known");
	} else if (set != NULL && !is_same_file(set, own)) {
		(void)snprintf(reason, sizeof(reason), NVTX_VARIABLE " is %s", set);
		collector_source("nvtx", "yielded", reason);
	} else {
		enabled = true;
		collector_source("nvtx", "absent", "no module has used it");
		return own;
	}
	return NULL;
}

/* SPDX-License-Identifier: MIT */
#include "preload/track/kernel.h"

#include "collector/describe.h"
#include "preload/thread/arena.h"
#include "preload/track/stream_capture.h"

#include <errno.h>
#include <string.h>

#define GROUP_BITS     10
#define GROUP_BUCKETS  (1u << GROUP_BITS)
#define NAMELESS_COUNT 64u
#define TEXT_LIMIT     4096u

struct kernel *kernel_buckets[KERNEL_BUCKETS];
void (*kernel_ask)(const void *handle, enum kernel_form form);
static struct kernel *group_buckets[GROUP_BUCKETS];

/* The text of a link. */
static const char link_text[] = "";

static unsigned group_hash(const void *group)
{
	return hash_pointer_bits(group, GROUP_BITS);
}

static void push(struct kernel **bucket, struct kernel *kernel, struct kernel **ret_next)
{
	struct kernel *head = __atomic_load_n(bucket, __ATOMIC_RELAXED);
	do {
		*ret_next = head;
	} while (!__atomic_compare_exchange_n(
		bucket, &head, kernel, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* The newest entry of handle, or NULL. */
static struct kernel *find(const void *handle)
{
	struct kernel *kernel =
		__atomic_load_n(&kernel_buckets[kernel_hash(handle)], __ATOMIC_ACQUIRE);
	while (kernel != NULL && kernel->handle != handle)
		kernel = kernel->next;
	return kernel;
}

/* With link_text: handle is a group that goes with group. */
static void add(const void *group, const void *handle, const char *text, bool in_context)
{
	struct kernel *kernel = arena_take(sizeof(*kernel));
	if (kernel == NULL)
		return;
	kernel->handle = handle;
	kernel->group = group;
	kernel->text = text;
	kernel->in_context = in_context;
	kernel->is_link = text == link_text;
	push(&group_buckets[group_hash(group)], kernel, &kernel->group_next);
	if (!kernel->is_link)
		push(&kernel_buckets[kernel_hash(handle)], kernel, &kernel->next);
}

static bool is_known(const void *group, const void *handle, const char *text)
{
	const struct kernel *known = find(handle);
	return known != NULL && known->group == group && known->text == text;
}

void kernel_register(const void *group, const void *handle, const char *text)
{
	if (handle != NULL && text != NULL && !is_known(group, handle, text))
		add(group, handle, text, false);
}

void kernel_register_copy(const void *group, const void *handle, const char *text, bool in_context)
{
	if (handle == NULL || text == NULL)
		return;
	const struct kernel *known = find(handle);
	const char *old = known == NULL ? NULL : __atomic_load_n(&known->text, __ATOMIC_ACQUIRE);
	if (old != NULL && known->group == group && known->in_context == in_context &&
		strcmp(old, text) == 0)
		return;
	size_t length = strnlen(text, TEXT_LIMIT);
	char *copy = arena_take(length + 1);
	if (copy == NULL)
		return;
	memcpy(copy, text, length);
	add(group, handle, copy, in_context);
}

static void forget(struct kernel *kernel)
{
	__atomic_store_n(&kernel->name, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&kernel->text, NULL, __ATOMIC_RELEASE);
}

void kernel_alias(const void *handle, const void *alias, bool in_context)
{
	if (alias == handle || alias == NULL)
		return;
	const struct kernel *kernel = find(handle);
	const char *text = kernel == NULL ? NULL : __atomic_load_n(&kernel->text, __ATOMIC_ACQUIRE);
	struct kernel *old = find(alias);
	if (text != NULL && !is_known(kernel->group, alias, text))
		add(kernel->group, alias, text, in_context);
	else if (text == NULL && old != NULL)
		forget(old);
}

void kernel_link(const void *group, const void *member)
{
	if (group == NULL || member == NULL || group == member)
		return;
	const struct kernel *kernel =
		__atomic_load_n(&group_buckets[group_hash(group)], __ATOMIC_ACQUIRE);
	for (; kernel != NULL; kernel = kernel->group_next)
		if (kernel->is_link && kernel->group == group && kernel->handle == member &&
			__atomic_load_n(&kernel->text, __ATOMIC_RELAXED) != NULL)
			return;
	add(group, member, link_text, false);
}

static void forget_group(const void *group, bool with_links)
{
	struct kernel *kernel =
		__atomic_load_n(&group_buckets[group_hash(group)], __ATOMIC_ACQUIRE);
	for (; kernel != NULL; kernel = kernel->group_next) {
		if (kernel->group != group ||
			__atomic_load_n(&kernel->text, __ATOMIC_RELAXED) == NULL)
			continue;
		if (kernel->is_link && with_links)
			forget_group(kernel->handle, false);
		forget(kernel);
	}
}

/* Handles that have no name are not asked for again and again. */
static const void *nameless[NAMELESS_COUNT];

static const void **nameless_slot(const void *handle)
{
	return &nameless[kernel_hash(handle) % NAMELESS_COUNT];
}

static void forget_nameless(void)
{
	for (unsigned i = 0; i < NAMELESS_COUNT; i++)
		__atomic_store_n(&nameless[i], NULL, __ATOMIC_RELAXED);
}

void kernel_forget(const void *group)
{
	forget_group(group, true);
	forget_nameless();
}

void kernel_forget_contexts(void)
{
	forget_nameless();
	for (unsigned bucket = 0; bucket < GROUP_BUCKETS; bucket++) {
		struct kernel *kernel = __atomic_load_n(&group_buckets[bucket], __ATOMIC_ACQUIRE);
		for (; kernel != NULL; kernel = kernel->group_next)
			if (kernel->in_context || kernel->group == NULL)
				forget(kernel);
	}
}

/* Intern the name of a kernel at its first launch; 0 if it has none. */
static uint32_t name_first(const void *handle)
{
	struct kernel *kernel = find(handle);
	if (kernel == NULL)
		return 0;
	if (kernel->name != 0)
		return kernel->name;
	const char *text = __atomic_load_n(&kernel->text, __ATOMIC_ACQUIRE);
	if (text == NULL)
		return 0;
	int saved = errno;
	uint32_t name = collector_name(text, strlen(text));
	errno = saved;
	__atomic_store_n(&kernel->name, name, __ATOMIC_RELAXED);
	return name;
}

uint32_t kernel_name_slow(const void *handle, enum kernel_form form, int result)
{
	uint32_t name = name_first(handle);
	void (*ask)(const void *, enum kernel_form) =
		__atomic_load_n(&kernel_ask, __ATOMIC_ACQUIRE);
	if (name != 0 || ask == NULL || result != 0 ||
		__atomic_load_n(&stream_capture_count, __ATOMIC_RELAXED) != 0 ||
		__atomic_load_n(nameless_slot(handle), __ATOMIC_RELAXED) == handle)
		return name;
	ask(handle, form);
	name = name_first(handle);
	if (name == 0)
		__atomic_store_n(nameless_slot(handle), handle, __ATOMIC_RELAXED);
	return name;
}

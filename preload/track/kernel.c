/* SPDX-License-Identifier: MIT */
#include "preload/track/kernel.h"

#include "collector/describe.h"
#include "preload/thread/arena.h"
#include "preload/track/stream_capture.h"

#include <errno.h>
#include <string.h>

#define GROUP_BITS     14
#define GROUP_BUCKETS  (1u << GROUP_BITS)
#define NAMELESS_COUNT 64u
#define TEXT_LIMIT     4096u

struct kernel_named kernel_names[KERNEL_BUCKETS];
static struct kernel *kernel_buckets[KERNEL_BUCKETS];
void (*kernel_ask)(const void *handle, enum kernel_form form);

/* What was registered with a group, so that forgetting costs no more than there is to forget. */
struct group {
	struct group *next; /* in the bucket */
	const void *handle;
	struct kernel *members; /* by group_next */
};
static struct group *group_buckets[GROUP_BUCKETS];

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

/* What handle stands for is another from now on. */
static void forget_name(const void *handle)
{
	struct kernel_named *known = &kernel_names[kernel_hash(handle)];
	if (__atomic_load_n(&known->handle, __ATOMIC_ACQUIRE) != handle)
		return;
	__atomic_store_n(&known->name, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&known->handle, NULL, __ATOMIC_RELEASE);
}

/* Remember the name of a kernel, if its place is free. */
static void remember_name(const struct kernel *kernel, uint32_t name)
{
	static const char claimed;
	struct kernel_named *known = &kernel_names[kernel_hash(kernel->handle)];
	const void *nobody = NULL;
	if (!__atomic_compare_exchange_n(&known->handle, &nobody, (const void *)&claimed, false,
		    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&known->name, name, __ATOMIC_RELAXED);
	__atomic_store_n(&known->handle, kernel->handle, __ATOMIC_SEQ_CST);
	/* Forgotten meanwhile, or hidden by another? */
	if (find(kernel->handle) != kernel ||
		__atomic_load_n(&kernel->text, __ATOMIC_SEQ_CST) == NULL)
		forget_name(kernel->handle);
}

/* A group is never given back: the next library often gets the handle of the one before. */
static struct group *group_of(const void *handle, bool make)
{
	struct group **bucket = &group_buckets[group_hash(handle)];
	struct group *group = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
	while (group != NULL && group->handle != handle)
		group = group->next;
	if (group != NULL || !make || (group = arena_take(sizeof(*group))) == NULL)
		return group;
	group->handle = handle;
	group->next = __atomic_load_n(bucket, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(
		bucket, &group->next, group, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return group;
}

static void join(struct group *group, struct kernel *kernel)
{
	if (!__atomic_exchange_n(&kernel->listed, true, __ATOMIC_ACQ_REL))
		push(&group->members, kernel, &kernel->group_next);
}

/* Use the entry of a handle again that was forgotten: libraries come and go at the same place. */
static bool revive(struct kernel *kernel, struct group *group, const char *text, bool in_context)
{
	const char *none = NULL;
	if (kernel == NULL || __atomic_load_n(&kernel->text, __ATOMIC_ACQUIRE) != NULL)
		return false;
	if (__atomic_load_n(&kernel->listed, __ATOMIC_ACQUIRE) && kernel->group != group->handle)
		return false;
	kernel->group = group->handle;
	kernel->in_context = in_context;
	if (!__atomic_compare_exchange_n(
		    &kernel->text, &none, text, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return false;
	join(group, kernel);
	forget_name(kernel->handle);
	return true;
}

/* With link_text: handle is a group that goes with group. */
static void add(const void *group_handle, const void *handle, const char *text, bool in_context)
{
	struct group *group = group_of(group_handle, true);
	bool is_link = text == link_text;
	if (group == NULL || (!is_link && revive(find(handle), group, text, in_context)))
		return;
	struct kernel *kernel = arena_take(sizeof(*kernel));
	if (kernel == NULL)
		return;
	kernel->handle = handle;
	kernel->group = group_handle;
	kernel->text = text;
	kernel->in_context = in_context;
	kernel->is_link = is_link;
	join(group, kernel);
	if (kernel->is_link)
		return;
	push(&kernel_buckets[kernel_hash(handle)], kernel, &kernel->next);
	forget_name(handle);
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

static const char *copy_of(const char *text)
{
	size_t length = strnlen(text, TEXT_LIMIT);
	char *copy = arena_take(length + 1);
	if (copy != NULL)
		memcpy(copy, text, length);
	return copy;
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
	const char *kept = known == NULL ? NULL : __atomic_load_n(&known->copied, __ATOMIC_ACQUIRE);
	if (kept == NULL || strcmp(kept, text) != 0)
		kept = copy_of(text);
	if (kept == NULL)
		return;
	add(group, handle, kept, in_context);
	struct kernel *now = find(handle);
	if (now != NULL)
		__atomic_store_n(&now->copied, kept, __ATOMIC_RELEASE);
}

static void forget(struct kernel *kernel)
{
	__atomic_store_n(&kernel->name, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&kernel->text, NULL, __ATOMIC_SEQ_CST);
	if (!kernel->is_link)
		forget_name(kernel->handle);
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
	const struct group *known = group_of(group, false);
	const struct kernel *kernel =
		known == NULL ? NULL : __atomic_load_n(&known->members, __ATOMIC_ACQUIRE);
	for (; kernel != NULL; kernel = kernel->group_next)
		if (kernel->is_link && kernel->handle == member)
			return;
	add(group, member, link_text, false);
}

static void forget_group(const void *handle, bool with_links)
{
	struct group *group = group_of(handle, false);
	struct kernel *next, *kernel = group == NULL ? NULL
						     : __atomic_exchange_n(&group->members, NULL,
							       __ATOMIC_ACQ_REL);
	for (; kernel != NULL; kernel = next) {
		if (kernel->is_link && with_links)
			forget_group(kernel->handle, false);
		/* From the last line on it may be another's. */
		next = kernel->group_next;
		__atomic_store_n(&kernel->listed, false, __ATOMIC_RELEASE);
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

static void forget_in_context(struct group *group)
{
	struct kernel *kernel = __atomic_load_n(&group->members, __ATOMIC_ACQUIRE);
	for (; kernel != NULL; kernel = kernel->group_next)
		if (kernel->in_context || kernel->group == NULL)
			forget(kernel);
}

void kernel_forget_contexts(void)
{
	forget_nameless();
	for (unsigned bucket = 0; bucket < GROUP_BUCKETS; bucket++) {
		struct group *group = __atomic_load_n(&group_buckets[bucket], __ATOMIC_ACQUIRE);
		for (; group != NULL; group = group->next)
			forget_in_context(group);
	}
}

/* Intern the name of a kernel at its first launch; 0 if it has none. */
static uint32_t name_first(const void *handle)
{
	struct kernel *kernel = find(handle);
	if (kernel == NULL)
		return 0;
	if (kernel->name != 0) {
		remember_name(kernel, kernel->name);
		return kernel->name;
	}
	const char *text = __atomic_load_n(&kernel->text, __ATOMIC_ACQUIRE);
	if (text == NULL)
		return 0;
	int saved = errno;
	uint32_t name = collector_name(text, strlen(text));
	errno = saved;
	__atomic_store_n(&kernel->name, name, __ATOMIC_RELAXED);
	if (name != 0)
		remember_name(kernel, name);
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

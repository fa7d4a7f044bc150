/* SPDX-License-Identifier: MIT */
/*
 * Names of kernels by what a launch carries: the address of a host stub
 * (__cudaRegisterFunction) or a handle (__cudaGetKernel and its kin).
 *
 * A hash table of chains that only grows: a registration is two stores and a
 * compare-and-swap, a look-up a few loads, neither takes a lock or uses the heap. The
 * text belongs to the library that registered it, so it is interned only when the
 * kernel is first launched, and forgotten when the library's group is unregistered.
 * A later registration of the same handle hides the earlier one. Forgetting costs what there is to
 * forget, and an entry that was forgotten is used again when its handle comes back.
 *
 * Handles are used again by the driver when what they stood for is gone. So a name is forgotten
 * with its group (a fat binary, a module, a library), with the library whose module it came from,
 * and, for functions, which belong to a context, with any context: no name is better than an
 * old one, and most drivers can be asked.
 *
 * Any thread, at any time, before start as well.
 */
#ifndef PRELOAD_KERNEL_H
#define PRELOAD_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/hash.h"
#include "collector/own/linkage.h"

#define KERNEL_BITS    16
#define KERNEL_BUCKETS (1u << KERNEL_BITS)

struct kernel {
	struct kernel *next;       /* in the bucket of handle */
	struct kernel *group_next; /* of the same group */
	const void *handle;
	const void *group;
	const char *text;   /* NULL: unregistered */
	uint32_t name;      /* id of the text, 0: not launched yet */
	bool in_context;    /* gone with a context */
	bool listed;        /* among what goes with a group */
	const char *copied; /* a copy of its text that was made once */
	bool is_link;       /* handle is a group that goes with group; in no bucket of handles */
};

/*
 * Names of kernels that were launched, where they are looked for first; handle NULL: free. Which of
 * several handles in one place it is stays so until that one is forgotten.
 */
extern struct kernel_named {
	const void *handle;
	uint32_t name;
} kernel_names[KERNEL_BUCKETS] __attribute__((visibility("hidden")));

static inline unsigned kernel_hash(const void *handle)
{
	return hash_address_bits(handle, KERNEL_BITS);
}

/* handle's name is text, which stays valid until group is unregistered. NULLs are ignored. */
void kernel_register(const void *group, const void *handle, const char *text);

/* The same for a text that may go away: it is copied. in_context: gone with a context. */
void kernel_register_copy(const void *group, const void *handle, const char *text, bool in_context);

/*
 * alias is another handle of the kernel that handle stands for. When that is unknown, alias has
 * no name any more.
 */
void kernel_alias(const void *handle, const void *alias, bool in_context);

/* What is registered with member is forgotten with group. NULLs are ignored. */
void kernel_link(const void *group, const void *member);

/* Forget what was registered with group. */
void kernel_forget(const void *group);

/* Forget what may be gone with a context, and what was asked for. */
void kernel_forget_contexts(void);

/* What a launch carries. */
enum kernel_form {
	KERNEL_STUB,     /* of a launch of the runtime: the address of a host stub */
	KERNEL_HANDLE,   /* of __cudaLaunchKernel: a kernel of a library */
	KERNEL_FUNCTION, /* of a launch of the driver: either of its handles */
};

/*
 * Where the names come from that nobody registered; NULL: nowhere. It is asked once a
 * kernel has been launched, and registers what it finds.
 */
extern void (*kernel_ask)(const void *handle, enum kernel_form form)
	__attribute__((visibility("hidden")));

/*
 * The same as kernel_name(), slowly: with what was never launched before interned, and what nobody
 * registered asked for, unless the launch failed or a stream is being captured anywhere.
 */
uint32_t kernel_name_slow(const void *handle, enum kernel_form form, int result);

/* Id of the name of what was launched with that result, 0 if it is not known. */
static inline uint32_t kernel_name(const void *handle, enum kernel_form form, int result)
{
	const struct kernel_named *known = &kernel_names[kernel_hash(handle)];
	__asm__("" : "+r"(known)); /* else its address is made up twice */
	if (__builtin_expect(LINKAGE_PEEK(known->handle) == handle, 1)) {
		LINKAGE_SEEN();
		return known->name;
	}
	return kernel_name_slow(handle, form, result);
}

#endif

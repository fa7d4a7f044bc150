/* SPDX-License-Identifier: MIT */
#include "compute.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "foreach.h"
#include "kernel.h"
#include "layout.h"
#include "name.h"

#define EXPORT __attribute__((visibility("default")))

enum {
	TABLE_SIZE = 1 << 14 /* a process launches some hundred different kernels */
};

struct captured {
	const struct kernel *kernel;
	struct compute_launch launch;
};

#define FAMILY(prefix, bind, run) {prefix, bind, run},
static const struct family families[] = {
#include "families.def"
};
#undef FAMILY

static _Atomic(struct kernel *) table[TABLE_SIZE];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t slot_of(const char *mangled)
{
	return ((uintptr_t)mangled * 0x9e3779b97f4a7c15ull) >> 50;
}

/* The function's own name: without return type and namespaces. */
static const char *base_name(const char *name)
{
	const char *end, *base;

	if (!strncmp(name, "void ", 5))
		name += 5;
	end = name + strcspn(name, "<(");
	for (base = end; base > name && base[-1] != ':';)
		base--;
	return base;
}

/* Others' kernels have names like PyTorch's: softmax_warp_forward is one of ONNX Runtime's too. */
static int is_others(const char *name)
{
	static const char *const spaces[] = {
		"onnxruntime::", "tensorflow::", "stream_executor::", "xla::", "Eigen::"};

	if (!strncmp(name, "void ", 5))
		name += 5;
	for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++)
		if (!strncmp(name, spaces[i], strlen(spaces[i])))
			return 1;
	return 0;
}

static void bind(struct kernel *kernel)
{
	const char *name = kernel->name ? base_name(kernel->name) : NULL;

	if (!name || is_others(kernel->name))
		return;
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		if (strncmp(name, families[i].prefix, strlen(families[i].prefix)))
			continue;
		if (!families[i].bind(kernel))
			continue;
		kernel->family = &families[i];
		return;
	}
}

static struct kernel *kernel_new(const char *mangled)
{
	struct kernel *kernel = calloc(1, sizeof(*kernel));

	if (!kernel)
		return NULL;
	kernel->mangled = mangled;
	kernel->name = name_simplify(mangled);
	bind(kernel);
	return kernel;
}

/* The kernel of this name; NULL if it is not computed. */
static const struct kernel *kernel_find(const char *mangled)
{
	size_t slot = slot_of(mangled), tries;
	struct kernel *kernel;

	for (tries = 0; tries < TABLE_SIZE; tries++, slot = (slot + 1) % TABLE_SIZE) {
		kernel = atomic_load_explicit(&table[slot], memory_order_acquire);
		if (!kernel)
			break;
		if (kernel->mangled == mangled)
			return kernel->family ? kernel : NULL;
	}
	pthread_mutex_lock(&table_lock);
	for (; tries < TABLE_SIZE; tries++, slot = (slot + 1) % TABLE_SIZE) {
		kernel = atomic_load_explicit(&table[slot], memory_order_relaxed);
		if (!kernel) {
			kernel = kernel_new(mangled);
			atomic_store_explicit(&table[slot], kernel, memory_order_release);
		}
		if (!kernel || kernel->mangled == mangled)
			break;
	}
	pthread_mutex_unlock(&table_lock);
	return kernel && kernel->mangled == mangled && kernel->family ? kernel : NULL;
}

EXPORT int compute_kernel(const char *mangled_name, const struct compute_launch *launch)
{
	const struct kernel *kernel = kernel_find(mangled_name);

	if (!kernel)
		return 0;
	kernel->family->run(kernel, launch);
	return 1;
}

int kernel_bind_simple(struct kernel *kernel)
{
	char letters[64];

	if (name_signature(kernel->name, letters, sizeof(letters)) < 0 || strchr(letters, '#'))
		return 0;
	kernel->params = strdup(letters);
	for (int i = 0; i < KERNEL_TYPES; i++)
		kernel->types[i] = name_type(kernel->name, i);
	return kernel->params != NULL;
}

int kernel_bind_nothing(struct kernel *kernel)
{
	(void)kernel;
	return 1;
}

void kernel_run_nothing(const struct kernel *kernel, const struct compute_launch *launch)
{
	(void)kernel;
	(void)launch;
}

int64_t kernel_int(const struct kernel *kernel, const struct compute_launch *launch, int i)
{
	switch (kernel->params[i]) {
	case 'p':
		return ARG(launch, i, int64_t);
	case 'i':
		return ARG(launch, i, int32_t);
	case 'h':
		return ARG(launch, i, int16_t);
	default:
		return ARG(launch, i, uint8_t);
	}
}

static size_t param_size(const struct kernel *kernel, int cudart, char letter, int *size_index)
{
	switch (letter) {
	case 'L':
		return foreach_lists_size(kernel, cudart);
	case 'G':
		return layout_for(cudart)->generator_size;
	case 'm':
		return layout_for(cudart)->attention_sizes[LAYOUT_LEAN];
	case 'M':
		return layout_for(cudart)->attention_sizes[LAYOUT_LEAN_BACKWARD];
	case 'f':
		return layout_for(cudart)->attention_sizes[LAYOUT_FLASH];
	case 'F':
		return layout_for(cudart)->attention_sizes[LAYOUT_FLASH_BACKWARD];
	case 'p':
		return 8;
	case 'i':
		return 4;
	case 'h':
		return 2;
	case 'b':
		return 1;
	default:
		return kernel->sizes[(*size_index)++];
	}
}

EXPORT void *compute_capture(const char *mangled_name, const struct compute_launch *launch)
{
	const struct kernel *kernel = kernel_find(mangled_name);
	size_t count, total = 0, at;
	struct captured *captured;
	int size_index = 0;

	if (!kernel || !kernel->params)
		return NULL;
	count = strlen(kernel->params);
	for (size_t i = 0; i < count; i++)
		total += ALIGN_UP(
			param_size(kernel, launch->cudart, kernel->params[i], &size_index), 16);
	at = ALIGN_UP(sizeof(*captured) + count * sizeof(void *), 16);
	captured = calloc(1, at + total);
	if (!captured)
		return NULL;
	captured->kernel = kernel;
	captured->launch = *launch;
	captured->launch.args = (void **)(captured + 1);
	size_index = 0;
	for (size_t i = 0; i < count; i++) {
		size_t size = param_size(kernel, launch->cudart, kernel->params[i], &size_index);

		captured->launch.args[i] = (char *)captured + at;
		memcpy((char *)captured + at, launch->args[i], size);
		at += ALIGN_UP(size, 16);
	}
	return captured;
}

EXPORT int compute_replay(void *captured)
{
	struct captured *launch = captured;

	if (!launch)
		return 0;
	launch->kernel->family->run(launch->kernel, &launch->launch);
	return 1;
}

EXPORT void compute_release(void *captured)
{
	free(captured);
}

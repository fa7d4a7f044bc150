/* SPDX-License-Identifier: MIT */
/*
 * Every driver function of hooks_driver.def, called once with nothing: pointers lead to zeroes,
 * handles and sizes are zero. Most calls fail, all are calls. Prints names and results.
 */
#include "preload/cuda_driver_abi.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ARGUMENTS 12

static const struct row {
	const char *library, *name, *parameters;
} rows[] = {
/* clang-format off */
#define HOOK_ROW(library, type, name, params, args, capture, gate, flags) \
	{#library, #name, #params},
#include "preload/hooks.def"
	/* clang-format on */
};

typedef int any(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
	uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static uint64_t memory[ARGUMENTS][512];

static void call(const struct row *row, any *function)
{
	uintptr_t given[ARGUMENTS] = {0};
	unsigned count = 0;
	memset(memory, 0, sizeof(memory));
	for (const char *at = row->parameters; *at != '\0'; at++) {
		count += *at == ',';
		if (*at == '*')
			given[count] = (uintptr_t)memory[count];
	}
	int result = function(given[0], given[1], given[2], given[3], given[4], given[5], given[6],
		given[7], given[8], given[9], given[10], given[11]);
	printf("%s %d\n", row->name, result);
}

int main(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned) =
		library == NULL ? NULL : (int (*)(unsigned))dlsym(library, "cuInit");
	int (*retain)(void **, int) = NULL;
	int (*use)(void *) = NULL;
	void *context;
	unsigned missing = 0;
	if (init == NULL || init(0) != 0)
		return 2;
	retain = (int (*)(void **, int))dlsym(library, "cuDevicePrimaryCtxRetain");
	use = (int (*)(void *))dlsym(library, "cuCtxSetCurrent");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].library, "cuda") != 0)
			continue;
		any *function = (any *)dlsym(library, rows[i].name);
		/* A call may have taken the context away. */
		if (retain(&context, 0) != 0 || use(context) != 0 || function == NULL) {
			printf("%s is missing\n", rows[i].name);
			missing++;
		} else {
			call(&rows[i], function);
		}
	}
	return missing != 0 ? 2 : 0;
}

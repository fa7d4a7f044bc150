/* SPDX-License-Identifier: MIT */
/*
 * Every function of hooks.def that is the driver's, or with -DRUNTIME the runtime's, called once
 * with nothing: pointers lead to zeroes, handles and sizes are zero. Most calls fail, all are
 * calls. Prints names and results, and what the library has not.
 */
#include "preload/calls/driver_abi.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ARGUMENTS 20 /* words: structures by value take several */

static const struct row {
	const char *library, *name, *parameters;
} rows[] = {
/* clang-format off */
#define HOOK_ROW(library, type, name, params, args, capture, gate, flags) \
	{#library, #name, #params},
#include "preload/calls/hooks.def"
	/* clang-format on */
};

typedef int any(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
	uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
	uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

#ifdef RUNTIME
#define LIBRARY "cudart"
#define SONAME  "libcudart.so." RUNTIME
#else
#define LIBRARY "cuda"
#define SONAME  "libcuda.so.1"
#endif

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
		given[7], given[8], given[9], given[10], given[11], given[12], given[13], given[14],
		given[15], given[16], given[17], given[18], given[19]);
	printf("%s %d\n", row->name, result);
}

/*
 * The driver's functions are asked for; the runtime's are found as a linked program finds them,
 * where the library has them.
 */
static any *find(void *library, const char *name)
{
	void *function = dlsym(library, name);
#ifdef RUNTIME
	if (function != NULL)
		function = dlsym(RTLD_DEFAULT, name);
#endif
	return (any *)(uintptr_t)function;
}

/* A call may have taken the context away. */
static int have_context(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context;
	int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
	int (*retain)(void **, int) =
		(int (*)(void **, int))dlsym(driver, "cuDevicePrimaryCtxRetain");
	int (*use)(void *) = (int (*)(void *))dlsym(driver, "cuCtxSetCurrent");
	return init(0) == 0 && retain(&context, 0) == 0 && use(context) == 0;
}

/* Void functions that take apart what was registered: not for nothing. */
static bool is_registering(const char *name)
{
	return strncmp(name, "__cudaRegister", 14) == 0 ||
	       strncmp(name, "__cudaUnregister", 16) == 0;
}

int main(void)
{
	void *library = dlopen(SONAME, RTLD_NOW | RTLD_GLOBAL);
	if (library == NULL)
		return 2;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].library, LIBRARY) != 0 || is_registering(rows[i].name))
			continue;
		any *function = find(library, rows[i].name);
		if (function == NULL)
			printf("%s is missing\n", rows[i].name);
		else if (!have_context())
			return 2;
		else
			call(&rows[i], function);
	}
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "collector/base/err.h"
#include "collector/write/symbols.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct symbols_place place;

static __attribute__((noinline)) uint64_t returns_here(void)
{
	return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

TestSuite(symbols, .timeout = 60);

Test(symbols, function_of_this_program)
{
	char path[PATH_MAX] = "";
	uint64_t address = returns_here();
	cr_assert(eq(int, symbols_resolve(address, &place), 0));
	cr_assert(gt(long, readlink("/proc/self/exe", path, sizeof(path) - 1), 0));
	cr_assert(zero(int, strcmp(place.module, path)));
	/* Criterion names the function of a test after suite and test. */
	cr_assert(ne(ptr, strstr(place.function, "function_of_this_program"), NULL));
	cr_assert(eq(sz, strlen(place.build_id), 40));
}

/* The offset is what the file's own tools take. */
Test(symbols, offset_is_an_address_in_the_file)
{
	char command[PATH_MAX + 64], line[512] = "";
	uint64_t address = (uint64_t)(uintptr_t)returns_here;
	cr_assert(eq(int, symbols_resolve(address + 1, &place), 0));
	cr_assert(zero(int, strcmp(place.function, "returns_here")));
	(void)snprintf(command, sizeof(command), "nm '%s' | grep ' returns_here$'", place.module);
	FILE *pipe = popen(command, "r");
	cr_assert(ne(ptr, pipe, NULL));
	cr_assert(ne(ptr, fgets(line, sizeof(line), pipe), NULL));
	(void)pclose(pipe);
	cr_assert(eq(u64, strtoull(line, NULL, 16) + 1, place.offset));
}

Test(symbols, function_of_a_library)
{
	const char *function = dlsym(RTLD_DEFAULT, "a64l");
	cr_assert(ne(ptr, (void *)(uintptr_t)function, NULL));
	cr_assert(eq(int, symbols_resolve((uint64_t)(uintptr_t)function + 1, &place), 0));
	cr_assert(ne(ptr, strstr(place.module, "libc.so"), NULL));
	cr_assert(ne(ptr, strstr(place.function, "a64l"), NULL));
	cr_assert(eq(sz, strlen(place.build_id), 40));
}

/*
 * A call as the last instruction of a function returns behind it: the function is that of the call.
 */
Test(symbols, the_byte_before_counts)
{
	uint64_t begin = (uint64_t)(uintptr_t)returns_here;
	cr_assert(eq(int, symbols_resolve(begin, &place), 0));
	cr_assert(not(zero(int, strcmp(place.function, "returns_here"))));
}

Test(symbols, nothing_there)
{
	char *memory = malloc(64);
	int local = 0;
	const uint64_t nowhere[] = {
		0, 1, UINT64_MAX, (uint64_t)(uintptr_t)memory, (uint64_t)(uintptr_t)&local};
	for (unsigned i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		place.module[0] = 'x';
		cr_assert(eq(int, symbols_resolve(nowhere[i], &place), -ERR_UNKNOWN_NAME));
		cr_assert(eq(chr, place.module[0], 'x'));
	}
	free(memory);
}

/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "analyzer/cli/cli.h"
#include "analyzer/memory/memory.h"

/* The linker hands every allocation of the program to __wrap_NAME (Makefile). */
#define WRAPPED(type, name, parameters, arguments)                                                 \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		type memory = __real_##name arguments;                                             \
		if (__builtin_expect(memory == NULL, 0))                                           \
			memory_note();                                                             \
		return memory;                                                                     \
	}
WRAPPED(void *, malloc, (size_t size), (size))
WRAPPED(void *, calloc, (size_t count, size_t size), (count, size))
WRAPPED(void *, realloc, (void *old, size_t size), (old, size))
WRAPPED(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
WRAPPED(char *, strdup, (const char *text), (text))

int main(int argc, char **argv)
{
	return cli_run(argc, argv);
}

/* SPDX-License-Identifier: MIT */
/*
 * Preloaded with the library: its own allocation number FAIL_AT finds no memory, and with FAIL_EVER
 * all that follow. Nobody else's fails. FAIL_COUNT is a file for how many there were.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static long made, at;
static int ever;
static uintptr_t begin, end;

__attribute__((constructor)) static void find(void)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "re");
	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL)
		if (strstr(line, "/libtrace.so") != NULL && strstr(line, "r-xp") != NULL)
			(void)sscanf(line, "%lx-%lx", &begin, &end);
	if (maps != NULL)
		(void)fclose(maps);
	at = getenv("FAIL_AT") != NULL ? strtol(getenv("FAIL_AT"), NULL, 10) : 0;
	ever = getenv("FAIL_EVER") != NULL;
}

static int fails(const void *caller)
{
	if ((uintptr_t)caller < begin || (uintptr_t)caller >= end)
		return 0;
	long number = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
	int hit = at > 0 && (number == at || (ever && number > at));
	if (hit)
		errno = ENOMEM;
	return hit;
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

__attribute__((destructor)) static void tell(void)
{
	const char *path = getenv("FAIL_COUNT");
	FILE *file = path != NULL ? fopen(path, "we") : NULL;
	if (file == NULL)
		return;
	(void)fprintf(file, "%ld\n", made);
	(void)fclose(file);
}

/* SPDX-License-Identifier: MIT */
/*
 * Preloaded: allocation number FAIL_AT of the process finds no memory, and with FAIL_EVER all that
 * follow. FAIL_COUNT is a file for how many there were.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static long made, at = -1;
static int ever;

static int fails(void)
{
	if (at < 0) {
		const char *text = getenv("FAIL_AT");
		at = text != NULL ? atol(text) : 0;
		ever = getenv("FAIL_EVER") != NULL;
	}
	long number = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
	int hit = at > 0 && (number == at || (ever && number > at));
	if (hit)
		errno = ENOMEM;
	return hit;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __libc_memalign(alignment, size);
}

__attribute__((destructor)) static void tell(void)
{
	const char *path = getenv("FAIL_COUNT");
	FILE *file = path != NULL ? fopen(path, "w") : NULL;
	if (file == NULL)
		return;
	fprintf(file, "%ld\n", made);
	fclose(file);
}

/* SPDX-License-Identifier: MIT */
/*
 * Files that are read side by side are given out in their order, each as it is when it is read
 * alone, whichever could not be read and whenever the reading ends.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/run/abreast.h"
#include "test/unit/analyzer/trace_maker.h"

#define FILES  40u
#define BAD    7u   /* each file of so many is none */
#define BLOCKS 300u /* of a file: progress is told of them */

static char *paths[FILES];
static int fds[FILES];
static const struct process_options options = {.to_ns = UINT64_MAX};

static void make(void)
{
	for (unsigned i = 0; i < FILES; i++) {
		struct maker *maker = maker_new();
		maker_definitions(maker);
		for (unsigned block = 0; block < BLOCKS; block++)
			maker_events(maker, 1, block * (1 + i), 1 + i);
		maker_end(maker);
		maker_frame(maker);
		char path[64];
		size_t size = i % BAD == 0 ? 3 : maker->size;
		fds[i] = maker_file(maker->bytes, size, path, sizeof(path));
		paths[i] = strdup(path);
		maker_free(maker);
	}
}

static void release(void)
{
	for (unsigned i = 0; i < FILES; i++) {
		(void)close(fds[i]);
		free(paths[i]);
	}
}

TestSuite(abreast, .init = make, .fini = release);

Test(abreast, gives_files_in_their_order)
{
	struct abreast *abreast = abreast_new(paths, FILES, &options);
	cr_assert(abreast != NULL);
	for (unsigned i = 0; i < FILES; i++) {
		struct process process;
		struct err_at at = {0};
		int err = abreast_next(abreast, &process, &at);
		cr_assert(eq(int, err, i % BAD == 0 ? -ERR_TRUNCATED : 0));
		if (err < 0)
			continue;
		cr_assert(strcmp(reader_path(process.reader), paths[i]) == 0);
		cr_assert(eq(u64, process.model->events, BLOCKS * (1 + i)));
		process_release(&process);
	}
	abreast_free(abreast);
}

Test(abreast, ends_with_files_that_nobody_wants)
{
	for (unsigned taken = 0; taken < 8; taken++) {
		struct abreast *abreast = abreast_new(paths, FILES, &options);
		for (unsigned i = 0; i < taken; i++) {
			struct process process;
			struct err_at at = {0};
			if (abreast_next(abreast, &process, &at) == 0)
				process_release(&process);
		}
		abreast_free(abreast);
	}
}

static unsigned told, wrong;
static bool inside;

static void look(void *context, const struct process *process)
{
	wrong += !inside || context != &told || process->reader == NULL;
	told++;
}

/* While the caller waits, and only of the file that it waits for. */
Test(abreast, tells_progress_while_the_caller_waits)
{
	struct process_options looked = options;
	looked.progress = look;
	looked.progress_context = &told;
	struct abreast *abreast = abreast_new(paths, FILES, &looked);
	for (unsigned i = 0; i < FILES; i++) {
		struct process process;
		struct err_at at = {0};
		inside = true;
		int err = abreast_next(abreast, &process, &at);
		inside = false;
		if (err == 0)
			process_release(&process);
	}
	abreast_free(abreast);
	cr_assert(eq(u32, wrong, 0));
}

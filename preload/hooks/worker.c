/* SPDX-License-Identifier: MIT */
#include "preload/hooks/worker.h"

#include "collector/describe.h"
#include "collector/own/descriptor.h"
#include "preload/python/owner.h"
#include "preload/python/python.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OFTEN   64u /* looks at first, one for each wait: there may be much to import before */
#define SELDOM  8u  /* then one for so many */
#define COMMAND 4096u

bool worker_is_open = true;
static bool is_asked; /* whether it can be one at all */
static uint32_t looks;

static const struct owner_numbers loops[] = {
	{"_worker_loop", "/torch/utils/data/_utils/worker.py", {10, 11}},
	{"_worker_loop", "/dataloader/worker.py", {9, 10}}, /* of Paddle */
	{"data_worker_fn", "/mindspore/dataset/dataloader/_utils/worker.py", {3, 2}},
};

static void close_for_good(void)
{
	__atomic_store_n(&worker_is_open, false, __ATOMIC_RELAXED);
}

/* All versions of Python start their processes with that word, behind the code to run. */
static bool is_of_multiprocessing(void)
{
	static const char word[] = "\0--multiprocessing-fork";
	char command[COMMAND];
	int descriptor = descriptor_open("/proc/self/cmdline", O_RDONLY, 0);
	ssize_t length =
		descriptor >= 0 ? descriptor_read(descriptor, command, sizeof(command)) : -1;
	if (descriptor >= 0)
		(void)syscall(SYS_close, descriptor);
	return length < 0 || (size_t)length == sizeof(command) ||
	       memmem(command, (size_t)length, word, sizeof(word) - 1) != NULL;
}

static bool look(void)
{
	uint32_t numbers[2];
	for (unsigned i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		if (!python_numbers(&loops[i], numbers) || numbers[0] >= numbers[1])
			continue;
		collector_worker(numbers[0], numbers[1]);
		return true;
	}
	return false;
}

void worker_search(void)
{
	uint32_t before = __atomic_load_n(&looks, __ATOMIC_RELAXED);
	__atomic_store_n(&looks, before + 1, __ATOMIC_RELAXED);
	if (!is_asked) {
		is_asked = true;
		if (!is_of_multiprocessing()) {
			close_for_good();
			return;
		}
	}
	if (before >= OFTEN && before % SELDOM != 0)
		return;
	/* what the process was started for is running, and is none of the loops */
	if (look() || python_runs("run", "/multiprocessing/process.py"))
		close_for_good();
}

void worker_after_fork(void)
{
	is_asked = true;
	__atomic_store_n(&looks, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&worker_is_open, true, __ATOMIC_RELAXED);
}

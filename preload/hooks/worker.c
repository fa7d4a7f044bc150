/* SPDX-License-Identifier: MIT */
#include "preload/hooks/worker.h"

#include "collector/describe.h"
#include "preload/python/owner.h"
#include "preload/python/python.h"

#define OFTEN  64u /* looks at first, one for each wait: there may be much to import before */
#define SELDOM 8u  /* then one for so many */
#define FOUND  UINT32_MAX

static uint32_t looks;

static const struct owner_numbers loops[] = {
	{"_worker_loop", "/torch/utils/data/_utils/worker.py", {10, 11}},
	{"_worker_loop", "/dataloader/worker.py", {9, 10}}, /* of Paddle */
	{"data_worker_fn", "/mindspore/dataset/dataloader/_utils/worker.py", {3, 2}},
};

void worker_look(void)
{
	uint32_t numbers[2];
	uint32_t before = __atomic_load_n(&looks, __ATOMIC_RELAXED);
	if (before == FOUND)
		return;
	__atomic_store_n(&looks, before + 1 == FOUND ? 0 : before + 1, __ATOMIC_RELAXED);
	if (before >= OFTEN && before % SELDOM != 0)
		return;
	for (unsigned i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		if (!python_numbers(&loops[i], numbers) || numbers[0] >= numbers[1])
			continue;
		collector_worker(numbers[0], numbers[1]);
		__atomic_store_n(&looks, FOUND, __ATOMIC_RELAXED);
		return;
	}
}

void worker_after_fork(void)
{
	__atomic_store_n(&looks, 0, __ATOMIC_RELAXED);
}

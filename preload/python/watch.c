/* SPDX-License-Identifier: MIT */
#include "preload/python/watch.h"

#include <string.h>

#include "preload/thread/thread.h"

void watch_change(const struct python_layout *layout, const char *thread)
{
	uint64_t id = 0;
	if (thread_state.stack == NULL)
		return;
	if (thread != NULL)
		memcpy(&id, thread + layout->thread_id, sizeof(id));
	collector_watch(thread, id);
}

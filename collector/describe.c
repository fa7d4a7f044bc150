/* SPDX-License-Identifier: MIT */
#include "collector/describe.h"

#include <stdio.h>

#include "collector/buffer/define.h"

uint32_t collector_name(const char *text, size_t length)
{
	return define_name(text, length);
}

const char *collector_name_text(uint32_t id, size_t *ret_length)
{
	return define_name_text(id, ret_length);
}

uint32_t collector_place(const struct live_place *place)
{
	return define_place(place);
}

uint32_t collector_stack(uint32_t place, uint32_t caller)
{
	return define_stack(&(struct live_stack){place, caller});
}

void collector_source(const char *name, const char *state, const char *reason)
{
	state_add(META_SOURCE, name, state, reason);
}

void collector_version(const char *name, const char *value)
{
	state_add(META_VERSION, name, NULL, value);
}

void collector_setting(const char *name, const char *value)
{
	state_add(META_SETTING, name, NULL, value);
}

void collector_metadata(const char *name, const char *value)
{
	state_add(META_METADATA, name, NULL, value);
}

void collector_worker(unsigned number, unsigned count)
{
	char texts[2][16];
	(void)snprintf(texts[0], sizeof(texts[0]), "%u", number);
	(void)snprintf(texts[1], sizeof(texts[1]), "%u", count);
	state_add(META_WORKER, texts[0], texts[1], NULL);
}

void collector_rank(unsigned rank, unsigned ranks)
{
	state_learn_rank(rank, ranks);
}

void collector_count(enum state_counter counter, uint64_t more)
{
	state_count_up(counter, more);
}

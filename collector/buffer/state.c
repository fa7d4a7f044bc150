/* SPDX-License-Identifier: MIT */
#include "collector/buffer/state.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/small.h"

struct state {
	uint32_t kind; /* enum meta_kind, stored last; 0: not complete */
	char name[STATE_NAME_BYTES];
	char value[STATE_VALUE_BYTES];
	char text[STATE_TEXT_BYTES];
};

static struct state states[STATE_LIMIT] __attribute__((aligned(4096))); /* few: one page */
static uint32_t used SMALL;
static uint64_t counters[COUNTER_COUNT];

unsigned state_count(void)
{
	uint32_t count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
	return count < STATE_LIMIT ? count : STATE_LIMIT;
}

static void copy_text(char *to, size_t size, const char *from)
{
	size_t length = from == NULL ? 0 : strnlen(from, size - 1);
	if (length > 0)
		memcpy(to, from, length);
	to[length] = '\0';
}

/* The last state of that kind and name says the same already. */
static bool is_known(const struct state *state, enum meta_kind kind)
{
	for (unsigned i = state_count(); i > 0; i--) {
		const struct state *old = &states[i - 1];
		if (__atomic_load_n(&old->kind, __ATOMIC_ACQUIRE) != kind ||
			strcmp(old->name, state->name) != 0)
			continue;
		return strcmp(old->value, state->value) == 0 && strcmp(old->text, state->text) == 0;
	}
	return false;
}

void state_add(enum meta_kind kind, const char *name, const char *value, const char *text)
{
	struct state state;
	copy_text(state.name, sizeof(state.name), name);
	copy_text(state.value, sizeof(state.value), value);
	copy_text(state.text, sizeof(state.text), text);
	if (is_known(&state, kind) || state_count() >= STATE_LIMIT)
		return;
	uint32_t index = __atomic_fetch_add(&used, 1, __ATOMIC_ACQ_REL);
	if (index >= STATE_LIMIT)
		return;
	struct state *mine = &states[index];
	memcpy(mine->name, state.name, sizeof(mine->name));
	memcpy(mine->value, state.value, sizeof(mine->value));
	memcpy(mine->text, state.text, sizeof(mine->text));
	__atomic_store_n(&mine->kind, kind, __ATOMIC_RELEASE);
}

int state_get(unsigned index, struct meta *ret_meta)
{
	const struct state *state = &states[index];
	uint32_t kind = __atomic_load_n(&state->kind, __ATOMIC_ACQUIRE);
	if (kind == META_NONE)
		return 0;
	*ret_meta = (struct meta){.kind = (enum meta_kind)kind};
	if (kind == META_SOURCE)
		ret_meta->u.source = (struct meta_SOURCE){state->name, state->value, state->text};
	else if (kind == META_VERSION)
		ret_meta->u.version = (struct meta_VERSION){state->name, state->text};
	else if (kind == META_WORKER)
		ret_meta->u.worker = (struct meta_WORKER){
			strtoull(state->name, NULL, 10), strtoull(state->value, NULL, 10)};
	else if (kind == META_METADATA)
		ret_meta->u.metadata = (struct meta_METADATA){state->name, state->text};
	else
		ret_meta->u.setting = (struct meta_SETTING){state->name, state->text};
	return 1;
}

void state_count_up(enum state_counter counter, uint64_t more)
{
	if (counter < COUNTER_COUNT)
		__atomic_fetch_add(&counters[counter], more, __ATOMIC_RELAXED);
}

uint64_t state_counter(enum state_counter counter)
{
	return __atomic_load_n(&counters[counter], __ATOMIC_RELAXED);
}

const char *state_counter_name(enum state_counter counter)
{
	static const char *const names[COUNTER_COUNT] = {
#define COUNTER(NAME, name) [COUNTER_##NAME] = (name),
#include "collector/buffer/counter.def"
#undef COUNTER
	};
	return names[counter];
}

/* ranks << 32 | rank, or with NO_RANK */
static uint64_t learned;
#define NO_RANK UINT32_MAX

void state_learn_rank(unsigned rank, unsigned ranks)
{
	uint64_t before = __atomic_load_n(&learned, __ATOMIC_RELAXED), after;
	do {
		if (ranks < 2 || rank >= ranks || ranks < before >> 32)
			return;
		bool other = ranks == before >> 32 && rank != (uint32_t)before;
		after = (uint64_t)ranks << 32 | (other ? NO_RANK : rank);
	} while (!__atomic_compare_exchange_n(
		&learned, &before, after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

int64_t state_rank(int64_t *ret_ranks)
{
	uint64_t now = __atomic_load_n(&learned, __ATOMIC_RELAXED);
	bool known = now != 0 && (uint32_t)now != NO_RANK;
	if (ret_ranks != NULL)
		*ret_ranks = known ? (int64_t)(now >> 32) : -1;
	return known ? (int64_t)(uint32_t)now : -1;
}

void state_forget(void)
{
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		__atomic_store_n(&counters[i], 0, __ATOMIC_RELAXED);
	__atomic_store_n(&learned, 0, __ATOMIC_RELAXED);
}

/* SPDX-License-Identifier: MIT */
#include "collector/gpu/pause.h"

#include "collector/buffer/pause.h"
#include "collector/format/fields.h"
#include "collector/gpu/state.h"

#define CALL_LIMIT (1u << 16) /* calls remembered: more than are delivered late */

bool gpu_pause_is_expected;

/* By correlation: its upper bits, and whether recording was on. */
static struct {
	uint32_t correlation;
	bool on;
} calls[CALL_LIMIT];

/* Changes of both kinds that were taken and not yet told. */
static struct {
	struct pause_change pause;
	uint64_t state_ns;
	enum source_state state;
	bool has_pause, has_state;
	bool is_active; /* the source itself, whether it is wanted or not */
	bool is_off;
} next;

void gpu_pause_expect(bool expected)
{
	gpu_pause_is_expected = expected;
}

bool gpu_pause_decide(const struct record *record)
{
	uint32_t correlation = record_correlation(record);
	bool on = !pause_covers(record->begin);
	if (correlation == 0 || record->kind == RECORD_OVERHEAD)
		return on;
	if (record->kind == RECORD_DEVICE_API) {
		calls[correlation % CALL_LIMIT].correlation = correlation;
		calls[correlation % CALL_LIMIT].on = on;
	} else if (calls[correlation % CALL_LIMIT].correlation == correlation) {
		on = calls[correlation % CALL_LIMIT].on;
	}
	return on;
}

/* False: nothing is to be told of it. */
static bool take_pause(enum source_state *ret_state, uint64_t *ret_ns)
{
	next.has_pause = false;
	next.is_off = next.pause.off;
	*ret_state = next.is_off ? SOURCE_ENDED : SOURCE_ACTIVE;
	*ret_ns = next.pause.ns;
	return next.is_active;
}

static bool take_state(enum source_state *ret_state, uint64_t *ret_ns)
{
	next.has_state = false;
	next.is_active = next.state == SOURCE_ACTIVE;
	*ret_state = next.state;
	*ret_ns = next.state_ns;
	return !next.is_off || next.state == SOURCE_YIELDED || next.state == SOURCE_FAILED;
}

bool gpu_pause_next_state(enum source_state *ret_state, uint64_t *ret_ns)
{
	for (;;) {
		if (!next.has_state)
			next.has_state = gpu_state_next(&next.state, &next.state_ns);
		if (!next.has_pause)
			next.has_pause = pause_next(&next.pause);
		if (!next.has_state && !next.has_pause)
			return false;
		bool is_pause =
			next.has_pause && (!next.has_state || next.pause.ns < next.state_ns);
		if (is_pause ? take_pause(ret_state, ret_ns) : take_state(ret_state, ret_ns))
			return true;
	}
}

void gpu_pause_forget(void)
{
	next.has_state = next.has_pause = next.is_active = next.is_off = false;
}

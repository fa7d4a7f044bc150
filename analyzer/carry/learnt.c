/* SPDX-License-Identifier: MIT */
#include "analyzer/carry/learnt.h"

#include <stddef.h>

#include "collector/base/hash.h"
#include "collector/format/fields.h"

uint64_t learnt_key(uint32_t thread, const struct record *call)
{
	uint64_t key = hash_mix((uint64_t)thread << 32 | call->place,
		(uint64_t)call->kind << 48 | (uint64_t)call->call << 32 | call->name);
	return (key ^ key >> 29) | 1;
}

/* Where a key is looked for first. */
static inline uint32_t first_of(uint64_t key)
{
	return (uint32_t)(key >> 32 ^ key);
}

struct learnt_call *learnt_find(struct learnt *learnt, uint64_t key)
{
	uint32_t at = first_of(key) % LEARNT_CALLS;
	while (learnt->calls[at].key != 0 && learnt->calls[at].key != key)
		at = (at + 1) % LEARNT_CALLS;
	struct learnt_call *found = &learnt->calls[at];
	if (found->key == 0) {
		if (learnt->count >= LEARNT_CALLS / 2)
			return NULL;
		learnt->count++;
		found->key = key;
	}
	return found;
}

void learnt_see(struct learnt_call *call)
{
	call->seen++;
}

static void vote(struct learnt_op *most, const struct record *op)
{
	bool same = most->name == op->name && most->place == op->place;
	if (most->lead == 0 && !same) {
		*most = (struct learnt_op){.name = op->name,
			.place = op->place,
			.scope = (uint8_t)record_OP_scope(op),
			.framework = (uint8_t)record_OP_framework(op)};
		same = true;
	}
	most->lead += same ? 1 : -1u;
	most->hits += same;
}

void learnt_around(
	struct learnt_call *call, const struct record *op, uint64_t lead_ns, uint64_t tail_ns)
{
	call->enclosed++;
	call->lead_ns += lead_ns;
	call->tail_ns += tail_ns;
	/* only some have a place, those that took long: it is not what tells them apart */
	struct record nowhere = *op;
	nowhere.place = 0;
	vote(&call->around, &nowhere);
}

void learnt_behind(
	struct learnt_call *call, unsigned index, const struct record *op, uint64_t later_ns)
{
	struct learnt_behind *behind = &call->behind[index];
	behind->followed++;
	behind->later_ns += later_ns;
	behind->long_ns += op->end - op->begin;
	vote(&behind->op, op);
}

static bool most(uint64_t part, uint64_t whole)
{
	return part > 0 && 4 * part >= 3 * whole;
}

static uint64_t gap_key(uint64_t before, uint64_t key)
{
	return hash_mix(hash_mix(0, before), key) | 1;
}

/* They are in memory that the processor has not seen for long. */
void learnt_ahead(const struct learnt *learnt, uint64_t before, uint64_t key)
{
	const struct learnt_call *call = &learnt->calls[first_of(key) % LEARNT_CALLS];
	__builtin_prefetch(call, 1);
	__builtin_prefetch(&call->after_within_ns, 1);
	__builtin_prefetch(&learnt->gaps[first_of(gap_key(before, key)) % LEARNT_GAPS], 1);
}

/* Where the gap is, or would be. */
static uint32_t gap_at(const struct learnt *learnt, uint64_t key)
{
	uint32_t at = first_of(key) % LEARNT_GAPS;
	while (learnt->gaps[at].key != 0 && learnt->gaps[at].key != key)
		at = (at + 1) % LEARNT_GAPS;
	return at;
}

void learnt_gap(
	struct learnt *learnt, uint64_t before, uint64_t key, uint64_t ns, uint64_t within_ns)
{
	uint64_t own = gap_key(before, key);
	struct learnt_gap *gap = &learnt->gaps[gap_at(learnt, own)];
	if (gap->key == 0 && learnt->gap_count >= LEARNT_GAPS / 2)
		return;
	learnt->gap_count += gap->key == 0;
	gap->key = own;
	gap->ns += ns;
	gap->within_ns += within_ns < ns ? within_ns : ns;
}

uint64_t learnt_filled(const struct learnt *learnt, uint64_t before, uint64_t key, uint64_t ns)
{
	const struct learnt_gap *gap = &learnt->gaps[gap_at(learnt, gap_key(before, key))];
	if (!most(gap->within_ns, gap->ns))
		return 0;
	return (uint64_t)((double)ns * (double)gap->within_ns / (double)gap->ns);
}

void learnt_after(struct learnt_call *call, uint64_t ns, uint64_t within_ns)
{
	call->after++;
	call->after_ns += ns;
	call->after_within_ns += within_ns < ns ? within_ns : ns;
}

double learnt_longer(const struct learnt_call *known, uint64_t ns)
{
	if (known == NULL || !most(known->after_within_ns, known->after_ns))
		return 1;
	return (double)ns * (double)known->after / (double)known->after_ns;
}

static struct record op_of(const struct learnt_op *op, uint64_t count)
{
	struct record record = {.kind = RECORD_OP};
	if (most(op->hits, count)) {
		record.name = op->name;
		record.place = op->place;
		record_set_OP_scope(&record, op->scope);
		record_set_OP_framework(&record, op->framework);
	}
	return record;
}

static void tell_behind(const struct learnt_call *known, const struct learnt_behind *behind,
	uint64_t call_ns, struct record *ret_op)
{
	ret_op->kind = RECORD_NONE;
	if (!most(behind->followed, known->seen) || !most(behind->op.hits, behind->followed))
		return;
	*ret_op = op_of(&behind->op, behind->followed);
	ret_op->begin = call_ns + behind->later_ns / behind->followed;
	ret_op->end = ret_op->begin + behind->long_ns / behind->followed;
}

bool learnt_tell(const struct learnt_call *known, const struct record *call,
	struct record *ret_around, struct record ret_behind[LEARNT_BEHIND])
{
	static const struct learnt_call nothing;
	known = known != NULL ? known : &nothing;
	bool around = most(known->enclosed, known->seen);
	ret_around->kind = RECORD_NONE; /* of what is none nobody reads more */
	for (unsigned i = 0; i < LEARNT_BEHIND; i++)
		tell_behind(known, &known->behind[i], call->end, &ret_behind[i]);
	if (around) {
		uint64_t lead_ns = known->lead_ns / known->enclosed;
		*ret_around = op_of(&known->around, known->enclosed);
		ret_around->begin = call->begin > lead_ns ? call->begin - lead_ns : 0;
		ret_around->end = call->end + known->tail_ns / known->enclosed;
	}
	return around || most(known->seen - known->enclosed, known->seen);
}

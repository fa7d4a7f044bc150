/* SPDX-License-Identifier: MIT */
#include "preload/python/trail.h"

#include "collector/base/hash.h"
#include "collector/describe.h"
#include "preload/frameworks/frameworks.h"
#include "preload/python/site.h"

#define FRAME_LIMIT 64                /* Python frames walked outward */
#define STEP_LIMIT  256               /* frames of any kind */
#define TYPE_AT     8                 /* of an object: its type */
#define ENTRY_BYTES sizeof(uintptr_t) /* of the order */

#define SITE_CORE (1u << 31) /* of a line: it is on nobody's way, python_is_core() */

_Static_assert(sizeof(struct site) == 64, "one cache line");

static const struct python_layout *layout;
static struct trail never = {.frames = {{.at = UINT64_MAX}}}; /* comes */

/* Frames say who owns them, and hold the address of an instruction in place of an index. */
static inline bool has_owner(void)
{
	return layout->frame_owner != PYTHON_NO_FIELD;
}

void trails_use(const struct python_layout *used)
{
	layout = used;
}

void trails_begin(struct trails *trails)
{
	struct trail_order *order = &trails->order;
	order->trails[TRAIL_ORDER] = order->trails[0] = &never;
	order->end = 0;
	trails->expected = order->from = order->left = order->trails;
}

/* What was gone through is added to the order; where that is. The oldest make room. */
static struct trail **settle(struct trails *trails)
{
	struct trail_order *order = &trails->order;
	uint32_t count = (uint32_t)(trails->expected - order->from);
	if (order->end + count >= TRAIL_ORDER)
		order->end = 0;
	struct trail **added = &order->trails[order->end];
	memmove(added, order->from, count * ENTRY_BYTES);
	order->end += count;
	order->trails[order->end] = &never;
	return added;
}

/*
 * The order ends here: what has led to here may come again. A short round is put there more than
 * once, behind the end, so that most of what comes is found at once.
 */
static void go_on(struct trails *trails)
{
	struct trail_order *order = &trails->order;
	struct trail **added = settle(trails);
	uint32_t count = (uint32_t)(&order->trails[order->end] - added), at = order->end;
	trails->expected = order->from = added;
	if (count == 0)
		return;
	while (&order->trails[at] - added < TRAIL_ROUND && at + count < TRAIL_ORDER) {
		memcpy(&order->trails[at], added, count * ENTRY_BYTES);
		at += count;
	}
	order->trails[at] = &never;
}

/* It is added behind what was gone through, and the order goes on at next. */
static const struct trail *put(struct trails *trails, struct trail *trail, struct trail **next)
{
	struct trail_order *order = &trails->order;
	(void)settle(trails);
	if (order->end + 1 >= TRAIL_ORDER)
		order->end = 0;
	trail->number = order->end++;
	order->trails[trail->number] = trail;
	order->trails[order->end] = &never;
	trails->expected = order->from = next;
	return trail;
}

/* Another than the expected one has come: what follows on it may be what did before. */
static void came(struct trails *trails, struct trail *trail)
{
	struct trail_order *order = &trails->order;
	struct trail **before = &order->trails[trail->number];
	bool known = *before == trail && trail->number != order->end;
	order->left = trails->expected;
	(void)put(trails, trail, before + 1);
	if (!known)
		trails->expected = order->from = &order->trails[order->end];
}

/* The order goes on with that one. */
static const struct trail *follow(struct trails *trails, struct trail **next)
{
	const struct trail *trail = *next;
	(void)settle(trails); /* maybe where next is */
	trails->order.from = next;
	trails->expected = next + 1;
	return trail;
}

/*
 * The next trail of the order, where trails_find() did not see it; NULL: another comes. Waits come
 * more often or less: where the last one comes once more, or one is left out, it is still the same.
 */
static const struct trail *next_in_order(struct trails *trails, const char *frame)
{
	struct trail_order *order = &trails->order;
	if (*trails->expected == &never) {
		go_on(trails);
		if (trail_is(layout, *trails->expected, frame))
			return *trails->expected++;
	}
	struct trail **next = trails->expected, **left = order->left;
	if (*next == &never)
		return NULL;
	if (next != order->trails && trail_is(layout, next[-1], frame))
		return put(trails, next[-1], next);
	if (trail_is(layout, next[1], frame))
		return put(trails, next[1], next + 2);
	return trail_is(layout, *left, frame) ? follow(trails, left) : NULL;
}

/* A walk passes a frame; is_code: it has a code object. */
static void add_frame(struct trails *trails, const char *frame, bool is_code)
{
	struct trail *walked = &trails->walked;
	if (walked->count >= TRAIL_FRAMES) {
		walked->count = TRAIL_FRAMES + 1;
		return;
	}
	trails->end = frame;
	walked->frames[walked->count] = (struct trail_frame){.at = trail_at(layout, frame),
		.mark = is_code ? trail_mark(layout, frame, walked->count == 0) : TRAIL_NO_CODE};
	walked->count++;
}

/* The chain of the walk is not one to be remembered. */
static void forget_walk(struct trails *trails)
{
	trails->walked.count = TRAIL_FRAMES + 1;
}

static __attribute__((noinline)) void read_site(struct site *site)
{
	const struct site_source source = {.code = site->code,
		.file = site->file,
		.name = site->name,
		.table = site->table,
		.offset = site_offset(layout, site->code, site->at & ~(uint64_t)has_owner()),
		.begun = has_owner() && (site->at & 1) != 0};
	uint32_t line = site_line(layout, &source);
	if (line == 0)
		return;
	struct site_names names = site_names(layout, &source);
	struct site_ids ids = site_ids(&names, line);
	site->file_id = ids.file;
	site->name_id = ids.name;
	site->line = ids.line | (ids.core ? SITE_CORE : 0);
	site->place = ids.place;
}

static inline bool is_current(const struct site *site)
{
	const char *file = trail_pointer(site->code, layout->code_file);
	return site->table == trail_pointer(site->code, layout->code_table) && site->file == file &&
	       site->mark == python_mark(layout, site->code, file);
}

static __attribute__((noinline)) struct site *fill_site(
	struct site *slot, struct site *other, const char *code, uint64_t at)
{
	static const struct site empty;
	/* What is no code object (None in frames that a C extension made up) has no position. */
	if (trail_pointer(code, TYPE_AT) != frameworks.python_code_type)
		return NULL;
	if (slot->code != NULL && (slot->code != code || slot->at != at))
		*other = *slot;
	*slot = empty;
	slot->code = code;
	slot->at = at;
	slot->file = trail_pointer(code, layout->code_file);
	slot->name = trail_pointer(code, layout->code_name);
	slot->table = trail_pointer(code, layout->code_table);
	slot->mark = python_mark(layout, code, slot->file);
	read_site(slot);
	return slot;
}

static inline struct site *slot_of(struct trails *trails, const char *code, uint64_t at)
{
	return &trails->sites[hash_bits((uint64_t)(uintptr_t)code ^ at << 3, SITE_BITS)];
}

static inline bool is_hit(const struct site *slot, const char *code, uint64_t at)
{
	return __builtin_expect(slot->code == code && slot->at == at && is_current(slot), 1);
}

static __attribute__((noinline)) const struct site *find_site(
	struct trails *trails, struct site *slot, const char *code, uint64_t at)
{
	struct site *other = &trails->sites[(size_t)(slot - trails->sites) ^ 1];
	if (code == NULL)
		return NULL;
	return is_hit(other, code, at) ? other : fill_site(slot, other, code, at);
}

/* The site of a frame, NULL for one that does not count. */
static const struct site *site_of(struct trails *trails, const char *frame)
{
	uint64_t at;
	/* The low bits of the code pointer are marks, those of an instruction are 0. */
	const char *code = trail_pointer(frame, layout->frame_code);
	code = (const char *)((uintptr_t)code & ~(uintptr_t)7);
	if (!has_owner()) {
		at = (uint32_t)trail_at(layout, frame);
	} else {
		uint8_t owner = *(const uint8_t *)(frame + layout->frame_owner);
		if (owner >= PYTHON_OWNED_BY_C) {
			add_frame(trails, frame, false);
			return NULL;
		}
		at = (uint64_t)(uintptr_t)trail_pointer(frame, layout->frame_at) | (owner & 1);
	}
	const struct site *site = slot_of(trails, code, at);
	if (!is_hit(site, code, at))
		site = find_site(trails, (struct site *)site, code, at);
	if (site == NULL) {
		forget_walk(trails); /* no code object */
		return NULL;
	}
	add_frame(trails, frame, true);
	return site->line == 0 ? NULL : site;
}

/* The first site that counts, from *frame outward; *frame is then the frame outside of it. */
static const struct site *next_site(struct trails *trails, const char **frame)
{
	for (int steps = 0; *frame != NULL && steps < STEP_LIMIT; steps++) {
		const struct site *site = site_of(trails, *frame);
		*frame = trail_pointer(*frame, layout->frame_previous);
		if (site != NULL)
			return site;
	}
	return NULL;
}

static uint32_t place_of_pair(struct trails *trails, const struct pair *key)
{
	uint32_t mixed = key->line ^ key->user_line * 31 ^ key->file * 7 ^ key->user_file * 13 ^
			 key->library_line * 17;
	struct pair *pair = &trails->pairs[hash_bits(mixed, PAIR_BITS)];
	if (pair->used != 0 && pair->line == key->line && pair->user_line == key->user_line &&
		pair->file == key->file && pair->user_file == key->user_file &&
		pair->name == key->name && pair->user_name == key->user_name &&
		pair->library_line == key->library_line &&
		pair->library_file == key->library_file && pair->library_name == key->library_name)
		return pair->place;
	struct live_place place = {.file = key->file,
		.function = key->name,
		.line = key->line,
		.user_file = key->user_file,
		.user_function = key->user_name,
		.user_line = key->user_line,
		.library_file = key->library_file,
		.library_function = key->library_name,
		.library_line = key->library_line};
	*pair = *key;
	pair->place = collector_place(&place);
	pair->used = pair->place != 0;
	return pair->place;
}

/*
 * The frame is not the user's (site), or does not count (NULL). No cache key covers the way
 * outward, so it is walked each time.
 */
static __attribute__((noinline)) uint32_t place_outward(
	struct trails *trails, const struct site *site, const char *frame)
{
	frame = trail_pointer(frame, layout->frame_previous);
	if (site == NULL)
		site = next_site(trails, &frame);
	if (site == NULL)
		return 0;
	struct pair key = {
		.file = site->file_id, .name = site->name_id, .line = site->line & ~SITE_CORE};
	for (int depth = 1; site != NULL && site->place == 0 && depth < FRAME_LIMIT; depth++) {
		if (key.library_line == 0 && (site->line & SITE_CORE) == 0) {
			key.library_file = site->file_id;
			key.library_name = site->name_id;
			key.library_line = site->line;
		}
		site = next_site(trails, &frame);
	}
	if (site != NULL && site->place != 0) {
		key.user_file = site->file_id;
		key.user_name = site->name_id;
		key.user_line = site->line;
	} else {
		forget_walk(trails); /* it does not end here */
	}
	return place_of_pair(trails, &key);
}

static uint64_t hash_of(const struct trail *trail)
{
	uint64_t hash = 0;
	for (uint32_t i = 0; i < trail->count; i++)
		hash = hash_mix(hash, trail->frames[i].at + trail->frames[i].mark);
	return hash;
}

static struct trail **head_of(struct trails *trails, const char *frame)
{
	uint64_t hash = 0;
	for (unsigned i = 0; i < TRAIL_HEAD && frame != NULL; i++) {
		const char *code = trail_pointer(frame, layout->frame_code);
		hash = hash_mix(hash, trail_at(layout, frame) + (uint64_t)(uintptr_t)code);
		frame = trail_pointer(frame, layout->frame_previous);
	}
	return &trails->heads[hash >> (64 - TRAIL_BITS)];
}

/* Where the walked chain is known, or may be: an empty place, else one that others give up. */
static struct trail *trail_for(struct trails *trails, uint32_t place, bool *ret_known)
{
	const struct trail *walked = &trails->walked;
	struct trail *chosen = NULL;
	uint64_t hash = hash_of(walked) >> (64 - TRAIL_BITS);
	for (unsigned way = 0; way < TRAIL_WAYS; way++) {
		struct trail *trail = &trails->known[(hash + way) % (1u << TRAIL_BITS)];
		*ret_known = trail->place == place && trail->count == walked->count &&
			     memcmp(trail->frames, walked->frames,
				     walked->count * sizeof(walked->frames[0])) == 0;
		if (*ret_known)
			return trail;
		if (chosen == NULL && trail->last == NULL)
			chosen = trail;
	}
	hash += trails->order.end % TRAIL_WAYS;
	return chosen != NULL ? chosen : &trails->known[hash % (1u << TRAIL_BITS)];
}

/* The walk ended at a frame of the user's: the chain stands for place. */
static void learn(struct trails *trails, uint32_t place, struct trail **head)
{
	struct trail *walked = &trails->walked;
	bool known;
	if (walked->count == 0 || walked->count > TRAIL_FRAMES)
		return;
	struct trail_frame *last = &walked->frames[walked->count - 1];
	last->mark = trail_mark(layout, trails->end, true);
	struct trail *trail = trail_for(trails, place, &known);
	if (!known) {
		memcpy(trail->frames, walked->frames, walked->count * sizeof(*last));
		trail->count = walked->count;
		trail->last = &trail->frames[trail->count - 1];
		trail->place = place;
	}
	*head = trail;
	came(trails, trail);
}

uint32_t trails_walk(struct trails *trails, const char *frame)
{
	const struct trail *next = next_in_order(trails, frame);
	if (next != NULL)
		return next->place;
	struct trail **head = head_of(trails, frame);
	if (*head != NULL && trail_is(layout, *head, frame)) {
		came(trails, *head);
		return (*head)->place;
	}
	trails->walked.count = 0;
	const struct site *site = site_of(trails, frame);
	uint32_t place = site != NULL ? site->place : 0;
	if (place == 0)
		place = place_outward(trails, site, frame);
	if (place != 0)
		learn(trails, place, head);
	return place;
}

/* SPDX-License-Identifier: MIT */
#include "preload/python/python.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/base/hash.h"
#include "collector/describe.h"
#include "preload/frameworks/frameworks.h"
#include "preload/python/check.h"
#include "preload/python/interpreter.h"
#include "preload/python/owner.h"
#include "preload/python/site.h"
#include "preload/python/watch.h"
#include "preload/thread/threadmem.h"

#define SITE_BITS    10
#define SITE_COUNT   (1u << SITE_BITS)
#define PAIR_BITS    9
#define PAIR_COUNT   (1u << PAIR_BITS)
#define FRAME_LIMIT  64  /* Python frames walked outward */
#define STEP_LIMIT   256 /* frames of any kind */
#define CHECK_COUNT  64  /* reads that are checked before layout is trusted */
#define TYPE_AT      8   /* of an object: its type */
#define TEXT_HASH_AT 24  /* of a str: its hash */

/*
 * What is known of a position in a code object. file, table and mark are what the code object held
 * then: another one may lie at the same address later.
 */
struct site {
	const char *code;
	uint64_t at;
	const char *file, *name, *table;
	uint64_t mark; /* see mark_of() */
	uint32_t file_id, name_id;
	uint32_t line;  /* 0: the frame does not count */
	uint32_t place; /* 0: not the user's */
};
_Static_assert(sizeof(struct site) == 64, "one cache line");

/*
 * Places whose innermost frame is not the user's; the key are all ids, so nothing can be out of
 * date.
 */
struct pair {
	uint32_t file, name, line;
	uint32_t user_file, user_name, user_line;
	uint32_t place, used;
};

struct cache {
	bool is_main_thread;
	struct site sites[SITE_COUNT];
	struct pair pairs[PAIR_COUNT];
};

enum state {
	STATE_UNKNOWN,
	STATE_CHECKED, /* in use, but not trusted yet */
	STATE_READY,
	STATE_REFUSED
};

static int state;
static int unchecked = CHECK_COUNT;
static bool enabled = true;
static const char *refusal;
static struct python_layout layout;
static void *(*this_thread)(void);
static int (*finalizing)(void);
static struct threadmem pool;
static __thread struct cache *own_cache __attribute__((tls_model("initial-exec")));

static inline const char *pointer_at(const char *base, uint32_t offset)
{
	return *(const char *const *)(const void *)(base + offset);
}

static inline int32_t int_at(const char *base, uint32_t offset)
{
	return *(const int32_t *)(const void *)(base + offset);
}

/* Frames say who owns them, and hold the address of an instruction in place of an index. */
static inline bool has_owner(void)
{
	return layout.frame_owner != PYTHON_NO_FIELD;
}

static inline const char *innermost_frame(const char *thread)
{
	const char *frame = pointer_at(thread, layout.thread_frame);
	if (layout.link_frame != PYTHON_NO_LINK && frame != NULL)
		frame = pointer_at(frame, layout.link_frame);
	return frame;
}

static void refuse(const char *reason)
{
	refusal = reason;
	__atomic_store_n(&state, STATE_REFUSED, __ATOMIC_RELAXED);
	collector_source("python", "failed", reason);
}

static __attribute__((noinline)) void read_site(struct site *site)
{
	const struct site_source source = {.code = site->code,
		.file = site->file,
		.name = site->name,
		.table = site->table,
		.offset = site_offset(&layout, site->code, site->at & ~(uint64_t)has_owner()),
		.begun = has_owner() && (site->at & 1) != 0};
	uint32_t line = site_line(&layout, &source);
	if (line == 0)
		return;
	struct site_names names = site_names(&layout, &source);
	struct site_ids ids = site_ids(&names, line);
	site->file_id = ids.file;
	site->name_id = ids.name;
	site->line = ids.line;
	site->place = ids.place;
}

/*
 * A code object that is made where one was freed often gets its texts at the same addresses, too.
 * So their contents count: the name's hash (names are interned, so it is there), the file name's
 * end, whose eight bytes lie in the object whatever its width, and the first line.
 */
static inline uint64_t mark_of(const char *code, const char *file, const char *name)
{
	uint64_t length = *(const uint64_t *)(const void *)(file + layout.text_length);
	uint64_t tail;
	memcpy(&tail, file + layout.text_ascii + length - sizeof(tail), sizeof(tail));
	return (*(const uint64_t *)(const void *)(name + TEXT_HASH_AT) ^ tail) + length +
	       (uint64_t)int_at(code, layout.code_line);
}

static inline bool is_current(const struct site *site)
{
	const char *file = pointer_at(site->code, layout.code_file);
	const char *name = pointer_at(site->code, layout.code_name);
	return site->table == pointer_at(site->code, layout.code_table) && site->file == file &&
	       site->mark == mark_of(site->code, file, name);
}

static __attribute__((noinline)) struct site *fill_site(
	struct site *slot, struct site *other, const char *code, uint64_t at)
{
	static const struct site empty;
	/* What is no code object (None in frames that a C extension made up) has no position. */
	if (pointer_at(code, TYPE_AT) != frameworks.python_code_type)
		return NULL;
	if (slot->code != NULL && (slot->code != code || slot->at != at))
		*other = *slot;
	*slot = empty;
	slot->code = code;
	slot->at = at;
	slot->file = pointer_at(code, layout.code_file);
	slot->name = pointer_at(code, layout.code_name);
	slot->table = pointer_at(code, layout.code_table);
	slot->mark = mark_of(code, slot->file, slot->name);
	read_site(slot);
	return slot;
}

static inline struct site *slot_of(struct cache *cache, const char *code, uint64_t at)
{
	return &cache->sites[hash_bits((uint64_t)(uintptr_t)code ^ at << 3, SITE_BITS)];
}

static inline bool is_hit(const struct site *slot, const char *code, uint64_t at)
{
	return __builtin_expect(slot->code == code && slot->at == at && is_current(slot), 1);
}

static __attribute__((noinline)) const struct site *find_site(
	struct cache *cache, struct site *slot, const char *code, uint64_t at)
{
	struct site *other = &cache->sites[(size_t)(slot - cache->sites) ^ 1];
	if (code == NULL)
		return NULL;
	return is_hit(other, code, at) ? other : fill_site(slot, other, code, at);
}

/* The site of a frame, NULL for one that does not count. */
static inline const struct site *site_of(struct cache *cache, const char *frame)
{
	uint64_t at;
	/* The low bits of the code pointer are marks, those of an instruction are 0. */
	const char *code = pointer_at(frame, layout.frame_code);
	code = (const char *)((uintptr_t)code & ~(uintptr_t)7);
	if (layout.frame_owner == PYTHON_NO_FIELD) {
		at = (uint32_t)int_at(frame, layout.frame_at);
	} else {
		uint8_t owner = *(const uint8_t *)(frame + layout.frame_owner);
		if (owner >= PYTHON_OWNED_BY_C)
			return NULL;
		at = (uint64_t)(uintptr_t)pointer_at(frame, layout.frame_at) | (owner & 1);
	}
	const struct site *site = slot_of(cache, code, at);
	if (!is_hit(site, code, at))
		site = find_site(cache, (struct site *)site, code, at);
	return site == NULL || site->line == 0 ? NULL : site;
}

/* The first site that counts, from *frame outward; *frame is then the frame outside of it. */
static const struct site *next_site(struct cache *cache, const char **frame)
{
	for (int steps = 0; *frame != NULL && steps < STEP_LIMIT; steps++) {
		const struct site *site = site_of(cache, *frame);
		*frame = pointer_at(*frame, layout.frame_previous);
		if (site != NULL)
			return site;
	}
	return NULL;
}

static uint32_t place_of_pair(struct cache *cache, const struct pair *key)
{
	uint32_t mixed = key->line ^ key->user_line * 31 ^ key->file * 7 ^ key->user_file * 13;
	struct pair *pair = &cache->pairs[hash_bits(mixed, PAIR_BITS)];
	if (pair->used != 0 && pair->line == key->line && pair->user_line == key->user_line &&
		pair->file == key->file && pair->user_file == key->user_file &&
		pair->name == key->name && pair->user_name == key->user_name)
		return pair->place;
	struct live_place place = {
		key->file, key->name, key->line, key->user_file, key->user_name, key->user_line, 0};
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
	struct cache *cache, const struct site *site, const char *frame)
{
	frame = pointer_at(frame, layout.frame_previous);
	if (site == NULL)
		site = next_site(cache, &frame);
	if (site == NULL)
		return 0;
	struct pair key = {.file = site->file_id, .name = site->name_id, .line = site->line};
	for (int depth = 1; site != NULL && site->place == 0 && depth < FRAME_LIMIT; depth++)
		site = next_site(cache, &frame);
	if (site != NULL && site->place != 0) {
		key.user_file = site->file_id;
		key.user_name = site->name_id;
		key.user_line = site->line;
	}
	return place_of_pair(cache, &key);
}

/* The cache of a thread that has none; the check of the layout while it is not yet trusted. */
static __attribute__((noinline)) bool prepare(const char *thread)
{
	if (own_cache == NULL) {
		own_cache = threadmem_take(&pool, sizeof(*own_cache));
		if (own_cache == NULL)
			return false;
		own_cache->is_main_thread = syscall(SYS_gettid) == getpid();
	}
	if (__atomic_load_n(&state, __ATOMIC_RELAXED) == STATE_READY)
		return true;
	const char *reason = NULL;
	if (!python_check(&layout, thread, &reason)) {
		if (reason != NULL)
			refuse(reason);
		return false;
	}
	if (__atomic_sub_fetch(&unchecked, 1, __ATOMIC_RELAXED) == 0)
		__atomic_store_n(&state, STATE_READY, __ATOMIC_RELEASE);
	return true;
}

/* The caller's innermost frame; NULL: none that can be read. Then it has a cache, too. */
static inline const char *own_frame(void)
{
	int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
	if (__builtin_expect(now != STATE_READY && now != STATE_CHECKED, 0))
		return NULL;
	const char *thread = this_thread();
	watch(&layout, thread);
	if (thread == NULL)
		return NULL;
	if (__builtin_expect(own_cache == NULL || now != STATE_READY, 0) && !prepare(thread))
		return NULL;
	/* While the interpreter ends it frees the states of all threads but its own. */
	if (!own_cache->is_main_thread && finalizing() != 0)
		return NULL;
	return innermost_frame(thread);
}

uint64_t python_owner(const char *function, const char *file)
{
	const char *frame = own_frame();
	return frame != NULL ? owner_of(&layout, frame, function, file) : 0;
}

uint32_t python_place(void)
{
	const char *frame = own_frame();
	if (frame == NULL)
		return 0;
	struct cache *cache = own_cache;
	const struct site *site = site_of(cache, frame);
	if (__builtin_expect(site != NULL && site->place != 0, 1))
		return site->place;
	return place_outward(cache, site, frame);
}

static int never(void)
{
	return 0;
}

static void attach(void)
{
	struct python_version version = {.hex = interpreter_find()};
	if (version.hex == 0) {
		static bool told;
		if (!told)
			collector_source("python", "absent", "no interpreter in this process");
		told = true;
		return;
	}
	version.runtime = frameworks.python_runtime;
	char text[32];
	(void)snprintf(text, sizeof(text), "%u.%u.%u", version.hex >> 24, version.hex >> 16 & 255,
		version.hex >> 8 & 255);
	collector_version("python", text);
	const char *reason = python_layout(&version, &layout);
	if (reason != NULL) {
		refuse(reason);
		return;
	}
	this_thread = frameworks.python_this_thread;
	finalizing = frameworks.python_finalizing;
	if (finalizing == NULL)
		finalizing = frameworks.python_finalizing_old;
	if (finalizing == NULL)
		finalizing = never;
	collector_source("python", "active", NULL);
	__atomic_store_n(&state, STATE_CHECKED, __ATOMIC_RELEASE);
}

void python_attach(void)
{
	static struct frameworks_search search;
	if (enabled && __atomic_load_n(&state, __ATOMIC_ACQUIRE) == STATE_UNKNOWN)
		frameworks_search(&search, attach);
}

const struct python_layout *python_known_layout(const char **ret_reason)
{
	int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
	if (now == STATE_READY || now == STATE_CHECKED)
		return &layout;
	*ret_reason = !enabled               ? "needs the source python"
		      : now == STATE_REFUSED ? refusal
					     : "no interpreter in this process";
	return NULL;
}

void python_enable(bool on)
{
	enabled = on;
	if (!on) {
		__atomic_store_n(&state, STATE_UNKNOWN, __ATOMIC_RELAXED);
		collector_source("python", "off", NULL);
	}
}

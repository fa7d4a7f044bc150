/* SPDX-License-Identifier: MIT */
#include "preload/python.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/collector.h"
#include "preload/frameworks.h"
#include "preload/python_check.h"
#include "preload/python_layout.h"
#include "preload/python_line.h"
#include "preload/threadmem.h"

#define SITE_COUNT   1024u /* powers of two */
#define PAIR_COUNT   512u
#define FRAME_LIMIT  64  /* Python frames walked outward */
#define STEP_LIMIT   256 /* frames of any kind */
#define CHECK_COUNT  64  /* reads that are checked before layout is trusted */
#define FILE_BYTES   2048
#define NAME_BYTES   512
#define TYPE_AT      8  /* of an object: its type */
#define TEXT_HASH_AT 24 /* of a str: its hash */

enum site_kind {
	SITE_EMPTY,
	SITE_USER,
	SITE_LIBRARY,
	SITE_SKIPPED
};

/*
 * What is known of a position in a code object. file, name, table and mark are what the code object held
 * then: another one may lie at the same address later.
 */
struct site {
	const char *code;
	uint64_t at;
	const char *file, *name, *table;
	uint32_t mark; /* see mark_of() */
	uint32_t kind; /* enum site_kind */
	uint32_t file_id, name_id, line;
	uint32_t place; /* of SITE_USER */
};
_Static_assert(sizeof(struct site) == 64, "one cache line");

/* Places whose innermost frame is not the user's; the key are all ids, so nothing can be out of date. */
struct pair {
	uint32_t file, name, line;
	uint32_t user_file, user_name, user_line;
	uint32_t place, used;
};

struct cache {
	struct site sites[SITE_COUNT];
	struct pair pairs[PAIR_COUNT];
};

enum state {
	STATE_UNKNOWN,
	STATE_READY,
	STATE_REFUSED
};

static int state;
static int unchecked = CHECK_COUNT;
static bool enabled = true;
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

static inline const char *innermost_frame(const char *thread)
{
	const char *frame = pointer_at(thread, layout.thread_frame);
	if (layout.link_frame != PYTHON_NO_LINK && frame != NULL)
		frame = pointer_at(frame, layout.link_frame);
	return frame;
}

static void refuse(const char *reason)
{
	__atomic_store_n(&state, STATE_REFUSED, __ATOMIC_RELAXED);
	collector_source("python", "failed", reason);
}

/* Bytes from the first instruction. */
static int offset_of(const struct site *site)
{
	if (layout.frame_owner == PYTHON_NO_FIELD)
		return (int32_t)site->at * (int)layout.at_scale;
	return (int)((site->at & ~1ull) - (uint64_t)(uintptr_t)(site->code + layout.code_start));
}

/* A frame counts from its first traceable instruction on; a generator's always does. */
static bool is_begun(const struct site *site, int offset)
{
	if (layout.frame_owner == PYTHON_NO_FIELD || (site->at & 1) != 0)
		return true;
	return offset >= 2 * int_at(site->code, layout.code_traceable);
}

static __attribute__((noinline)) void read_texts(struct site *site)
{
	char file[FILE_BYTES], name[NAME_BYTES];
	size_t file_length = python_text(&layout, site->file, file, sizeof(file));
	size_t name_length = python_text(&layout, site->name, name, sizeof(name));
	site->file_id = collector_name(file, file_length);
	site->name_id = collector_name(name, name_length);
	site->kind =
		python_is_user(file, file_length, name, name_length) ? SITE_USER : SITE_LIBRARY;
}

static void read_site(struct site *site)
{
	struct python_lines lines = {layout.table, (const uint8_t *)site->table + layout.bytes_data,
		*(const size_t *)(const void *)(site->table + layout.bytes_size),
		int_at(site->code, layout.code_line)};
	int offset = offset_of(site);
	if (!is_begun(site, offset)) {
		site->kind = SITE_SKIPPED;
		return;
	}
	int line = python_line(&lines, offset);
	site->line = line > 0 ? (uint32_t)line : (uint32_t)lines.first;
	read_texts(site);
	if (site->kind == SITE_USER) {
		struct live_place place = {site->file_id, site->name_id, site->line, site->file_id,
			site->name_id, site->line, 0};
		site->place = collector_place(&place);
	}
}

/*
 * A code object that is made where one was freed often gets its texts at the same addresses, too. So their contents
 * count: the name's hash (names are interned, so it is there), the file name's end, whose eight bytes lie in the
 * object whatever its width, and the first line.
 */
static inline uint32_t mark_of(const char *code, const char *file, const char *name)
{
	uint64_t length = *(const uint64_t *)(const void *)(file + layout.text_length);
	const char *end = file + layout.text_ascii + length;
	uint64_t tail;
	memcpy(&tail, end - sizeof(tail), sizeof(tail));
	uint64_t mixed = *(const uint64_t *)(const void *)(name + TEXT_HASH_AT) ^
			 (tail + length) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(mixed ^ mixed >> 32) + (uint32_t)int_at(code, layout.code_line);
}

static inline bool is_current(const struct site *site)
{
	return site->file == pointer_at(site->code, layout.code_file) &&
	       site->name == pointer_at(site->code, layout.code_name) &&
	       site->table == pointer_at(site->code, layout.code_table) &&
	       site->mark == mark_of(site->code, site->file, site->name);
}

static __attribute__((noinline)) struct site *fill_site(
	struct site *slot, struct site *other, const char *code, uint64_t at)
{
	static const struct site empty;
	/* What is no code object (None in frames that a C extension made up) has no position. */
	if (pointer_at(code, TYPE_AT) != frameworks.python_code_type)
		return NULL;
	if (slot->kind != SITE_EMPTY && (slot->code != code || slot->at != at))
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

static inline struct site *find_site(struct cache *cache, const char *code, uint64_t at)
{
	uint64_t mixed = ((uint64_t)(uintptr_t)code ^ at << 3) * 0x9e3779b97f4a7c15ull;
	struct site *slot = &cache->sites[mixed >> 54];
	if (__builtin_expect(slot->code == code && slot->at == at && is_current(slot), 1))
		return slot;
	struct site *other = &cache->sites[(mixed >> 54) ^ 1];
	if (other->code == code && other->at == at && is_current(other))
		return other;
	return fill_site(slot, other, code, at);
}
_Static_assert(SITE_COUNT == 1u << (64 - 54), "the hash gives an index");

/* The first site that counts, from *frame outward; *frame is then the frame outside of it. */
static inline const struct site *next_site(struct cache *cache, const char **frame)
{
	const char *at = *frame;
	for (int steps = 0; at != NULL && steps < STEP_LIMIT; steps++) {
		const char *current = at;
		uint8_t owner = 0;
		at = pointer_at(current, layout.frame_previous);
		if (layout.frame_owner != PYTHON_NO_FIELD)
			owner = *(const uint8_t *)(current + layout.frame_owner);
		if (owner >= PYTHON_OWNED_BY_C)
			continue;
		/* The low bits of the code pointer are marks, those of an instruction are 0. */
		const char *code = pointer_at(current, layout.frame_code);
		code -= (uintptr_t)code & 7;
		uint64_t position =
			layout.frame_owner == PYTHON_NO_FIELD
				? (uint32_t)int_at(current, layout.frame_at)
				: (uint64_t)(uintptr_t)pointer_at(current, layout.frame_at) |
					  (owner & 1);
		const struct site *site = code == NULL ? NULL : find_site(cache, code, position);
		if (site == NULL || site->kind == SITE_SKIPPED)
			continue;
		*frame = at;
		return site;
	}
	return NULL;
}

static uint32_t place_of_pair(struct cache *cache, const struct pair *key)
{
	uint32_t mixed = (key->line ^ key->user_line * 31 ^ key->file * 7 ^ key->user_file * 13) *
			 0x9e3779b9u;
	struct pair *pair = &cache->pairs[mixed >> 23];
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
_Static_assert(PAIR_COUNT == 1u << (32 - 23), "the hash gives an index");

/* Outward from a frame that is not the user's: no cache key covers the way, so it is walked each time. */
static uint32_t place_outside(struct cache *cache, const struct site *inner, const char *frame)
{
	struct pair key = {.file = inner->file_id, .name = inner->name_id, .line = inner->line};
	for (int depth = 1; depth < FRAME_LIMIT; depth++) {
		const struct site *site = next_site(cache, &frame);
		if (site == NULL)
			break;
		if (site->kind == SITE_USER) {
			key.user_file = site->file_id;
			key.user_name = site->name_id;
			key.user_line = site->line;
			break;
		}
	}
	return place_of_pair(cache, &key);
}

/* Once: the cache of the thread, and the check of the layout while it is not yet trusted. */
static __attribute__((noinline)) bool prepare(const char *thread)
{
	if (own_cache == NULL)
		own_cache = threadmem_take(&pool, sizeof(*own_cache));
	if (own_cache == NULL)
		return false;
	if (__atomic_load_n(&unchecked, __ATOMIC_RELAXED) <= 0)
		return true;
	const char *reason = NULL;
	if (!python_check(&layout, thread, &reason)) {
		if (reason != NULL)
			refuse(reason);
		return false;
	}
	(void)__atomic_fetch_sub(&unchecked, 1, __ATOMIC_RELAXED);
	return true;
}

uint32_t python_place(void)
{
	if (__builtin_expect(__atomic_load_n(&state, __ATOMIC_ACQUIRE) != STATE_READY, 0))
		return 0;
	const char *thread = this_thread();
	if (thread == NULL)
		return 0;
	/* While the interpreter ends it frees the states of all threads but its own. */
	if (__builtin_expect(finalizing() != 0, 0) && syscall(SYS_gettid) != getpid())
		return 0;
	if (__builtin_expect(own_cache == NULL || unchecked > 0, 0) && !prepare(thread))
		return 0;
	const char *frame = innermost_frame(thread);
	const struct site *site = next_site(own_cache, &frame);
	if (site == NULL)
		return 0;
	return site->kind == SITE_USER ? site->place : place_outside(own_cache, site, frame);
}

static int never(void)
{
	return 0;
}

/* The interpreter's symbols: of the program itself or, in one that embeds Python, of the library. */
static bool find_interpreter(void)
{
	char path[512];
	if (frameworks_resolve(FRAMEWORK_python, NULL) == NULL)
		return true;
	void *library = frameworks_find("libpython3", path, sizeof(path));
	return library != NULL && frameworks_resolve(FRAMEWORK_python, library) == NULL;
}

static void attach(void)
{
	if (!find_interpreter()) {
		static bool told;
		if (!told)
			collector_source("python", "absent", "no interpreter in this process");
		told = true;
		return;
	}
	struct python_version version = {.runtime = frameworks.python_runtime};
	version.hex = frameworks.python_version != NULL
			      ? (uint32_t)*frameworks.python_version
			      : python_version_hex(frameworks.python_version_text());
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
	__atomic_store_n(&state, STATE_READY, __ATOMIC_RELEASE);
}

void python_attach(void)
{
	static uint64_t seen;
	static int attaching;
	int saved = errno;
	if (enabled && __atomic_load_n(&state, __ATOMIC_ACQUIRE) == STATE_UNKNOWN &&
		__atomic_exchange_n(&attaching, 1, __ATOMIC_ACQUIRE) == 0) {
		if (frameworks_changed(&seen))
			attach();
		__atomic_store_n(&attaching, 0, __ATOMIC_RELEASE);
	}
	errno = saved;
}

void python_enable(bool on)
{
	enabled = on;
	if (!on) {
		__atomic_store_n(&state, STATE_UNKNOWN, __ATOMIC_RELAXED);
		collector_source("python", "off", NULL);
	}
}

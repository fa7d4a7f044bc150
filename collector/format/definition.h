/* SPDX-License-Identifier: MIT */
/*
 * Definitions (calls, names, places, threads) and states (run, sources, settings, losses, the
 * end) as values: one struct for each kind of meta.def, and struct meta for any of them. The
 * encoder takes them, the decoder gives them (codec.h). Texts belong to whoever made the
 * struct; nothing here allocates. Types and two pure functions: any thread may use them.
 */
#ifndef COLLECTOR_FORMAT_DEFINITION_H
#define COLLECTOR_FORMAT_DEFINITION_H

#include <stddef.h>
#include <stdint.h>

#define META(kind, name, flag, text) struct meta_##kind {
#define META_U64(kind, name)         uint64_t name;
#define META_I64(kind, name)         int64_t name;
#define META_TEXT(kind, name)        const char *name;
#define META_END(kind)                                                                             \
	}                                                                                          \
	;
#include "collector/format/meta.def"

enum meta_kind {
	META_NONE = 0,
#define META(kind, name, flag, text) META_##kind,
#include "collector/format/meta.def"
	META_KIND_COUNT
};

/* A definition or a state; u is chosen by kind. Texts are never NULL after decoding. */
struct meta {
	enum meta_kind kind;
	union {
		struct meta_RUN run;
		struct meta_VERSION version;
		struct meta_SETTING setting;
		struct meta_METADATA metadata;
		struct meta_WORKER worker;
		struct meta_SOURCE source;
		struct meta_CLOCK clock;
		struct meta_THREAD thread;
		struct meta_CALL call;
		struct meta_NAME name;
		struct meta_PLACE place;
		struct meta_STACK stack;
		struct meta_LINES lines;
		struct meta_LOST lost;
		struct meta_COUNT count;
		struct meta_DEVICE device;
		struct meta_END end;
	} u;
};

/* Name of a meta kind as in the file, NULL: no such kind. */
const char *meta_kind_name(enum meta_kind kind);

/* Kind by its name, of length bytes or terminated; META_NONE if unknown or NULL. */
enum meta_kind meta_kind_find(const char *name, size_t length);
enum meta_kind meta_kind_from_name(const char *name);

#endif

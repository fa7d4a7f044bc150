/* SPDX-License-Identifier: MIT */
/*
 * A JSON document that is only read: values one behind the other, each before those inside of it.
 * Texts are UTF-8 without NUL inside. Not thread-safe; what is in a tree lives as long as the tree.
 *
 * Nodes may be NULL everywhere: what is not there has no type, no text and nothing inside.
 */
#ifndef ANALYZER_SUMMARY_TREE_H
#define ANALYZER_SUMMARY_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/vec.h"

enum tree_type {
	TREE_NULL, /* null, true, false */
	TREE_INTEGER,
	TREE_REAL,
	TREE_TEXT,
	TREE_ARRAY,
	TREE_OBJECT
};

struct tree_node {
	const char *key; /* NULL: not in an object */
	union {
		const char *text;
		int64_t integer;
		double real;
	};
	uint32_t nodes; /* this one and all inside of it */
	uint8_t type;   /* enum tree_type */
};

struct tree {
	VEC(struct tree_node) nodes; /* the first one is the document */
	char *bytes;                 /* texts are in there, or in */
	void *document;              /* the library's */
};

/*
 * Read size bytes with room for one more behind them, which belong to the tree from now on (free())
 * and are changed. 1, or 0 when the document is not as most are and tree_read_strictly() has to
 * look at it (also when it is wrong), or -ENOMEM. Members of the outermost object that are unread
 * (the last one is NULL) are null, as thin_out() makes them. tree_release() after every outcome.
 */
int tree_read(struct tree *tree, char *bytes, size_t size, const char *const *unread);

/* What is wrong with a document: for the line that the user sees. */
struct tree_problem {
	int line, column; /* from 1 */
	char text[192];
};

/* The same by a library, which refuses all that is wrong. 0, -ERR_BAD_VALUE or -ENOMEM. */
int tree_read_strictly(
	struct tree *tree, const char *bytes, size_t size, struct tree_problem *ret_problem);
void tree_release(struct tree *tree);
void tree_release_library(struct tree *tree); /* what tree_read_strictly() holds */

/* The member of an object; NULL: there is none. */
const struct tree_node *tree_get(const struct tree_node *object, const char *key);

/* NULL: it is no text. */
static inline const char *tree_text(const struct tree_node *node)
{
	return node != NULL && node->type == TREE_TEXT ? node->text : NULL;
}

static inline bool tree_is(const struct tree_node *node, enum tree_type type)
{
	return node != NULL && node->type == type;
}

static inline const struct tree_node *tree_end(const struct tree_node *node)
{
	return node + node->nodes;
}

/* What is in an array or an object, as type says, in order; nothing is in another value. */
#define TREE_FOREACH(inside, of, type)                                                             \
	for (const struct tree_node *inside = tree_is(of, type) ? (of) + 1 : NULL;                 \
		inside != NULL && inside < tree_end(of); inside = tree_end(inside))

#endif

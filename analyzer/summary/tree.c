/* SPDX-License-Identifier: MIT */
#include "analyzer/summary/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/summary/thin.h"
#include "analyzer/text/out.h"

#define DEPTH       32u
#define KEYS        256u /* of an object */
#define DIGITS      18u  /* at most; any integer of so many fits */
#define REAL_LENGTH 24u

/* Whatever is not as most documents are is left to the library, which says what is wrong. */
struct reading {
	struct tree *tree;
	char *at, *end; /* where a 0 is */
	const char *const *unread;
	bool no_memory;
};

static bool read_value(struct reading *reading, const char *key, uint32_t like, unsigned depth);

static inline void skip_blanks(struct reading *reading)
{
	char *at = reading->at;
	while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')
		at++;
	reading->at = at;
}

/* Bytes of a text that stand for themselves. */
static const bool plain[256] = {
	[' '] = true, ['!'] = true, ['#' ... '['] = true, [']' ... 0x7f] = true};

/* What an escape stands for; 0: more than one byte, or nothing. */
static char escaped(char c)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *found = c != '\0' ? strchr(names, c) : NULL;
	return found != NULL ? values[found - names] : '\0';
}

/* The text behind a quote, closed in place; NULL: left to the library. */
static char *read_text(struct reading *reading)
{
	char *text = reading->at, *at = text;
	while (plain[(unsigned char)*at])
		at++;
	char *to = at;
	while (*at != '"') {
		size_t length = 1;
		if (*at == '\\') {
			if ((*to = escaped(at[1])) == '\0')
				return NULL;
			at += 2;
			to++;
			continue;
		}
		if (!plain[(unsigned char)*at] &&
			((unsigned char)*at < 0x80 || (length = out_utf8_length(at)) == 0))
			return NULL;
		for (; length > 0; length--)
			*to++ = *at++;
	}
	*to = '\0';
	reading->at = at + 1;
	return text;
}

static struct tree_node *add(struct reading *reading, const char *key, enum tree_type type)
{
	struct tree *tree = reading->tree;
	const struct tree_node node = {.key = key, .type = (uint8_t)type, .nodes = 1};
	if (tree->nodes.count >= UINT32_MAX || vec_push(&tree->nodes, node) < 0) {
		reading->no_memory = true;
		return NULL;
	}
	return &tree->nodes.items[tree->nodes.count - 1];
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A number with a part behind the point. */
static bool read_real(struct reading *reading, char *begin, struct tree_node *node)
{
	char *at = begin;
	while (*at != '\0' && strchr("+-.0123456789", *at) != NULL)
		at++;
	if (at - begin > (ptrdiff_t)REAL_LENGTH || !is_digit(at[-1]) || *at == 'e' || *at == 'E')
		return false;
	char *behind;
	node->type = TREE_REAL;
	node->real = strtod(begin, &behind);
	reading->at = at;
	return behind == at && isfinite(node->real);
}

static bool read_number(struct reading *reading, const char *key)
{
	char *begin = reading->at, *at = begin + (*begin == '-'), *first = at;
	int64_t value = 0;
	while (is_digit(*at) && (size_t)(at - first) < DIGITS)
		value = value * 10 + (*at++ - '0');
	if (at == first || is_digit(*at) || (*first == '0' && at - first > 1))
		return false;
	struct tree_node *node = add(reading, key, TREE_INTEGER);
	if (node == NULL)
		return false;
	if (*at == '.')
		return is_digit(at[1]) && read_real(reading, begin, node);
	node->integer = *begin == '-' ? -value : value;
	reading->at = at;
	return *at != 'e' && *at != 'E';
}

static bool read_word(struct reading *reading, const char *key)
{
	static const char *const words[] = {"null", "true", "false"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i]);
		if (strncmp(reading->at, words[i], length) == 0) {
			reading->at += length;
			return add(reading, key, TREE_NULL) != NULL;
		}
	}
	return false;
}

/* Behind a value: a comma, or the end. False: neither. */
static inline bool goes_on(struct reading *reading, char closing, bool *ret_more)
{
	skip_blanks(reading);
	char c = *reading->at++;
	*ret_more = c == ',';
	return c == ',' || c == closing;
}

static void close_node(struct reading *reading, uint32_t number)
{
	struct tree *tree = reading->tree;
	tree->nodes.items[number].nodes = (uint32_t)tree->nodes.count - number;
}

static bool read_array(struct reading *reading, const char *key, unsigned depth)
{
	uint32_t number = (uint32_t)reading->tree->nodes.count, like = 0;
	if (add(reading, key, TREE_ARRAY) == NULL)
		return false;
	skip_blanks(reading);
	bool more = *reading->at != ']';
	reading->at += !more;
	while (more) {
		uint32_t next = (uint32_t)reading->tree->nodes.count;
		if (!read_value(reading, NULL, like, depth) || !goes_on(reading, ']', &more))
			return false;
		like = next;
	}
	close_node(reading, number);
	return true;
}

/* No two members have one key. */
static bool keys_differ(const struct tree_node *object)
{
	const char *keys[KEYS];
	size_t count = 0;
	TREE_FOREACH(member, object, TREE_OBJECT)
	{
		for (size_t i = 0; i < count; i++)
			if (strcmp(keys[i], member->key) == 0)
				return false;
		if (count == KEYS)
			return false;
		keys[count++] = member->key;
	}
	return true;
}

/* The key that begins behind blanks, up to its value; NULL: there is none. */
static char *read_key(struct reading *reading)
{
	skip_blanks(reading);
	if (*reading->at != '"')
		return NULL;
	reading->at++;
	char *key = read_text(reading);
	skip_blanks(reading);
	return key != NULL && *reading->at++ == ':' ? key : NULL;
}

/*
 * The member is one that nobody reads, and not so short that thin_out() would leave it: null stands
 * for it.
 */
static bool pass_over(struct reading *reading, const char *key)
{
	const char *const *unread = reading->unread;
	while (*unread != NULL && strcmp(*unread, key) != 0)
		unread++;
	if (*unread == NULL)
		return false;
	skip_blanks(reading);
	char *behind = reading->at + (thin_skip(reading->at, reading->end) - reading->at);
	unsigned bytes = 0;
	for (const char *at = reading->at; at < behind && bytes < THIN_LEAST; at++)
		bytes += *at != '\n';
	if (behind == reading->end || bytes < THIN_LEAST)
		return false;
	reading->at = behind;
	return true;
}

/* A member, up to what comes behind it. */
static bool read_member(struct reading *reading, const char *key, uint32_t like, unsigned depth)
{
	if (depth == DEPTH - 1 && pass_over(reading, key))
		return add(reading, key, TREE_NULL) != NULL;
	return read_value(reading, key, like, depth);
}

/* like: the object before it, mostly with the same keys, which then differ; 0: none. */
static bool read_object(struct reading *reading, const char *key, uint32_t like, unsigned depth)
{
	struct tree *tree = reading->tree;
	uint32_t number = (uint32_t)tree->nodes.count, same = like + 1, end = 0;
	if (add(reading, key, TREE_OBJECT) == NULL)
		return false;
	if (like != 0 && tree->nodes.items[like].type == TREE_OBJECT)
		end = like + tree->nodes.items[like].nodes;
	skip_blanks(reading);
	bool more = *reading->at != '}', known = true;
	reading->at += !more;
	while (more) {
		const char *own = read_key(reading);
		if (own == NULL)
			return false;
		known = known && same < end && strcmp(tree->nodes.items[same].key, own) == 0;
		uint32_t inner = known ? same : 0;
		if (!read_member(reading, own, inner, depth) || !goes_on(reading, '}', &more))
			return false;
		same += known ? tree->nodes.items[same].nodes : 0;
	}
	close_node(reading, number);
	return known || keys_differ(&tree->nodes.items[number]);
}

static bool read_value(struct reading *reading, const char *key, uint32_t like, unsigned depth)
{
	skip_blanks(reading);
	if (depth == 0)
		return false;
	switch (*reading->at) {
	case '{':
		reading->at++;
		return read_object(reading, key, like, depth - 1);
	case '[':
		reading->at++;
		return read_array(reading, key, depth - 1);
	case '"': {
		reading->at++;
		char *text = read_text(reading);
		struct tree_node *node = text != NULL ? add(reading, key, TREE_TEXT) : NULL;
		if (node != NULL)
			node->text = text;
		return node != NULL;
	}
	case 'n':
	case 't':
	case 'f':
		return read_word(reading, key);
	default:
		return read_number(reading, key);
	}
}

int tree_read(struct tree *tree, char *bytes, size_t size, const char *const *unread)
{
	*tree = (struct tree){.bytes = bytes};
	struct reading reading = {.tree = tree, .at = bytes, .end = bytes + size, .unread = unread};
	bytes[size] = '\0';
	bool good = read_value(&reading, NULL, 0, DEPTH);
	if (!good) /* and may be behind the end */
		return reading.no_memory ? -ENOMEM : 0;
	skip_blanks(&reading);
	/* one number or text is no document */
	return reading.at == reading.end && tree->nodes.items[0].type >= TREE_ARRAY;
}

void tree_release(struct tree *tree)
{
	vec_release(&tree->nodes);
	free(tree->bytes);
	tree_release_library(tree);
	*tree = (struct tree){0};
}

const struct tree_node *tree_get(const struct tree_node *object, const char *key)
{
	TREE_FOREACH(member, object, TREE_OBJECT)
	if (member->key[0] == key[0] && strcmp(member->key, key) == 0)
		return member;
	return NULL;
}

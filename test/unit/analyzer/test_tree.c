/* SPDX-License-Identifier: MIT */
/* What is read in place is what the library reads, of good documents and of damaged ones. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/summary/thin.h"
#include "analyzer/summary/tree.h"
#include "collector/base/err.h"

#define DAMAGED 60000u

static const char usual[] =
	"{\"schema\": \"libtrace-report/1\", \"run\": {\"programs\": [\"a.py\", "
	"\"b\\\\c\\\"d\\/\\n\"], \"framework\": null, \"simulated\": true, \"rank\": -3,"
	" \"empty\": {}, \"none\": []},\n \"ratios\": {\"reader_pct\": 12.5, \"zero\": 0,"
	" \"less\": -0.75, \"large\": 123456789012345678},"
	"\t\"word\": \"gr\xc3\xb6\xc3\x9f"
	"er \xe2\x82\xac \xf0\x9f\x98\x80\",\r\n"
	" \"series\": [[1, {\"]\": \"\\\"}]\"}],\n 3], \"text\": [2],"
	" \"sites\": [{\"kind\": \"sync\", \"op\": null, \"count\": 3}, {\"kind\": \"sync\","
	" \"op\": \"aten::add\", \"count\": 4}, {\"kind\": \"copy\"}, 7, \"x\", [1, [2,"
	" {\"a\": 1}]]]}  ";

static const char *const unread[] = {"series", "text", NULL};

static int read_copy(struct tree *tree, const char *bytes, size_t size)
{
	char *copy = malloc(size + 1);
	memcpy(copy, bytes, size);
	copy[size] = 'x';
	return tree_read(tree, copy, size, unread);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_node(const struct tree_node *a, const struct tree_node *b)
{
	if (a->type != b->type || a->nodes != b->nodes || !same_text(a->key, b->key))
		return false;
	if (a->type == TREE_TEXT)
		return same_text(a->text, b->text);
	return (a->type != TREE_INTEGER || a->integer == b->integer) &&
	       (a->type != TREE_REAL || (a->real >= b->real && a->real <= b->real));
}

static bool same_tree(const struct tree *a, const struct tree *b)
{
	bool same = a->nodes.count == b->nodes.count;
	for (size_t i = 0; same && i < a->nodes.count; i++)
		same = same_node(&a->nodes.items[i], &b->nodes.items[i]);
	return same;
}

/* Whether it is read in place, which is to be as the library reads it. */
static bool check(const char *bytes, size_t size)
{
	struct tree tree, strict;
	struct tree_problem problem;
	int read = read_copy(&tree, bytes, size);
	cr_assert(ge(int, read, 0));
	if (read == 1) {
		size_t thin_size;
		char *thin = thin_out(bytes, size, unread, &thin_size);
		int err = tree_read_strictly(&strict, thin != NULL ? thin : bytes,
			thin != NULL ? thin_size : size, &problem);
		cr_assert(eq(int, err, 0), "%.*s: %s", (int)size, bytes, problem.text);
		free(thin);
		cr_assert(same_tree(&tree, &strict), "%.*s", (int)size, bytes);
		tree_release(&strict);
	}
	tree_release(&tree);
	return read == 1;
}

Test(tree, of_a_usual_document_is_read_in_place)
{
	cr_assert(check(usual, strlen(usual)));
	cr_assert(check("{}", 2) && check(" [ ]", 4));
}

Test(tree, has_what_is_asked_for)
{
	struct tree tree;
	cr_assert(eq(int, read_copy(&tree, usual, strlen(usual)), 1));
	const struct tree_node *document = tree.nodes.items, *sites = tree_get(document, "sites");
	size_t count = 0;
	TREE_FOREACH(site, sites, TREE_ARRAY)
	count++;
	cr_assert(eq(sz, count, 6));
	cr_assert(eq(str, (char *)tree_text(tree_get(sites + 1, "kind")), "sync"));
	cr_assert(eq(ptr, (void *)tree_get(sites + 1, "bytes"), NULL));
	cr_assert(eq(ptr, (void *)tree_get(tree_get(NULL, "a"), "b"), NULL));
	cr_assert(eq(ptr, (void *)tree_text(tree_get(sites + 1, "count")), NULL));
	tree_release(&tree);
}

/* Nothing that is wrong is taken, wherever a document ends. */
Test(tree, without_its_end_is_none)
{
	for (size_t size = 0; size < strlen(usual) - 2; size++)
		cr_assert(not(check(usual, size)), "%zu bytes", size);
}

Test(tree, is_left_to_the_library_where_it_is_not_as_most_are)
{
	static const char *const others[] = {"1", "\"a\"", "null", "{\"a\": 1, \"a\": 2}",
		"{\"a\": 1e5}", "{\"a\": 01}", "{\"a\": -}", "{\"a\": 1.}", "{\"a\": .5}",
		"{\"a\": 9223372036854775808}", "{\"a\": \"\\u00e4\"}", "{\"a\": \"\\ud800\"}",
		"{\"a\": \"\xff\"}", "{\"a\": \"\xc0\x80\"}", "{\"a\": \"\xed\xa0\x80\"}",
		"{\"a\": \"\n\"}", "{\"a\": \"\\x\"}", "{\"a\": nul}", "{\"a\" 1}", "{a: 1}",
		"[1,]", "{\"a\": 1,}", "[1] 2", "[1 2]", "{\"a\": nullx}",
		"[{\"a\": 1, \"b\": 2}, {\"a\": 1, \"b\": 2, \"a\": 3}]",
		"[{\"a\": 1}, {\"b\": 1, \"b\": 2}]", "[1-2]", "[1.5-3]", "[+1]", "[--1]",
		"[1.5.5]"};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		cr_assert(not(check(others[i], strlen(others[i]))), "%s", others[i]);
	cr_assert(not(check("{\"a\": \"b\0c\"}", 12)));
	cr_assert(not(check("[1]\0", 4)));
	char deep[200];
	memset(deep, '[', 100);
	memset(deep + 100, ']', 100);
	cr_assert(not(check(deep, sizeof(deep))));
}

/* One to three bytes are others, or gone, or there twice. */
Test(tree, of_a_damaged_document_is_the_librarys, .timeout = 60)
{
	static const char bytes[] = "{}[]\",:\\/ \n0123456789-+.eEtrufalsn\x01\x7f\x80\xc3\xff";
	uint64_t state = 88172645463325252u;
	size_t read = 0;
	for (unsigned i = 0; i < DAMAGED; i++) {
		char document[sizeof(usual) + 8];
		size_t size = sizeof(usual) - 1;
		memcpy(document, usual, size);
		for (unsigned n = 0; n <= i % 3; n++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			size_t at = state % size;
			char byte = bytes[(state >> 32) % (sizeof(bytes) - 1)];
			switch (state >> 56 & 3) {
			case 0: /* gone */
				memmove(document + at, document + at + 1, --size - at);
				break;
			case 1: /* one more */
				memmove(document + at + 1, document + at, size++ - at);
				document[at] = byte;
				break;
			default:
				document[at] = byte;
			}
		}
		read += check(document, size);
	}
	cr_assert(gt(sz, read, DAMAGED / 100), "some are still documents");
}

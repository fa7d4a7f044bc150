/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/summary/tree.h"
#include "collector/base/err.h"

static int take(struct tree *tree, const char *key, const json_t *value)
{
	struct tree_node node = {.key = key, .nodes = 1};
	size_t number = tree->nodes.count, index;
	const char *name;
	json_t *inside;
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		node.type = TREE_OBJECT;
		break;
	case JSON_ARRAY:
		node.type = TREE_ARRAY;
		break;
	case JSON_STRING:
		node.type = TREE_TEXT;
		node.text = json_string_value(value);
		break;
	case JSON_INTEGER:
		node.type = TREE_INTEGER;
		node.integer = json_integer_value(value);
		break;
	case JSON_REAL:
		node.type = TREE_REAL;
		node.real = json_real_value(value);
		break;
	default:
		node.type = TREE_NULL;
	}
	int err = number < UINT32_MAX ? vec_push(&tree->nodes, node) : -ENOMEM;
	json_object_foreach((json_t *)value, name, inside)
	{
		if (err == 0)
			err = take(tree, name, inside);
	}
	json_array_foreach(value, index, inside)
	{
		if (err == 0)
			err = take(tree, NULL, inside);
	}
	if (err == 0)
		tree->nodes.items[number].nodes = (uint32_t)(tree->nodes.count - number);
	return err;
}

int tree_read_strictly(
	struct tree *tree, const char *bytes, size_t size, struct tree_problem *ret_problem)
{
	json_error_t error;
	/* Ours, since the library does not always say that it was memory. */
	json_set_alloc_funcs(malloc, free);
	*tree = (struct tree){0};
	json_t *document = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
	tree->document = document;
	if (document != NULL)
		return take(tree, NULL, document);
	ret_problem->line = error.line;
	ret_problem->column = error.column;
	(void)snprintf(ret_problem->text, sizeof(ret_problem->text), "%s", error.text);
	return json_error_code(&error) == json_error_out_of_memory ? -ENOMEM : -ERR_BAD_VALUE;
}

void tree_release_library(struct tree *tree)
{
	json_decref(tree->document);
}

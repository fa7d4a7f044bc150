/* SPDX-License-Identifier: MIT */
#include "preload/mindspore/graph.h"

#include <stdbool.h>

#include "collector/format/value.h"
#include "preload/frameworks/frameworks.h"
#include "preload/mindspore/phase.h"
#include "preload/operators/operators.h"
#include "preload/python/python.h"
#include "preload/thread/thread.h"

void graph_worked(void)
{
	if (operators_own != NULL)
		operators_own->stepped.worked = true;
}

/* An optimiser has a graph for each of its groups of parameters: the first one is its step. */
static bool is_step(struct operators *own, uint32_t name, uint32_t place)
{
	bool first =
		own->stepped.worked || own->stepped.name != name || own->stepped.place != place;
	own->stepped.worked = false;
	own->stepped.name = name;
	own->stepped.place = place;
	return first;
}

/* A graph as a whole, and what called it: the optimiser, or a line of the program. */
static void emit_graph(const char *phase, uint64_t begun, uint64_t end)
{
	char text[OPERATOR_TEXT_BYTES];
	struct operator_name spare;
	struct operators *own = operators_of_caller();
	if (own == NULL)
		return;
	struct operator_open open = {.begin = begun,
		.place = python_place(),
		.scope = OP_FUNCTION,
		.framework = OP_MINDSPORE};
	bool optimizes = phase_names_optimizer(phase);
	if (open.place != 0)
		thread_trains();
	phase_name(phase, false, text, sizeof(text));
	open.name = operator_name(&own->names, text, &spare)->id;
	operators_emit(&open, end);
	if (!optimizes) {
		own->stepped.worked = true;
		return;
	}
	phase_name(phase, true, text, sizeof(text));
	open.name = operator_name(&own->names, text, &spare)->id;
	open.scope = OP_USER_SCOPE;
	if (is_step(own, open.name, open.place))
		operators_emit(&open, end);
}

void graph_ran(void *phase, uint64_t begun, uint64_t end)
{
	const char *text = NULL;
	if (phase != NULL && frameworks.python_text != NULL && frameworks.python_error != NULL &&
		frameworks.python_error() == NULL) {
		text = frameworks.python_text(phase);
		if (text == NULL) /* it is no str */
			frameworks.python_clear_error();
	}
	emit_graph(text != NULL ? text : "", begun, end);
}

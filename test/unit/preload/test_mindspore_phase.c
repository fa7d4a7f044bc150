/* SPDX-License-Identifier: MIT */
/* What MindSpore calls its compiled graphs, as 2.10 does, and what else may come. */
#include "preload/mindspore/phase.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static const struct {
	const char *phase, *name;
	bool optimizes;
	const char *as_optimizer;
} cases[] = {
	{"mindspore.nn.optim.adam.construct./venv/mindspore/nn/optim/adam.py.802.17954460161007.1",
		"graph(construct)", true, "Optimizer.step#adam"},
	{"mindspore.experimental.optim.sgd.implementation./venv/sgd.py.124.1795",
		"graph(implementation)", true, "Optimizer.step#sgd"},
	{"mindspore.mint.optim.adamw.step./a.py.1", "graph(step)", true, "Optimizer.step#adamw"},
	{"mindspore.nn.wrap.cell_wrapper.construct./a.py.1", "graph(construct)", false, NULL},
	{"__main__.train_step./home/me/v1.5/train.py.23.1795446016455961088.2", "graph(train_step)",
		false, NULL},
	{"__main__.train_step.<string>.3.1795", "graph(train_step)", false, NULL},
	{"train.1795446016799428096.139873097591280.2", "graph(train)", false, NULL},
	{"predict.1795446016100140032.139874444681552.3", "graph(predict)", false, NULL},
	{"mindspore.nn.optim.", "graph(optim)", true, "Optimizer.step#nn"},
	{"prefill", "graph(prefill)", false, NULL},
	{"", "graph", false, NULL},
	{"./.1", "graph", false, NULL},
};

Test(mindspore_phase, names_the_function)
{
	char text[112];
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		phase_name(cases[i].phase, false, text, sizeof(text));
		cr_expect(eq(str, text, (char *)cases[i].name), "%s", cases[i].phase);
		cr_expect(eq(int, phase_names_optimizer(cases[i].phase), cases[i].optimizes), "%s",
			cases[i].phase);
		if (cases[i].as_optimizer == NULL)
			continue;
		phase_name(cases[i].phase, true, text, sizeof(text));
		cr_expect(eq(str, text, (char *)cases[i].as_optimizer), "%s", cases[i].phase);
	}
}

Test(mindspore_phase, is_cut_to_what_there_is_room_for)
{
	char phase[4096], text[16] = "";
	memset(phase, 'x', sizeof(phase) - 1);
	phase[sizeof(phase) - 1] = '\0';
	phase_name(phase, false, text, sizeof(text));
	cr_expect(eq(str, text, "graph(xxxxxxxxx"));
	phase_name(phase, true, text, 1);
	cr_expect(eq(str, text, ""));
}

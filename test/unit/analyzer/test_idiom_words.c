/* SPDX-License-Identifier: MIT */
/* A run is advised in the words of its own framework. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/facts/facts.h"
#include "analyzer/report/rules/idiom.h"
#include "test/unit/analyzer/model_report.h"

static const struct own_text {
	const char *rule, *advice;
	bool alone;
} own_texts[] = {
#define RULE(id, name, catalogue, class, role, limits, title, advice) {#id, advice, false},
#define ALONE(id, role, title, advice)                                {#id, advice, true},
#include "analyzer/report/rules/rules.def"
};

static const struct words {
	const char *framework, *rule, *when, *advice;
} words[] = {
#define WORDS(framework, rule, when, advice) {#framework, #rule, #when, advice},
#include "analyzer/report/rules/idiom.def"
};

static const char *const others[] = {"JAX", "TENSORFLOW", "PADDLE", "MINDSPORE"};

/* What only PyTorch has, and what Paddle has as well. */
static const char *const pytorch[] = {"torch", "TORCH", "Torch", "non_blocking", "foreach",
	"F.gelu", "device='cuda'", "no_sync", "bucket_cap_mb", "zero_grad", "requires_grad",
	"DataParallel", "SyncBatchNorm", "detach", "static_graph", "unused_parameters="};
static const char *const paddle[] = {
	"DataLoader", "num_workers", "persistent_workers", "pin_memory"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *named(const char *text, bool is_paddle)
{
	for (size_t i = 0; i < COUNT(pytorch); i++)
		if (strstr(text, pytorch[i]) != NULL)
			return pytorch[i];
	for (size_t i = 0; i < COUNT(paddle) && !is_paddle; i++)
		if (strstr(text, paddle[i]) != NULL)
			return paddle[i];
	return NULL;
}

static bool has_words(const struct own_text *text, const char *framework)
{
	for (size_t i = 0; i < COUNT(words); i++)
		if (strcmp(words[i].rule, text->rule) == 0 &&
			(strcmp(words[i].when, "ALWAYS") == 0 ||
				(text->alone && strcmp(words[i].when, "ALONE") == 0)) &&
			(strcmp(words[i].framework, framework) == 0 ||
				strcmp(words[i].framework, "OTHER") == 0))
			return true;
	return false;
}

Test(idiom_words, none_is_left_with_means_of_pytorch)
{
	unsigned named_count = 0;
	for (size_t i = 0; i < COUNT(own_texts); i++) {
		const char *word = named(own_texts[i].advice, false);
		named_count += word != NULL;
		for (size_t other = 0; word != NULL && other < COUNT(others); other++)
			cr_expect(has_words(&own_texts[i], others[other]), "%s: %s for %s",
				own_texts[i].rule, word, others[other]);
	}
	cr_expect(named_count > 20);
	for (size_t i = 0; i < COUNT(words); i++) {
		const char *word =
			named(words[i].advice, strcmp(words[i].framework, "PADDLE") == 0);
		cr_expect(word == NULL, "%s: %s in %s", words[i].rule, word != NULL ? word : "",
			words[i].framework);
	}
}

/* A row behind one that holds always, of the same framework or of all others, is never reached. */
Test(idiom_words, each_can_be_reached)
{
	for (size_t i = 0; i < COUNT(words); i++)
		for (size_t before = 0; before < i; before++)
			cr_expect(
				strcmp(words[before].rule, words[i].rule) != 0 ||
					strcmp(words[before].when, "ALWAYS") != 0 ||
					(strcmp(words[before].framework, words[i].framework) != 0 &&
						strcmp(words[before].framework, "OTHER") != 0),
				"%s for %s", words[i].rule, words[i].framework);
}

/* Written by the rule itself or not; parts compiled or not; with a GPU or without. */
static const struct advice_case {
	enum op_framework framework;
	unsigned rule;
	bool alone;
	uint64_t compiled;
	const char *written, *expected;
} cases[] = {
	{0, RULE_ID_launch_bound, false, 0, "", ""},
	{OP_TORCH, RULE_ID_launch_bound, false, 0, "", ""},
	{OP_TORCH, RULE_ID_launch_bound, false, 1, "", "mode='reduce-overhead'"},
	{OP_JAX, RULE_ID_launch_bound, false, 0, "", "jax.jit"},
	{OP_JAX, RULE_ID_launch_bound, false, 1, "", "jax.jit"},
	{OP_JAX, RULE_ID_launch_bound, false, 0, "replayed already", "replayed already"},
	{OP_TENSORFLOW, RULE_ID_launch_bound, false, 0, "", "tf.function"},
	{OP_PADDLE, RULE_ID_launch_bound, false, 0, "", "paddle.jit.to_static"},
	{OP_MINDSPORE, RULE_ID_launch_bound, false, 0, "", "mindspore.jit"},
	{OP_JAX, RULE_ID_gpu_bound, false, 0, "", "fused operators, layouts"},
	{OP_PADDLE, RULE_ID_input_first_batch, true, 0, "", "persistent_workers=True"},
	{OP_MINDSPORE, RULE_ID_input_first_batch, true, 0, "", "repeat the data set"},
	{OP_TENSORFLOW, RULE_ID_host_operator, true, 0, "", "tf.config.threading"},
	{OP_TENSORFLOW, RULE_ID_host_operator, false, 0, "", ""},
	{OP_TORCH, RULE_ID_host_operator, true, 0, "", ""},
	{OP_JAX, RULE_ID_sync_benign, false, 0, "", ""},
};

Test(idiom_words, a_run_is_advised_in_those_of_its_framework)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct facts facts = {
			.framework = cases[i].framework, .compiled = cases[i].compiled};
		struct model model = {.alone = cases[i].alone};
		struct report report = {.model = &model, .facts = &facts};
		struct subject subject = {.report = &report};
		struct finding found = {.where = "train.py:7"};
		snprintf(found.advice, sizeof(found.advice), "%s", cases[i].written);
		idiom_advise(&subject, cases[i].rule, &found);
		if (cases[i].expected[0] == '\0')
			cr_expect(eq(str, found.advice, ""), "%zu", i);
		else
			cr_expect(strstr(found.advice, cases[i].expected) != NULL, "%zu: %s", i,
				found.advice);
	}
}

static const char *graph_text(const void *context, uint32_t id)
{
	(void)context;
	return id == 1 ? "interpreter_core_run" : id == 2 ? "StandaloneExecutor::run" : "relu";
}

Test(idiom_words, a_graph_is_not_advised_to_become_one)
{
	struct facts facts = {.framework = OP_PADDLE};
	struct model model = {.alone = true, .lookup = {.text = graph_text}};
	struct report report = {.model = &model, .facts = &facts};
	for (uint32_t name = 1; name <= 3; name++) {
		struct spot spot = {.name = name};
		struct subject subject = {.report = &report, .spot = &spot};
		struct finding found = {.where = "train.py:7"};
		idiom_advise(&subject, RULE_ID_host_operator, &found);
		cr_expect(eq(int, strstr(found.advice, "to_static") != NULL, name == 3), "%s",
			found.advice);
		cr_expect(strstr(found.advice, "lower precision") != NULL);
	}
}

Test(idiom_words, of_several_frameworks_the_first_of_the_table_counts)
{
	static const struct {
		const char *names[3];
		enum op_framework framework;
	} runs[] = {
		{{"python", "cuda", "nccl"}, 0},
		{{"python", "jax", "nccl"}, OP_JAX},
		{{"jax", "torch", "tensorflow"}, OP_TORCH},
		{{"torch", "jax", "jax"}, OP_TORCH},
		{{"tensorflow", "jax", "python"}, OP_TENSORFLOW},
		{{"jax", "mindspore", "tensorflow"}, OP_MINDSPORE},
		{{"tensorflow", "paddle", "jax"}, OP_PADDLE},
	};
	for (size_t i = 0; i < COUNT(runs); i++) {
		struct facts facts = {.framework = 0};
		for (size_t name = 0; name < COUNT(runs[i].names); name++) {
			const struct meta_VERSION version = {
				.name = runs[i].names[name], .value = "1"};
			facts_version(&facts, &version);
		}
		cr_expect(eq(int, facts.framework, runs[i].framework), "%zu", i);
	}
}

/* SPDX-License-Identifier: MIT */
/* Waits inside a package that one line of the program calls. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/names/library.h"
#include "test/unit/analyzer/model_report.h"

#define LINE (10 * BUILDER_THROUGH)

static void read_back(struct builder *builder, uint64_t us, uint32_t place)
{
	uint64_t begin = builder->now_ns;
	builder_copy(builder, us, COPY_DEVICE_TO_HOST, 4, MEMORY_PAGEABLE, place);
	builder_sync(builder, 1, place);
	builder_op(builder, begin, NAME_ITEM, OP_FUNCTION);
	builder_pause(builder, 300);
}

static const struct finding *through(const struct report *report, uint64_t line)
{
	for (unsigned i = 0; i < report->finding_count; i++)
		if (report->findings[i].library_line == line)
			return &report->findings[i];
	return NULL;
}

Test(rules_library, one_line_of_the_program_has_a_finding_for_each_line_of_a_package)
{
	struct builder builder = builder_new();
	for (unsigned i = 0; i < 40; i++) {
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		read_back(&builder, 500, BUILDER_THROUGH);
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		read_back(&builder, 400, BUILDER_METRIC);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	const struct finding *trainer = through(report, BUILDER_THROUGH);
	const struct finding *metric = through(report, BUILDER_METRIC);
	cr_assert(trainer != NULL && metric != NULL && trainer != metric);
	cr_expect(eq(u64, trainer->line, LINE));
	cr_expect(eq(u64, metric->line, LINE));
	cr_expect(eq(dbl, trainer->calls_per_step, 1.0));
	cr_expect(eq(str, (char *)trainer->file, "/home/user/train.py"));
	cr_expect(eq(str, (char *)trainer->library, "transformers/trainer.py"));
	cr_expect(eq(str, (char *)trainer->where,
		"transformers/trainer.py:800 (called from train.py:8000)"));
	cr_expect(strstr(trainer->advice, "logging_steps") != NULL, "%s", trainer->advice);
	/* a package that lies elsewhere, of which nothing is known */
	cr_expect(eq(str, (char *)metric->library, "metric/score.py"));
	cr_expect(strstr(metric->advice, "logging_steps") == NULL);
	cr_expect(strstr(metric->advice, "metric/score.py:801") != NULL, "%s", metric->advice);
	builder_free(&builder);
}

Test(rules_library, advice_is_that_of_the_first_row_that_fits)
{
	const char *any = library_advice("transformers/models/bert.py", "forward");
	const char *logging = library_advice("transformers/trainer.py", "_maybe_log_save_evaluate");
	cr_assert(any != NULL && logging != NULL && any != logging);
	cr_assert(library_advice("accelerate/utils/operations.py", "send_to_device") != NULL);
	cr_assert(library_advice("accelerate/utils/operations.py", "other") == NULL);
	cr_assert(library_advice("my/transformers/trainer.py", "f") == NULL);
	const char *generate = library_advice("transformers/generation/utils.py", "generate");
	cr_assert(generate != any && strstr(generate, "TrainingArguments") == NULL);
	cr_assert(library_advice("", "") == NULL);
}

/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>

#include "analyzer/cli/visit.h"
#include "analyzer/output/chrome.h"

/* Beyond this the viewers get slow: Perfetto keeps everything in the browser's memory. */
#define VIEWER_LIMIT 1000000u

static void begin_file(void *data, struct reader *reader)
{
	chrome_begin_file(data, reader);
}

static void take_item(void *data, struct reader *reader, const struct item *item)
{
	(void)reader;
	chrome_item(data, item);
}

static void end_file(void *data, struct reader *reader)
{
	(void)reader;
	chrome_end_file(data);
}

int cmd_export(struct command_context *context)
{
	struct visit visit;
	const struct options *options = context->options;
	int code = visit_open(&visit, context);
	if (code != EXIT_CODE_FINE)
		return code;
	struct chrome *chrome = chrome_new(context->out, visit.begin_ns,
		demangle_from_name(options_text(options, OPTION_NAMES)));
	if (chrome == NULL) {
		visit_close(&visit);
		return command_fail(EXIT_CODE_SYSTEM, NULL, "export: %s", err_text(-ENOMEM));
	}
	struct visitor visitor = {begin_file, take_item, end_file, chrome};
	code = visit_all(&visit, &visitor);
	chrome_finish(chrome);
	if (chrome_events(chrome) > VIEWER_LIMIT)
		command_note(context,
			"export: %" PRIu64
			" events; viewers get slow above %u, --from and --to cut out a part",
			chrome_events(chrome), VIEWER_LIMIT);
	chrome_free(chrome);
	visit_close(&visit);
	return code;
}

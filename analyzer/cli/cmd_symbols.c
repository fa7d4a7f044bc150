/* SPDX-License-Identifier: MIT */
#include "analyzer/cli/command.h"

#include <stdlib.h>

#include "analyzer/symbols/symbols.h"
#include "analyzer/text/demangle.h"
#include "analyzer/text/json.h"

struct listing {
	struct command_context *context;
	struct json json;
	bool as_json;
	uint64_t can, cannot;
};

static int list(void *context, const struct symbols_function *function)
{
	struct listing *listing = context;
	struct out *out = listing->context->out;
	char *full = demangle_full(function->name);
	const char *name = full != NULL ? full : function->name;
	listing->can += function->refused == NULL;
	listing->cannot += function->refused != NULL;
	if (listing->as_json) {
		json_object(&listing->json);
		json_add_text(&listing->json, "symbol", function->name);
		json_add_text(&listing->json, "name", name);
		json_add_bool(&listing->json, "traceable", function->refused == NULL);
		json_add_bool(&listing->json, "inside", function->inside);
		json_add_text(&listing->json, "reason", function->refused);
		json_object_end(&listing->json);
	} else {
		const char *seen = function->inside ? "all calls" : "from others";
		out_format(out, "%-12s ", function->refused == NULL ? seen : "no");
		out_printable(out, name, 0);
		if (function->refused != NULL)
			out_format(out, "  (%s)", function->refused);
		out_char(out, '\n');
	}
	free(full);
	return out->error;
}

int cmd_symbols(struct command_context *context)
{
	const struct options *options = context->options;
	if (options->argument_count < 1 || options->argument_count > 2)
		return command_fail(EXIT_CODE_USAGE, "trace-analyzer symbols LIBRARY [PATTERN]",
			"symbols takes a library and, if need be, a pattern with * and ?");
	const char *path = options->arguments[0];
	const char *pattern = options->argument_count > 1 ? options->arguments[1] : NULL;
	const char *reason = NULL;
	struct listing listing = {.context = context};
	listing.as_json = strcmp(options_text(options, OPTION_FORMAT), "json") == 0;
	json_init(&listing.json, context->out, true);
	if (listing.as_json) {
		json_object(&listing.json);
		json_add_text(&listing.json, "schema", "libtrace-symbols/1");
		json_add_array(&listing.json, "functions");
	}
	int code = symbols_read(path, pattern, list, &listing, &reason);
	if (code == -ENOEXEC)
		return command_fail(EXIT_CODE_USAGE, NULL, "%s: %s", path, reason);
	if (code < 0 && context->out->error == 0)
		return command_fail(EXIT_CODE_USAGE, NULL, "%s: %s", path, strerror(-code));
	if (listing.as_json) {
		json_array_end(&listing.json);
		json_object_end(&listing.json);
		json_finish(&listing.json);
	}
	command_note(context, "%s: %llu functions can be traced, %llu cannot%s", path,
		(unsigned long long)listing.can, (unsigned long long)listing.cannot,
		listing.can + listing.cannot == 0 && pattern != NULL ? ": nothing fits the pattern"
								     : "");
	return EXIT_CODE_FINE;
}

/* SPDX-License-Identifier: MIT */
#include "analyzer/cli/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/tables/tables.h"
#include "collector/base/err.h"

#define IN(command) (1u << COMMAND_##command)
#define ALL         UINT32_MAX

/* clang-format off */
const struct option_spec option_specs[OPTION_COUNT] = {
#define OPTION(id, name, short_name, type, value, fallback, choices, commands, help) \
	[OPTION_##id] = {name, short_name, OPTION_TYPE_##type, value, fallback, choices, commands, \
		help},
#include "analyzer/cli/options.def"
#undef OPTION
};
/* clang-format on */

bool options_applies(enum option_id id, const struct command *command)
{
	return option_specs[id].commands >> commands_id(command) & 1;
}

/* The names of all tables, "a|b|c". */
static const char *table_names(void)
{
	static char names[512];
	size_t used = 0;
	if (names[0] != '\0')
		return names;
	for (unsigned id = 0; id < TABLES_COUNT; id++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
			id == 0 ? "" : "|", tables_infos[id].name);
	return names;
}

const char *options_choices(enum option_id id, const struct command *command)
{
	const struct option_spec *spec = &option_specs[id];
	if (spec->type == OPTION_TYPE_WORDS)
		return table_names();
	if (spec->type != OPTION_TYPE_CHOICE)
		return NULL;
	return spec->choices != NULL ? spec->choices : command->formats;
}

__attribute__((format(printf, 2, 3))) static int problem_is(
	struct option_problem *problem, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(problem->text, sizeof(problem->text), format, arguments);
	va_end(arguments);
	return -ERR_BAD_VALUE;
}

static int unknown_option(
	const struct command *command, const char *word, struct option_problem *problem)
{
	const char *names[OPTION_COUNT];
	size_t count = 0;
	char stem[64];
	snprintf(stem, sizeof(stem), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	for (unsigned id = 0; id < OPTION_COUNT; id++)
		if (options_applies(id, command))
			names[count++] = option_specs[id].name;
	(void)problem_is(problem, "%s: no such option of '%s'", word, command->name);
	const char *near = word[1] == '-' ? options_nearest(stem, names, count) : NULL;
	if (near != NULL)
		snprintf(problem->hint, sizeof(problem->hint), "did you mean --%s?", near);
	else
		snprintf(problem->hint, sizeof(problem->hint), "see 'trace-analyzer help %s'",
			command->name);
	return -ERR_UNKNOWN_NAME;
}

/* The option that a word names, or OPTION_COUNT; *ret_value is what is joined to it, or NULL. */
static unsigned find_option(const struct command *command, const char *word, const char **ret_value)
{
	*ret_value = NULL;
	if (word[1] != '-') {
		for (unsigned id = 0; id < OPTION_COUNT; id++)
			if (option_specs[id].short_name == word[1] &&
				options_applies(id, command)) {
				*ret_value = word[2] != '\0' ? word + 2 : NULL;
				return id;
			}
		return OPTION_COUNT;
	}
	size_t length = strcspn(word + 2, "=");
	for (unsigned id = 0; id < OPTION_COUNT; id++) {
		const char *name = option_specs[id].name;
		if (!options_applies(id, command) || strlen(name) != length ||
			memcmp(name, word + 2, length) != 0)
			continue;
		*ret_value = word[2 + length] == '=' ? word + 2 + length + 1 : NULL;
		return id;
	}
	return OPTION_COUNT;
}

static int take_value(
	struct options *options, unsigned id, const char *text, struct option_problem *problem)
{
	const struct option_spec *spec = &option_specs[id];
	struct option_value *value = &options->values[id];
	const char *choices = options_choices(id, options->command);
	int err = option_value_parse(value, spec->type, choices, text);
	if (err == -ENOMEM || err == 0)
		return err;
	if (spec->type == OPTION_TYPE_CHOICE || spec->type == OPTION_TYPE_WORDS)
		return problem_is(
			problem, "--%s: '%s' is not one of %s", spec->name, text, choices);
	if (spec->type == OPTION_TYPE_TIME)
		snprintf(problem->hint, sizeof(problem->hint),
			"a time is written 1.5s, 20ms, 3us or 7ns");
	if (spec->type == OPTION_TYPE_RANGES)
		snprintf(problem->hint, sizeof(problem->hint),
			"ranges are written 3, 10-30, 10+20 or 1,5-7");
	return problem_is(problem, "--%s: '%s' is not valid", spec->name, text);
}

/* One option word; *at moves past a value that stands apart. */
static int take_option(
	struct options *options, int argc, char **argv, int *at, struct option_problem *problem)
{
	const char *word = argv[*at];
	const char *text;
	unsigned id = find_option(options->command, word, &text);
	if (id == OPTION_COUNT)
		return unknown_option(options->command, word, problem);
	if (option_specs[id].type == OPTION_TYPE_FLAG) {
		if (text != NULL)
			return problem_is(problem, "--%s: takes no value", option_specs[id].name);
		options->values[id].given = true;
		return 0;
	}
	if (text == NULL && option_specs[id].type == OPTION_TYPE_WORDS) {
		options->values[id].given = true;
		options->values[id].text = NULL;
		return 0;
	}
	if (text == NULL && *at + 1 >= argc)
		return problem_is(problem, "--%s: %s is missing", option_specs[id].name,
			option_specs[id].value);
	if (text == NULL)
		text = argv[++*at];
	return take_value(options, id, text, problem);
}

int options_parse(struct options *options, const struct command *command, int argc, char **argv,
	struct option_problem *ret_problem)
{
	*options = (struct options){.command = command};
	*ret_problem = (struct option_problem){{0}, {0}};
	options->arguments = calloc((size_t)argc + 1, sizeof(*options->arguments));
	if (command->formats != NULL)
		snprintf(options->default_format, sizeof(options->default_format), "%.*s",
			(int)strcspn(command->formats, "|"), command->formats);
	if (options->arguments == NULL)
		return -ENOMEM;
	bool ended = false;
	for (int at = 0; at < argc; at++) {
		if (!ended && strcmp(argv[at], "--") == 0) {
			ended = true;
			continue;
		}
		if (ended || argv[at][0] != '-' || argv[at][1] == '\0') {
			options->arguments[options->argument_count++] = argv[at];
			continue;
		}
		int err = take_option(options, argc, argv, &at, ret_problem);
		if (err < 0)
			return err;
	}
	return 0;
}

void options_release(struct options *options)
{
	for (unsigned id = 0; id < OPTION_COUNT; id++)
		option_value_release(&options->values[id]);
	free(options->arguments);
	*options = (struct options){0};
}

const char *options_text(const struct options *options, enum option_id id)
{
	if (options->values[id].given)
		return options->values[id].text;
	if (id == OPTION_FORMAT && options->default_format[0] != '\0')
		return options->default_format;
	return option_specs[id].fallback;
}

bool options_given(const struct options *options, enum option_id id)
{
	return options->values[id].given;
}

bool options_contain(const struct options *options, enum option_id id, uint64_t value)
{
	const struct option_value *ranges = &options->values[id];
	if (!ranges->given)
		return true;
	for (size_t i = 0; i < ranges->ranges.count; i++)
		if (value >= ranges->ranges.items[i].first && value <= ranges->ranges.items[i].last)
			return true;
	return false;
}

bool options_has_word(const struct options *options, enum option_id id, const char *word)
{
	const struct option_value *value = &options->values[id];
	size_t length = strlen(word);
	if (!value->given || value->text == NULL)
		return value->given;
	for (const char *at = value->text; *at != '\0';) {
		size_t size = strcspn(at, ",");
		if (size == length && memcmp(at, word, size) == 0)
			return true;
		at += size + (at[size] == ',');
	}
	return false;
}

const char *const *options_list(const struct options *options, enum option_id id, size_t *ret_count)
{
	*ret_count = options->values[id].list.count;
	return options->values[id].list.items;
}

/* Edit distance with a bound; words are short. */
static unsigned distance(const char *left, const char *right)
{
	unsigned row[65];
	size_t width = strnlen(right, 64);
	for (size_t i = 0; i <= width; i++)
		row[i] = (unsigned)i;
	for (size_t i = 0; left[i] != '\0' && i < 64; i++) {
		unsigned diagonal = row[0];
		row[0] = (unsigned)i + 1;
		for (size_t j = 0; j < width; j++) {
			unsigned change = diagonal + (left[i] != right[j]);
			diagonal = row[j + 1];
			unsigned insert = (row[j] < diagonal ? row[j] : diagonal) + 1;
			row[j + 1] = change < insert ? change : insert;
		}
	}
	return row[width];
}

const char *options_nearest(const char *word, const char *const *words, size_t count)
{
	const char *best = NULL;
	unsigned best_distance = ((unsigned)strnlen(word, 64) + 2) / 3;
	for (size_t i = 0; i < count; i++) {
		unsigned steps = distance(word, words[i]);
		if (steps < best_distance || (steps == best_distance && best == NULL)) {
			best = words[i];
			best_distance = steps;
		}
	}
	return best != NULL && strlen(best) > best_distance ? best : NULL;
}

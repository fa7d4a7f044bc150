/* SPDX-License-Identifier: MIT */
/*
 * The options of all commands, from one table (options.def): parsing, the help
 * texts, the man page and the shell completion are made from its rows. A row says
 * which commands take it. Every option is written --name VALUE or --name=VALUE, short
 * ones -n VALUE or -nVALUE; "--" ends the options.
 *
 * Values are checked here: what a command gets is of the right type and one of the
 * choices. Not thread-safe.
 */
#ifndef ANALYZER_OPTIONS_H
#define ANALYZER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/cli/commands.h"
#include "analyzer/cli/option_value.h"

enum option_id {
#define OPTION(id, name, short_name, type, value, fallback, choices, commands, help) OPTION_##id,
#include "analyzer/cli/options.def"
#undef OPTION
	OPTION_COUNT
};

struct option_spec {
	const char *name;
	char short_name; /* 0: none */
	enum option_type type;
	const char *value;    /* what the help calls the value; NULL for flags */
	const char *fallback; /* value when it is not given; NULL: none */
	const char *choices;  /* a|b|c; of a CHOICE without: the command's formats */
	uint32_t commands;    /* bit per enum command_id */
	const char *help;
};

extern const struct option_spec option_specs[OPTION_COUNT];

struct options {
	const struct command *command;
	struct option_value values[OPTION_COUNT];
	char **arguments; /* what is not an option; points into argv */
	size_t argument_count;
	char default_format[16]; /* the first of the command's */
};

/* What is wrong with a command line; texts for the one line that the user sees. */
struct option_problem {
	char text[512];
	char hint[256]; /* "" : none */
};

/*
 * Parse the words after the command. Texts point into argv. 0, -ERR_UNKNOWN_NAME, -ERR_BAD_VALUE
 * (ret_problem says which) or -ENOMEM. options_release() after every outcome.
 */
int options_parse(struct options *options, const struct command *command, int argc, char **argv,
	struct option_problem *ret_problem);
void options_release(struct options *options);

/* The value as text with its default, or NULL. */
const char *options_text(const struct options *options, enum option_id id);
bool options_given(const struct options *options, enum option_id id);

/* True when the option's ranges contain value, or it was not given. */
bool options_contain(const struct options *options, enum option_id id, uint64_t value);

/* True when WORDS were given and word is one of them, or there were none. */
bool options_has_word(const struct options *options, enum option_id id, const char *word);

/* All values of a LIST option; NULL and 0 when there are none. */
const char *const *options_list(
	const struct options *options, enum option_id id, size_t *ret_count);

/* Whether the command takes the option, and what it may be ("text|json") when it is a choice. */
bool options_applies(enum option_id id, const struct command *command);
const char *options_choices(enum option_id id, const struct command *command);

/* The nearest of the words to a mistyped one, or NULL when none is near. */
const char *options_nearest(const char *word, const char *const *words, size_t count);

#endif

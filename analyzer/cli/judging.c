/* SPDX-License-Identifier: MIT */
#include "analyzer/cli/judging.h"

#include "analyzer/ranks/identity.h"
#include "analyzer/run/depth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_LIMIT 512u

/* What to write instead of a name that does not exist. */
static void names_hint(const char *name, size_t length, const char *const *names, size_t count,
	const char *what, char *ret_hint, size_t size)
{
	char word[64];
	snprintf(word, sizeof(word), "%.*s", (int)length, name);
	const char *near = options_nearest(word, names, count);
	if (near != NULL) {
		snprintf(ret_hint, size, "did you mean %s?", near);
		return;
	}
	size_t used = (size_t)snprintf(ret_hint, size, "%s are", what);
	for (size_t i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(
			ret_hint + used, size - used, "%s %s", i == 0 ? "" : ",", names[i]);
}

static void limits_hint(const char *text, char *ret_hint, size_t size)
{
	const char *names[THRESHOLD_COUNT];
	for (unsigned id = 0; id < THRESHOLD_COUNT; id++)
		names[id] = threshold_infos[id].name;
	names_hint(text, strcspn(text, "="), names, THRESHOLD_COUNT, "the limits", ret_hint, size);
}

static void rules_hint(const char *name, char *ret_hint, size_t size)
{
	const char *names[RULE_ID_COUNT];
	for (unsigned id = 0; id < RULE_ID_COUNT; id++)
		names[id] = rule_info(id)->name;
	const char *near = options_nearest(name, names, RULE_ID_COUNT);
	if (near != NULL)
		snprintf(ret_hint, size, "did you mean %s?", near);
	else
		snprintf(ret_hint, size, "see '" PROGRAM_NAME " help rules'");
}

int judging_rule(const char *option, const char *name)
{
	char hint[1024];
	if (rule_find(name) < RULE_ID_COUNT)
		return EXIT_CODE_FINE;
	rules_hint(name, hint, sizeof(hint));
	return command_fail(EXIT_CODE_USAGE, hint, "--%s: '%s': no such rule", option, name);
}

/* Where in a rules file something is wrong. */
struct place {
	const char *path;
	unsigned line;
};

static int fail_at(const struct place *place, const char *hint, const char *word, const char *why)
{
	return command_fail(EXIT_CODE_USAGE, hint, "%s, line %u: '%s': %s", place->path,
		place->line, word, why);
}

/* "io = 8" without the blanks around its parts. */
static void join(const char *text, char *ret_text, size_t size)
{
	size_t used = 0;
	for (; *text != '\0' && used + 1 < size; text++)
		if (*text != ' ' && *text != '\t')
			ret_text[used++] = *text;
	ret_text[used] = '\0';
}

static int take_threshold(struct judging *judging, const struct place *place, const char *rest)
{
	char hint[1024] = "";
	int err = thresholds_set(&judging->thresholds, rest);
	if (err == 0)
		return EXIT_CODE_FINE;
	if (err == -ERR_UNKNOWN_NAME)
		limits_hint(rest, hint, sizeof(hint));
	return fail_at(place, hint, rest, err_text(err));
}

/* A rule, or all of them: from *ret_first up to *ret_until. */
static int find_rules(
	const struct place *place, const char *name, unsigned *ret_first, unsigned *ret_until)
{
	char hint[1024];
	*ret_first = 0;
	*ret_until = RULE_ID_COUNT;
	if (strcmp(name, "all") == 0)
		return EXIT_CODE_FINE;
	*ret_first = rule_find(name);
	*ret_until = *ret_first + 1;
	if (*ret_first < RULE_ID_COUNT)
		return EXIT_CODE_FINE;
	rules_hint(name, hint, sizeof(hint));
	return fail_at(place, hint, name, "no such rule");
}

static int take_switch(
	struct judging *judging, const struct place *place, const char *name, bool off)
{
	unsigned first, until;
	int code = find_rules(place, name, &first, &until);
	for (unsigned id = first; code == EXIT_CODE_FINE && id < until; id++)
		judging->choices.off[id] = off;
	return code;
}

static int take_severity(struct judging *judging, const struct place *place, char *rest)
{
	unsigned first, until, severity = 0;
	char *value = strchr(rest, '=');
	if (value == NULL)
		return fail_at(place, "severity NAME = high, medium, low or info", rest,
			err_text(-ERR_BAD_VALUE));
	*value++ = '\0';
	while (severity < SEVERITY_COUNT && strcmp(severity_names[severity], value) != 0)
		severity++;
	if (severity == SEVERITY_COUNT)
		return fail_at(
			place, "it is high, medium, low or info", value, err_text(-ERR_BAD_VALUE));
	int code = find_rules(place, rest, &first, &until);
	for (unsigned id = first; code == EXIT_CODE_FINE && id < until; id++) {
		judging->choices.fixed[id] = true;
		judging->choices.severity[id] = (enum severity)severity;
	}
	return code;
}

static int take_line(struct judging *judging, const struct place *place, char *line)
{
	static const char *const keys[] = {"threshold", "disable", "enable", "severity"};
	char rest[LINE_LIMIT], hint[256];
	line[strcspn(line, "#\r\n")] = '\0';
	char *key = line + strspn(line, " \t");
	size_t length = strcspn(key, " \t=");
	if (*key == '\0')
		return EXIT_CODE_FINE;
	join(key + length, rest, sizeof(rest));
	key[length] = '\0';
	if (strcmp(key, keys[0]) == 0)
		return take_threshold(judging, place, rest);
	if (strcmp(key, keys[1]) == 0 || strcmp(key, keys[2]) == 0)
		return take_switch(judging, place, rest, key[0] == 'd');
	if (strcmp(key, keys[3]) == 0)
		return take_severity(judging, place, rest);
	names_hint(
		key, length, keys, sizeof(keys) / sizeof(keys[0]), "the keys", hint, sizeof(hint));
	return fail_at(place, hint, key, "no such key");
}

static int take_file(struct judging *judging, const char *path)
{
	char line[LINE_LIMIT];
	struct place place = {.path = path};
	int code = EXIT_CODE_FINE;
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return command_fail(EXIT_CODE_USAGE, NULL, "%s: %s", path, err_text(-errno));
	while (code == EXIT_CODE_FINE && fgets(line, sizeof(line), file) != NULL) {
		place.line++;
		if (strlen(line) + 1 == sizeof(line))
			code = fail_at(&place, NULL, "...", "the line is too long");
		else
			code = take_line(judging, &place, line);
	}
	if (code == EXIT_CODE_FINE && ferror(file) != 0)
		code = command_fail(EXIT_CODE_SYSTEM, NULL, "%s: %s", path, err_text(-EIO));
	fclose(file);
	return code;
}

static int take_thresholds(struct judging *judging, const struct options *options)
{
	size_t count;
	const char *const *list = options_list(options, OPTION_THRESHOLD, &count);
	for (size_t i = 0; i < count; i++) {
		int err = thresholds_set(&judging->thresholds, list[i]);
		char hint[1024] = "";
		if (err == 0)
			continue;
		if (err == -ERR_UNKNOWN_NAME)
			limits_hint(list[i], hint, sizeof(hint));
		return command_fail(
			EXIT_CODE_USAGE, hint, "--threshold: '%s': %s", list[i], err_text(err));
	}
	return EXIT_CODE_FINE;
}

static int take_asks(struct judging *judging, const struct options *options)
{
	size_t count;
	const char *const *list = options_list(options, OPTION_WHAT_IF, &count);
	const size_t most = sizeof(judging->asks) / sizeof(judging->asks[0]);
	if (count > most)
		return command_fail(EXIT_CODE_USAGE, NULL, "--what-if: at most %zu of them", most);
	for (size_t i = 0; i < count; i++) {
		int err = rule_ask_parse(list[i], &judging->asks[i]);
		if (err == -ERR_UNKNOWN_NAME)
			return command_fail(EXIT_CODE_USAGE,
				"it is a rule ('" PROGRAM_NAME
				" help rules') or a cause: idle_input, idle_sync ...",
				"--what-if: '%s': no such rule or cause", list[i]);
		if (err < 0)
			return command_fail(EXIT_CODE_USAGE,
				"write without=input-bound, line=train.py:36 or both, with a comma",
				"--what-if: '%s': %s", list[i], err_text(err));
	}
	judging->ask_count = count;
	return EXIT_CODE_FINE;
}

int judging_take(struct judging *judging, const struct command_context *context)
{
	const struct options *options = context->options;
	*judging = (struct judging){.ask_count = 0};
	thresholds_init(&judging->thresholds);
	int code = EXIT_CODE_FINE;
	if (options_given(options, OPTION_RULES))
		code = take_file(judging, options_text(options, OPTION_RULES));
	if (code == EXIT_CODE_FINE)
		code = take_thresholds(judging, options);
	return code == EXIT_CODE_FINE ? take_asks(judging, options) : code;
}

struct report_workers judging_workers(const run_workers *workers, const struct process *process)
{
	const struct meta_RUN *run = reader_run(process->reader);
	uint64_t identity = identity_own(run);
	uint64_t processors = run != NULL ? run->processors : 0;
	struct workers_summary found = workers_of(workers, identity);
	struct depth depth;
	if (depth_of(workers, identity, &depth) < 0)
		depth = (struct depth){0};
	return (struct report_workers){.count = found.count,
		.depth = depth,
		.pool = workers_pool(workers, identity, processors, &process->facts->work),
		.processors = processors,
		.busy_least_pct = found.busy_least_pct,
		.busy_most_pct = found.busy_most_pct};
}

void judging_report(const struct judging *judging, const struct process *process,
	struct report_workers workers, const struct report_peer *peer, bool complete,
	struct report *ret_report)
{
	const struct model *model = process->model;
	const struct report_input input = {.model = model,
		.thresholds = &judging->thresholds,
		.facts = process->facts,
		.workers = workers,
		.peer = peer,
		.choices = &judging->choices,
		.asks = judging->asks,
		.ask_count = judging->ask_count,
		.reader = *reader_health(process->reader),
		.simulated = states_value(&process->versions, "simulated") != NULL,
		.blind = process_is_blind(process),
		.complete = complete,
		.odd = process->odd,
		.late = process->late,
		.wall_ns = model->events > 0 ? model->last_ns - model->first_ns : 0};
	report_build(ret_report, &input);
}

/* What costs it most, of what it can mend itself. */
static const struct finding *dearest(const struct report *report)
{
	const struct finding *found = NULL;
	for (unsigned i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->findings[i];
		if (finding->gain_pct >= report_limit(report, THRESHOLD_GAIN) &&
			(found == NULL || finding->gain_pct > found->gain_pct))
			found = finding;
	}
	return found;
}

int judging_peer(const struct judging *judging, const char *path,
	const struct process_options *options, struct report_peer *peer)
{
	struct process_options alone = *options;
	struct process process;
	alone.tables = 0;
	alone.history = alone.counts = alone.ranks = false;
	alone.progress = NULL;
	int err = process_init(&process, path, &alone, NULL);
	if (err < 0)
		return err == -ENOMEM ? err : 0;
	struct report *report = malloc(sizeof(*report));
	if (report != NULL) {
		judging_report(judging, &process, (struct report_workers){0}, NULL, true, report);
		const struct finding *finding = dearest(report);
		if (finding != NULL)
			(void)snprintf(peer->words, sizeof(peer->words), "%s, %.160s, %.1f %%",
				finding->rule->name, finding->where, finding->gain_pct);
	}
	err = report == NULL ? -ENOMEM : 0;
	free(report);
	process_release(&process);
	return err;
}

/* SPDX-License-Identifier: MIT */
#include "preload/start/settings.h"

#include "collector/base/err.h"
#include "collector/base/log.h"
#include "preload/probe/probe.h"
#include "preload/start/text.h"
#include "preload/torch/budget.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX    "LIBTRACE_"
#define OWN_LIMIT 64 /* variables of ours in an environment; a few are usual */

static const char *const sources[SETTINGS_SOURCE_COUNT] = {
#define SOURCE(NAME, name, there, text) name,
#include "preload/start/source.def"
};

enum {
	DEFAULT_SOURCES = 0
#define SOURCE(NAME, name, there, text) | (((there) == 1) << SETTINGS_##NAME##_BIT)
#include "preload/start/source.def"
};

const char *settings_source_name(unsigned source)
{
	return source < SETTINGS_SOURCE_COUNT ? sources[source] : NULL;
}

const char *settings_get(char *const *environment, const char *name)
{
	for (; environment != NULL && *environment != NULL; environment++) {
		size_t same = 0;
		while (name[same] != '\0' && (*environment)[same] == name[same])
			same++;
		if (name[same] == '\0' && (*environment)[same] == '=')
			return *environment + same + 1;
	}
	return NULL;
}

static int parse_number(const char *text, long least, long most, long *ret_number)
{
	return text_number(text, 10, least, most, ret_number);
}

int64_t settings_first_number(char *const *environment, const char *const *names)
{
	for (; *names != NULL; names++) {
		const char *text = settings_get(environment, *names);
		long number;
		if (text != NULL && parse_number(text, 0, INT32_MAX, &number) == 0)
			return number;
	}
	return -1;
}

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Bits that a name of a source list stands for, 0 for an unknown one. */
static uint32_t bits_of(const char *name, size_t length)
{
	uint32_t bits = is_word(name, length, "default") ? DEFAULT_SOURCES : 0;
	bool all = is_word(name, length, "all");
	for (unsigned i = 0; i < SETTINGS_SOURCE_COUNT; i++)
		if (all || is_word(name, length, sources[i]))
			bits |= 1u << i;
	return bits;
}

int settings_sources(const char *text, uint32_t *ret_sources, const char **ret_bad)
{
	int code = 0;
	text += strspn(text, ", ");
	uint32_t chosen = *text == '+' || *text == '-' || *text == '\0' ? DEFAULT_SOURCES : 0;
	while (*text != '\0') {
		bool without = *text == '-';
		text += *text == '+' || *text == '-';
		size_t length = strcspn(text, ", +-");
		uint32_t bits = bits_of(text, length);
		bool is_none = length == 4 && memcmp(text, "none", 4) == 0;
		if (bits == 0 && !is_none) {
			code = -ERR_UNKNOWN_NAME;
			*ret_bad = text;
		} else if (is_none) {
			chosen = 0;
		} else {
			chosen = without ? chosen & ~bits : chosen | bits;
		}
		text += length;
		text += strspn(text, ", ");
	}
	*ret_sources = chosen;
	return code;
}

/* One parser per type: 0, or a negative code and a text for the user. */
static int parse_text(const char *text, const char **ret_value, const char **ret_what)
{
	(void)ret_what;
	*ret_value = text;
	return 0;
}

static int parse_probe(const char *text, const char **ret_value, const char **ret_what)
{
	*ret_value = text;
	*ret_what =
		"must be LIBRARY:FUNCTION, 64 at most, with ; between; the rest of the list holds";
	return *text == '\0' || probe_is_list(text) ? 0 : -ERR_BAD_VALUE;
}

static int parse_flag(const char *text, bool *ret_value, const char **ret_what)
{
	long number;
	*ret_what = "must be 0 or 1";
	if (parse_number(text, 0, 1, &number) < 0)
		return -ERR_BAD_VALUE;
	*ret_value = number != 0;
	return 0;
}

static int parse_ring_kb(const char *text, uint32_t *ret_value, const char **ret_what)
{
	long number;
	*ret_what = "must be a number of KiB from 4 to 262144";
	if (parse_number(text, 4, 262144, &number) < 0)
		return -ERR_BAD_VALUE;
	*ret_value = (uint32_t)number;
	return 0;
}

static int parse_megabytes(const char *text, uint32_t *ret_value, const char **ret_what)
{
	long number;
	*ret_what = "must be a number of MiB";
	if (parse_number(text, 0, INT32_MAX, &number) < 0)
		return -ERR_BAD_VALUE;
	*ret_value = (uint32_t)number;
	return 0;
}

static int parse_level(const char *text, int *ret_value, const char **ret_what)
{
	long number;
	*ret_what = "must be a zstd level from -7 to 19";
	if (parse_number(text, -7, 19, &number) < 0)
		return -ERR_BAD_VALUE;
	*ret_value = (int)number;
	return 0;
}

static int parse_sample_hz(const char *text, uint32_t *ret_value, const char **ret_what)
{
	long number;
	*ret_what = "must be a number from 0 to 1000";
	if (parse_number(text, 0, 1000, &number) < 0)
		return -ERR_BAD_VALUE;
	*ret_value = (uint32_t)number;
	return 0;
}

static int parse_source_kb(const char *text, uint32_t *ret_value, const char **ret_what)
{
	long number;
	*ret_what = "must be a number of KiB from 0 to 16384";
	if (parse_number(text, 0, 16384, &number) < 0)
		return -ERR_BAD_VALUE;
	*ret_value = (uint32_t)number;
	return 0;
}

static int parse_budget(const char *text, uint32_t *ret_value, const char **ret_what)
{
	*ret_what = "must be off, or 0.1% to 50%";
	return budget_parse(text, ret_value) ? 0 : -ERR_BAD_VALUE;
}

static int parse_mode(const char *text, uint32_t *ret_value, const char **ret_what)
{
	long mode;
	*ret_what = "must be 0600, 0640, 0660, 0644 or another that the owner may read and write";
	if (text_number(text, 8, 0, 0777, &mode) < 0 || (mode & ~0066) != 0600)
		return -ERR_BAD_VALUE;
	*ret_value = (uint32_t)mode;
	return 0;
}

static int parse_log(const char *text, int *ret_value, const char **ret_what)
{
	int level = log_level_from_name(text);
	*ret_what = "must be quiet, error, info or debug";
	if (level < 0)
		return -ERR_BAD_VALUE;
	*ret_value = level;
	return 0;
}

static int parse_sources(const char *text, uint32_t *ret_value, const char **ret_what)
{
	int code = settings_sources(text, ret_value, ret_what);
	*ret_what = "names a source that does not exist; the rest of the list holds";
	return code;
}

static int parse_signal(const char *text, int *ret_value, const char **ret_what)
{
	static const struct {
		const char *name;
		int number;
	} names[] = {{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP}, {"WINCH", SIGWINCH}};
	long number;
	*ret_what = "must be USR1, USR2, HUP, WINCH or a number";
	*ret_value = 0;
	if (*text == '\0')
		return 0;
	const char *bare = strncmp(text, "SIG", 3) == 0 ? text + 3 : text;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i].name, bare) == 0)
			*ret_value = names[i].number;
	if (*ret_value == 0 && parse_number(text, 1, SIGRTMAX, &number) == 0)
		*ret_value = (int)number;
	bool usable = *ret_value != 0 && *ret_value != SIGKILL && *ret_value != SIGSTOP;
	return usable ? 0 : -ERR_BAD_VALUE;
}

/* Digits up to the end of the text or the letter; moves it on. */
static bool take_number(const char **text, char end, uint64_t *ret_number)
{
	char *after;
	errno = 0;
	if (**text < '0' || **text > '9')
		return false;
	*ret_number = strtoull(*text, &after, 10);
	if (errno != 0 || *after != end)
		return false;
	*text = after;
	return true;
}

static int parse_steps(const char *text, struct window_steps *ret_value, const char **ret_what)
{
	struct window_steps steps = {.chosen = true};
	*ret_what = "must be all, FIRST-LAST or FIRST+COUNT, of steps from 0 on";
	if (strcmp(text, "all") == 0) {
		*ret_value = (struct window_steps){.chosen = false};
		return 0;
	}
	char between = strchr(text, '+') != NULL ? '+' : '-';
	if (!take_number(&text, between, &steps.first))
		return -ERR_BAD_VALUE;
	text++;
	if (!take_number(&text, '\0', &steps.last))
		return -ERR_BAD_VALUE;
	if (between == '+') {
		if (steps.last == 0 || steps.last - 1 > UINT64_MAX - steps.first)
			return -ERR_BAD_VALUE;
		steps.last += steps.first - 1;
	}
	if (steps.last < steps.first)
		return -ERR_BAD_VALUE;
	*ret_value = steps;
	return 0;
}

static int parse_after(const char *text, bool *ret_value, const char **ret_what)
{
	*ret_what = "must be continue or exit";
	*ret_value = strcmp(text, "exit") == 0;
	return *ret_value || strcmp(text, "continue") == 0 ? 0 : -ERR_BAD_VALUE;
}

static int parse_begin(const char *text, enum window_begin *ret_value, const char **ret_what)
{
	static const char *const names[] = {
		[WINDOW_ON] = "on", [WINDOW_OFF] = "off", [WINDOW_PROFILER] = "profiler"};
	*ret_what = "must be on, off or profiler";
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(text, names[i]) == 0) {
			*ret_value = (enum window_begin)i;
			return 0;
		}
	return -ERR_BAD_VALUE;
}

/* Report what is set and not known. */
static void find_unknown(char *const *environment, settings_report *report)
{
	static const char *const known[] = {
#define SETTING(NAME, type, field, value, help) #NAME,
#define LATER(NAME, value, help)                #NAME,
#define INTERNAL(NAME)                          #NAME,
#include "preload/start/settings.def"
	};
	for (; environment != NULL && *environment != NULL; environment++) {
		if (strncmp(*environment, PREFIX, strlen(PREFIX)) != 0)
			continue;
		const char *name = *environment + strlen(PREFIX);
		size_t length = strcspn(name, "=");
		bool found = false;
		for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]) && !found; i++)
			found = strlen(known[i]) == length && memcmp(known[i], name, length) == 0;
		if (!found)
			report(*environment, "", "no such variable");
	}
}

/* Those that begin with our prefix: of a long environment few. All of it when they are many. */
static char *const *own_entries(char *const *environment, char *ret_entries[OWN_LIMIT + 1])
{
	unsigned count = 0;
	for (char *const *at = environment; at != NULL && *at != NULL; at++) {
		if (strncmp(*at, PREFIX, sizeof(PREFIX) - 1) != 0)
			continue;
		if (count == OWN_LIMIT)
			return environment;
		ret_entries[count++] = *at;
	}
	ret_entries[count] = NULL;
	return ret_entries;
}

void settings_read(char *const *environment, settings_report *report, struct settings *ret_settings)
{
	char *entries[OWN_LIMIT + 1];
	const char *text;
	const char *what = "";
	environment = own_entries(environment, entries);
#define SETTING(NAME, type, field, value, help)                                                    \
	(void)parse_##type(value, &ret_settings->field, &what);                                    \
	text = settings_get(environment, PREFIX #NAME);                                            \
	if (text != NULL && parse_##type(text, &ret_settings->field, &what) < 0)                   \
		report(PREFIX #NAME, text, what);
#define LATER(NAME, value, help)                                                                   \
	text = settings_get(environment, PREFIX #NAME);                                            \
	if (text != NULL && strcmp(text, value) != 0)                                              \
		report(PREFIX #NAME, text, "not in this version, recording goes on without it");
#include "preload/start/settings.def"
	find_unknown(environment, report);
}

/* The text of a letter, or NULL; number is room for it. */
static const char *expansion(char letter, int pid, const char *host, int64_t rank, char *number)
{
	int64_t value;
	char *digit = number + 23;
	switch (letter) {
	case '%':
		return "%";
	case 'h':
		return host;
	case 'p':
		value = pid;
		break;
	case 'r':
		value = rank < 0 ? 0 : rank;
		break;
	default:
		return NULL;
	}
	*digit = '\0';
	do {
		*--digit = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	return digit;
}

int settings_expand(
	const char *pattern, int pid, const char *host, int64_t rank, char *ret_text, size_t size)
{
	size_t at = 0;
	char number[24];
	for (; *pattern != '\0'; pattern++) {
		const char *piece = pattern;
		size_t length = 1;
		if (*pattern == '%') {
			piece = expansion(*++pattern, pid, host, rank, number);
			if (piece == NULL)
				return -ERR_BAD_VALUE;
			length = strlen(piece);
		}
		if (at + length >= size)
			return -ERR_TOO_LARGE;
		memcpy(ret_text + at, piece, length);
		at += length;
	}
	if (size == 0)
		return -ERR_TOO_LARGE;
	ret_text[at] = '\0';
	return 0;
}

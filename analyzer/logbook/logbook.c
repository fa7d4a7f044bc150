/* SPDX-License-Identifier: MIT */
#include "analyzer/logbook/logbook.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/err.h"

#define FIRST_LINE "# libtrace-log/1"
#define LAST_LINE  "# end"
#define ATTEMPT    "attempt "
#define SEPARATOR  " | "
#define LINE_BYTES 2048u

/* Reads fields of a row from left to right; at is NULL once one was wrong. */
struct fields {
	char *at;
};

void logbook_release(struct logbook *log)
{
	vec_release(&log->attempts);
	*log = (struct logbook){0};
}

bool logbook_takes_text(const char *text)
{
	size_t size = strlen(text), blank = strspn(text, " ");
	if (blank == size || size >= LOGBOOK_TEXT)
		return false;
	for (size_t length; *text != '\0'; text += length) {
		length = out_utf8_length(text);
		if (length == 0 || (unsigned char)*text < 0x20 || *text == 0x7f)
			return false;
	}
	return true;
}

static void put_number(struct out *out, uint64_t number, bool known)
{
	if (known)
		out_u64(out, number);
	else
		out_char(out, '-');
	out_text(out, SEPARATOR);
}

static void put_attempt(struct out *out, const struct logbook_attempt *attempt)
{
	out_text(out, ATTEMPT);
	out_decimal(out, attempt->step_ns, 6);
	out_text(out, SEPARATOR);
	put_number(out, attempt->samples, attempt->samples > 0);
	put_number(out, attempt->runs, true);
	put_number(out, attempt->steps, true);
	for (unsigned i = 0; i < LOGBOOK_RATIO_COUNT; i++) {
		if (attempt->tenths[i] != LOGBOOK_RATIO_UNKNOWN)
			out_decimal(out, attempt->tenths[i], 1);
		else
			out_char(out, '-');
		out_text(out, SEPARATOR);
	}
	put_number(out, attempt->input_bytes, true);
	out_format(out, "%s | %s | %s | ", attempt->verdict, attempt->cause, attempt->confidence);
	out_text(out, attempt->text);
	out_char(out, '\n');
}

void logbook_write(const struct logbook *log, struct out *out)
{
	out_text(out,
		FIRST_LINE "\n# what was tried, oldest first; made by trace-analyzer log add, "
			   "shown by trace-analyzer log show\n");
	out_format(out, "run program = %s\nrun framework = %s\nrun gpu = %s\n", log->program,
		log->framework, log->gpu);
	out_format(out, "run world_size = %" PRIu64 "\n", log->world_size);
	out_text(out,
		"# ms per step | samples per step | runs | steps | waiting for data % | GPU busy % "
		"| host not waiting % | bytes to the device per step | verdict | cause | "
		"confidence | what was done\n");
	for (size_t i = 0; i < log->attempts.count; i++)
		put_attempt(out, &log->attempts.items[i]);
	out_text(out, LAST_LINE "\n");
}

static int say(struct logbook_problem *ret_problem, uint64_t line, const char *text)
{
	ret_problem->line = line;
	(void)snprintf(ret_problem->text, sizeof(ret_problem->text), "%s", text);
	return -ERR_BAD_VALUE;
}

/* The next field, or "" when there is none. */
static char *next_field(struct fields *fields)
{
	char *field = fields->at, *end = field != NULL ? strstr(field, SEPARATOR) : NULL;
	fields->at = NULL;
	if (end == NULL)
		return (char *)"";
	*end = '\0';
	fields->at = end + strlen(SEPARATOR);
	return field;
}

/* A decimal number with so many places, as a whole number of the last one: "1.5" of 1 is 15. */
static uint64_t next_decimal(
	struct fields *fields, unsigned places, bool optional, uint64_t otherwise)
{
	const char *text = next_field(fields);
	uint64_t number = 0;
	unsigned seen = 0;
	bool point = false, good = *text >= '0' && *text <= '9';
	if (optional && strcmp(text, "-") == 0)
		return otherwise;
	for (; *text != '\0' && good; text++) {
		good = (*text == '.' && !point && places > 0) ||
		       (*text >= '0' && *text <= '9' && number < UINT64_MAX / 100);
		if (*text == '.')
			point = true;
		else
			number = number * 10 + (uint64_t)(*text - '0');
		seen += point && *text != '.';
	}
	if (!good || seen != places)
		fields->at = NULL;
	return number;
}

static void next_word(struct fields *fields, char ret_word[LOGBOOK_WORD])
{
	const char *word = next_field(fields);
	if (*word == '\0' || strlen(word) >= LOGBOOK_WORD)
		fields->at = NULL;
	(void)snprintf(ret_word, LOGBOOK_WORD, "%s", word);
}

static int read_attempt(struct logbook *log, char *line)
{
	struct fields fields = {.at = line};
	struct logbook_attempt attempt = {.step_ns = next_decimal(&fields, 6, false, 0)};
	attempt.samples = next_decimal(&fields, 0, true, 0);
	attempt.runs = next_decimal(&fields, 0, false, 0);
	attempt.steps = next_decimal(&fields, 0, false, 0);
	for (unsigned i = 0; i < LOGBOOK_RATIO_COUNT; i++) {
		uint64_t tenths = next_decimal(&fields, 1, true, LOGBOOK_RATIO_UNKNOWN);
		if (tenths > 1000 && tenths != LOGBOOK_RATIO_UNKNOWN)
			return -ERR_BAD_VALUE;
		attempt.tenths[i] = (uint32_t)tenths;
	}
	attempt.input_bytes = next_decimal(&fields, 0, false, 0);
	next_word(&fields, attempt.verdict);
	next_word(&fields, attempt.cause);
	next_word(&fields, attempt.confidence);
	if (fields.at == NULL || !logbook_takes_text(fields.at) || attempt.step_ns == 0 ||
		attempt.runs == 0 || log->attempts.count == LOGBOOK_MOST)
		return -ERR_BAD_VALUE;
	(void)snprintf(attempt.text, sizeof(attempt.text), "%s", fields.at);
	return vec_push(&log->attempts, attempt);
}

/* "run NAME = VALUE", each once. */
static int read_about(struct logbook *log, const char *line)
{
	const char *value = strstr(line, " = ");
	size_t name = value != NULL ? (size_t)(value - line) : 0;
	value += value != NULL ? 3 : 0;
	if (name == strlen("program") && memcmp(line, "program", name) == 0 &&
		log->program[0] == '\0' && strlen(value) < LOGBOOK_PROGRAM)
		(void)snprintf(log->program, sizeof(log->program), "%s", value);
	else if (name == strlen("framework") && memcmp(line, "framework", name) == 0 &&
		 log->framework[0] == '\0' && strlen(value) < LOGBOOK_WORD)
		(void)snprintf(log->framework, sizeof(log->framework), "%s", value);
	else if (name == strlen("gpu") && memcmp(line, "gpu", name) == 0 && log->gpu[0] == '\0' &&
		 (strcmp(value, LOGBOOK_REAL) == 0 || strcmp(value, LOGBOOK_SIMULATED) == 0))
		(void)snprintf(log->gpu, sizeof(log->gpu), "%s", value);
	else if (name == strlen("world_size") && memcmp(line, "world_size", name) == 0 &&
		 log->world_size == 0 && strlen(value) < 10 &&
		 strspn(value, "0123456789") == strlen(value))
		log->world_size = strtoull(value, NULL, 10);
	else
		return -ERR_BAD_VALUE;
	return 0;
}

/* Git could not put two versions of the file together. */
static bool is_conflict(const char *line)
{
	return strncmp(line, "<<<<<<<", 7) == 0 || strncmp(line, ">>>>>>>", 7) == 0 ||
	       strncmp(line, "|||||||", 7) == 0 || strcmp(line, "=======") == 0;
}

static int read_line(
	struct logbook *log, uint64_t number, char *line, struct logbook_problem *ret_problem)
{
	int err = -ERR_BAD_VALUE;
	if (is_conflict(line))
		return say(ret_problem, number,
			"marks of a merge: keep the rows of both sides, and take the marks out");
	if (line[0] == '\0' || line[0] == '#')
		return 0;
	if (strncmp(line, ATTEMPT, strlen(ATTEMPT)) == 0)
		err = read_attempt(log, line + strlen(ATTEMPT));
	else if (strncmp(line, "run ", 4) == 0)
		err = read_about(log, line + 4);
	return err == -ERR_BAD_VALUE ? say(ret_problem, number, "it is no row of a log") : err;
}

/* The next line, without its end, into line; NULL: it is too long, or no text. */
static const char *take_line(const char *at, const char *end, char line[LINE_BYTES])
{
	const char *stop = memchr(at, '\n', (size_t)(end - at));
	size_t length = (size_t)((stop != NULL ? stop : end) - at);
	const char *next = stop != NULL ? stop + 1 : end;
	if (length > 0 && at[length - 1] == '\r')
		length--;
	if (length >= LINE_BYTES || memchr(at, '\0', length) != NULL)
		return NULL;
	memcpy(line, at, length);
	line[length] = '\0';
	return next;
}

int logbook_read(
	struct logbook *log, const char *text, size_t size, struct logbook_problem *ret_problem)
{
	const char *at = text, *end = text + size;
	char line[LINE_BYTES];
	bool ended = false;
	int err = 0;
	*log = (struct logbook){0};
	for (uint64_t number = 1; at < end && err == 0; number++) {
		at = take_line(at, end, line);
		if (at == NULL || (ended && line[0] != '\0' && !is_conflict(line)))
			return say(ret_problem, number, "it is no row of a log");
		if (number == 1 && strcmp(line, FIRST_LINE) != 0)
			return say(ret_problem, number,
				"the first line of a log that is known here is '" FIRST_LINE "'");
		ended = ended || strcmp(line, LAST_LINE) == 0;
		err = read_line(log, number, line, ret_problem);
	}
	if (err < 0)
		return err;
	if (!ended)
		return say(ret_problem, 0, "it is cut off: its last line must be '" LAST_LINE "'");
	if (log->program[0] == '\0' || log->framework[0] == '\0' || log->gpu[0] == '\0' ||
		log->world_size == 0)
		return say(ret_problem, 0,
			"it does not say of which program, framework, GPU and world size it is");
	return 0;
}

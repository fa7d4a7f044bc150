/* SPDX-License-Identifier: MIT */
#include "analyzer/logbook/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/logbook/attempt.h"
#include "analyzer/text/safe.h"
#include "analyzer/timeline/cause.h"

#define CELL 64u

/* The cells of a row before verdict and text. */
enum cell {
	NUMBER,
	STEP,
	RATE,
	WAITING,
	BUSY,
	HOST,
	BEFORE,
	FIRST,
	CELL_COUNT
};
static const char *const titles[CELL_COUNT] = {
	"#", "step", "samples/s", "waiting", "GPU busy", "not waiting", "before", "first"};
/* with two spaces between them within 80 columns */
static const int widths[CELL_COUNT] = {3, 9, 9, 7, 8, 11, 8, 8};

static void put_step(uint64_t ns, char cell[CELL])
{
	double step = (double)ns;
	if (step < 1e6)
		(void)snprintf(cell, CELL, "%.1f us", step / 1e3);
	else if (step < 1e9)
		(void)snprintf(cell, CELL, "%.2f ms", step / 1e6);
	else
		(void)snprintf(cell, CELL, "%.2f s", step / 1e9);
}

static double rate_of(const struct logbook_attempt *attempt)
{
	return 1e9 * (double)attempt->samples / (double)attempt->step_ns;
}

static void put_speed(const struct logbook *log, size_t at, size_t earlier, char cell[CELL])
{
	double speed = attempt_speed(&log->attempts.items[at], &log->attempts.items[earlier]);
	if (at == 0)
		(void)snprintf(cell, CELL, "-");
	else if (speed > 0)
		(void)snprintf(cell, CELL, "%.2f x", speed);
	else
		(void)snprintf(cell, CELL, "?");
}

static void fill(const struct logbook *log, size_t at, char cells[CELL_COUNT][CELL])
{
	const struct logbook_attempt *attempt = &log->attempts.items[at];
	(void)snprintf(cells[NUMBER], CELL, "%zu", at + 1);
	put_step(attempt->step_ns, cells[STEP]);
	(void)snprintf(cells[RATE], CELL, "-");
	if (attempt->samples > 0)
		(void)snprintf(cells[RATE], CELL, "%.1f", rate_of(attempt));
	for (unsigned i = 0; i < LOGBOOK_RATIO_COUNT; i++)
		if (attempt->tenths[i] != LOGBOOK_RATIO_UNKNOWN)
			(void)snprintf(
				cells[WAITING + i], CELL, "%.1f %%", attempt->tenths[i] / 10.0);
		else
			(void)snprintf(cells[WAITING + i], CELL, "-");
	put_speed(log, at, at > 0 ? at - 1 : 0, cells[BEFORE]);
	put_speed(log, at, 0, cells[FIRST]);
}

/* What is to be known of the numbers: each remark begins with that mark. */
static void put_remarks(struct out *out, const struct logbook *log, const char *mark)
{
	size_t few = 0, unknown = 0;
	for (size_t i = 0; i < log->attempts.count; i++) {
		const struct logbook_attempt *attempts = log->attempts.items;
		few += attempts[i].runs < ATTEMPT_RUNS;
		unknown += attempt_speed(&attempts[i], &attempts[0]) <= 0 ||
			   (i > 0 && attempt_speed(&attempts[i], &attempts[i - 1]) <= 0);
	}
	if (strcmp(log->gpu, LOGBOOK_SIMULATED) == 0)
		out_format(out, "%sthe GPU is a simulated one: times are modelled\n", mark);
	if (few > 0)
		out_format(out,
			"%s%zu of %zu attempts are of fewer than %u runs: a few percent may be "
			"chance (log add takes several runs)\n",
			mark, few, log->attempts.count, ATTEMPT_RUNS);
	if (unknown > 0)
		out_format(out,
			"%s?: steps of %zu attempts take in another amount of data, or only some "
			"say how many samples a step has: was the batch size changed? "
			"(log add --samples N)\n",
			mark, unknown);
}

static const char *words_of(const struct logbook_attempt *attempt)
{
	return cause_words(
		attempt->cause, attempt->tenths[BUSY - WAITING] == LOGBOOK_RATIO_UNKNOWN);
}

static void put_judgement(struct out *out, const struct logbook_attempt *attempt)
{
	out_text(out, attempt->verdict);
	if (strcmp(attempt->cause, "-") != 0)
		out_format(out, ", %s", words_of(attempt));
	if (strcmp(attempt->confidence, "-") != 0)
		out_format(out, " (%s)", attempt->confidence);
}

static void put_cell(struct out *out, unsigned at, const char *text)
{
	out_format(out, "%s%*s", at > 0 ? "  " : "", widths[at], text);
}

void table_text(struct out *out, const struct logbook *log)
{
	char cells[CELL_COUNT][CELL];
	out_printable(out, log->program, 0);
	out_format(
		out, ": %zu attempt%s\n", log->attempts.count, log->attempts.count == 1 ? "" : "s");
	for (unsigned i = 0; i < CELL_COUNT; i++)
		put_cell(out, i, titles[i]);
	out_char(out, '\n');
	for (size_t at = 0; at < log->attempts.count; at++) {
		fill(log, at, cells);
		for (unsigned i = 0; i < CELL_COUNT; i++)
			put_cell(out, i, cells[i]);
		out_text(out, "\n     ");
		out_printable(out, log->attempts.items[at].text, 0);
		out_text(out, "\n     ");
		put_judgement(out, &log->attempts.items[at]);
		out_char(out, '\n');
	}
	put_remarks(out, log, "note: ");
}

void table_markdown(struct out *out, const struct logbook *log)
{
	char cells[CELL_COUNT][CELL];
	out_text(out, "### Optimisation log of ");
	safe_markdown(out, log->program);
	out_text(out, "\n\n|");
	for (unsigned i = 0; i < CELL_COUNT; i++)
		out_format(out, " %s |", titles[i]);
	out_text(out, " verdict | what was done |\n|");
	for (unsigned i = 0; i < CELL_COUNT; i++)
		out_text(out, " ---: |");
	out_text(out, " --- | --- |\n");
	for (size_t at = 0; at < log->attempts.count; at++) {
		const struct logbook_attempt *attempt = &log->attempts.items[at];
		fill(log, at, cells);
		out_char(out, '|');
		for (unsigned i = 0; i < CELL_COUNT; i++)
			out_format(out, " %s |", cells[i]);
		out_char(out, ' ');
		safe_markdown(out, attempt->verdict);
		if (strcmp(attempt->cause, "-") != 0) {
			out_text(out, ", ");
			safe_markdown(out, words_of(attempt));
		}
		out_text(out, " | ");
		safe_markdown(out, attempt->text);
		out_text(out, " |\n");
	}
	put_remarks(out, log, "\n- ");
}

static void put_quoted(struct out *out, const char *text)
{
	out_char(out, '"');
	for (; *text != '\0'; text++) {
		if (*text == '"')
			out_char(out, '"');
		out_char(out, *text);
	}
	out_char(out, '"');
}

/* A number with three decimals, or nothing. */
static void put_factor(struct out *out, double factor)
{
	if (factor > 0)
		out_format(out, "%.3f", factor);
	out_char(out, ',');
}

void table_csv(struct out *out, const struct logbook *log)
{
	out_text(out, "attempt,step_ns,samples_per_step,samples_per_s,runs,steps,reader_pct,"
		      "gpu_busy_pct,host_pct,to_device_bytes_per_step,speed_before,speed_first,"
		      "verdict,cause,confidence,text\n");
	for (size_t at = 0; at < log->attempts.count; at++) {
		const struct logbook_attempt *attempt = &log->attempts.items[at];
		out_format(out, "%zu,%" PRIu64 ",", at + 1, attempt->step_ns);
		if (attempt->samples > 0)
			out_format(out, "%" PRIu64 ",%.3f,", attempt->samples, rate_of(attempt));
		else
			out_text(out, ",,");
		out_format(out, "%" PRIu64 ",%" PRIu64 ",", attempt->runs, attempt->steps);
		for (unsigned i = 0; i < LOGBOOK_RATIO_COUNT; i++) {
			if (attempt->tenths[i] != LOGBOOK_RATIO_UNKNOWN)
				out_decimal(out, attempt->tenths[i], 1);
			out_char(out, ',');
		}
		out_format(out, "%" PRIu64 ",", attempt->input_bytes);
		put_factor(out, at > 0 ? attempt_speed(attempt, attempt - 1) : 0);
		put_factor(out, at > 0 ? attempt_speed(attempt, &log->attempts.items[0]) : 0);
		put_quoted(out, attempt->verdict);
		out_char(out, ',');
		put_quoted(out, attempt->cause);
		out_char(out, ',');
		put_quoted(out, attempt->confidence);
		out_char(out, ',');
		put_quoted(out, attempt->text);
		out_char(out, '\n');
	}
}

void table_last(struct out *out, const struct logbook *log)
{
	char cells[CELL_COUNT][CELL];
	size_t at = log->attempts.count - 1;
	fill(log, at, cells);
	out_format(out, "attempt %zu: %s a step", at + 1, cells[STEP]);
	if (log->attempts.items[at].samples > 0)
		out_format(out, ", %s samples/s", cells[RATE]);
	if (at > 0)
		out_format(out, "; speed: %s that of the attempt before, %s that of the first",
			cells[BEFORE], cells[FIRST]);
	out_char(out, '\n');
}

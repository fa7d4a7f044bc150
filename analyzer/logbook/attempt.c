/* SPDX-License-Identifier: MIT */
#include "analyzer/logbook/attempt.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/summary/middle.h"

#define SAME_DATA 0.01 /* amounts of data per step that differ by less are of one batch size */

static double input_of(const struct summary *run)
{
	for (size_t i = 0; i < run->totals.count; i++)
		if (strcmp(run->totals.items[i].name, "to_device_bytes") == 0)
			return (double)run->totals.items[i].count / (double)run->steps;
	return -1;
}

static double steady_of(const struct summary *run)
{
	return (double)run->steady;
}

static const char *verdict_of(const struct summary *run)
{
	return run->verdict;
}

static const char *cause_of(const struct summary *run)
{
	return run->cause;
}

static const char *confidence_of(const struct summary *run)
{
	return run->confidence;
}

/* A word that all runs have; what would be taken for the file's own marks is no word. */
static void word_of(const struct summary *runs, size_t count,
	const char *(*get)(const struct summary *), char ret_word[LOGBOOK_WORD])
{
	const char *word = get(&runs[0]);
	bool plain = word != NULL && word[0] != '\0' && strlen(word) < LOGBOOK_WORD &&
		     strspn(word, "abcdefghijklmnopqrstuvwxyz_") == strlen(word);
	bool same = true;
	for (size_t i = 1; i < count && plain; i++)
		same = same && get(&runs[i]) != NULL && strcmp(word, get(&runs[i])) == 0;
	(void)snprintf(ret_word, LOGBOOK_WORD, "%s", !plain ? "-" : !same ? "varies" : word);
}

static uint32_t tenths(double percent)
{
	return percent >= 0 && percent <= 100 ? (uint32_t)lround(10 * percent)
					      : LOGBOOK_RATIO_UNKNOWN;
}

bool attempt_of(const struct summary *runs, size_t count, struct logbook_attempt *ret_attempt)
{
	double step = summary_middle(runs, count, summary_step, NULL),
	       input = summary_middle(runs, count, input_of, NULL);
	if (step < 1)
		return false;
	*ret_attempt = (struct logbook_attempt){.step_ns = (uint64_t)llround(step),
		.runs = count,
		.steps = (uint64_t)llround(summary_middle(runs, count, steady_of, NULL)),
		.input_bytes = input > 0 ? (uint64_t)llround(input) : 0,
		.tenths = {[LOGBOOK_WAITING] =
				   tenths(summary_middle(runs, count, summary_reader, NULL)),
			[LOGBOOK_BUSY] = tenths(summary_middle(runs, count, summary_busy, NULL)),
			[LOGBOOK_HOST] = tenths(summary_middle(runs, count, summary_host, NULL))}};
	word_of(runs, count, verdict_of, ret_attempt->verdict);
	word_of(runs, count, cause_of, ret_attempt->cause);
	word_of(runs, count, confidence_of, ret_attempt->confidence);
	return true;
}

/* A name as the file holds it: on one line. */
static void take_name(char *ret_name, size_t size, const char *name)
{
	(void)snprintf(ret_name, size, "%s", name != NULL && name[0] != '\0' ? name : "none");
	for (char *at = ret_name; *at != '\0'; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
}

void attempt_begin(struct logbook *log, const struct summary *run)
{
	take_name(log->program, sizeof(log->program), run->program);
	take_name(log->framework, sizeof(log->framework), run->framework);
	take_name(log->gpu, sizeof(log->gpu),
		summary_simulated(run) ? LOGBOOK_SIMULATED : LOGBOOK_REAL);
	log->world_size = run->world_size;
}

const char *attempt_refuses(
	const struct logbook *log, const struct summary *run, char *buffer, size_t size)
{
	struct logbook own = {0};
	attempt_begin(&own, run);
	if (strcmp(log->program, own.program) != 0)
		(void)snprintf(buffer, size, "program %.100s, the log is of %.100s", own.program,
			log->program);
	else if (strcmp(log->framework, own.framework) != 0)
		(void)snprintf(buffer, size, "framework %s, the log is of %s", own.framework,
			log->framework);
	else if (strcmp(log->gpu, own.gpu) != 0)
		(void)snprintf(buffer, size, "a %s GPU, the log is of a %s one", own.gpu, log->gpu);
	else if (log->world_size != own.world_size)
		(void)snprintf(buffer, size, "world size %" PRIu64 ", the log is of %" PRIu64,
			own.world_size, log->world_size);
	else
		return NULL;
	return buffer;
}

double attempt_speed(const struct logbook_attempt *attempt, const struct logbook_attempt *earlier)
{
	double speed = (double)earlier->step_ns / (double)attempt->step_ns;
	double is = (double)attempt->input_bytes, was = (double)earlier->input_bytes;
	if (attempt->samples > 0 && earlier->samples > 0)
		return speed * (double)attempt->samples / (double)earlier->samples;
	bool named = attempt->samples > 0 || earlier->samples > 0;
	return named || fabs(is - was) > SAME_DATA * fmax(is, was) ? 0 : speed;
}

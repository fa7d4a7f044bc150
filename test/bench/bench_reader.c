/* SPDX-License-Identifier: MIT */
/*
 * Cost of reading, in time: the reader and the whole report against decompressing and decoding
 * the same frames (A2r, A2t), memory over three sizes (A4), growth of the time per event (A5),
 * speed of the exports (A7, A7p), what decoding ahead on a second processor gains (P1), and what
 * reading eight processes side by side gains over reading them one after another (A6, where there
 * are four processors). A4d is A4 of traces in which the device reports what it did. A2w and A2dw
 * are the time that passes for a report, without and with such records, against that for decoding
 * alone on the same processors. Started by bench_reader.sh, which makes the traces and has the
 * figures that do not depend on the machine (A2, A2d, A3, A6m).
 *
 * What several processors gain is judged where they are there: as many analyzers that know
 * nothing of each other gain nearly as much, in the same rounds; else the line ends in NOISY. A2w
 * and A2dw do so where decoding in as many processes as a report has threads takes longer.
 * usage: bench_reader ANALYZER SMALL MIDDLE LARGE DEVICE_SMALL DEVICE_MIDDLE DEVICE_LARGE
 *        RANKS AHEAD
 * The first six are traces each ten times the one before; RANKS is a folder with eight times the
 * middle one, AHEAD a trace just large enough to be decoded ahead.
 *
 * Ratios are medians over interleaved rounds of processor time in one run; BENCH_ROUNDS
 * sets their number. This process stays small, because a child inherits its peak memory.
 */
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/read/reader.h"
#include "analyzer/read/walk.h"
#include "collector/base/processors.h"

#define ROUNDS_LIMIT 101u
#define PERFETTO     "export to perfetto"
#define RANKS        8u
#define PEAK_TRIES   3u
#define THREADS      3u   /* of a report */
#define THREADS_MOST 1.25 /* what so many side by side may take of the time of one */

extern char **environ;

struct cost {
	double cpu_ns, wall_ns, peak_mib;
};

static void need(int good, const char *what)
{
	if (good)
		return;
	(void)fprintf(stderr, "bench_reader: %s failed\n", what);
	exit(4);
}

static double read_ns(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double cpu_ns(void)
{
	return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Run the analyzer on a trace, output thrown away. */
static struct cost run_analyzer(const char *analyzer, const char *command, const char *trace)
{
	pid_t child;
	int status;
	struct rusage usage;
	double begin = read_ns(CLOCK_MONOTONIC);
	posix_spawn_file_actions_t actions;
	char *words[] = {(char *)analyzer, (char *)command, (char *)"--quiet", (char *)trace, NULL,
		NULL, NULL};
	/* the report is measured by itself */
	if (strcmp(command, "export") == 0)
		words[4] = (char *)"--plain";
	if (strcmp(command, PERFETTO) == 0) {
		words[1] = (char *)"export";
		words[4] = (char *)"--plain";
		words[5] = (char *)"--format=perfetto";
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	need(posix_spawn(&child, analyzer, &actions, NULL, words, environ) == 0, analyzer);
	posix_spawn_file_actions_destroy(&actions);
	need(wait4(child, &status, 0, &usage) == child, "wait4");
	need(WIFEXITED(status) && WEXITSTATUS(status) == 0, command);
	return (struct cost){
		(double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
			(double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3,
		read_ns(CLOCK_MONOTONIC) - begin, (double)usage.ru_maxrss / 1024};
}

/* Only what any reader must do: read, decompress, decode. */
static struct cost decode_only(const char *trace, uint64_t *ret_events)
{
	struct walk walk;
	struct item item;
	double begin = cpu_ns(), wall = read_ns(CLOCK_MONOTONIC);
	struct decoder *decoder = decoder_new();
	need(decoder != NULL && walk_open(&walk, trace) == 0, trace);
	*ret_events = 0;
	while (walk_next(&walk, NULL, NULL) == WALK_FRAME) {
		decoder_feed(decoder, walk.raw, walk.raw_bytes);
		while (decoder_next(decoder, &item, NULL) == 0 && item.type != ITEM_END)
			*ret_events += item.type == ITEM_EVENTS ? item.count : 0;
	}
	walk_close(&walk);
	decoder_free(decoder);
	return (struct cost){
		.cpu_ns = cpu_ns() - begin, .wall_ns = read_ns(CLOCK_MONOTONIC) - wall};
}

static double read_all(const char *trace, uint64_t *ret_events)
{
	struct reader *reader;
	struct item item;
	double begin = cpu_ns();
	need(reader_open(trace, &reader, NULL) == 0, trace);
	while (reader_next(reader, &item, NULL) == 0 && item.type != ITEM_END)
		continue;
	*ret_events = reader_health(reader)->events;
	reader_close(reader);
	return cpu_ns() - begin;
}

/* What a simple exporter does with an event, for a machine whose speed nobody knows. */
static double print_simply(uint64_t events)
{
	static char line[512];
	double begin = cpu_ns();
	unsigned long total = 0;
	for (uint64_t i = 0; i < events; i++)
		total += (unsigned long)snprintf(line, sizeof(line),
			"{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,"
			"\"name\":\"%s\","
			"\"args\":{\"stream\":%lu,\"grid\":%lu,\"block\":%lu}},\n",
			1000u, 1001u, (double)i * 3.141, (double)(i % 977) / 7, "cudaLaunchKernel",
			(unsigned long)i % 7, (unsigned long)i % 4096, 256ul);
	need(total > events, "snprintf");
	return cpu_ns() - begin;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), compare);
	return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* A figure that must not be larger than its gate. */
static void print(const char *id, const char *what, double value, const char *unit, double limit,
	double gate, double goal)
{
	printf("%s %s %.3g %s limit %g gate %g goal %g %s\n", id, what, value, unit, limit, gate,
		goal, value <= gate ? "ok" : "FAIL");
}

/*
 * Before anything is allocated here: the peak of a child counts from its parent's size. The
 * kernel counts pages in a batch for each processor, so that a figure is off by some 0.1 MiB to
 * either side, by more where there are more processors: the median of three is what counts.
 */
static void bench_memory(const char *analyzer, const char *command, char *const *traces,
	const char *peak_id, const char *growth_id)
{
	double peak[3], tries[PEAK_TRIES];
	char what[64];
	for (unsigned i = 0; i < 3; i++) {
		/* the largest dump takes as long as all else */
		unsigned count = i == 2 && strcmp(command, "dump") == 0 ? 1 : PEAK_TRIES;
		for (unsigned try = 0; try < count; try++)
			tries[try] = run_analyzer(analyzer, command, traces[i]).peak_mib;
		peak[i] = median(tries, count);
	}
	(void)snprintf(what, sizeof(what), "%s-peak-memory", command);
	print(peak_id, what, peak[2], "MiB", 4.3, 64, 24);
	(void)snprintf(what, sizeof(what), "%s-growth-per-tenfold", command);
	double first = peak[1] - peak[0], second = peak[2] - peak[1];
	print(growth_id, what, first > second ? first : second, "MiB", 0, 4, 4);
}

static void bench_time(const char *analyzer, char *const *traces, unsigned rounds)
{
	static double reader[ROUNDS_LIMIT], report[ROUNDS_LIMIT], speed[ROUNDS_LIMIT],
		rate[ROUNDS_LIMIT], simple[ROUNDS_LIMIT], perfetto[ROUNDS_LIMIT];
	for (unsigned i = 0; i < rounds; i++) {
		uint64_t events, read;
		struct cost base = decode_only(traces[1], &events);
		reader[i] = read_all(traces[1], &read) / base.cpu_ns;
		need(events == read, "equal counts of events");
		struct cost whole = run_analyzer(analyzer, "report", traces[1]);
		double export = run_analyzer(analyzer, "export", traces[1]).cpu_ns;
		report[i] = whole.cpu_ns / base.cpu_ns;
		speed[i] = (double)events / whole.cpu_ns * 1e3;
		rate[i] = (double)events / export * 1e3;
		simple[i] = print_simply(events / 10) * 10 / export;
		perfetto[i] =
			(double)events / run_analyzer(analyzer, PERFETTO, traces[1]).cpu_ns * 1e3;
	}
	double export = median(rate, rounds), against = median(simple, rounds);
	printf("A1 report-speed %.3g Mevents/s (no gate: see A3)\n", median(speed, rounds));
	print("A2r", "reader-against-decompress-and-decode", median(reader, rounds), "ratio", 1,
		1.5, 1.15);
	printf("A2t report-against-decompress-and-decode-in-time %.3g ratio (no gate: see A2)\n",
		median(report, rounds));
	printf("A7 chrome-export %.3g Mevents/s limit 9.6 gate 5 (or 4 x snprintf: %.1f) goal 8 "
	       "%s\n",
		export, against, export >= 5 || against >= 4 ? "ok" : "FAIL");
	export = median(perfetto, rounds);
	printf("A7p perfetto-export %.3g Mevents/s limit 9.6 gate 6 goal 8 %s\n", export,
		export >= 6 || against >= 4 ? "ok" : "FAIL");
}

static void bench_growth(const char *analyzer, char *const *traces, unsigned rounds)
{
	static double ratio[ROUNDS_LIMIT];
	for (unsigned i = 0; i < rounds; i++) {
		double middle = run_analyzer(analyzer, "report", traces[1]).cpu_ns;
		ratio[i] = run_analyzer(analyzer, "report", traces[2]).cpu_ns / 10 / middle;
	}
	print("A5", "time-per-event-at-ten-times-the-size", median(ratio, rounds), "ratio", 1.1,
		1.4, 1.15);
}

/* A figure of several processors that must not be smaller, where the machine has them free. */
static void print_gain(const char *id, const char *what, double value, double limit, double gate,
	double machine, double needed)
{
	const char *verdict = value >= gate ? "ok" : machine < needed ? "NOISY" : "FAIL";
	printf("# processors alone give %.3g x (%s needs %g to be judged)\n", machine, id, needed);
	printf("%s %s %.3g x limit %g gate %g goal %g %s\n", id, what, value, limit, gate, gate,
		verdict);
}

static pid_t start_report(const char *analyzer, const char *trace)
{
	pid_t child;
	char *words[] = {(char *)analyzer, (char *)"report", (char *)"--quiet",
		(char *)"--output=/dev/null", (char *)trace, NULL};
	need(posix_spawn(&child, analyzer, NULL, NULL, words, environ) == 0, analyzer);
	return child;
}

/* Time in which so many analyzers each report on a trace on one processor, one each at a time. */
static double run_beside(
	const char *analyzer, const char *trace, unsigned count, const cpu_set_t *processors)
{
	double begin = read_ns(CLOCK_MONOTONIC);
	cpu_set_t before;
	unsigned at = 0;
	need(sched_getaffinity(0, sizeof(before), &before) == 0, "sched_getaffinity");
	for (unsigned i = 0; i < count; i++, at++) {
		cpu_set_t one;
		while (!CPU_ISSET(at % CPU_SETSIZE, processors))
			at++;
		CPU_ZERO(&one);
		CPU_SET(at % CPU_SETSIZE, &one);
		need(sched_setaffinity(0, sizeof(one), &one) == 0, "sched_setaffinity");
		(void)start_report(analyzer, trace);
	}
	need(sched_setaffinity(0, sizeof(before), &before) == 0, "sched_setaffinity");
	for (unsigned i = 0; i < count; i++) {
		int status;
		need(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0, "report");
	}
	return read_ns(CLOCK_MONOTONIC) - begin;
}

/* The first so many processors of those that may be used. */
static cpu_set_t first_processors(unsigned count)
{
	cpu_set_t all, some;
	need(sched_getaffinity(0, sizeof(all), &all) == 0, "sched_getaffinity");
	CPU_ZERO(&some);
	for (int i = 0; i < CPU_SETSIZE && count > 0; i++)
		if (CPU_ISSET(i, &all)) {
			CPU_SET(i, &some);
			count--;
		}
	return some;
}

static double run_on(const char *analyzer, const char *trace, const cpu_set_t *processors)
{
	cpu_set_t before;
	need(sched_getaffinity(0, sizeof(before), &before) == 0 &&
			sched_setaffinity(0, sizeof(*processors), processors) == 0,
		"sched_setaffinity");
	double ns = run_analyzer(analyzer, "report", trace).wall_ns;
	need(sched_setaffinity(0, sizeof(before), &before) == 0, "sched_setaffinity");
	return ns;
}

/* The time of a second decoding, in as many processes as a report has threads. */
static double decode_beside(const char *trace)
{
	uint64_t events;
	double begin = read_ns(CLOCK_MONOTONIC);
	for (unsigned i = 0; i < THREADS; i++) {
		pid_t child = fork();
		need(child >= 0, "fork");
		if (child == 0)
			_exit(decode_only(trace, &events).wall_ns < 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		int status;
		need(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0, "decode");
	}
	return read_ns(CLOCK_MONOTONIC) - begin;
}

/* Of a large trace, whose report takes threads: pairs, on processors that are the same for both. */
static void bench_wall(
	const char *analyzer, const char *trace, unsigned rounds, const char *id, double gate)
{
	static double ratio[ROUNDS_LIMIT], second[ROUNDS_LIMIT];
	uint64_t events;
	for (unsigned i = 0; i < rounds; i++) {
		double alone = decode_only(trace, &events).wall_ns;
		ratio[i] = run_analyzer(analyzer, "report", trace).wall_ns / alone;
		second[i] = decode_beside(trace) / alone;
	}
	double value = median(ratio, rounds), beside = median(second, rounds);
	const char *verdict = value <= gate ? "ok" : beside > THREADS_MOST ? "NOISY" : "FAIL";
	printf("# half of %u pairs: %.3g to %.3g; %u decode in %.3g x the time of one (%s needs "
	       "%g to be judged)\n",
		rounds, ratio[rounds / 4], ratio[rounds - 1 - rounds / 4], THREADS, beside, id,
		THREADS_MOST);
	printf("%s report-against-decompress-and-decode-in-time %.3g ratio limit 1 gate %g goal "
	       "1.5 %s\n",
		id, value, gate, verdict);
}

static void bench_ahead(const char *analyzer, const char *trace, unsigned rounds)
{
	static double gain[ROUNDS_LIMIT], machine[ROUNDS_LIMIT];
	if (processors_allowed() < 2) {
		printf("SKIP P1 decoding-ahead: less than two processors\n");
		return;
	}
	cpu_set_t one = first_processors(1), two = first_processors(2);
	for (unsigned i = 0; i < rounds; i++) {
		double alone = run_on(analyzer, trace, &one);
		gain[i] = alone / run_on(analyzer, trace, &two);
		machine[i] = 2 * alone / run_beside(analyzer, trace, 2, &two);
	}
	print_gain("P1", "report-on-two-processors-against-one", median(gain, rounds), 1.56, 1.3,
		median(machine, rounds), 1.8);
}

static void bench_ranks(const char *analyzer, const char *one, const char *ranks, unsigned rounds)
{
	static double gain[ROUNDS_LIMIT], machine[ROUNDS_LIMIT];
	if (processors_allowed() < 4) {
		printf("SKIP A6 processes-side-by-side: less than four processors\n");
		return;
	}
	cpu_set_t four = first_processors(4);
	for (unsigned i = 0; i < rounds; i++) {
		double alone = 0;
		for (unsigned rank = 0; rank < RANKS; rank++)
			alone += run_analyzer(analyzer, "report", one).wall_ns;
		gain[i] = alone / run_on(analyzer, ranks, &four);
		machine[i] = alone / run_beside(analyzer, one, RANKS, &four);
	}
	print_gain("A6", "eight-processes-on-four-processors-against-one-after-another",
		median(gain, rounds), 4, 2.5, median(machine, rounds), 3.4);
}

int main(int argc, char **argv)
{
	const char *wanted = getenv("BENCH_ROUNDS");
	unsigned rounds = wanted != NULL ? (unsigned)strtoul(wanted, NULL, 10) : 11;
	need(argc == 10 && rounds > 0 && rounds <= ROUNDS_LIMIT, "the command line");
	bench_memory(argv[1], "report", argv + 2, "A4", "A4g");
	bench_memory(argv[1], "export", argv + 2, "A4", "A4g");
	bench_memory(argv[1], "dump", argv + 2, "A4", "A4g");
	bench_memory(argv[1], "report", argv + 5, "A4d", "A4dg");
	bench_time(argv[1], argv + 2, rounds);
	bench_growth(argv[1], argv + 2, rounds < 6 ? rounds : rounds / 3);
	bench_wall(argv[1], argv[4], rounds, "A2w", 1.8);
	bench_wall(argv[1], argv[7], rounds, "A2dw", 2);
	bench_ahead(argv[1], argv[9], rounds < 6 ? rounds : rounds / 3);
	bench_ranks(argv[1], argv[3], argv[8], rounds < 6 ? rounds : rounds / 3);
	return 0;
}

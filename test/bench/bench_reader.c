/* SPDX-License-Identifier: MIT */
/*
 * Cost of reading: the reader and the whole report against decompressing and decoding
 * the same frames (A2), memory over three sizes (A4), growth of the time per event (A5),
 * speed of the export (A7). A2d and A4d are A2 and A4 of traces in which the device reports what
 * it did. Started by bench_reader.sh, which makes the traces.
 * usage: bench_reader ANALYZER SMALL MIDDLE LARGE DEVICE_SMALL DEVICE_MIDDLE DEVICE_LARGE, each ten
 * times the one before
 *
 * Ratios are medians over interleaved rounds of processor time in one run; BENCH_ROUNDS
 * sets their number. This process stays small, because a child inherits its peak memory.
 */
#include <fcntl.h>
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

#define ROUNDS_LIMIT 101u

extern char **environ;

struct cost {
	double cpu_ns, peak_mib;
};

static void need(int good, const char *what)
{
	if (good)
		return;
	(void)fprintf(stderr, "bench_reader: %s failed\n", what);
	exit(4);
}

static double cpu_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Run the analyzer on a trace, output thrown away. */
static struct cost run_analyzer(const char *analyzer, const char *command, const char *trace)
{
	pid_t child;
	int status;
	struct rusage usage;
	posix_spawn_file_actions_t actions;
	char *const words[] = {
		(char *)analyzer, (char *)command, (char *)"--quiet", (char *)trace, NULL};
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
		(double)usage.ru_maxrss / 1024};
}

/* Only what any reader must do: read, decompress, decode. */
static double decode_only(const char *trace, uint64_t *ret_events)
{
	struct walk walk;
	struct item item;
	double begin = cpu_ns();
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
	return cpu_ns() - begin;
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

/* Before anything is allocated here: the peak of a child counts from its parent's size. */
static void bench_memory(const char *analyzer, const char *command, char *const *traces,
	const char *peak_id, const char *growth_id)
{
	double peak[3];
	char what[64];
	for (unsigned i = 0; i < 3; i++)
		peak[i] = run_analyzer(analyzer, command, traces[i]).peak_mib;
	(void)snprintf(what, sizeof(what), "%s-peak-memory", command);
	print(peak_id, what, peak[2], "MiB", 4.3, 64, 24);
	(void)snprintf(what, sizeof(what), "%s-growth-per-tenfold", command);
	double first = peak[1] - peak[0], second = peak[2] - peak[1];
	print(growth_id, what, first > second ? first : second, "MiB", 0, 4, 4);
}

static void bench_time(const char *analyzer, char *const *traces, unsigned rounds)
{
	static double reader[ROUNDS_LIMIT], report[ROUNDS_LIMIT], speed[ROUNDS_LIMIT],
		rate[ROUNDS_LIMIT], simple[ROUNDS_LIMIT];
	for (unsigned i = 0; i < rounds; i++) {
		uint64_t events, read;
		double base = decode_only(traces[1], &events);
		reader[i] = read_all(traces[1], &read) / base;
		need(events == read, "equal counts of events");
		double whole = run_analyzer(analyzer, "report", traces[1]).cpu_ns;
		double export = run_analyzer(analyzer, "export", traces[1]).cpu_ns;
		report[i] = whole / base;
		speed[i] = (double)events / whole * 1e3;
		rate[i] = (double)events / export * 1e3;
		simple[i] = print_simply(events / 10) * 10 / export;
	}
	double export = median(rate, rounds), against = median(simple, rounds);
	printf("A1 report-speed %.3g Mevents/s (no gate: see A2)\n", median(speed, rounds));
	print("A2r", "reader-against-decompress-and-decode", median(reader, rounds), "ratio", 1,
		1.5, 1.15);
	print("A2", "report-against-decompress-and-decode", median(report, rounds), "ratio", 1, 2.5,
		1.5);
	printf("A7 chrome-export %.3g Mevents/s limit 9.6 gate 3 (or 4 x snprintf: %.1f) goal 8 "
	       "%s\n",
		export, against, export >= 3 || against >= 4 ? "ok" : "FAIL");
}

static void bench_device_time(const char *analyzer, const char *trace, unsigned rounds)
{
	static double report[ROUNDS_LIMIT];
	uint64_t events;
	for (unsigned i = 0; i < rounds; i++) {
		double base = decode_only(trace, &events);
		report[i] = run_analyzer(analyzer, "report", trace).cpu_ns / base;
	}
	print("A2d", "report-of-device-records-against-decompress-and-decode",
		median(report, rounds), "ratio", 1, 2.5, 1.5);
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

int main(int argc, char **argv)
{
	const char *wanted = getenv("BENCH_ROUNDS");
	unsigned rounds = wanted != NULL ? (unsigned)strtoul(wanted, NULL, 10) : 11;
	need(argc == 8 && rounds > 0 && rounds <= ROUNDS_LIMIT, "the command line");
	bench_memory(argv[1], "report", argv + 2, "A4", "A4g");
	bench_memory(argv[1], "export", argv + 2, "A4", "A4g");
	bench_memory(argv[1], "dump", argv + 2, "A4", "A4g");
	bench_memory(argv[1], "report", argv + 5, "A4d", "A4dg");
	bench_time(argv[1], argv + 2, rounds);
	bench_device_time(argv[1], argv[6], rounds);
	bench_growth(argv[1], argv + 2, rounds < 6 ? rounds : rounds / 3);
	return 0;
}

/* SPDX-License-Identifier: MIT */
#include "collector/drain/procstat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "collector/format/record.h"
#include "collector/own/descriptor.h"

struct values {
	struct procstat_value *items;
	unsigned count;
};

static void add(struct values *values, uint32_t metric, uint64_t value)
{
	if (value == UINT64_MAX || values->count >= PROCSTAT_LIMIT)
		return;
	values->items[values->count++] = (struct procstat_value){metric, value};
}

/* The beginning of a file in /proc as a text; "" when it cannot be read. */
static void read_text(const char *path, char *ret_text, size_t size)
{
	ssize_t got = -1;
	int fd = descriptor_open(path, O_RDONLY, 0);
	if (fd >= 0) {
		got = descriptor_read(fd, ret_text, size - 1);
		descriptor_close(fd);
	}
	ret_text[got > 0 ? got : 0] = '\0';
}

uint64_t procstat_number(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	if (at == NULL)
		return UINT64_MAX;
	char *end;
	at += strlen(key);
	errno = 0;
	uint64_t value = strtoull(at, &end, 10);
	return end == at || errno != 0 ? UINT64_MAX : value;
}

static uint64_t timeval_ns(struct timeval value)
{
	return (uint64_t)value.tv_sec * 1000000000ull + (uint64_t)value.tv_usec * 1000ull;
}

static void add_usage(struct values *values)
{
	struct rusage usage;
	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return;
	add(values, SAMPLE_USER_NS, timeval_ns(usage.ru_utime));
	add(values, SAMPLE_SYSTEM_NS, timeval_ns(usage.ru_stime));
	add(values, SAMPLE_MINOR_FAULTS, (uint64_t)usage.ru_minflt);
	add(values, SAMPLE_MAJOR_FAULTS, (uint64_t)usage.ru_majflt);
	add(values, SAMPLE_VOLUNTARY_SWITCHES, (uint64_t)usage.ru_nvcsw);
	add(values, SAMPLE_INVOLUNTARY_SWITCHES, (uint64_t)usage.ru_nivcsw);
}

static void add_io(struct values *values)
{
	char text[512];
	read_text("/proc/self/io", text, sizeof(text));
	add(values, SAMPLE_READ_BYTES, procstat_number(text, "\nread_bytes: "));
	add(values, SAMPLE_WRITE_BYTES, procstat_number(text, "\nwrite_bytes: "));
	add(values, SAMPLE_READ_CALL_BYTES, procstat_number(text, "rchar: "));
}

static void add_resident(struct values *values)
{
	char text[128];
	read_text("/proc/self/statm", text, sizeof(text));
	uint64_t pages = procstat_number(text, " ");
	if (pages != UINT64_MAX)
		add(values, SAMPLE_RESIDENT_BYTES, pages * (uint64_t)sysconf(_SC_PAGESIZE));
}

/* First line of /proc/stat: user nice system idle iowait irq softirq steal, in clock ticks. */
static void add_host(struct values *values)
{
	char text[256];
	read_text("/proc/stat", text, sizeof(text));
	if (strncmp(text, "cpu ", 4) != 0)
		return;
	uint64_t numbers[8] = {0};
	char *at = text + 4;
	for (unsigned i = 0; i < 8; i++)
		numbers[i] = strtoull(at, &at, 10);
	uint64_t tick_ns = 1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t busy = numbers[0] + numbers[1] + numbers[2] + numbers[5] + numbers[6] + numbers[7];
	add(values, SAMPLE_HOST_BUSY_NS, busy * tick_ns);
	add(values, SAMPLE_HOST_IDLE_NS, numbers[3] * tick_ns);
	add(values, SAMPLE_HOST_IOWAIT_NS, numbers[4] * tick_ns);
}

static void read_thread_text(uint32_t tid, const char *file, char *ret_text, size_t size)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "/proc/self/task/%u/%s", tid, file);
	read_text(path, ret_text, size);
}

/* Nanoseconds on a processor and ready for one, of a text with these and how often; false: none. */
static bool parse_schedule(const char *text, uint64_t *ret_run_ns, uint64_t *ret_delay_ns)
{
	char *end;
	*ret_run_ns = strtoull(text, &end, 10);
	if (end == text)
		return false;
	char *delay = end;
	*ret_delay_ns = strtoull(delay, &end, 10);
	return end != delay;
}

static void add_schedule(struct values *values, uint32_t tid)
{
	char text[96];
	uint64_t run_ns, delay_ns;
	read_thread_text(tid, "schedstat", text, sizeof(text));
	if (!parse_schedule(text, &run_ns, &delay_ns))
		return;
	add(values, THREAD_RUN_NS, run_ns);
	add(values, THREAD_DELAY_NS, delay_ns);
}

uint64_t procstat_delay_ns(void)
{
	char text[96];
	uint64_t run_ns, delay_ns;
	read_text("/proc/thread-self/schedstat", text, sizeof(text));
	/* a thread that reads this has run: where nothing is counted there are zeros */
	return parse_schedule(text, &run_ns, &delay_ns) && run_ns > 0 ? delay_ns : UINT64_MAX;
}

/* Numbers 10 and 12 of the line; the name, number 2, may hold anything. */
static void add_thread_faults(struct values *values, uint32_t tid)
{
	char text[512];
	unsigned long minor, major;
	read_thread_text(tid, "stat", text, sizeof(text));
	const char *rest = strrchr(text, ')');
	if (rest == NULL ||
		sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %lu %*u %lu", &minor, &major) != 2)
		return;
	add(values, THREAD_MINOR_FAULTS, minor);
	add(values, THREAD_MAJOR_FAULTS, major);
}

unsigned procstat_read_thread(uint32_t tid, struct procstat_value ret_values[PROCSTAT_LIMIT])
{
	struct values values = {ret_values, 0};
	char text[4096];
	add_schedule(&values, tid);
	add_thread_faults(&values, tid);
	read_thread_text(tid, "status", text, sizeof(text));
	add(&values, THREAD_VOLUNTARY_SWITCHES,
		procstat_number(text, "\nvoluntary_ctxt_switches:"));
	add(&values, THREAD_INVOLUNTARY_SWITCHES,
		procstat_number(text, "\nnonvoluntary_ctxt_switches:"));
	read_thread_text(tid, "io", text, sizeof(text));
	add(&values, THREAD_READ_BYTES, procstat_number(text, "\nread_bytes: "));
	return values.count;
}

uint64_t procstat_thread_ns(void)
{
	struct timespec time;
	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) < 0)
		return UINT64_MAX;
	return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

unsigned procstat_read(struct procstat_value ret_values[PROCSTAT_LIMIT])
{
	struct values values = {ret_values, 0};
	add_usage(&values);
	add_io(&values);
	add_host(&values);
	add_resident(&values);
	add(&values, SAMPLE_COLLECTOR_CPU_NS, procstat_thread_ns());
	return values.count;
}

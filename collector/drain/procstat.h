/* SPDX-License-Identifier: MIT */
/*
 * Running totals of the process and the host, as the kernel counts them: processor time,
 * page faults, context switches, bytes read and written, busy and waiting processors.
 * What cannot be read (another container's /proc) is left out, never reported as 0.
 * No allocation; a handful of system calls. Drain thread only.
 */
#ifndef COLLECTOR_DRAIN_PROCSTAT_H
#define COLLECTOR_DRAIN_PROCSTAT_H

#include <stddef.h>
#include <stdint.h>

#define PROCSTAT_LIMIT 16u

struct procstat_value {
	uint32_t metric; /* enum sample_metric or thread_metric */
	uint64_t value;
};

/* Read all that can be had; returns how many of ret_values were filled. */
unsigned procstat_read(struct procstat_value ret_values[PROCSTAT_LIMIT]);

/*
 * The same of one thread of this process, with metrics of enum thread_metric; 0 when it has ended.
 * About 30 us.
 */
unsigned procstat_read_thread(uint32_t tid, struct procstat_value ret_values[PROCSTAT_LIMIT]);

/* The number after "key" in a text of /proc (key with its punctuation); UINT64_MAX: not there. */
uint64_t procstat_number(const char *text, const char *key);

/* How long the calling thread was ready and had no processor; UINT64_MAX: nobody counts it. */
uint64_t procstat_delay_ns(void);

/* CPU time of the calling thread. */
uint64_t procstat_thread_ns(void);

#endif

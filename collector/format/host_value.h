/* SPDX-License-Identifier: MIT */
/*
 * What the numbers in the fields of INPUT, SAMPLE, THREAD_SAMPLE and MARK mean: the kinds that tell
 * of the host alone (value.h has the others, and the promises that hold for both). Constants alone.
 */
#ifndef COLLECTOR_FORMAT_HOST_VALUE_H
#define COLLECTOR_FORMAT_HOST_VALUE_H

/* what of INPUT: what the thread waited for, by the function that it called */
enum input_what {
	INPUT_UNKNOWN = 0, /* traces from before there was the field: a read, poll or semaphore */
	INPUT_READ = 1,    /* bytes from a descriptor, or a connection */
	INPUT_POLL = 2,    /* that a descriptor is ready */
	INPUT_LOCK = 3,    /* another thread: lock, condition, semaphore, futex, join */
	INPUT_SLEEP = 4,   /* that time passes */
	INPUT_CHILD = 5,   /* a process */
	INPUT_WRITE = 6,   /* room for bytes behind a descriptor */
	INPUT_FLUSH = 7,   /* storage: fsync and its kin */
	INPUT_OPEN = 8,    /* a file to be opened */
	INPUT_STAT = 9,    /* what is known about a file */
};

/* medium of INPUT: what the descriptor was when the wait was over */
enum input_medium {
	MEDIUM_UNKNOWN = 0, /* no descriptor, or it was gone */
	MEDIUM_FILE = 1,    /* also a folder and a block device */
	MEDIUM_PIPE = 2,
	MEDIUM_SOCKET = 3,
	MEDIUM_OTHER = 4, /* terminals, event descriptors, devices */
};

/* what of MARK: why the trace has nothing of that time */
enum mark_what {
	MARK_OFF = 1,     /* recording was switched off */
	MARK_STOPPED = 2, /* the process did not run: a signal, a frozen container */
};

/* metric of SAMPLE; all values are running totals since process start */
enum sample_metric {
	SAMPLE_USER_NS = 1,
	SAMPLE_SYSTEM_NS = 2,
	SAMPLE_READ_BYTES = 3, /* from storage */
	SAMPLE_WRITE_BYTES = 4,
	SAMPLE_READ_CALL_BYTES = 5, /* through read calls, cached or not */
	SAMPLE_MINOR_FAULTS = 6,
	SAMPLE_MAJOR_FAULTS = 7,
	SAMPLE_VOLUNTARY_SWITCHES = 8,
	SAMPLE_INVOLUNTARY_SWITCHES = 9,
	SAMPLE_HOST_BUSY_NS = 10, /* all processors of the host */
	SAMPLE_HOST_IDLE_NS = 11,
	SAMPLE_HOST_IOWAIT_NS = 12,
	SAMPLE_COLLECTOR_CPU_NS = 13, /* the drain thread's own CPU time */
	SAMPLE_RESIDENT_BYTES = 14,
};

/* metric of THREAD_SAMPLE: running totals since the start of the thread; hooks_ns is ours */
enum thread_metric {
	THREAD_RUN_NS = 1,   /* on a processor */
	THREAD_DELAY_NS = 2, /* ready, but waiting for a processor */
	THREAD_MINOR_FAULTS = 3,
	THREAD_MAJOR_FAULTS = 4, /* page faults that waited for storage */
	THREAD_VOLUNTARY_SWITCHES = 5,
	THREAD_INVOLUNTARY_SWITCHES = 6,
	THREAD_READ_BYTES = 7, /* from storage, also by page faults */
	THREAD_HOOKS_NS = 8,   /* what recording took on it, sampled by us */
};

#endif

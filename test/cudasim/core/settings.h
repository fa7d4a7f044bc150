/* SPDX-License-Identifier: MIT */
/*
 * The CUDASIM_ environment variables, read once at the first use.
 *
 * Durations are written 250ns, 3us, 2ms, 1s; rates 12GB/s, 500MB/s; sizes 16GiB, 512MiB, 4096. A
 * value that cannot be read is named in one line on stderr and the default is used. The result is
 * never changed afterwards, so any thread may read it without a lock.
 */
#ifndef CUDASIM_CORE_SETTINGS_H
#define CUDASIM_CORE_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

enum copy_rate {
	RATE_H2D,
	RATE_D2H,
	RATE_D2D,
	RATE_PAGEABLE,
	RATE_COUNT
};

/* One rule of CUDASIM_KERNELS: the first whose glob matches decides. */
struct kernel_rule {
	const char *glob;
	uint64_t duration_ns;
};

struct sim_settings {
	unsigned devices;                /* CUDASIM_DEVICES=1 */
	uint64_t memory_bytes;           /* CUDASIM_MEMORY=16GiB, of each device */
	uint64_t launch_ns;              /* CUDASIM_LAUNCH=3us */
	unsigned queue;                  /* CUDASIM_QUEUE=1024, per stream */
	int compute;                     /* CUDASIM_COMPUTE=1 */
	int reuse;                       /* CUDASIM_REUSE=0 */
	double bytes_per_ns[RATE_COUNT]; /* CUDASIM_COPY */
	uint64_t copy_latency_ns;
	const struct kernel_rule *rules; /* CUDASIM_KERNELS; the default rule is not among them */
	size_t rule_count;
	uint64_t kernel_ns;     /* without a matching rule: 5us */
	const char *kernels;    /* CUDASIM_KERNELS as written, or what stands for it */
	int tell;               /* CUDASIM_TELL=0 */
	int driver_version;     /* CUDASIM_DRIVER, as 13020; 0: that of the runtime */
	const char *fault;      /* CUDASIM_FAULT as written, or NULL */
	const char *log;        /* CUDASIM_LOG as written, or NULL */
	uint64_t log_period_ns; /* CUDASIM_LOG_FLUSH=10ms; 0: write at the end of each call */
};

/* Never NULL. */
const struct sim_settings *settings_get(void);

/*
 * Exported by libcuda.so.1, and by no real driver, so that tools can tell one from the other:
 * CUDASIM_KERNELS, or what stands for it.
 */
__attribute__((visibility("default"))) const char *cudasim_kernels(void);

/* Modelled duration of bytes over one of the rates, without latency. */
uint64_t settings_copy_ns(enum copy_rate rate, uint64_t bytes);

#endif

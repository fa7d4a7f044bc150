/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the simulated CUDA device share: the private door into the stand-in driver.
 *
 * All state lives in the stand-in libcuda.so.1. The stand-in runtime and the stand-ins of vendor
 * libraries reach it as the real ones do: dlopen("libcuda.so.1"), dlsym("cuGetProcAddress_v2"),
 * and every driver function through that. What has no public driver function (the truth log,
 * names of errors, sizes of registered variables) is in struct sim_private, which comes from
 * cuGetExportTable(&table, SIM_PRIVATE_ID), as the vendor's runtime gets its undocumented tables,
 * or by dlsym of cudasim_private.
 *
 * A vendor library's stand-in launches a kernel that has an effect on memory like this:
 *	static const struct cudasim_kernel *lookup(const char *name);   own table of kernels
 *	static const struct cudasim_image image = {CUDASIM_IMAGE_MAGIC, 1, lookup};
 *	cuLibraryLoadData(&library, &image, NULL, NULL, 0, NULL, NULL, 0);
 *	cuLibraryGetKernel(&kernel, library, "my_gemm_kernel");
 *	cuLaunchKernel((CUfunction)kernel, grid..., block..., shared, stream, args, NULL);
 * At the launch the driver computes the operation's times, then calls kernel->effect with the
 * launch's arguments on the calling thread. In a stream capture the argument values are copied
 * (param_sizes), and the effect runs at each replay. The image must live as long as the library.
 * The data pointer of a fat binary registered with __cudaRegisterFatBinary may be such an image
 * too. Every other image is opaque: it has a kernel of any name, without an effect of its own.
 */
#ifndef CUDASIM_CORE_SIM_H
#define CUDASIM_CORE_SIM_H

#include <stddef.h>
#include <stdint.h>

#include "../compute/compute.h"
#include "../cuda_abi.h"
#include "detail.h"

#define CUDASIM_IMAGE_MAGIC 0x316d6973616475ull /* "udasim1" */

/* For a collective's kernel. come() may wait for a bounded time, meet() never does. */
struct cudasim_meeting {
	/* This side has come and is free to begin at ready_ns; what the kernel reads is in memory
	 * now and may change later. Returns a handle, NULL: it failed. The launch is not kept. */
	void *(*come)(const struct compute_launch *launch, uint64_t ready_ns);
	/* 0: somebody is missing. Otherwise the handle is gone; 1: the effect on memory has been
	 * carried out, *ret_begin_ns is when the last one was free to begin; -1: failed. */
	int (*meet)(void *handle, uint64_t *ret_begin_ns);
};

struct cudasim_kernel {
	const char *name; /* as asked for with cuLibraryGetKernel; mangled if C++ */
	void (*effect)(const struct compute_launch *launch); /* NULL: no effect */
	uint32_t param_count;
	const size_t *param_sizes; /* of launch->args[0..param_count-1], in bytes */
	/* Modelled duration for this launch in ns, NULL: CUDASIM_KERNELS alone decides. A rule of
	 * CUDASIM_KERNELS that is not the bare default wins over this function. */
	uint64_t (*duration_ns)(const struct compute_launch *launch);
	const struct cudasim_meeting *meeting; /* in place of effect; usually NULL */
};

struct cudasim_image {
	uint64_t magic;   /* CUDASIM_IMAGE_MAGIC */
	uint32_t version; /* 1 */
	/* The kernel of this name, NULL if there is none. Any thread may call it. */
	const struct cudasim_kernel *(*lookup)(const char *name);
};

/* One API call in progress; on the stack of the wrapper that answers it. */
struct sim_call {
	const char *function;    /* exported spelling, static storage */
	struct sim_call *parent; /* enclosing call of the same thread, or NULL */
	uint64_t id;             /* unique in the process, 1, 2, ... in order of call_begin */
	uint64_t begin_ns;       /* CLOCK_MONOTONIC */
	uint64_t busy_until_ns;  /* the same: it does not return before */
	uint8_t layer;           /* enum sim_layer */
	uint8_t per_thread;      /* 1: stream 0 means the thread's default stream (_ptsz, _ptds) */
	uint64_t watched;        /* the watcher's own, 0 at the start */
	struct sim_detail detail;
};

/* What a watcher is told of, on the thread that does it. */
enum sim_moment {
	SIM_ENTER, /* of a call; by its arguments nothing is known yet */
	SIM_EXIT,
	SIM_CONTEXT_CREATED,
	SIM_CONTEXT_ENDS, /* it is still usable */
	SIM_CONTEXT_GONE,
	SIM_STREAM_CREATED,
	SIM_STREAM_ENDS
};
/* context is NULL where the thread has none; stream is NULL but for the moments of a stream. */
typedef void sim_watch(enum sim_moment moment, struct sim_call *call, int result, CUcontext context,
	CUstream stream);

/* A device as its attributes say. */
struct sim_device {
	const char *name;
	uint64_t memory_bytes, bandwidth_kb_s;
	uint32_t constant_bytes, l2_bytes, warp_threads, clock_khz, copy_engines, multiprocessors;
	uint32_t multiprocessor_threads, multiprocessor_shared_bytes, multiprocessor_registers;
	uint32_t block_registers, block_shared_bytes, block_threads;
	uint32_t block[3], grid[3];
	uint32_t major, minor;
	uint8_t uuid[16];
};

/* The 16 bytes that cuGetExportTable compares. */
#define SIM_PRIVATE_ID "libtrace-cudasim"

struct log_record;

struct sim_private {
	size_t size; /* sizeof(struct sim_private) of the driver */
	/*
	 * Opens a call: id, begin time, per-thread stack. Returns 0, or the error that the call
	 * must return at once (injected by CUDASIM_FAULT, a sticky error, use after fork); then
	 * only call_end may follow.
	 */
	int (*call_begin)(struct sim_call *call, const char *function, int layer, unsigned flags);
	/* Closes it, logs it with result, hands unset details to the parent. Returns result. */
	int (*call_end)(struct sim_call *call, int result);
	/* Says which runtime serves this process (12, 13); given to compute_kernel(). */
	void (*attach_runtime)(int major);
	/* The error that every call of this process now returns, 0 when there is none. */
	int (*sticky_error)(void);
	/* Gives a library a variable of that size, zeroed device memory, once. 0 or an error. */
	int (*define_global)(void *library, const char *name, size_t bytes);
	/* "cudaErrorInvalidValue", "invalid argument"; never NULL, but driver_error_name is for a
	 * code that the driver API lacks. */
	const char *(*error_name)(int code);
	const char *(*error_text)(int code);
	const char *(*driver_error_name)(int code);
	void (*dump_log)(void); /* writes out what CUDASIM_LOG has buffered; any thread */
	/*
	 * From now on tap gets each record that the truth log gets (log.h), by the thread that made
	 * it, at its time; NULL: no longer. Without a log, of calls those that wants() says, asked
	 * once of a function and again after tap_changed. One tap at a time; it holds none of its
	 * locks while it calls the driver. A forked child has none.
	 */
	void (*set_tap)(void (*tap)(const struct log_record *record),
		int (*wants)(const char *function, int layer, int is_inside));
	/*
	 * From now on watch is told of contexts and streams, and if calls is not 0 of every call's
	 * begin and end; NULL: no longer. One at a time; it may call CUDA. A child has none.
	 */
	void (*set_watch)(sim_watch *watch, int calls);
	int (*describe_device)(int number, struct sim_device *ret_facts); /* 0; -1: none */
	void (*tap_changed)(void);
};

/* The same, exported by libcuda.so.1 for programs under test. No effect without CUDASIM_LOG. */
__attribute__((visibility("default"))) void cudasim_dump_log(void);

#endif

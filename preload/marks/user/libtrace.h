/* SPDX-License-Identifier: MIT */
/*
 * libtrace.h: what a program tells libtrace by itself. C and C++, nothing to link.
 *
 * The library is looked up once in each source file that uses this header; where it is not loaded
 * a call costs a load and a branch. With a glibc before 2.34 link with -ldl.
 *
 *	libtrace_step();                           a training step ends here
 *	uint64_t range = libtrace_begin("load");   a range, on any thread; ranges may overlap
 *	libtrace_end(range);
 *	libtrace_pause(); libtrace_resume();       nothing is recorded between them
 *	libtrace_metadata("batch", "64");          shown in the report; the last value holds
 *
 * The steps that a program says go before every other way to find steps. A range that begins or
 * ends while recording is paused is not recorded. Names of metadata have up to 63 bytes, values up
 * to 255; 128 changes are kept.
 */
#ifndef LIBTRACE_H
#define LIBTRACE_H

#include <dlfcn.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

enum libtrace_what {
	LIBTRACE_HELLO,
	LIBTRACE_STEP,
	LIBTRACE_BEGIN,
	LIBTRACE_END,
	LIBTRACE_PAUSE,
	LIBTRACE_RESUME,
	LIBTRACE_NOTE
};

typedef uint64_t libtrace_function(
	uint32_t what, const char *text, const char *value, uint64_t number);

static inline uint64_t libtrace_nobody(
	uint32_t what, const char *text, const char *value, uint64_t number)
{
	(void)what;
	(void)text;
	(void)value;
	(void)number;
	return 0;
}

static libtrace_function *libtrace_found;

/* Threads that come here at once find the same. */
static inline uint64_t libtrace_tell(
	uint32_t what, const char *text, const char *value, uint64_t number)
{
	libtrace_function *function = __atomic_load_n(&libtrace_found, __ATOMIC_RELAXED);
	if (__builtin_expect(function == 0, 0)) {
		void *found = dlsym((void *)0, "libtrace_mark"); /* RTLD_DEFAULT */
		function = found != 0 ? __extension__(libtrace_function *) found : libtrace_nobody;
		if (function(LIBTRACE_HELLO, 0, 0, 0) == 0)
			function = libtrace_nobody;
		__atomic_store_n(&libtrace_found, function, __ATOMIC_RELAXED);
	}
	return function == libtrace_nobody ? 0 : function(what, text, value, number);
}

/* 1: recorded by libtrace, unless it is paused. */
static inline int libtrace_listens(void)
{
	return libtrace_tell(LIBTRACE_HELLO, 0, 0, 0) != 0;
}

static inline void libtrace_step(void)
{
	(void)libtrace_tell(LIBTRACE_STEP, 0, 0, 0);
}

static inline uint64_t libtrace_begin(const char *name)
{
	return libtrace_tell(LIBTRACE_BEGIN, name, 0, 0);
}

/* 0, and what has ended: nothing. */
static inline void libtrace_end(uint64_t range)
{
	(void)libtrace_tell(LIBTRACE_END, 0, 0, range);
}

static inline void libtrace_pause(void)
{
	(void)libtrace_tell(LIBTRACE_PAUSE, 0, 0, 0);
}

static inline void libtrace_resume(void)
{
	(void)libtrace_tell(LIBTRACE_RESUME, 0, 0, 0);
}

static inline void libtrace_metadata(const char *name, const char *value)
{
	(void)libtrace_tell(LIBTRACE_NOTE, name, value, 0);
}

#if defined(__cplusplus)
}
#endif

#endif

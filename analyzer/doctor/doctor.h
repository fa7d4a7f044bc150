/* SPDX-License-Identifier: MIT */
/*
 * What recording needs on this machine, looked at one thing at a time. A check says what it
 * found and, where something is missing, what to do about it. Nothing is loaded or
 * initialised, least of all CUDA: libraries are looked for as files, the interpreter is asked
 * for its version in a process of its own that may take five seconds.
 *
 * Every check is a row of doctor.def; not thread-safe.
 */
#ifndef ANALYZER_DOCTOR_H
#define ANALYZER_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum doctor_status {
	DOCTOR_OK,
	DOCTOR_NOTE,    /* works, but less well than it could */
	DOCTOR_MISSING, /* something is not recorded, or nothing at all */
	DOCTOR_STATUS_COUNT
};

struct doctor_finding {
	enum doctor_status status;
	char found[512];
	char advice[256]; /* "": nothing to do */
};

struct doctor_check {
	const char *name;
	const char *what; /* is recorded, or is possible, with it */
	void (*look)(struct doctor_finding *ret_finding);
};

extern const struct doctor_check doctor_checks[];
extern const size_t doctor_check_count;

#define CHECK(name, function, what) void function(struct doctor_finding *ret_finding);
#include "analyzer/doctor/doctor.def"
#undef CHECK

/* Set the outcome; found like printf, advice a fixed text. */
void doctor_set(struct doctor_finding *finding, enum doctor_status status, const char *advice,
	const char *found, ...) __attribute__((format(printf, 4, 5)));

/*
 * The file of a shared library as the loader would find it: prefix is "libcudart.so" or a whole
 * SONAME.
 * Looks at LD_LIBRARY_PATH, the loader's cache, the vendor's usual folders, and the packages of the
 * Python on PATH. Up to capacity bytes of path; false: none.
 */
bool doctor_find_library(const char *prefix, char *ret_path, size_t capacity);

/* Number of functions whose name begins with prefix that an ELF file exports; negative: -errno. */
int doctor_count_exports(const char *path, const char *prefix);

/* Folder of installed packages of the Python on PATH, "" when there is none. */
const char *doctor_python_packages(void);

#endif

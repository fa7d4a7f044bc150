/* SPDX-License-Identifier: MIT */
/*
 * What the checks of checks.def share: how they give their outcome, and the two things that several
 * of them need to know, where a library is and what the Python on PATH answers.
 *
 * Only for this folder. Not thread-safe: the interpreter is asked once and its answer kept.
 */
#ifndef ANALYZER_DOCTOR_CHECK_H
#define ANALYZER_DOCTOR_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/doctor/finding.h"

#define CHECK(name, function, what) void function(struct doctor_finding *ret_finding);
#include "analyzer/doctor/checks.def"
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

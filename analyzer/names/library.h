/* SPDX-License-Identifier: MIT */
/*
 * What the libraries that run a training loop do in their functions, and in their own words what to
 * set: whoever calls trainer.train() cannot move a line of it. The table is library.def. Pure.
 */
#ifndef ANALYZER_NAMES_LIBRARY_H
#define ANALYZER_NAMES_LIBRARY_H

/* The advice for a wait or copy there, NULL: none. path from the package's name on; no NULLs. */
const char *library_advice(const char *path, const char *function);

#endif

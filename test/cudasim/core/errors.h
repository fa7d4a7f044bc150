/* SPDX-License-Identifier: MIT */
/*
 * Names and texts of the error codes in errors.def. The two interfaces number their errors alike;
 * names differ. All functions may be called by any thread; strings are static.
 */
#ifndef CUDASIM_CORE_ERRORS_H
#define CUDASIM_CORE_ERRORS_H

/* Runtime name and text; "unrecognized error code" for a code that is not known. */
const char *error_name(int code);
const char *error_text(int code);

/* Driver name, NULL if the driver API has no such code. */
const char *error_driver_name(int code);

/* The code written as a number or as a name of either interface; -1 if there is none. */
int error_number(const char *text);

#endif

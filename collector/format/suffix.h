/* SPDX-License-Identifier: MIT */
/*
 * The ends of the names of the files that a recording leaves: NAME.msgpack.zst is the trace,
 * NAME.live beside it what a running or killed process has not yet written to it (live.h).
 * As literals, so that they can be put into formats and patterns.
 */
#ifndef COLLECTOR_FORMAT_SUFFIX_H
#define COLLECTOR_FORMAT_SUFFIX_H

#define SUFFIX_TRACE ".msgpack.zst"
#define SUFFIX_LIVE  ".live"

#endif

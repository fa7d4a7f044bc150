/* SPDX-License-Identifier: MIT */
/*
 * What other threads ask of the drain thread: to look (wake), to bring everything to the file
 * (flush), to end (stop). This is only the place where the two meet; the drain thread itself is in
 * the drain room, and whoever fills a buffer can call it from here.
 *
 * request_wake(), _flush(), _stop() and _is_drain(): any thread; the rest: the drain thread and
 * who starts it. No lock, no allocation. At most one drain thread at a time.
 */
#ifndef COLLECTOR_BUFFER_REQUEST_H
#define COLLECTOR_BUFFER_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

/* There is something to do. Never blocks; keeps errno; also in a signal handler. */
void request_wake(void);

/*
 * Wait until what is in the rings now is in the file. 0, -ETIMEDOUT, or -ENOENT: no thread. Keeps
 * errno.
 */
int request_flush(unsigned timeout_ms);

/* The drain thread is to end. */
void request_stop(void);

/* True in the drain thread. */
bool request_is_drain(void);

/* Somebody answers from now on; the calling thread is the one; nobody does any more. */
void request_open(void);
void request_serve(void);
void request_close(void);

/* Sleep until there is a request, timeout_ns at most. False: there was none. */
bool request_sleep(uint64_t timeout_ns);

bool request_stop_is_wanted(void);

/* True when a flush is asked for; *ret_number is for the answer, when it is done. */
bool request_flush_is_wanted(uint32_t *ret_number);
void request_answer_flush(uint32_t number);

/* In the child of a fork: there is no drain thread and never was. */
void request_forget(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A command line without what looks like a secret: values of names such as password, token or
 * api_key (--token=X, TOKEN=X, "--token X", "Authorization: X"), user and password of a URL, and
 * words that begin like the tokens of well-known services. What stands there instead is "***".
 *
 * A value is masked up to the end of its argument, and rather too much than too little: nobody
 * misses the value of --pad-token. Nothing can know every secret, LIBTRACE_COMMAND_LINE=0
 * leaves all arguments out. Pure function.
 */
#ifndef COLLECTOR_DRAIN_SECRET_H
#define COLLECTOR_DRAIN_SECRET_H

#include <stdbool.h>
#include <stddef.h>

/*
 * arguments: length bytes, each argument ended by a zero byte but maybe the last one; is_cut: there
 * was more. Fills *ret_text with the arguments joined by blanks, cut at size - 1 bytes, terminated.
 */
void secret_mask(const char *arguments, size_t length, bool is_cut, char *ret_text, size_t size);

#endif

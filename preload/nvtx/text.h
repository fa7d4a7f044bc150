/* SPDX-License-Identifier: MIT */
/*
 * Texts of NVTX as ids of names: narrow, wide (UTF-32 to UTF-8) and registered ones.
 *
 * Programs number their ranges ("step 812"); a name table that grows for ever would
 * crowd out the names of kernels. So after NVTX_TEXT_NAMES different texts, the digits of
 * further ones are replaced by one "#" for each number. A text is cut at NVTX_TEXT_BYTES,
 * between characters.
 *
 * Any thread; no heap, no lock; errno may change.
 */
#ifndef PRELOAD_NVTX_TEXT_H
#define PRELOAD_NVTX_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_TEXT_BYTES 1024u
#define NVTX_TEXT_NAMES 16384u

/* Id of a text's name; 0 for NULL, an empty text, or when there is no room. */
uint32_t nvtx_text_narrow(const char *text);
uint32_t nvtx_text_wide(const wchar_t *text);

/*
 * wide as UTF-8, at most size - 1 bytes and a terminator, cut between characters; what is no
 * character becomes U+FFFD. Returns the length.
 */
size_t nvtx_text_utf8(const wchar_t *wide, char *ret_text, size_t size);

/*
 * text with each number replaced by "#", terminated; at most size - 1 bytes. Returns the length.
 */
size_t nvtx_text_unnumbered(const char *text, size_t length, char *ret_text, size_t size);

/* A handle for the program that stands for a name; never NULL. And back: 0 when it is none. */
const void *nvtx_text_handle(uint32_t name);
uint32_t nvtx_text_of_handle(const void *handle);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Equal texts get equal numbers, from 1. Texts are copied and stay until the end. Not
 * thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_EXPORT_FORMS_TEXTS_H
#define ANALYZER_EXPORT_FORMS_TEXTS_H

#include <stdint.h>

#include "collector/base/vec.h"

struct texts {
	VEC(char *) items;
	uint32_t *slots;   /* numbers; 0: free */
	uint32_t capacity; /* power of two */
};

void texts_release(struct texts *texts);

/* The number of a text; 0: no memory. */
uint32_t texts_add(struct texts *texts, const char *text);

/* "" for 0. */
const char *texts_get(const struct texts *texts, uint32_t number);

#endif

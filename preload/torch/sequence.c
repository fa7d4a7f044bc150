/* SPDX-License-Identifier: MIT */
#include "preload/torch/sequence.h"

#include <stdlib.h>

#include "collector/describe.h"
#include "preload/frameworks/frameworks.h"
#include "preload/python/python.h"
#include "preload/thread/thread.h"

#define COMPARED 8   /* so often */
#define KEPT     256 /* numbers whose thread is known, to compare with */

/* Of an at::RecordFunction: the thread whose count its number is of. */
#define FORWARD_AT_1 0xf8u
#define FORWARD_AT_2 0x130u

struct sequence sequence;
static int unnumbered, unlinked; /* so often still to be compared */
static int wrong;
static uint64_t counted[KEPT]; /* number, and the thread above it */

void sequence_begin(const char *version)
{
	if (frameworks.torch_sequence == NULL || frameworks.torch_thread == NULL)
		return;
	unnumbered = unlinked = COMPARED;
	sequence.forward_at = strtoul(version, NULL, 10) < 2 ? FORWARD_AT_1 : FORWARD_AT_2;
	__atomic_store_n(&sequence.unproved, true, __ATOMIC_RELEASE);
}

static uint32_t thread_of(struct operators *own)
{
	if (own->thread == 0)
		own->thread = (uint32_t)frameworks.torch_thread();
	return own->thread;
}

static void refuse(void)
{
	sequence.numbered = sequence.linked = sequence.unproved = false;
	collector_source("torch", "active",
		"functions of the backward pass are not linked with operators: their numbers are "
		"not where they are expected");
}

/* All numbers are 0 in front of the first function: what is always 0 proves nothing. */
static void prove_operator(int64_t number, struct operators *own)
{
	uint64_t both = (uint64_t)thread_of(own) << 32 | (uint32_t)number;
	if ((uint64_t)number != frameworks.torch_sequence()) {
		refuse();
		return;
	}
	__atomic_store_n(&counted[number % KEPT], both, __ATOMIC_RELAXED);
	if (number > 0 && __atomic_sub_fetch(&unnumbered, 1, __ATOMIC_RELAXED) == 0)
		sequence.numbered = true;
}

static void prove_function(const void *record, int64_t number)
{
	uint64_t thread =
		*(const uint64_t *)(const void *)((const char *)record + sequence.forward_at);
	uint64_t both = __atomic_load_n(&counted[number % KEPT], __ATOMIC_RELAXED);
	if ((uint32_t)both != (uint32_t)number || both == 0)
		return;
	/* another thread may have counted as far meanwhile: that is not the layout's fault */
	if (thread != both >> 32 && __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED) == COMPARED)
		refuse();
	else if (thread != both >> 32)
		return;
	else if (__atomic_sub_fetch(&unlinked, 1, __ATOMIC_RELAXED) == 0)
		sequence.linked = true;
}

void sequence_prove(const void *record, unsigned scope, int64_t number, struct operators *own)
{
	if (scope == OP_FUNCTION)
		prove_operator(number, own);
	else if (scope == OP_BACKWARD_FUNCTION)
		prove_function(record, number);
	if (sequence.numbered && sequence.linked)
		sequence.unproved = false;
}

/* Inside of another one that is numbered, which the same line calls. */
static bool is_inner(const struct operators *own)
{
	const struct operator_open *around = &own->open[(own->top - 2) % OPERATORS_OPEN];
	return own->top - own->bottom >= 2 && around->key != NULL && around->forward != 0 &&
	       around->scope == OP_FUNCTION;
}

void sequence_note(int64_t number, struct operators *own, struct operator_open *open)
{
	open->sequence = (uint32_t)number;
	open->forward = thread_of(own);
	if (!is_inner(own))
		thread_state.place = 0;
}

/* What it called has the line already, as a rule: looking for it is the dearest part. */
void sequence_end(struct operator_open *ended)
{
	if ((uint32_t)frameworks.torch_sequence() == ended->sequence)
		return;
	if (thread_state.place == 0)
		thread_state.place = python_place();
	ended->line = thread_state.place;
}

/* SPDX-License-Identifier: MIT */
/*
 * Which layout tensors have (tensor.h): each that is known is compared with what PyTorch says of
 * the first operators' inputs, until one was right so often that it is believed. What is read
 * meanwhile the kernel has checked.
 *
 * Any thread, with the guard; one at a time does it, others learn nothing.
 */
#ifndef PRELOAD_PROOF_H
#define PRELOAD_PROOF_H

#include "preload/shapes/tensor.h"

#define PROOF_COMPARED 8 /* operators with a tensor that has dimensions */

enum proof_state {
	PROOF_NONE, /* nothing is known yet */
	PROOF_RIGHT,
	PROOF_WRONG /* and will not be */
};

extern enum proof_state proof_state __attribute__((visibility("hidden")));

/* The text of PyTorch's version. NULL, or why nothing can be proved. */
const char *proof_begin(const char *version);

/*
 * An operator begins. The layout by which its inputs are what PyTorch says, NULL: none, or nothing
 * could be compared. Lists are not compared.
 */
const struct tensor_layout *proof_compare(const void *record);

/* Whether the input at index, of this tag, is a list: as PyTorch says, the first few times. */
bool proof_is_list(const void *record, size_t index, uint32_t tag);

/* Types were as they are expected each time. */
bool proof_types(void);

#endif

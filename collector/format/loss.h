/* SPDX-License-Identifier: MIT */
/*
 * The cause of a loss (loss.def) as a number, and the text that stands for it in the file
 * ("cause" of a lost map, FORMAT.md). A text that this release does not know is LOSS_OTHER: who
 * shows it takes the text as it came. Pure functions, any thread.
 */
#ifndef COLLECTOR_FORMAT_LOSS_H
#define COLLECTOR_FORMAT_LOSS_H

enum loss_cause {
#define LOSS(name, text) LOSS_##name,
#include "collector/format/loss.def"
#undef LOSS
	LOSS_CAUSE_COUNT,
	LOSS_OTHER = LOSS_CAUSE_COUNT
};

/* Text of a cause as in the file; NULL for LOSS_OTHER. */
const char *loss_text(enum loss_cause cause);

/* Cause of a text, LOSS_OTHER if unknown or NULL. */
enum loss_cause loss_cause_of(const char *text);

#endif

/* SPDX-License-Identifier: MIT */
#include "collector/format/loss.h"

#include <stddef.h>
#include <string.h>

static const char *const texts[LOSS_CAUSE_COUNT] = {
#define LOSS(name, text) [LOSS_##name] = (text),
#include "collector/format/loss.def"
#undef LOSS
};

const char *loss_text(enum loss_cause cause)
{
	return cause < LOSS_CAUSE_COUNT ? texts[cause] : NULL;
}

enum loss_cause loss_cause_of(const char *text)
{
	unsigned cause = 0;
	while (cause < LOSS_CAUSE_COUNT && (text == NULL || strcmp(text, texts[cause]) != 0))
		cause++;
	return (enum loss_cause)cause;
}

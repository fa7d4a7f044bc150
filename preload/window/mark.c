/* SPDX-License-Identifier: MIT */
#include "preload/window/mark.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool begins(const char *text, size_t length, const char *with)
{
	size_t wanted = strlen(with);
	return length >= wanted && memcmp(text, with, wanted) == 0;
}

enum pause_kind mark_of_operator(const char *text, size_t length)
{
	static const struct {
		const char *begin;
		enum pause_kind kind;
	} names[] = {{"Optimizer.step#", PAUSE_OPTIMIZERS}, {"enumerate(DataLoader)#", PAUSE_LOADS},
		{"enumerate(DataPipe)#", PAUSE_LOADS}, {"ProfilerStep#", PAUSE_MARKS},
		{"ProfileStep#", PAUSE_MARKS}};
	for (size_t i = 0; text != NULL && i < sizeof(names) / sizeof(names[0]); i++)
		if (begins(text, length, names[i].begin))
			return names[i].kind;
	return PAUSE_KINDS;
}

static bool is_digit(char letter)
{
	return letter >= '0' && letter <= '9';
}

/* What follows "step" or "iter" may be nothing, or a number of the step in some form. */
static bool ends_like_step(const char *rest, size_t length)
{
	if (length == 0 || is_digit(rest[0]))
		return true;
	bool numbered = is_digit(rest[length - 1]) || rest[length - 1] == '#';
	return strchr(" _:#", rest[0]) != NULL && length > 1 && numbered;
}

static bool ends_like_iter(const char *rest, size_t length)
{
	return length == 0 || is_digit(rest[0]) || strchr(" _:#", rest[0]) != NULL;
}

enum pause_kind mark_of_range(const char *text, size_t length)
{
	static const char *const names[] = {
		"iteration", "train_step", "training_step", "train_iter"};
	char lower[16];
	if (text == NULL || length == 0)
		return PAUSE_KINDS;
	size_t kept = length < sizeof(lower) ? length : sizeof(lower);
	memcpy(lower, text, kept);
	lower[0] = (char)tolower((unsigned char)lower[0]);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (begins(lower, kept, names[i]))
			return PAUSE_MARKS;
	if ((begins(lower, kept, "step") && ends_like_step(text + 4, length - 4)) ||
		(begins(lower, kept, "iter") && ends_like_iter(text + 4, length - 4)))
		return PAUSE_MARKS;
	enum pause_kind kind = mark_of_operator(text, length);
	return kind == PAUSE_MARKS ? kind : PAUSE_KINDS;
}

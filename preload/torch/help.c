/* SPDX-License-Identifier: MIT */
#include "preload/torch/help.h"

#include <string.h>

#include "collector/collector.h"
#include "preload/window/window.h"

bool help_is_all;
static uint32_t works; /* operators have been recorded */

bool help_ends(unsigned scope, const char *text)
{
	bool trains = scope == OP_USER_SCOPE && text != NULL &&
		      mark_of_operator(text, strlen(text)) != PAUSE_KINDS;
	if (scope == OP_USER_SCOPE && !trains)
		return false;
	__atomic_store_n(&works, 1, __ATOMIC_SEQ_CST);
	if (callbacks_are_off(CALLBACKS_HELP))
		callbacks_switch(CALLBACKS_HELP, false);
	if (trains)
		help_is_all = false;
	return trains;
}

void help_spare(void)
{
	if (!help_is_all || __atomic_load_n(&works, __ATOMIC_SEQ_CST) != 0)
		return;
	callbacks_switch(CALLBACKS_HELP, true);
	/* meanwhile */
	if (__atomic_load_n(&works, __ATOMIC_SEQ_CST) != 0)
		callbacks_switch(CALLBACKS_HELP, false);
}

void help_after_fork(void)
{
	callbacks_after_fork();
	help_is_all = collector_helps();
	works = 0;
}

/* SPDX-License-Identifier: MIT */
#include "preload/process/process.h"

#include <unistd.h>

int process_tracking = 1;

static struct process_role own_role = {.rank = -1};
static pid_t own_pid;
static bool ready;

void process_begin(void)
{
	own_pid = getpid();
}

void process_set_ready(const struct process_role *role)
{
	own_role = *role;
	__atomic_store_n(&ready, true, __ATOMIC_RELEASE);
}

bool process_is_ready(void)
{
	return __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
}

bool process_is_own(void)
{
	return getpid() == own_pid;
}

const struct process_role *process_role(void)
{
	return &own_role;
}

void process_after_fork(void)
{
	own_pid = getpid();
	own_role.is_child = true;
}

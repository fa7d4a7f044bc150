/* SPDX-License-Identifier: MIT */
#include "preload/process/process.h"

#include "collector/own/descriptor.h"
#include "collector/own/sandbox.h"

#include <sys/resource.h>
#include <unistd.h>

uint32_t process_passed_by;

static struct process_role own_role = {.rank = -1, .asked_at = -1};
static pid_t own_pid;
static long children_before;
static bool ready;

/* Grows with every child that is waited for; an exec leaves it as it is. */
static long children(void)
{
	struct rusage usage;
	return getrusage(RUSAGE_CHILDREN, &usage) == 0 ? usage.ru_minflt : 0;
}

void process_begin(void)
{
	own_pid = getpid();
}

bool process_is_permitted(void)
{
	if (!sandbox_permits())
		return false;
	children_before = children();
	return true;
}

void process_set_ready(const struct process_role *role)
{
	own_role = *role;
	__atomic_store_n(&ready, true, __ATOMIC_RELEASE);
}

bool process_had_children(void)
{
	return children() != children_before;
}

bool process_is_ready(void)
{
	return __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
}

void process_seal(void)
{
	__atomic_store_n(&ready, false, __ATOMIC_RELEASE);
	process_tracking = 0;
}

/* A child that no handler of fork() heard of may have forbidden itself to ask. */
bool process_is_own(void)
{
	return wiped.own != 0 && getpid() == own_pid;
}

const struct process_role *process_role(void)
{
	return &own_role;
}

void process_begins_as_child(void)
{
	descriptor_forget();
}

void process_after_fork(void)
{
	own_pid = getpid();
	own_role.is_child = true;
	process_tracking = 1; /* else no handler would have been there */
}

/* SPDX-License-Identifier: MIT */
#include "preload/torch/modules.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/describe.h"
#include "preload/frameworks/frameworks.h"
#include "preload/python/interpreter.h"
#include "preload/torch/call.h"

#define MODULE "torch.nn.modules.module"

enum state {
	STATE_UNKNOWN,
	STATE_FOUND, /* there is an interpreter that can be asked */
	STATE_ASKED,
	STATE_OVER /* active, or refused */
};

static int state;
static bool enabled;

static void set_state(enum state next)
{
	__atomic_store_n(&state, next, __ATOMIC_RELEASE);
}

static void refuse(const char *reason)
{
	set_state(STATE_OVER);
	collector_source("modules", "failed", reason);
}

/* torch.nn's class, which the program may be about to define; NULL: not there. To be dropped. */
static void *find_class(void)
{
	void *loaded = frameworks.python_modules();
	void *module = loaded == NULL ? NULL : frameworks.python_item(loaded, MODULE);
	return module == NULL ? NULL : frameworks.python_attribute(module, "Module");
}

/* By the main thread, between two instructions of its Python code. */
static int install(void *unused)
{
	int saved = errno;
	(void)unused;
	void *class = interpreter_is_alive() ? find_class() : NULL;
	void *function = class == NULL ? NULL : frameworks.python_attribute(class, "__call__");
	if (function == NULL) {
		set_state(STATE_FOUND);
	} else {
		const char *reason = module_call_take(function);
		if (reason != NULL)
			refuse(reason);
		else
			collector_source("modules", "active", NULL);
		set_state(STATE_OVER);
	}
	if (frameworks.python_error() != NULL)
		frameworks.python_clear_error();
	if (class != NULL)
		frameworks.python_drop(class);
	errno = saved;
	return 0;
}

static bool has_symbols(void)
{
	const struct frameworks *found = &frameworks;
	return found->python_initialized != NULL && found->python_add_pending != NULL &&
	       found->python_modules != NULL && found->python_attribute != NULL &&
	       found->python_item != NULL && found->python_text != NULL &&
	       found->python_error != NULL && found->python_clear_error != NULL &&
	       found->python_keep != NULL && found->python_drop != NULL &&
	       found->python_function_type != NULL && found->python_vectorcall != NULL &&
	       found->python_interned != NULL && found->python_get != NULL &&
	       found->python_entry != NULL && found->python_next != NULL;
}

void modules_attach(void)
{
	if (!enabled || __atomic_load_n(&state, __ATOMIC_ACQUIRE) != STATE_UNKNOWN)
		return;
	uint32_t version = interpreter_find() >> 16;
	if (version == 0) {
		refuse("no interpreter in this process");
	} else if (version < 0x0308 || version > 0x030e) {
		refuse("this version of Python is not supported");
	} else if (interpreter_is_free_threaded()) {
		refuse("free-threaded builds are not supported");
	} else if (!has_symbols()) {
		refuse("the interpreter lacks functions that this needs");
	} else {
		collector_source("modules", "absent", "torch.nn was not loaded");
		set_state(STATE_FOUND);
	}
}

void modules_look(void)
{
	int found = STATE_FOUND;
	if (__atomic_load_n(&state, __ATOMIC_RELAXED) != STATE_FOUND || !interpreter_is_alive() ||
		(syscall(SYS_gettid) != getpid() && frameworks.python_this_thread() == NULL) ||
		!__atomic_compare_exchange_n(
			&state, &found, STATE_ASKED, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	if (frameworks.python_add_pending(install, NULL) != 0)
		set_state(STATE_FOUND);
}

void modules_after_fork(void)
{
	module_call_forget();
}

void modules_enable(bool on)
{
	enabled = on;
}

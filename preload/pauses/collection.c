/* SPDX-License-Identifier: MIT */
#include "preload/pauses/collection.h"

#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/format/fields.h"
#include "preload/frameworks/frameworks.h"
#include "preload/python/interpreter.h"
#include "preload/python/python.h"
#include "preload/thread/guard.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FAST_CALL 0x80 /* METH_FASTCALL: an array of arguments and its length */
#define CAPSULE   "libtrace.gc"

enum state {
	STATE_UNKNOWN,
	STATE_FOUND, /* there is an interpreter that can be asked */
	STATE_ASKED,
	STATE_ACTIVE,
	STATE_OVER /* refused, or removed by the program */
};

/* PyMethodDef */
struct method {
	const char *name;
	void *(*function)(void *self, void *const *arguments, ssize_t count);
	int flags;
	const char *text;
};

static int state;
static bool enabled = true;
/* Of the collection that is under way on the thread; 0: none. */
static __thread uint64_t begin __attribute__((tls_model("initial-exec")));

static void set_state(enum state next)
{
	__atomic_store_n(&state, next, __ATOMIC_RELEASE);
}

static bool change_state(int from, enum state to)
{
	return __atomic_compare_exchange_n(
		&state, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void tell_absent(const char *reason)
{
	collector_source("gc", "absent", reason);
}

static void refuse(const char *reason)
{
	set_state(STATE_OVER);
	collector_source("gc", "failed", reason);
}

/* An entry of the dict that the interpreter hands over; 0 when it is not there. */
static uint64_t number_of(void *info, const char *key)
{
	void *value = frameworks.python_item(info, key);
	int64_t number = value == NULL ? 0 : frameworks.python_number(value);
	return number < 0 ? 0 : (uint64_t)number;
}

static void emit(uint64_t end, void *info)
{
	uint64_t generation = number_of(info, "generation");
	uint64_t collected = number_of(info, "collected");
	uint32_t place = python_place();
	struct record *record = collector_reserve();
	if (record == NULL)
		return;
	*record = (struct record){
		.begin = begin,
		.end = end,
		.kind = RECORD_COLLECTION,
		.place = place,
		.a = record_bits_COLLECTION_collected(collected),
		.c = record_bits_COLLECTION_generation(generation),
	};
	collector_commit();
}

/* The program may call it too, with anything. */
static void take_notice(void *const *arguments, ssize_t count)
{
	uint64_t now = clock_ticks();
	const char *phase = count == 2 ? frameworks.python_text(arguments[0]) : NULL;
	if (phase == NULL)
		return;
	if (strcmp(phase, "start") == 0) {
		begin = clock_ticks();
		return;
	}
	if (begin != 0 && collector_enabled != 0 && collector_is_running() && guard_enter()) {
		emit(now, arguments[1]);
		guard_leave();
	}
	begin = 0;
}

static void *on_collection(void *self, void *const *arguments, ssize_t count)
{
	int saved = errno;
	(void)self;
	take_notice(arguments, count);
	if (frameworks.python_error() != NULL)
		frameworks.python_clear_error();
	frameworks.python_keep(frameworks.python_none);
	errno = saved;
	return frameworks.python_none;
}

/* Nothing refers to our function any more: the end of the interpreter, or the program's wish. */
static void on_removal(void *capsule)
{
	int saved = errno;
	(void)capsule;
	if (interpreter_is_alive() && change_state(STATE_ACTIVE, STATE_OVER))
		tell_absent("the program has emptied gc.callbacks");
	errno = saved;
}

static bool is_main_interpreter(void)
{
	void *(*own)(void) = frameworks.python_own_interpreter != NULL
				     ? frameworks.python_own_interpreter
				     : frameworks.python_own_interpreter_old;
	return own == NULL || own() == frameworks.python_main_interpreter();
}

/* With the interpreter's lock, where any Python code may run: what is called here may do so. */
static bool add(void)
{
	static struct method method = {
		"libtrace", on_collection, FAST_CALL, "Records when collections begin and end."};
	void *module = frameworks.python_import("gc");
	void *callbacks = module == NULL ? NULL : frameworks.python_attribute(module, "callbacks");
	void *capsule = frameworks.python_capsule(&method, CAPSULE, on_removal);
	void *function =
		capsule == NULL ? NULL : frameworks.python_function(&method, capsule, NULL);
	bool added = callbacks != NULL && function != NULL &&
		     frameworks.python_append(callbacks, function) == 0;
	void *const made[] = {function, capsule, callbacks, module};
	for (unsigned i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		if (made[i] != NULL)
			frameworks.python_drop(made[i]);
	if (frameworks.python_error() != NULL)
		frameworks.python_clear_error();
	return added;
}

/* By the main thread, between two instructions of its Python code. */
static int install(void *unused)
{
	int saved = errno;
	(void)unused;
	if (!interpreter_is_alive() || !is_main_interpreter()) {
		(void)change_state(STATE_ASKED, STATE_FOUND);
	} else if (!add()) {
		refuse("gc.callbacks takes no function");
	} else {
		set_state(STATE_ACTIVE);
		collector_source("gc", "active", NULL);
	}
	errno = saved;
	return 0;
}

/* A thread of Python's own, which the interpreter waits for or stops before it ends. */
static bool is_python_thread(void)
{
	return syscall(SYS_gettid) == getpid() || frameworks.python_this_thread() != NULL;
}

void collection_thread_begins(void)
{
	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != STATE_FOUND || !interpreter_is_alive() ||
		!is_python_thread() || !change_state(STATE_FOUND, STATE_ASKED))
		return;
	tell_absent("the main thread has run no Python code since it was asked");
	if (frameworks.python_add_pending(install, NULL) != 0)
		set_state(STATE_FOUND);
}

static bool has_symbols(void)
{
	const struct frameworks *found = &frameworks;
	return found->python_initialized != NULL && found->python_add_pending != NULL &&
	       found->python_main_interpreter != NULL && found->python_import != NULL &&
	       found->python_attribute != NULL && found->python_capsule != NULL &&
	       found->python_function != NULL && found->python_append != NULL &&
	       found->python_item != NULL && found->python_number != NULL &&
	       found->python_text != NULL && found->python_error != NULL &&
	       found->python_clear_error != NULL && found->python_keep != NULL &&
	       found->python_drop != NULL && found->python_none != NULL;
}

static void attach(void)
{
	uint32_t version = interpreter_find() >> 16;
	if (version == 0) {
		tell_absent("no interpreter in this process");
	} else if (version < 0x0308 || version > 0x030e) {
		refuse("this version of Python is not supported");
	} else if (interpreter_is_free_threaded()) {
		refuse("free-threaded builds are not supported");
	} else if (!has_symbols()) {
		refuse("the interpreter lacks functions of its public interface");
	} else {
		tell_absent("no thread of Python's has recorded anything");
		set_state(STATE_FOUND);
		if (collector_thread.ring != NULL)
			collection_thread_begins();
	}
}

void collection_attach(void)
{
	static struct frameworks_search search;
	if (enabled && __atomic_load_n(&state, __ATOMIC_ACQUIRE) == STATE_UNKNOWN)
		frameworks_search(&search, attach);
}

void collection_after_fork(void)
{
	begin = 0;
}

void collection_enable(bool on)
{
	enabled = on;
}

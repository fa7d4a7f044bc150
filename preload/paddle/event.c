/* SPDX-License-Identifier: MIT */
#include "preload/paddle/event.h"

#include <errno.h>

#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/format/value.h"
#include "preload/operators/operators.h"
#include "preload/paddle/real.h"
#include "preload/paddle/step.h"
#include "preload/python/python.h"
#include "preload/thread/guard.h"
#include "preload/thread/thread.h"

/* phi::TracerEventType, the same from 2.5 to 3.3. */
enum event_type {
	TYPE_DATALOADER = 1,
	TYPE_PROFILE_STEP,
	TYPE_USER = 7,
	TYPE_FORWARD = 9,
	TYPE_OPTIMIZATION = 11
};

int event_recording;

void event_forget(void)
{
	operators_forget();
	step_forget();
}

/* Of the script, or of Paddle's Python code for it, whose texts are no literals. */
static bool is_of_script(int type)
{
	return type == TYPE_DATALOADER || type == TYPE_PROFILE_STEP || type == TYPE_USER ||
	       type == TYPE_FORWARD || type == TYPE_OPTIMIZATION;
}

static void begin(const void *event, const char *text, enum op_scope scope, bool placed)
{
	struct operators *own = operators_of_caller();
	struct operator_name spare;
	if (own == NULL)
		return;
	if (own->top == own->bottom && text != NULL)
		step_look(event, text);
	const struct operator_name *name = operator_name(&own->names, text, &spare);
	struct operator_open *open = operators_push(own, event);
	open->name = name->id;
	open->scope = (uint8_t)scope;
	open->framework = OP_PADDLE;
	open->place = placed ? python_place() : 0;
	open->begin = clock_ticks();
}

static inline void enter(const void *event, const char *text, enum op_scope scope)
{
	if (event_recording == 0 || collector_enabled == 0 || !guard_enter())
		return;
	begin(event, text, scope, scope == OP_USER_SCOPE);
	guard_leave();
}

/* An event may end twice: by a call, and by its destructor. */
static inline void leave(const void *event)
{
	struct operators *own = operators_own;
	struct operator_open open;
	if (own == NULL || own->top == own->bottom)
		return;
	uint64_t end = clock_ticks();
	if (operators_pop(own, event, &open) && event_recording != 0 && guard_enter()) {
		operators_emit(&open, end);
		step_ended(event, end);
		guard_leave();
	}
}

void event_read_begins(const void *key, const char *name)
{
	int saved = errno;
	if (event_recording != 0 && collector_enabled != 0 && guard_enter()) {
		begin(key, name, OP_FUNCTION, true);
		guard_leave();
	}
	errno = saved;
}

void event_read_ended(const void *key)
{
	int saved = errno;
	leave(key);
	errno = saved;
}

/* The thread waits for the next batch: whoever does that trains. */
static uint64_t read_begins(void)
{
	if (event_recording != 0 && collector_enabled != 0 && guard_enter()) {
		thread_trains();
		step_close();
		guard_leave();
	}
	return clock_ticks();
}

static void read_ended(uint64_t begin_ticks)
{
	static const char name[] = "ReadNextList";
	struct operator_open wait = {
		.begin = begin_ticks, .scope = OP_USER_SCOPE, .framework = OP_PADDLE};
	uint64_t end = clock_ticks();
	if (event_recording == 0 || collector_enabled == 0 || !guard_enter())
		return;
	wait.name = collector_name(name, sizeof(name) - 1);
	wait.place = python_place();
	operators_emit(&wait, end);
	guard_leave();
}

/* The beginning of a std::string of the C++11 ABI: its text, which is terminated. */
struct text {
	const char *text;
};

/*
 * A class that is returned has its address in the first register; what the real function throws
 * passes through us.
 */
#define EXPORTED __attribute__((visibility("default")))
#define CALLER   __builtin_return_address(0)
#define EVENT(id, symbol)                                                                          \
	EXPORTED void symbol(void *, const char *, int, unsigned, int);                            \
	void symbol(void *event, const char *text, int type, unsigned level, int role)             \
	{                                                                                          \
		void (*real)(void *, const char *, int, unsigned, int) =                           \
			paddle_next(PADDLE_##id, CALLER);                                          \
		real(event, text, type, level, role);                                              \
		enter(event, text, OP_FUNCTION);                                                   \
	}
#define EVENT_TEXT(id, symbol)                                                                     \
	EXPORTED void symbol(void *, const struct text *, int, unsigned, int);                     \
	void symbol(void *event, const struct text *text, int type, unsigned level, int role)      \
	{                                                                                          \
		void (*real)(void *, const struct text *, int, unsigned, int) =                    \
			paddle_next(PADDLE_##id, CALLER);                                          \
		real(event, text, type, level, role);                                              \
		enter(event, text->text, is_of_script(type) ? OP_USER_SCOPE : OP_FUNCTION);        \
	}
#define EVENT_TEXTS(id, symbol)                                                                    \
	EXPORTED void symbol(                                                                      \
		void *, const struct text *, const struct text *, int, unsigned, int);             \
	void symbol(void *event, const struct text *text, const struct text *more, int type,       \
		unsigned level, int role)                                                          \
	{                                                                                          \
		void (*real)(void *, const struct text *, const struct text *, int, unsigned,      \
			int) = paddle_next(PADDLE_##id, CALLER);                                   \
		real(event, text, more, type, level, role);                                        \
		enter(event, text->text, is_of_script(type) ? OP_USER_SCOPE : OP_FUNCTION);        \
	}
#define END(id, symbol)                                                                            \
	EXPORTED void symbol(void *);                                                              \
	void symbol(void *event)                                                                   \
	{                                                                                          \
		void (*real)(void *) = paddle_next(PADDLE_##id, CALLER);                           \
		leave(event);                                                                      \
		real(event);                                                                       \
	}
#define READ(id, symbol)                                                                           \
	EXPORTED void *symbol(void *, void *);                                                     \
	void *symbol(void *ret_list, void *reader)                                                 \
	{                                                                                          \
		void *(*real)(void *, void *) = paddle_next(PADDLE_##id, CALLER);                  \
		uint64_t begun = read_begins();                                                    \
		void *result = real(ret_list, reader);                                             \
		read_ended(begun);                                                                 \
		return result;                                                                     \
	}
#define INTERPOSED(id, form, symbol) form(id, symbol)
#include "preload/paddle/interposed.def"
#undef INTERPOSED

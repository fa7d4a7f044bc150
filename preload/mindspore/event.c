/* SPDX-License-Identifier: MIT */
#include "preload/mindspore/event.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "collector/describe.h"
#include "collector/format/value.h"
#include "preload/mindspore/graph.h"
#include "preload/mindspore/pipeline.h"
#include "preload/operators/operators.h"
#include "preload/python/python.h"
#include "preload/thread/guard.h"
#include "preload/thread/peek.h"
#include "preload/thread/thread.h"

#define CHECK_COUNT 32 /* names that are read through the kernel before they are trusted */

/* mindspore::runtime::ProfilerEvent, as 2.7 to 2.10 number it: what says much of an operator. */
enum stage {
	STAGE_KERNEL = 4,
	STAGE_OPERATOR = 28, /* called by the script */
	STAGE_LAUNCH = 32,   /* on a thread of the framework's own */
	STAGE_WAIT = 34      /* for a queue between such threads */
};

struct forward mindspore_functions[MINDSPORE_COUNT + 1] = {
#define INTERPOSED(id, form, symbol) [MINDSPORE_##id] = {#symbol, NULL},
#include "preload/mindspore/interposed.def"
#undef INTERPOSED
};

static const char loader[] = "GetNext", reader[] = "Tensor.asnumpy", gradients[] = "backward";

static void (*refuse)(const char *reason);
static int recording;
static int unchecked = CHECK_COUNT;

void mindspore_record(void (*refused)(const char *reason))
{
	refuse = refused;
	__atomic_store_n(&recording, 1, __ATOMIC_RELEASE);
}

/* The beginning of a std::string of the old ABI: its text, which is terminated. */
struct text {
	const char *text;
};

/* A layout that is not what it was shows in the first ones. */
static bool check(const struct text *name)
{
	struct text copy;
	char text[8];
	bool sound = peek(name, &copy, sizeof(copy)) && peek_text(copy.text, text, sizeof(text)) &&
		     (text[0] == '\0' || (unsigned char)text[0] >= ' '); /* some have none */
	if (sound)
		(void)__atomic_fetch_sub(&unchecked, 1, __ATOMIC_RELAXED);
	else if (__atomic_exchange_n(&recording, 0, __ATOMIC_ACQ_REL) != 0)
		refuse("names of operators are not where they are expected");
	return sound;
}

static void begin(const void *object, int stage, const struct text *name)
{
	char text[OPERATOR_TEXT_BYTES];
	struct operator_name spare;
	struct operators *own = operators_of_caller();
	if (own == NULL || (__builtin_expect(unchecked > 0, 0) && !check(name)))
		return;
	const char *shown = name->text;
	if (stage == STAGE_WAIT) {
		(void)snprintf(text, sizeof(text), "wait for %.90s", name->text);
		shown = text;
	} else if (stage != STAGE_OPERATOR) {
		(void)snprintf(text, sizeof(text), "%.90s kernel", name->text);
		shown = text;
	}
	struct operator_open *open = operators_push(own, object);
	open->name = operator_name(&own->names, shown, &spare)->id;
	open->scope = OP_FUNCTION;
	open->framework = OP_MINDSPORE;
	open->place = 0;
	open->begin = clock_ticks();
}

static bool is_shown(int stage)
{
	return stage == STAGE_OPERATOR || stage == STAGE_LAUNCH || stage == STAGE_WAIT ||
	       stage == STAGE_KERNEL;
}

static void stage_begins(const void *object, int stage, const struct text *name)
{
	int saved = errno;
	if (recording != 0 && collector_enabled != 0 && is_shown(stage) && guard_enter()) {
		begin(object, stage, name);
		guard_leave();
	}
	errno = saved;
}

static void stage_ends(const void *object)
{
	int saved = errno;
	struct operators *own = operators_own;
	struct operator_open open;
	if (own == NULL || own->top == own->bottom)
		return;
	uint64_t end = clock_ticks();
	if (operators_pop(own, object, &open) && recording != 0 && guard_enter()) {
		operators_emit(&open, end);
		guard_leave();
	}
	errno = saved;
}

/* Whoever asks for a batch trains. */
static void emit(const char *name, size_t length, enum op_scope scope, uint64_t begun)
{
	int saved = errno;
	struct operator_open open = {
		.begin = begun, .scope = (uint8_t)scope, .framework = OP_MINDSPORE};
	uint64_t end = clock_ticks();
	if (recording != 0 && collector_enabled != 0 && guard_enter()) {
		open.name = collector_name(name, length);
		open.place = python_place();
		if (scope == OP_USER_SCOPE)
			thread_trains();
		if (name != reader) /* of which an optimiser may be one */
			graph_worked();
		operators_emit(&open, end);
		guard_leave();
	}
	errno = saved;
}

/* phase: a str that says which graph; the interpreter's lock is held. */
static void graph_ends(void *phase, uint64_t begun)
{
	int saved = errno;
	uint64_t end = clock_ticks();
	if (recording != 0 && collector_enabled != 0 && guard_enter()) {
		graph_ran(phase, begun, end);
		guard_leave();
	}
	errno = saved;
}

/* std::vector and std::unordered_map: nothing in them is the end of the data. */
struct list {
	const void *begin, *end;
};
struct map {
	const void *buckets;
	size_t bucket_count;
	const void *first;
	size_t count;
};

/* What the real function throws passes through us. */
#define EXPORTED __attribute__((visibility("default")))
#define CALLER   __builtin_return_address(0)
#define STAGE(id, symbol)                                                                          \
	EXPORTED void symbol(void *, int, int, const struct text *, bool, bool, uint64_t);         \
	void symbol(void *object, int module, int stage, const struct text *name, bool inner,      \
		bool stack, uint64_t flow)                                                         \
	{                                                                                          \
		void (*real)(void *, int, int, const struct text *, bool, bool, uint64_t) =        \
			forward_next(&mindspore_functions[MINDSPORE_##id], CALLER);                \
		real(object, module, stage, name, inner, stack, flow);                             \
		stage_begins(object, stage, name);                                                 \
	}
#define STAGE_END(id, symbol)                                                                      \
	EXPORTED void symbol(void *);                                                              \
	void symbol(void *object)                                                                  \
	{                                                                                          \
		void (*real)(void *) = forward_next(&mindspore_functions[MINDSPORE_##id], CALLER); \
		stage_ends(object);                                                                \
		real(object);                                                                      \
	}
#define NEXT(id, symbol, type, is_end)                                                             \
	EXPORTED void *symbol(void *, void *, struct type *);                                      \
	void *symbol(void *ret_status, void *consumer, struct type *ret_batch)                     \
	{                                                                                          \
		void *(*real)(void *, void *, struct type *) =                                     \
			forward_next(&mindspore_functions[MINDSPORE_##id], CALLER);                \
		uint64_t begun = clock_ticks();                                                    \
		void *result = real(ret_status, consumer, ret_batch);                              \
		if (!(is_end))                                                                     \
			emit(loader, sizeof(loader) - 1, OP_USER_SCOPE, begun);                    \
		pipeline_tell();                                                                   \
		return result;                                                                     \
	}
#define NEXT_LIST(id, symbol) NEXT(id, symbol, list, ret_batch->begin == ret_batch->end)
#define NEXT_MAP(id, symbol)  NEXT(id, symbol, map, ret_batch->count == 0)
#define READ(id, symbol)                                                                           \
	EXPORTED void *symbol(void *, void *);                                                     \
	void *symbol(void *ret_values, void *tensor)                                               \
	{                                                                                          \
		void *(*real)(void *, void *) =                                                    \
			forward_next(&mindspore_functions[MINDSPORE_##id], CALLER);                \
		uint64_t begun = clock_ticks();                                                    \
		void *result = real(ret_values, tensor);                                           \
		emit(reader, sizeof(reader) - 1, OP_FUNCTION, begun);                              \
		return result;                                                                     \
	}
#define GRAPH(id, symbol)                                                                          \
	EXPORTED void *symbol(void *, void *, void *, void **);                                    \
	void *symbol(void *ret_results, void *executor, void *arguments, void **phase)             \
	{                                                                                          \
		void *(*real)(void *, void *, void *, void **) =                                   \
			forward_next(&mindspore_functions[MINDSPORE_##id], CALLER);                \
		uint64_t begun = clock_ticks();                                                    \
		void *result = real(ret_results, executor, arguments, phase);                      \
		graph_ends(*phase, begun);                                                         \
		return result;                                                                     \
	}
#define BACKWARD(id, symbol)                                                                       \
	EXPORTED void *symbol(void *, const void *, const void *, const void *, const void *,      \
		const void *, const void *, const void *);                                         \
	void *symbol(void *ret_gradients, const void *executor, const void *operation,             \
		const void *object, const void *weights, const void *position, const void *more,   \
		const void *arguments)                                                             \
	{                                                                                          \
		void *(*real)(void *, const void *, const void *, const void *, const void *,      \
			const void *, const void *, const void *) =                                \
			forward_next(&mindspore_functions[MINDSPORE_##id], CALLER);                \
		uint64_t begun = clock_ticks();                                                    \
		void *result = real(ret_gradients, executor, operation, object, weights, position, \
			more, arguments);                                                          \
		emit(gradients, sizeof(gradients) - 1, OP_FUNCTION, begun);                        \
		return result;                                                                     \
	}
#define QUEUE(id, symbol)                                                                          \
	EXPORTED void symbol(void *);                                                              \
	void symbol(void *stage)                                                                   \
	{                                                                                          \
		void (*real)(void *) = forward_next(&mindspore_functions[MINDSPORE_##id], CALLER); \
		real(stage);                                                                       \
		pipeline_made(stage);                                                              \
	}
#define ROW(id, symbol)                                                                            \
	EXPORTED void *symbol(void *, void *, void *);                                             \
	void *symbol(void *ret_status, void *stage, void *ret_row)                                 \
	{                                                                                          \
		void *(*real)(void *, void *, void *) =                                            \
			forward_next(&mindspore_functions[MINDSPORE_##id], CALLER);                \
		struct pipeline_ask ask;                                                           \
		pipeline_asks(stage, &ask);                                                        \
		void *result = real(ret_status, stage, ret_row);                                   \
		pipeline_got(&ask);                                                                \
		return result;                                                                     \
	}
#define INTERPOSED(id, form, symbol) form(id, symbol)
#include "preload/mindspore/interposed.def"
#undef INTERPOSED

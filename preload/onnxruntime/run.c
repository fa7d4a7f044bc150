/* SPDX-License-Identifier: MIT */
#include "preload/onnxruntime/run.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/format/value.h"
#include "preload/operators/operators.h"
#include "preload/python/python.h"
#include "preload/thread/guard.h"
#include "preload/thread/thread.h"

#define VARARGS  0x3  /* METH_VARARGS | METH_KEYWORDS */
#define FASTCALL 0x82 /* METH_FASTCALL | METH_KEYWORDS, which pybind11 has since 3.0 */

static method_function *real;

static void emit(const char *name, uint64_t begun)
{
	int saved = errno;
	uint64_t end = clock_ticks();
	if (collector_enabled != 0 && guard_enter()) {
		struct operator_open run = {.begin = begun,
			.name = collector_name(name, strlen(name)),
			.place = python_place(),
			.scope = OP_FUNCTION,
			.framework = OP_ONNXRUNTIME};
		thread_trains();
		operators_emit(&run, end);
		guard_leave();
	}
	errno = saved;
}

/* clang-format off */
#define METHODS(METHOD)                                                                            \
	METHOD(run) METHOD(run_with_iobinding) METHOD(run_with_ort_values)                         \
	METHOD(run_with_ortvaluevector)
/* clang-format on */
#define METHOD(name)                                                                               \
	static void *name(void *self, void *arguments, void *more, void *keywords)                 \
	{                                                                                          \
		uint64_t begun = clock_ticks();                                                    \
		void *result = real(self, arguments, more, keywords);                              \
		if (result != NULL)                                                                \
			emit("InferenceSession." #name, begun);                                    \
		return result;                                                                     \
	}
METHODS(METHOD)
#undef METHOD

bool run_take(struct method *method)
{
	static const struct {
		const char *name;
		method_function *ours;
	} methods[] = {
#define METHOD(name) {#name, name},
		METHODS(METHOD)
#undef METHOD
	};
	if (method->name == NULL || (method->flags != VARARGS && method->flags != FASTCALL) ||
		(real != NULL && method->call != real))
		return false;
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (strcmp(methods[i].name, method->name) == 0) {
			real = method->call;
			method->call = methods[i].ours;
			return true;
		}
	return false;
}

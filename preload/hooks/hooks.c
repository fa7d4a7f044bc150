/* SPDX-License-Identifier: MIT */
#include "collector/describe.h"
#include "preload/calls/calls.h"
#include "preload/capture/capture.h"
#include "preload/capture/context.h"
#include "preload/capture/launch.h"
#include "preload/cuda/real.h"
#include "preload/hooks/wait.h"
#include "preload/process/ending.h"
#include "preload/process/process.h"
#include "preload/thread/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__) && !defined(HOOKS_PORTABLE)
#define HOOKS_ENTRY_TESTS 1
#else
#define HOOKS_ENTRY_TESTS 0
#endif

/* Not by way of the offset table: the hot path is counted in instructions. */
extern bool clock_use_tsc __attribute__((visibility("hidden")));

/* guard.call_depth: whose call is in progress. The entries below know the second. */
#define INSIDE_RUNTIME 1
#define INSIDE_DRIVER  2

/* Their headers have them no more. */
int __xstat64(int version, const char *path, struct stat64 *status);
int __fxstat64(int version, int fd, struct stat64 *status);

/* Behind a stream; -1: none, or one that a program makes up. Keeps errno. */
static int descriptor_of(FILE *stream)
{
	int saved = errno, descriptor = fileno(stream);
	errno = saved;
	return descriptor;
}

/* What every capture gets first. */
#define CALL &call, result

/* An address as the driver names it. */
#define DEVICE(address) ((void *)(uintptr_t)(address))

#define GATE_ENABLED  (__builtin_expect(collector_enabled != 0, 1))
#define GATE_TRACKING (__builtin_expect(process_tracking != 0, 1))
/*
 * A library's constructor registers kernels with the runtime it was loaded with, maybe a new one.
 */
#define GATE_REGISTER (real_resolve_cuda(), GATE_TRACKING)
/* A context is about to end, and with it records of the device that were not delivered. */
#define GATE_RESET (ending_before_reset() && GATE_TRACKING)

/*
 * The thread is inside the library or inside another hooked call. If the frame of that call is gone
 * (a longjmp, an exception, the end of the thread left it), the mark is stale and is taken back.
 */
static __attribute__((noinline, cold)) bool nested(const char *frame, uint16_t flags)
{
	if (guard.busy == 0 &&
		(frame >= (const char *)thread_state.stack || !thread_call_is_alive())) {
		guard.call_depth = 0;
		return false;
	}
	if (collector_enabled && (flags & HOOK_DRIVER) == 0) /* what a runtime call does */
		collector_count(COUNTER_SKIPPED_REENTRY, 1);
	return true;
}

static inline __attribute__((always_inline)) bool enter(
	struct hook_call *call, uint16_t id, uint16_t flags, void *caller)
{
	bool is_driver = (flags & HOOK_DRIVER) != 0;
	uint64_t inside = HOOKS_ENTRY_TESTS && is_driver ? guard.call_depth : guard.any;
	if (__builtin_expect(inside != 0, 0) && nested(__builtin_dwarf_cfa(), flags))
		return false;
	guard.call_depth = is_driver ? INSIDE_DRIVER : INSIDE_RUNTIME;
	thread_state.stack = __builtin_dwarf_cfa();
	thread_state.caller = caller;
	call->id = id;
	call->flags = flags;
	call->begin = clock_ticks();
	return true;
}

static inline __attribute__((always_inline)) void returned(struct hook_call *call)
{
	call->end = clock_ticks();
	guard.busy = 1;
}

static inline void leave(void)
{
	guard.any = 0;
}

/* clang-format off */
#define BODY_cudaError_t(name, args, capture, flags)                                               \
	struct hook_call call;                                                                     \
	if (!enter(&call, HOOK_##name, flags, __builtin_return_address(0)))                        \
		return real.name args;                                                             \
	cudaError_t result = real.name args;                                                       \
	returned(&call);                                                                           \
	capture;                                                                                   \
	leave();                                                                                   \
	return result;

#define BODY_CUresult BODY_cudaError_t

#define BODY_void(name, args, capture, flags)                                                      \
	struct hook_call call;                                                                     \
	const cudaError_t result = CUDA_SUCCESS_CODE;                                              \
	bool inside = enter(&call, HOOK_##name, flags, __builtin_return_address(0));               \
	real.name args;                                                                            \
	if (!inside)                                                                               \
		return;                                                                            \
	returned(&call);                                                                           \
	capture;                                                                                   \
	leave();

/*
 * What the program enters needs no stack: it jumps to the real function, or to the recording
 * one, which then still returns to the program. A compiler would save the arguments first, so it
 * is written out where that is known; the pointers lie in struct real in the order of the rows.
 */
#if HOOKS_ENTRY_TESTS
/* Nothing but the entry jumps to it, directly. */
#define ONLY_JUMPED_TO __attribute__((nocf_check))
_Static_assert(offsetof(struct thread_block, inside.busy) == 48 &&
		offsetof(struct thread_block, inside.call_depth) == 52 && INSIDE_DRIVER == 2 &&
		offsetof(struct thread_block, state.stack) == 64,
	"as the driver entries read them");
_Static_assert(offsetof(struct wiped, recording) == 0 && offsetof(struct wiped, tracking) == 4,
	"as all entries read them");

#define ENTRY_cudart_ENABLED(name)  ENTRY(name, "wiped")
#define ENTRY_cudart_TRACKING(name) ENTRY(name, "4+wiped")
#define ENTRY_cudart_REGISTER(name)
#define ENTRY_cudart_RESET(name)
#define ENTRY_cuda_RESET(name)
#define ENTRY_cuda_ENABLED(name)    ENTRY_DRIVER(name, "wiped")
#define ENTRY_cuda_TRACKING(name)   ENTRY_DRIVER(name, "4+wiped")
/*
 * Most driver calls are made by runtime calls, so the test of nested() is written out here: inside
 * the library, or in a runtime call from a frame above, it goes straight on.
 */
#define ENTRY_DRIVER(name, gate)                                                                   \
	".globl " #name "\n.type " #name ", @function\n" #name ":\n"                               \
	".cfi_startproc\nendbr64\n"                                                               \
	"cmpl $0, " gate "(%rip)\nje 1f\n"                                                        \
	"movq thread_block@gottpoff(%rip), %rax\ncmpq $0, %fs:48(%rax)\nje record_" #name "\n"    \
	"cmpl $0, %fs:48(%rax)\njne 1f\n"                                                         \
	"cmpl $2, %fs:52(%rax)\nje record_" #name "\n"                                            \
	"leaq 8(%rsp), %r11\ncmpq %fs:64(%rax), %r11\njae record_" #name "\n"                     \
	"1: jmp *real + 8 * real_row(%rip)\n.cfi_endproc\n"                                       \
	".size " #name ", . - " #name "\n.p2align 4\n"
#define ENTRY(name, gate)                                                                          \
	".globl " #name "\n.type " #name ", @function\n" #name ":\n"                               \
	".cfi_startproc\nendbr64\n"                                                               \
	"cmpl $0, " gate "(%rip)\njne record_" #name "\n"                                          \
	"jmp *real + 8 * real_row(%rip)\n.cfi_endproc\n"                                          \
	".size " #name ", . - " #name "\n.p2align 4\n"
#define HOOK_ROW(library, type, name, params, args, capture, gate, flags) \
	ENTRY_##library##_##gate(name) ".set real_row, real_row + 1\n"
__asm__(".text\n.p2align 4\n.set real_row, 0\n"
#include "preload/calls/hooks.def"
);
#define WRAPPER_ENABLED(type, name, params, args)
#define WRAPPER_TRACKING(type, name, params, args)
#else
#define ONLY_JUMPED_TO
#define WRAPPER_ENABLED(type, name, params, args)  WRAPPER(type, name, params, args, ENABLED)
#define WRAPPER_TRACKING(type, name, params, args) WRAPPER(type, name, params, args, TRACKING)
#endif
#define WRAPPER_RESET(type, name, params, args)    WRAPPER(type, name, params, args, RESET)
#define WRAPPER_REGISTER(type, name, params, args) WRAPPER(type, name, params, args, REGISTER)
#define WRAPPER(type, name, params, args, gate)                                                    \
	HOOK_EXPORT type name params                                                               \
	{                                                                                          \
		type(*next) params = GATE_##gate ? record_##name : real.name;                      \
		return next args;                                                                  \
	}
#define RECORDS_ENABLED  ONLY_JUMPED_TO
#define RECORDS_TRACKING ONLY_JUMPED_TO
#define RECORDS_REGISTER
#define RECORDS_RESET
#define HOOK_ROW(library, type, name, params, args, capture, gate, flags)                          \
	HOOK_EXPORT type name params;                                                              \
	static __attribute__((noinline, used)) RECORDS_##gate type record_##name params            \
	{                                                                                          \
		BODY_##type(name, args, capture, flags)                                            \
	}                                                                                          \
	WRAPPER_##gate(type, name, params, args)

/*
 * The exported function is one test and a jump, so that it has no frame where nothing is recorded.
 * Nothing is kept on the stack or in the thread across the real call but the begin: a
 * cancelled thread or a longjmp out of a signal handler leaves nothing behind.
 */
#define BODY_WAIT(type, name, params, args, what_, descriptor_, bytes_, is_code_, object_)         \
	static __attribute__((noinline)) type wait_##name params                                   \
	{                                                                                          \
		if (!wait_wanted()) {                                                              \
			type result = real.name args;                                              \
			wait_hold(object_);                                                        \
			return result;                                                             \
		}                                                                                  \
		uint64_t begin_ = clock_ticks();                                                   \
		type result = real.name args;                                                      \
		uint64_t took_ = clock_ticks() - begin_;                                           \
		if (INPUT_##what_ == INPUT_STAT)                                                   \
			wait_looked(INPUT_STAT, took_);                                            \
		if (took_ >= WAIT_LEAST_TICKS)                                                     \
			wait_over(&(struct wait){.begin = begin_, .call = HOOK_##name,             \
				.what = INPUT_##what_, .descriptor = descriptor_, .bytes = bytes_, \
				.result = result, .is_code = is_code_, .object = object_,          \
				.caller = __builtin_return_address(0)});                           \
		wait_hold(object_);                                                                \
		return result;                                                                     \
	}                                                                                          \
	HOOK_EXPORT type name params                                                               \
	{                                                                                          \
		bool none = __builtin_expect(collector_thread.ring == NULL, 1) &&                  \
			    !wait_is_lock(object_);                                                \
		type(*next) params = none ? real.name : wait_##name;                               \
		return next args;                                                                  \
	}

/* The descriptor that is ready, where it is the only one asked for. */
#define ONLY_OF(fds, count) ((count) == 1 && result == 1 ? (fds)->fd : -1)
#define POLL_OF(any) POLL + ((any) ? 0 : INPUT_SLEEP - INPUT_POLL)

#define WAIT(library, type, name, params, args, what, descriptor, bytes, object)                   \
	BODY_WAIT(type, name, params, args, what, descriptor, bytes, false, object)
#define CODE(library, type, name, params, args, what, descriptor, bytes, object)                   \
	BODY_WAIT(type, name, params, args, what, descriptor, bytes, true, object)

#define ENDING_void(name, args, reason, resumes)                                                   \
	ending_begin(reason);                                                                      \
	real.name args;                                                                            \
	__builtin_unreachable();

#define ENDING_int(name, args, reason, resumes)                                                    \
	bool finished = ending_begin(reason);                                                      \
	int result = real.name args;                                                               \
	if (finished)                                                                              \
		ending_undo();                                                                    \
	return result;

#define ENDING(library, type, name, params, args, reason, resumes)                                 \
	HOOK_EXPORT type name params                                                               \
	{                                                                                          \
		ENDING_##type(name, args, reason, resumes)                                         \
	}

#include "preload/calls/hooks.def"

_Static_assert(offsetof(struct real, cudaDeviceReset) == 8 * (HOOK_cudaDeviceReset - 1),
	"the pointers are in the order of the ids");

__asm__(RELATIVE_BEGIN(wrappers)
#define HOOK_NAME(library, name) RELATIVE(wrappers, name)
#include "preload/calls/hooks.def"
	RELATIVE_END);
/* clang-format on */

extern const int32_t wrappers[HOOK_COUNT] __attribute__((visibility("hidden")));

void *calls_wrapper(unsigned id)
{
	return relative_at(wrappers, id);
}

/* SPDX-License-Identifier: MIT */
#include "preload/calls/calls.h"
#include "preload/linker/linker.h"
#include "preload/linker/memory.h"
#include "preload/linker/next.h"
#include "preload/start/start.h"
#include "preload/thread/guard.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#define TEXT_BYTES 4096u

typedef const char *default_text(void);

HOOK_EXPORT default_text __asan_default_options;

typedef void begin(void);

/*
 * A sanitizer's runtime stands in for much of libc, but not before it has begun, and the loader may
 * call our constructor first. Calls nothing of libc.
 */
static void begin_sanitizer(void)
{
	/* Each can be called again and again: every instrumented library does. */
	static const char *const entries[] = {
		"__asan_init", "__tsan_init", "__lsan_init", "__hwasan_init", "__msan_init"};
	static const char mark[] = "__sanitizer_set_report_path";
	linker_init();
	if (linker_dlsym == NULL || !next_may_be_anywhere(mark))
		return;
	if (linker_dlsym(RTLD_DEFAULT, mark) == NULL) {
		linker_forget_error();
		return;
	}
	for (unsigned i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		begin *entry = (begin *)linker_dlsym(RTLD_DEFAULT, entries[i]);
		if (entry != NULL)
			entry();
	}
	linker_forget_error();
}

/* Cut where it has no room. Returns the length. */
static size_t append(char *text, size_t length, const char *more)
{
	for (; *more != '\0' && length < TEXT_BYTES - 1; more++)
		text[length++] = *more;
	text[length] = '\0';
	return length;
}

/*
 * AddressSanitizer refuses to run when it is not the first library, and asks the program for its
 * options through this function. What the program says comes behind and counts.
 */
const char *__asan_default_options(void)
{
	static char text[TEXT_BYTES];
	static const char name[] = "__asan_default_options";
	linker_init();
	default_text *next =
		linker_dlsym == NULL ? NULL : (default_text *)linker_dlsym(RTLD_NEXT, name);
	const char *more = next == NULL ? NULL : next();
	size_t length = append(text, 0, "verify_asan_link_order=0:");
	if (more != NULL)
		(void)append(text, length, more);
	linker_forget_error();
	return text;
}

static __attribute__((constructor)) void construct(int argc, char **argv, char **environment)
{
	int saved = errno;
	bool entered = guard_enter();
	memory_init();
	begin_sanitizer();
	start_begin(argc, argv, environment);
	if (entered)
		guard_leave();
	errno = saved;
}

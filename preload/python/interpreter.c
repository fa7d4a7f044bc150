/* SPDX-License-Identifier: MIT */
#include "preload/python/interpreter.h"

#include "preload/frameworks/frameworks.h"
#include "preload/python/layout.h"

#include <stddef.h>
#include <string.h>

static uint32_t version;

static bool find(void)
{
	char path[512];
	if (frameworks_resolve(FRAMEWORK_python, NULL) == NULL)
		return true;
	void *library = frameworks_find("libpython3", path, sizeof(path));
	return library != NULL && frameworks_resolve(FRAMEWORK_python, library) == NULL;
}

uint32_t interpreter_find(void)
{
	uint32_t known = __atomic_load_n(&version, __ATOMIC_ACQUIRE);
	if (known != 0 || !find())
		return known;
	known = frameworks.python_version != NULL
			? (uint32_t)*frameworks.python_version
			: python_version_hex(frameworks.python_version_text());
	__atomic_store_n(&version, known, __ATOMIC_RELEASE);
	return known;
}

bool interpreter_is_free_threaded(void)
{
	return strstr(frameworks.python_version_text(), "free-threading build") != NULL;
}

bool interpreter_is_alive(void)
{
	int (*ending)(void) = frameworks.python_finalizing != NULL
				      ? frameworks.python_finalizing
				      : frameworks.python_finalizing_old;
	return frameworks.python_initialized != NULL && frameworks.python_initialized() != 0 &&
	       (ending == NULL || ending() == 0);
}

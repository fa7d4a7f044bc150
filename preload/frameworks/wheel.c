/* SPDX-License-Identifier: MIT */
#include "preload/frameworks/wheel.h"

#include "collector/describe.h"
#include "preload/frameworks/version.h"

void wheel_attach(struct wheel *wheel, void (*attach)(void))
{
	if (!wheel->off && __atomic_load_n(&wheel->attached, __ATOMIC_ACQUIRE) == 0)
		frameworks_search(&wheel->search, attach);
}

void *wheel_find(struct wheel *wheel, char *ret_path, size_t size)
{
	void *library = NULL;
	for (size_t i = 0; i < 2 && library == NULL && wheel->libraries[i] != NULL; i++)
		library = frameworks_find(wheel->libraries[i], ret_path, size);
	if (library == NULL) {
		if (!wheel->told)
			collector_source(wheel->source, "absent", wheel->absent);
		wheel->told = true;
		return NULL;
	}
	__atomic_store_n(&wheel->attached, 1, __ATOMIC_RELEASE);
	if (wheel->version_file != NULL) {
		if (frameworks_version(ret_path, wheel->version_file, wheel->version_mark,
			    wheel->version, sizeof(wheel->version)))
			collector_version(wheel->source, wheel->version);
		else
			wheel->version[0] = '\0';
	}
	return library;
}

void wheel_enable(struct wheel *wheel, bool on)
{
	wheel->off = !on;
	if (!on)
		collector_source(wheel->source, "off", NULL);
}

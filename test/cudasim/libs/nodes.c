/* SPDX-License-Identifier: MIT */
/*
 * Preloaded: the files of a device that a driver would have made, /dev/nvidia0 and its like, are
 * there for whoever looks. JAX looks before it loads anything. Nothing can be done with them.
 */
#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NODES_EXPORT __attribute__((visibility("default")))

static const char *seen(const char *path)
{
	return path && strncmp(path, "/dev/nvidia", strlen("/dev/nvidia")) == 0 ? "/dev/null"
										: path;
}

#define NODES_LOOK(name, parameters, arguments)                                                    \
	NODES_EXPORT int name parameters                                                           \
	{                                                                                          \
		static int(*real) parameters;                                                      \
		if (!real) {                                                                       \
			void *found = dlsym(RTLD_NEXT, #name);                                     \
			memcpy(&real, &found, sizeof(found));                                      \
		}                                                                                  \
		return real arguments;                                                             \
	}

NODES_LOOK(stat, (const char *path, struct stat *ret_stat), (seen(path), ret_stat))
NODES_LOOK(stat64, (const char *path, struct stat64 *ret_stat), (seen(path), ret_stat))
NODES_LOOK(fstatat, (int folder, const char *path, struct stat *ret_stat, int flags),
	(folder, seen(path), ret_stat, flags))
NODES_LOOK(fstatat64, (int folder, const char *path, struct stat64 *ret_stat, int flags),
	(folder, seen(path), ret_stat, flags))
NODES_LOOK(access, (const char *path, int mode), (seen(path), mode))

/* SPDX-License-Identifier: MIT */
/* How stand-ins of vendor libraries say which version they stand in for. */
#ifndef CUDASIM_LIBS_VERSION_H
#define CUDASIM_LIBS_VERSION_H

#define VERSION_API(name, ...)                                                                     \
	__attribute__((visibility("default"))) int name(__VA_ARGS__);                              \
	int name(__VA_ARGS__)

/* type is libraryPropertyType: 0 major, 1 minor, 2 patch; of a version such as 11304. 0, or -1. */
static inline int version_part(int version, int type, int *ret_value)
{
	const int parts[] = {version / 1000, version / 100 % 10, version % 100};
	if (type < 0 || type > 2)
		return -1;
	*ret_value = parts[type];
	return 0;
}

#endif

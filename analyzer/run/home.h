/* SPDX-License-Identifier: MIT */
/*
 * What a killed process had in /dev/shm belongs into the folder of its run, where it outlives the
 * machine and can be copied with the rest. Does it quietly where it may; where not, the reader
 * takes it from there.
 */
#ifndef ANALYZER_RUN_HOME_H
#define ANALYZER_RUN_HOME_H

#include <stdbool.h>

/*
 * If path is a pointer file (collector/format/live.h) of this user whose process has ended, put
 * what it leads to in its place. A copy of such a file is left as it is, and so are processes that
 * live. True when that was done.
 */
bool home_bring(const char *path);

#endif

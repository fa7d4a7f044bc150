/* SPDX-License-Identifier: MIT */
/*
 * What MindSpore's name of a compiled graph, its phase, says: "package.module.function.FILE..." for
 * a function, "train.NUMBER..." or another word for a network that was compiled as a whole.
 * Pure; any thread.
 */
#ifndef PRELOAD_MINDSPORE_PHASE_H
#define PRELOAD_MINDSPORE_PHASE_H

#include <stdbool.h>
#include <stddef.h>

/* The graph is that of one of the framework's own optimisers. "": no. */
bool phase_names_optimizer(const char *phase);

/*
 * What it is called: "graph(function)" or "graph(train)", as an optimiser "Optimizer.step#module".
 * "" has "graph". Cut to size bytes, terminated.
 */
void phase_name(const char *phase, bool as_optimizer, char *text, size_t size);

#endif

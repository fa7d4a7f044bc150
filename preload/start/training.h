/* SPDX-License-Identifier: MIT */
/*
 * Frameworks that train: which of them are recorded, by what the user has chosen. Once, at start,
 * after states_begin().
 */
#ifndef PRELOAD_START_TRAINING_H
#define PRELOAD_START_TRAINING_H

#include "preload/start/settings.h"

void training_begin(const struct settings *settings);

#endif

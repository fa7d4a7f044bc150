/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/cause.h"

const struct cause_info cause_infos[CAUSE_COUNT] = {
#define CAUSE(id, name, known, text) [CAUSE_##id] = {name, known, text},
#include "analyzer/timeline/cause.def"
#undef CAUSE
};

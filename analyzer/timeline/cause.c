/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/cause.h"

const struct cause_info cause_infos[CAUSE_COUNT] = {
#define CAUSE(id, name, text, why) [CAUSE_##id] = {name, text, why},
#include "analyzer/timeline/cause.def"
#undef CAUSE
};

/* SPDX-License-Identifier: MIT */
#include "analyzer/report/result/doubt.h"

const char *const confidence_names[CONFIDENCE_COUNT] = {"low", "medium", "high"};

const struct doubt_info doubt_infos[DOUBT_COUNT] = {
#define DOUBT(id, name, most, text) [DOUBT_##id] = {name, CONFIDENCE_##most, text},
#include "analyzer/report/result/doubt.def"
#undef DOUBT
};

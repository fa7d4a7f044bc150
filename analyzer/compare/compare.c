/* SPDX-License-Identifier: MIT */
#include "analyzer/compare/compare.h"

const char *const compare_part_names[COMPARE_PART_COUNT] = {
	"sites", "operators", "kernels", "copies", "calls"};
const char *const compare_state_names[COMPARE_STATE_COUNT] = {
	"new", "gone", "worse", "better", "same"};

double compare_change(const struct compare_pair *pair)
{
	return pair->known ? pair->next - pair->base : 0;
}

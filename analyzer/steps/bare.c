/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/bare.h"

void bare_turn(struct bare *bare, bool operators, bool begun)
{
	bare->now = !operators;
	bare->step = bare->now || (bare->step && begun);
}

bool bare_end(struct bare *bare, bool wanted)
{
	bool covered = !bare->step;
	bare->covered += wanted && covered;
	bare->steps += wanted;
	bare->step = bare->now;
	return covered;
}

double bare_factor(const struct bare *bare)
{
	return bare->covered > 0 ? (double)bare->steps / (double)bare->covered : 1;
}

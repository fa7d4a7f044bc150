/* SPDX-License-Identifier: MIT */
#include "collector/drain/still.h"

#include <time.h>

#include "collector/buffer/pause.h"
#include "collector/format/fields.h"

/* A turn may last that much longer on a busy machine. */
#define LATE_NS 200000000u
/* What ran for less than this part of the time did not run. */
#define RAN_PART 10u

static uint64_t process_cpu_ns(void)
{
	struct timespec time;
	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) < 0)
		return 0;
	return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

static struct record mark(uint64_t begin_ns, uint64_t end_ns, enum mark_what what)
{
	struct record record = {.begin = begin_ns, .end = end_ns, .kind = RECORD_MARK};
	record_set_MARK_what(&record, what);
	return record;
}

bool still_look(struct still *still, uint64_t now_ns, uint64_t wait_ns, struct record *ret_mark)
{
	uint64_t since_ns = still->since_ns, cpu_ns = process_cpu_ns();
	uint64_t ran_ns = cpu_ns - still->cpu_ns;
	uint64_t passed_ns = since_ns != 0 && now_ns > since_ns ? now_ns - since_ns : 0;
	still->since_ns = now_ns;
	still->cpu_ns = cpu_ns;
	if (passed_ns < wait_ns + LATE_NS || ran_ns > passed_ns / RAN_PART)
		return false;
	*ret_mark = mark(since_ns, now_ns, MARK_STOPPED);
	return true;
}

bool still_next(struct still *still, uint64_t now_ns, bool closing, struct record *ret_mark)
{
	uint64_t begin_ns, end_ns;
	if (!pause_stretch(still->told, &begin_ns, &end_ns) || (end_ns == UINT64_MAX && !closing))
		return false;
	if (end_ns == UINT64_MAX)
		end_ns = now_ns > begin_ns ? now_ns : begin_ns;
	still->told++;
	*ret_mark = mark(begin_ns, end_ns, MARK_OFF);
	return true;
}

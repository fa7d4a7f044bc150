/* SPDX-License-Identifier: MIT */
#include "collector/drain/still.h"

#include <time.h>

#include "collector/buffer/pause.h"
#include "collector/format/fields.h"

/* How long the thread has waited for a processor is asked that often. */
#define DELAY_NS 100000000u
/* The process's processor time may be as old as that: a waking is short, and asks once. */
#define CPU_AGE_NS 1000000u
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

void still_begin(struct still *still, uint64_t (*delayed_ns)(void))
{
	still->delayed_ns = delayed_ns;
	still->since_ns = still->delay_at_ns = still->cpu_at_ns = 0;
}

void still_watch(struct still *still, uint64_t now_ns)
{
	still->since_ns = now_ns;
	if (now_ns - still->cpu_at_ns >= CPU_AGE_NS) {
		still->cpu_at_ns = now_ns;
		still->cpu_ns = process_cpu_ns();
	}
	if (now_ns - still->delay_at_ns < DELAY_NS)
		return;
	still->delay_at_ns = now_ns;
	still->delay_ns = still->delayed_ns();
}

void still_ignore(struct still *still)
{
	still->since_ns = 0;
}

/* Most of the time by which the thread is late it was ready to run: the machine is busy. */
static bool is_starved(const struct still *still, uint64_t late_ns)
{
	uint64_t delay_ns = still->delayed_ns();
	bool known = delay_ns != UINT64_MAX && still->delay_ns != UINT64_MAX;
	return known && delay_ns - still->delay_ns > late_ns / 2;
}

bool still_look(struct still *still, uint64_t now_ns, uint64_t wait_ns, struct record *ret_mark)
{
	uint64_t since_ns = still->since_ns;
	uint64_t passed_ns = since_ns != 0 && now_ns > since_ns ? now_ns - since_ns : 0;
	still->since_ns = 0;
	if (passed_ns < wait_ns + STILL_LATE_NS ||
		process_cpu_ns() - still->cpu_ns > passed_ns / RAN_PART ||
		is_starved(still, passed_ns - wait_ns))
		return false;
	*ret_mark = mark(since_ns, now_ns, MARK_STOPPED);
	return true;
}

bool still_next(struct still *still, uint64_t now_ns, bool closing, struct record *ret_mark)
{
	struct pause_stretch stretch;
	if (still->told < pause_oldest())
		still->told = pause_oldest();
	if (!pause_stretch(still->told, &stretch) || (stretch.end_ns == UINT64_MAX && !closing))
		return false;
	if (stretch.end_ns == UINT64_MAX)
		stretch.end_ns = now_ns > stretch.begin_ns ? now_ns : stretch.begin_ns;
	still->told++;
	*ret_mark = mark(stretch.begin_ns, stretch.end_ns, MARK_OFF);
	record_set_MARK_steps(ret_mark, stretch.passed[PAUSE_STEPS]);
	record_set_MARK_marks(ret_mark, stretch.passed[PAUSE_MARKS]);
	record_set_MARK_optimizer_steps(ret_mark, stretch.passed[PAUSE_OPTIMIZERS]);
	record_set_MARK_loads(ret_mark, stretch.passed[PAUSE_LOADS]);
	return true;
}

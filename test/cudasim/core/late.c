/* SPDX-License-Identifier: MIT */
#include "late.h"

#include <errno.h>

#include "clock.h"
#include "log.h"
#include "state.h"

#define FIRST_PAUSE_NS 5000u
#define MOST_PAUSE_NS  200000u

enum late_state {
	LATE_WAITS,
	LATE_ASKS, /* a thread is asking the library */
	LATE_DONE
};

struct late {
	uint64_t number; /* 0: never used */
	enum late_state state;
	uint64_t parts[2]; /* of a join; 0, 0: an operation */
	uint64_t end_ns;
	uint64_t duration_ns;
	const struct cudasim_meeting *meeting;
	void *handle;
	CUstream stream;
	struct log_record record;
	struct sim_detail detail; /* the record's */
};

static struct late table[LATE_COUNT];
static uint64_t last_number;

/* NULL: so old that its place has been given away, thus done. */
static struct late *find_locked(uint64_t number)
{
	struct late *late = &table[number % LATE_COUNT];
	return late->number == number ? late : NULL;
}

static int is_done_locked(uint64_t number)
{
	const struct late *late = find_locked(number);
	return !late || late->state == LATE_DONE;
}

/* Takes the next place whose operation is done; the others are few. */
static struct late *take_locked(void)
{
	struct late *late;
	do
		late = &table[++last_number % LATE_COUNT];
	while (late->number && late->state != LATE_DONE);
	*late = (struct late){.number = last_number};
	return late;
}

uint64_t late_join_locked(uint64_t a, uint64_t b)
{
	if (!a || !b || a == b)
		return a ? a : b;
	for (uint64_t number = last_number; number && number + 16 > last_number; number--) {
		const struct late *late = find_locked(number);
		if (late && late->parts[0] == a && late->parts[1] == b)
			return number;
	}
	struct late *join = take_locked();
	join->parts[0] = a;
	join->parts[1] = b;
	return join->number;
}

/* A join is done when somebody looks and its parts are; joins of joins are two or three deep. */
static void settle_locked(uint64_t number)
{
	struct late *late = find_locked(number);
	if (!late || late->state == LATE_DONE || !late->parts[0])
		return;
	settle_locked(late->parts[0]);
	settle_locked(late->parts[1]);
	if (!is_done_locked(late->parts[0]) || !is_done_locked(late->parts[1]))
		return;
	for (int i = 0; i < 2; i++) {
		const struct late *part = find_locked(late->parts[i]);
		if (part && part->end_ns > late->end_ns)
			late->end_ns = part->end_ns;
	}
	late->state = LATE_DONE;
}

struct sim_point late_fold_locked(struct sim_point point)
{
	if (!point.late)
		return point;
	settle_locked(point.late);
	if (!is_done_locked(point.late))
		return point;
	const struct late *late = find_locked(point.late);
	if (late && late->end_ns > point.end_ns)
		point.end_ns = late->end_ns;
	point.late = 0;
	return point;
}

struct sim_point late_fold(struct sim_point point)
{
	if (!point.late)
		return point;
	state_lock();
	point = late_fold_locked(point);
	state_unlock();
	return point;
}

uint64_t late_start(const struct sim_call *call, CUstream stream, const struct work *work,
	struct sim_op *op, uint64_t ready_ns)
{
	const struct cudasim_meeting *meeting = work->kernel->description->meeting;
	struct log_record record;
	op_record(call, stream, op, &record);
	void *handle = meeting->come(&work->launch, ready_ns);
	state_lock();
	struct late *late = take_locked();
	late->meeting = meeting;
	late->handle = handle;
	late->duration_ns = op->duration_ns;
	late->stream = stream;
	late->record = record;
	late->detail = op->detail;
	late->record.detail = &late->detail;
	late->record.begin_ns = ready_ns;
	uint64_t number = late->number;
	state_unlock();
	return number;
}

/*
 * The others have come, or never will: gives it its times. It occupies the device from when it
 * could begin, and its work lasts from when the last one could.
 */
static void finish(struct late *late, int result, uint64_t begin_ns)
{
	struct log_record record = late->record;
	record.computed = result > 0;
	if (begin_ns < record.begin_ns)
		begin_ns = record.begin_ns;
	record.end_ns = begin_ns + late->duration_ns;
	if (log_wanted())
		log_put(&record);
	state_lock();
	late->end_ns = record.end_ns;
	late->state = LATE_DONE;
	stream_advance(late->stream, (struct sim_point){.end_ns = record.end_ns});
	stream_submit(late->stream, record.end_ns);
	state_unlock();
}

static int ask(struct late *late)
{
	uint64_t begin_ns = 0;
	int result = late->handle ? late->meeting->meet(late->handle, &begin_ns) : -1;
	if (result) {
		finish(late, result, begin_ns);
		return 1;
	}
	state_lock();
	late->state = LATE_WAITS;
	state_unlock();
	return 0;
}

int late_done(uint64_t number)
{
	uint64_t parts[2] = {0, 0};
	struct late *mine = NULL;
	state_lock();
	settle_locked(number);
	struct late *late = find_locked(number);
	int done = !late || late->state == LATE_DONE;
	if (!done && late->parts[0]) {
		parts[0] = late->parts[0];
		parts[1] = late->parts[1];
	} else if (!done && late->state == LATE_WAITS) {
		late->state = LATE_ASKS;
		mine = late;
	}
	state_unlock();
	if (mine)
		return ask(mine);
	if (!parts[0])
		return done;
	/* both, so that the second does not wait for the first to be asked */
	int first = late_done(parts[0]), second = late_done(parts[1]);
	return first && second;
}

void late_wait(uint64_t number)
{
	uint64_t pause_ns = FIRST_PAUSE_NS;
	int saved_errno = errno;
	while (number && !late_done(number)) {
		struct timespec pause = {.tv_nsec = (long)pause_ns};
		(void)nanosleep(&pause, NULL);
		if (pause_ns < MOST_PAUSE_NS)
			pause_ns *= 2;
	}
	errno = saved_errno;
}

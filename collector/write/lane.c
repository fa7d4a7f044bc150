/* SPDX-License-Identifier: MIT */
#include "collector/write/lane.h"

#include <errno.h>

struct ring_gap *lane_gaps(const struct lane *lane, struct writer *writer)
{
	return lane->ring != 0 ? ring_at(lane->ring - 1)->gaps : writer->unowned;
}

void lane_write(struct lane *lane, struct writer *writer, const char *name, uint32_t tid,
	const struct record *records, unsigned count, uint64_t now_ns)
{
	int taken = -ENOMEM;
	if (lane->ring == 0) {
		int index = ring_make_pseudo(writer->live, name, tid);
		lane->ring = index < 0 ? 0 : (unsigned)index + 1;
	}
	if (lane->ring != 0)
		taken = writer_events(writer, lane->ring - 1, lane->next, records, count, now_ns);
	unsigned done = taken > 0 ? (unsigned)taken : 0;
	if (done < count)
		writer_count_refused(lane_gaps(lane, writer), &records[done], count - done,
			taken < 0 ? taken : -EAGAIN);
	writer_publish(writer);
	lane->next += count;
}

/* SPDX-License-Identifier: MIT */
#include "collector/drain/sample.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "collector/drain/procstat.h"
#include "collector/format/fields.h"

void sample_write(
	struct lane *lane, struct writer *writer, const struct slew *slew, uint64_t now_ns)
{
	struct procstat_value values[PROCSTAT_LIMIT];
	struct record records[PROCSTAT_LIMIT];
	unsigned count = procstat_read(values);
	uint64_t at_ns = slew_ns(slew, clock_ticks());
	for (unsigned i = 0; i < count; i++) {
		records[i] = (struct record){.begin = at_ns, .end = at_ns, .kind = RECORD_SAMPLE};
		record_set_SAMPLE_metric(&records[i], values[i].metric);
		record_set_SAMPLE_value(&records[i], values[i].value);
	}
	if (count > 0)
		lane_write(lane, writer, "libtrace", (uint32_t)syscall(SYS_gettid), records, count,
			now_ns);
}

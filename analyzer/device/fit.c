/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "analyzer/device/device.h"

/*
 * A queue of operations with ready times r and durations d ends at max over j of
 * r[j] + d[j] + ... + d[n], so the scale that makes it end at T is the smallest of
 * (T - r[j] - copies after j) / (kernels after j): one pass from the end, exact.
 */

/* Small waits say only that the last operation was still running; see base_scale(). */
#define SHARE_NONE    0.05
#define SHARE_FULL    0.20
#define WAIT_NOISE_NS 20000.0 /* a thread is woken up that late */
#define WAIT_CLEAR_NS 100000.0
#define NOISE_PART    4u /* such a wait says that work took a little longer: no more than that */
/*
 * One wait makes a copy no more than so many times as long as it is known to be: a thread that had
 * no processor, or a first call, looks the same, and no other wait would make it short again.
 */
#define COPY_SLOWER 4.0
#define SCALE_MIN   0.02
#define SCALE_MAX   1e6

static double duration_of(const struct device *device, const struct device_op *op, double scale)
{
	double ns = device->estimates.items[op->estimate].ns;
	return op->fixed ? ns : ns * scale;
}

/* The operation of another stream that it had to follow, of those that are fitted; NULL: none. */
static struct device_op *followed(struct device *device, const struct device_op *op)
{
	bool is_there = op->after != DEVICE_NO_OP && op->after >= device->first_number;
	return is_there ? &device->ops.items[op->after - device->first_number] : NULL;
}

void device_await(struct device *device, uint32_t stream, uint32_t first, uint32_t until)
{
	const struct device_op *last[DEVICE_STREAM_LIMIT] = {NULL}; /* that is awaited */
	for (uint32_t i = until; i-- > first;) {
		struct device_op *op = &device->ops.items[i], *before = followed(device, op);
		bool own = stream == DEVICE_ALL_STREAMS || stream == op->stream;
		op->awaited = own || (last[op->stream] != NULL && op <= last[op->stream]);
		if (op->awaited && before != NULL && before > last[before->stream])
			last[before->stream] = before;
	}
}

/* What has to come behind an operation before the wait is over. */
struct behind {
	double scaled, fixed;
	const struct device_op *from; /* from which operation of its stream on; NULL: none */
};

static bool is_more(const struct behind *one, const struct behind *other)
{
	return one->scaled + one->fixed > other->scaled + other->fixed;
}

/* What is behind own is behind the operation that own had to follow, of those the last one. */
static void follow(struct behind *link, const struct behind *own, const struct device_op *before)
{
	if (link->from == NULL || before > link->from ||
		(before == link->from && is_more(own, link)))
		*link = (struct behind){own->scaled, own->fixed, before};
}

/*
 * The scale at which all that was waited for ends by end_ns; SCALE_MAX without any kernel.
 * *ret_binding is the operation from which the busiest queue is without a gap.
 */
static double find_scale(
	struct device *device, const struct device_close *close, uint32_t *ret_binding)
{
	struct behind behind[DEVICE_STREAM_LIMIT] = {{0}}, links[DEVICE_STREAM_LIMIT] = {{0}};
	double scale = SCALE_MAX;
	*ret_binding = 0;
	for (uint32_t i = close->count; i-- > 0;) {
		const struct device_op *op = &device->ops.items[i], *before = followed(device, op);
		uint32_t stream = op->stream;
		struct behind *own = &behind[stream], *link = &links[stream];
		if (!op->awaited)
			continue;
		if (link->from == op) {
			*own = is_more(link, own) ? *link : *own;
			link->from = NULL;
		}
		double ns = device->estimates.items[op->estimate].ns;
		*(op->fixed ? &own->fixed : &own->scaled) += ns;
		if (before != NULL)
			follow(&links[before->stream], own, before);
		uint64_t ready = op->ready_ns > device->free_ns[stream] ? op->ready_ns
									: device->free_ns[stream];
		double room = (double)(int64_t)(close->end_ns - ready) - own->fixed;
		if (own->scaled > 0 && room < scale * own->scaled) {
			scale = room / own->scaled;
			*ret_binding = i;
		}
	}
	return scale < SCALE_MIN ? SCALE_MIN : scale;
}

/* Begin and end of operations from first on, on all streams, at a scale. */
static void place(struct device *device, uint32_t first, uint32_t count, double scale)
{
	uint64_t free_ns[DEVICE_STREAM_LIMIT];
	memcpy(free_ns, device->free_ns, sizeof(free_ns));
	for (uint32_t i = 0; i < first; i++)
		free_ns[device->ops.items[i].stream] = device->ops.items[i].end_ns;
	for (uint32_t i = first; i < count; i++) {
		struct device_op *op = &device->ops.items[i];
		uint64_t begin =
			op->ready_ns > free_ns[op->stream] ? op->ready_ns : free_ns[op->stream];
		if (op->after != DEVICE_NO_OP && op->after >= device->first_number) {
			uint64_t after = op->after - device->first_number;
			if (after < i && device->ops.items[after].end_ns > begin)
				begin = device->ops.items[after].end_ns;
		}
		op->begin_ns = begin;
		op->end_ns = begin + (uint64_t)duration_of(device, op, scale);
		if (op->end_ns < op->min_end_ns)
			op->end_ns = op->min_end_ns;
		free_ns[op->stream] = op->end_ns;
	}
}

/*
 * A wait that is long beside the time since the queue last ran empty says that the device was
 * behind all along: everything takes longer. A short one may
 * come from the last operation alone; in between, something of both.
 */
static double base_scale(const struct device_close *close, double scale, uint64_t since_ns)
{
	/* without a kernel there is nothing to make longer, and others were not waited for */
	if (!close->exact || scale <= 1 || scale >= SCALE_MAX)
		return scale < 1 ? scale : 1;
	uint64_t length = close->end_ns > since_ns ? close->end_ns - since_ns : 1;
	double waited = (double)(close->end_ns - close->wait_begin_ns);
	double share = waited / (double)length;
	double trust = (share - SHARE_NONE) / (SHARE_FULL - SHARE_NONE);
	double clear = (waited - WAIT_NOISE_NS) / (WAIT_CLEAR_NS - WAIT_NOISE_NS);
	if (clear < trust)
		trust = clear;
	if (trust <= 0)
		return 1;
	return trust < 1 ? 1 + trust * (scale - 1) : scale;
}

/* The last operation that was waited for, kernels before copies; count when there is none. */
static uint32_t find_tail(const struct device *device, const struct device_close *close)
{
	uint32_t copy = close->count;
	for (uint32_t i = close->count; i-- > 0;) {
		const struct device_op *op = &device->ops.items[i];
		if (!op->awaited)
			continue;
		if (!op->fixed)
			return i;
		if (copy == close->count)
			copy = i;
	}
	return copy;
}

/* Make the queue end at end_ns by lengthening its last operation; learn how long that was. */
static void stretch_tail(struct device *device, const struct device_close *close, double base)
{
	uint64_t last_ns = 0;
	for (uint32_t i = 0; i < close->count; i++)
		if (device->ops.items[i].awaited && device->ops.items[i].end_ns > last_ns)
			last_ns = device->ops.items[i].end_ns;
	uint32_t tail = find_tail(device, close);
	if (tail == close->count || last_ns >= close->end_ns)
		return;
	struct device_op *op = &device->ops.items[tail];
	uint64_t more_ns = close->end_ns - last_ns;
	double waited = (double)(close->end_ns - close->wait_begin_ns);
	/*
	 * A call that takes a little longer than others makes no long work of a short one, unless
	 * the host has done little else since it asked for that.
	 */
	if (waited < WAIT_NOISE_NS && more_ns > (op->end_ns - op->begin_ns) / NOISE_PART &&
		waited < SHARE_FULL * (double)(close->end_ns - op->begin_ns))
		return;
	op->end_ns += more_ns;
	double share = close->count == 1 ? 0.5 : 0.1, ns = (double)(op->end_ns - op->begin_ns);
	double most = COPY_SLOWER * (double)device->estimates.items[op->estimate].ns;
	estimate_learn(&device->estimates, op->estimate, op->fixed && ns > most ? most : ns, share);
	place(device, tail + 1, close->count, base);
}

/*
 * Kernels of which nothing is known are taken to be as long as those beside them that are known:
 * else these would get all the time of a wait, and what an evaluation does for the first time none.
 */
static void guess_unknown(struct device *device, const struct device_close *close)
{
	double ns = 0, count = 0;
	for (uint32_t i = 0; i < close->count; i++) {
		const struct device_op *op = &device->ops.items[i];
		const struct estimate *estimate = &device->estimates.items[op->estimate];
		if (!op->fixed && estimate->known) {
			ns += estimate->ns;
			count++;
		}
	}
	for (uint32_t i = 0; i < close->count && count > 0; i++)
		if (!device->ops.items[i].fixed)
			estimate_guess(
				&device->estimates, device->ops.items[i].estimate, ns / count);
}

/*
 * Move estimates towards what was fitted. That a queue had ended by some time is certain for what
 * it ran last; that it ended just then may be a late wake-up, so it counts for little at a time,
 * unless nothing is known yet and the device was busy for certain (sure).
 */
static void learn(
	struct device *device, const struct device_close *close, uint32_t binding, bool sure)
{
	uint32_t first = close->exact ? 0 : binding;
	double share = close->exact ? 1.0 / 16 : close->count - first <= 2 ? 1.0 : 0.5;
	for (uint32_t i = first; i < close->count; i++) {
		const struct device_op *op = &device->ops.items[i];
		bool first_time = sure && !device->estimates.items[op->estimate].known;
		if (!op->fixed)
			estimate_learn(&device->estimates, op->estimate,
				(double)(op->end_ns - op->begin_ns), first_time ? 1 : share);
	}
}

static void note_known(struct device *device, const struct device_close *close, uint32_t binding)
{
	for (uint32_t i = binding; i < close->count; i++) {
		const struct device_op *op = &device->ops.items[i];
		if (op->awaited)
			device->estimates.items[op->estimate].known |= !op->fixed;
	}
}

uint64_t device_loose_ns(const struct device *device, uint64_t first, uint64_t until)
{
	uint64_t ns = 0;
	for (; first < until; first++) {
		const struct device_op *op = device_op(device, first);
		if (op != NULL && !op->fixed && !device->estimates.items[op->estimate].apart)
			ns += op->end_ns - op->begin_ns;
	}
	return ns;
}

void device_part(struct device *device, uint64_t first, uint64_t until)
{
	for (; first < until; first++) {
		const struct device_op *op = device_op(device, first);
		if (op != NULL)
			device->estimates.items[op->estimate].apart = true;
	}
}

uint32_t device_fit(struct device *device, const struct device_close *close)
{
	if (close->count == 0)
		return 0;
	uint32_t binding;
	device_await(device, close->stream, 0, close->count);
	double scale = find_scale(device, close, &binding);
	if (close->exact && scale > 1) {
		guess_unknown(device, close);
		scale = find_scale(device, close, &binding);
	}
	double base = base_scale(close, scale, device->ops.items[binding].ready_ns);
	bool sure = close->exact && scale > SCALE_MIN && scale < SCALE_MAX && base >= scale;
	place(device, 0, close->count, base);
	if (base > 1.01 || base < 0.99)
		learn(device, close, binding, sure);
	if (sure)
		note_known(device, close, binding);
	if (close->exact)
		stretch_tail(device, close, base);
	for (uint32_t i = 0; i < close->count; i++) {
		struct device_op *op = &device->ops.items[i];
		if (op->awaited && op->end_ns > close->end_ns)
			op->end_ns = op->begin_ns < close->end_ns ? close->end_ns : op->begin_ns;
	}
	return sure ? binding : close->count;
}

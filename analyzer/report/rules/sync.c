/* SPDX-License-Identifier: MIT */
/*
 * Rules for lines that wait for the GPU. Which one fits is what most of the line's calls
 * did: a wait without a copy, a wait by asking again and again, a copy of a value, of a tensor, or
 * of a size that an operator needs. The five do not overlap. Many reads of one line are a loop
 * around it.
 */
#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/idiom.h"
#include "analyzer/report/rules/row.h"

static bool waits(const struct subject *subject)
{
	return subject->spot->kind == SPOT_WAIT;
}

/* Most calls belong to operators whose result has a size that depends on values. */
static bool needs_size(const struct subject *subject)
{
	return 2 * subject->spot->shaped > subject->spot->named;
}

static uint64_t reads(const struct subject *subject)
{
	return subject->counted[SPOT_SCALAR] + subject->counted[SPOT_TENSOR];
}

static bool waits_only(const struct subject *subject)
{
	return subject->counted[SPOT_PLAIN] > reads(subject);
}

/* By the size of what is read, unless the operator says that a tensor is moved. */
static bool reads_values(const struct subject *subject)
{
	unsigned op_class = subject->spot->op_class;
	bool moved = (op_class & OPCLASS_TRANSFER) != 0 && (op_class & OPCLASS_SCALAR) == 0;
	return subject->counted[SPOT_SCALAR] >= subject->counted[SPOT_TENSOR] && !moved;
}

bool rule_sync_scalar_read(const struct subject *subject, struct finding *finding)
{
	(void)finding;
	return waits(subject) && !needs_size(subject) && !waits_only(subject) &&
	       reads_values(subject);
}

bool rule_sync_shape_dependent(const struct subject *subject, struct finding *finding)
{
	(void)finding;
	return waits(subject) && needs_size(subject);
}

bool rule_sync_tensor_to_host(const struct subject *subject, struct finding *finding)
{
	(void)finding;
	return waits(subject) && !needs_size(subject) && !waits_only(subject) &&
	       !reads_values(subject);
}

/* The line asks for the device's state until it is the wanted one. */
static bool polls(const struct subject *subject)
{
	return 2 * subject->counted[SPOT_POLLS] > subject->counted[SPOT_PLAIN];
}

bool rule_sync_polling(const struct subject *subject, struct finding *finding)
{
	(void)finding;
	return waits(subject) && !needs_size(subject) && waits_only(subject) && polls(subject);
}

bool rule_sync_explicit(const struct subject *subject, struct finding *finding)
{
	(void)finding;
	return waits(subject) && !needs_size(subject) && waits_only(subject) && !polls(subject);
}

bool rule_sync_repeated_line(const struct subject *subject, struct finding *finding)
{
	double limit = report_limit(subject->report, THRESHOLD_SYNC_REPEATED);
	double often = report_per_step(subject->report, reads(subject));
	if (!waits(subject) || needs_size(subject) || waits_only(subject) || often < limit)
		return false;
	finding->evidence[0] = '\0';
	evidence_add(finding, "%.1f reads per step by this one line (limit %g)", often, limit);
	evidence_end(subject->report, finding);
	return true;
}

bool rule_sync_amp_scaler(const struct subject *subject, struct finding *finding)
{
	if (!waits(subject) || !idiom_is_within(subject, "amp/grad_scaler.py"))
		return false;
	finding->evidence[0] = '\0';
	evidence_add(finding, "the wait is inside of torch/amp/grad_scaler.py");
	return true;
}

bool rule_sync_print(const struct subject *subject, struct finding *finding)
{
	if (!waits(subject) || !idiom_is_within(subject, "torch/_tensor_str.py"))
		return false;
	finding->evidence[0] = '\0';
	evidence_add(finding, "the wait is inside of torch/_tensor_str.py, which makes the text");
	return true;
}

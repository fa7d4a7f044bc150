/* SPDX-License-Identifier: MIT */
#include "analyzer/read/tally.h"

#include <stdio.h>
#include <string.h>

#include "collector/format/loss.h"

void tally_release(struct tally *tally)
{
	ledger_release(&tally->ledger);
}

void tally_damage(struct tally *tally, uint64_t offset, uint64_t bytes)
{
	struct reader_health *health = &tally->health;
	if (health->damaged_frames == 0)
		health->first_damage_offset = offset;
	health->damaged_frames++;
	health->damaged_bytes += bytes;
}

int tally_missed(struct tally *tally, const struct frame_info *info)
{
	struct ledger *ledger = &tally->ledger;
	if (tally->has_pid && info->pid != tally->pid)
		return 0;
	if (ledger_has(&ledger->good, info->sequence) || ledger_has(&ledger->bad, info->sequence))
		return 0;
	tally->header_missing += info->events;
	return ledger_add(&ledger->bad, info->sequence);
}

int tally_frame(struct tally *tally, const struct frame_info *info)
{
	struct ledger *ledger = &tally->ledger;
	if (!tally->has_pid) {
		tally->has_pid = true;
		tally->pid = info->pid;
	}
	if (info->pid != tally->pid) {
		tally->health.foreign_frames++;
		return 0;
	}
	if (ledger_has(&ledger->good, info->sequence)) {
		tally->health.duplicate_frames++;
		return 0;
	}
	if (info->sequence < ledger_until(&ledger->good))
		tally->health.reordered_frames++;
	if (ledger_has(&ledger->bad, info->sequence)) { /* a better copy of what was given up */
		uint64_t most = tally->header_missing;
		tally->header_missing -= info->events < most ? info->events : most;
	}
	int err = ledger_add(&ledger->good, info->sequence);
	return err < 0 ? err : 1;
}

int tally_events(struct tally *tally, const struct item *item)
{
	tally->total_events += item->count;
	return ledger_add_events(&tally->ledger, item->thread, item->first_sequence, item->count);
}

void tally_left_out(struct tally *tally, uint64_t count)
{
	tally->header_missing += count;
	tally->total_events -= count;
}

void tally_meta(struct tally *tally, const struct meta *meta)
{
	struct reader_health *health = &tally->health;
	if (meta->kind == META_END) {
		health->clean_end = true;
		snprintf(health->end_reason, sizeof(health->end_reason), "%s", meta->u.end.reason);
		tally->end_events = meta->u.end.events;
		tally->end_lost = meta->u.end.lost;
	}
	if (meta->kind == META_COUNT && strcmp(meta->u.count.name, "stacks_torn") == 0)
		health->torn = meta->u.count.value;
	if (meta->kind == META_COUNT && strcmp(meta->u.count.name, "ranges_lost") == 0)
		health->ranges_lost = meta->u.count.value;
	if (meta->kind == META_LOST) {
		health->lost += meta->u.lost.count;
		if (loss_cause_of(meta->u.lost.cause) != LOSS_RING_FULL)
			tally->lost_with_number += meta->u.lost.count;
	}
}

void tally_finish(struct tally *tally, bool windowed)
{
	struct reader_health *health = &tally->health;
	uint64_t gaps = ledger_missing_events(&tally->ledger);
	gaps -= gaps < tally->lost_with_number ? gaps : tally->lost_with_number;
	/* three views of the same events; each may see fewer than are missing, none more */
	health->missing = tally->header_missing;
	if (!windowed && gaps > health->missing)
		health->missing = gaps;
	if (!windowed && health->clean_end && tally->end_events > tally->total_events &&
		tally->end_events - tally->total_events > health->missing)
		health->missing = tally->end_events - tally->total_events;
	if (health->clean_end && tally->end_lost > health->lost)
		health->lost = tally->end_lost;
	health->missing_frames = ledger_missing_frames(&tally->ledger);
}

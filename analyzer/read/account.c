/* SPDX-License-Identifier: MIT */
#include "analyzer/read/account.h"

#include <stdio.h>
#include <string.h>

void account_release(struct account *account)
{
	ledger_release(&account->ledger);
}

void account_damage(struct account *account, uint64_t offset, uint64_t bytes)
{
	struct reader_health *health = &account->health;
	if (health->damaged_frames == 0)
		health->first_damage_offset = offset;
	health->damaged_frames++;
	health->damaged_bytes += bytes;
}

int account_missed(struct account *account, const struct frame_info *info)
{
	struct ledger *ledger = &account->ledger;
	if (account->has_pid && info->pid != account->pid)
		return 0;
	if (ledger_has(&ledger->good, info->sequence) || ledger_has(&ledger->bad, info->sequence))
		return 0;
	account->header_missing += info->events;
	return ledger_add(&ledger->bad, info->sequence);
}

int account_frame(struct account *account, const struct frame_info *info)
{
	struct ledger *ledger = &account->ledger;
	if (!account->has_pid) {
		account->has_pid = true;
		account->pid = info->pid;
	}
	if (info->pid != account->pid) {
		account->health.foreign_frames++;
		return 0;
	}
	if (ledger_has(&ledger->good, info->sequence)) {
		account->health.duplicate_frames++;
		return 0;
	}
	if (info->sequence < ledger_until(&ledger->good))
		account->health.reordered_frames++;
	if (ledger_has(&ledger->bad, info->sequence)) { /* a better copy of what was given up */
		uint64_t most = account->header_missing;
		account->header_missing -= info->events < most ? info->events : most;
	}
	int err = ledger_add(&ledger->good, info->sequence);
	return err < 0 ? err : 1;
}

int account_events(struct account *account, const struct item *item)
{
	account->total_events += item->count;
	return ledger_add_events(&account->ledger, item->thread, item->first_sequence, item->count);
}

void account_meta(struct account *account, const struct meta *meta)
{
	struct reader_health *health = &account->health;
	if (meta->kind == META_END) {
		health->clean_end = true;
		snprintf(health->end_reason, sizeof(health->end_reason), "%s", meta->u.end.reason);
		account->end_events = meta->u.end.events;
		account->end_lost = meta->u.end.lost;
	}
	if (meta->kind == META_LOST) {
		health->lost += meta->u.lost.count;
		if (strcmp(meta->u.lost.cause, "ring full") != 0)
			account->lost_with_number += meta->u.lost.count;
	}
}

void account_finish(struct account *account, bool windowed)
{
	struct reader_health *health = &account->health;
	uint64_t gaps = ledger_missing_events(&account->ledger);
	gaps -= gaps < account->lost_with_number ? gaps : account->lost_with_number;
	/* three views of the same events; each may see fewer than are missing, none more */
	health->missing = account->header_missing;
	if (!windowed && gaps > health->missing)
		health->missing = gaps;
	if (!windowed && health->clean_end && account->end_events > account->total_events &&
		account->end_events - account->total_events > health->missing)
		health->missing = account->end_events - account->total_events;
	if (health->clean_end && account->end_lost > health->lost)
		health->lost = account->end_lost;
	health->missing_frames = ledger_missing_frames(&account->ledger);
}

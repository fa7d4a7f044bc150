/* SPDX-License-Identifier: MIT */
/*
 * What is known about the state of a trace file: what came out of it, what is known to have been
 * in it and did not, what was odd about it. Filled while the file is read (tally.h), final after
 * the last block. Plain data.
 */
#ifndef ANALYZER_READ_HEALTH_H
#define ANALYZER_READ_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

struct reader_health {
	uint64_t events;  /* delivered */
	uint64_t lost;    /* counted by the recorder */
	uint64_t missing; /* events in damaged or missing frames, as far as headers tell */
	uint64_t damaged_frames;
	uint64_t damaged_bytes;
	uint64_t missing_frames; /* gaps in the sequence numbers */
	uint64_t duplicate_frames;
	uint64_t reordered_frames; /* came after one with a higher number */
	uint64_t foreign_frames;   /* of another process: left out */
	uint64_t recovered;        /* events taken from the live file */
	uint64_t skipped_items;    /* of unknown kind */
	uint64_t first_damage_offset;
	bool clean_end;       /* the end map was there */
	bool truncated;       /* the file ends inside a frame */
	bool gone;            /* a killed process had more, in memory that is no longer there */
	bool newer;           /* some frame was written by a newer version */
	uint64_t torn;        /* stacks that were given up by the recorder */
	uint64_t ranges_lost; /* more were open at a time than it keeps, or a jump left them */
	char end_reason[24];
};

#endif

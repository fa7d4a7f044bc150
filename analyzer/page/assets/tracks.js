// SPDX-License-Identifier: MIT
// What the time line shows from top to bottom: steps, the account, then of each process its streams and threads.
import {extra, isAlone} from './data.js';
import {lanesOf, Lane} from './lanes.js';
import {bytes, count, leaf, words} from './text.js';

/** Colours by what an event is; the causes of the account follow. */
export const CATEGORIES = ['t-other', 't-op', 't-launch', 't-copy', 't-sync', 't-event', 't-alloc', 't-input', 't-range', 't-pause',
	't-kernel', 't-device_copy', 't-step', 't-phase'].concat(extra.causes.map((cause) => `c-${cause.name}`));
const FIRST_CAUSE = CATEGORIES.length - extra.causes.length;

const OF_KIND = {
	op: 't-op', launch: 't-launch', graph: 't-launch', copy: 't-copy', set: 't-copy', sync: 't-sync', event: 't-event', stream: 't-event',
	alloc: 't-alloc', input: 't-input', range: 't-range', collection: 't-pause', gil: 't-pause', device_kernel: 't-kernel',
	device_copy: 't-device_copy', device_set: 't-device_copy', device_sync: 't-sync', device_api: 't-event', call: 't-event',
};
const ORDER = ['stream', 'device_wait', 'thread', 'device_call', 'device_memory', 'stack', 'overhead', 'state', 'figure', 'thread_figure'];
const QUIET = new Set(['device_call', 'device_memory', 'stack', 'overhead', 'state', 'figure', 'thread_figure', 'device_wait']);

function stepLane(steps) {
	const category = Uint8Array.from(steps, (step) => CATEGORIES.indexOf(step.aside ? 't-phase' : 't-step'));
	return new Lane(Float64Array.from(steps, (step) => step.begin), Float64Array.from(steps, (step) => step.end),
		Uint32Array.from(steps, (step, i) => i), category, Uint32Array.from(steps, (step, i) => i));
}

/** Piece i reaches from its time to that of the next; 15 is time that was not accounted for. */
function causeLane(pieces) {
	const {end, cause, filled} = pieces;
	const known = extra.causes.length;
	let size = 0;
	for (let i = 0; i + 1 < filled; i++) if (cause[i] < known) size++;
	const lane = new Lane(new Float64Array(size), new Float64Array(size), new Uint32Array(size), new Uint8Array(size), new Uint32Array(size));
	for (let i = 0, at = 0; i + 1 < filled; i++) {
		if (cause[i] >= known) continue;
		lane.begin[at] = end[i];
		lane.end[at] = end[i + 1];
		lane.label[at] = cause[i];
		lane.category[at] = FIRST_CAUSE + cause[i];
		lane.index[at++] = i;
	}
	return lane;
}

function titleOf(row) {
	switch (row.class) {
	case 'thread': return row.name || `thread ${row.tid}`;
	case 'stream': return `GPU ${row.device}, stream ${row.stream}`;
	case 'device_wait': return `GPU ${row.device} log: waits`;
	case 'device_call': return `GPU log: calls (${row.tid})`;
	case 'device_memory': return 'GPU log: memory';
	case 'overhead': return row.tid > 0 ? `recording (${row.tid})` : 'recording';
	case 'stack': return `stack samples (${row.tid})`;
	case 'state': return 'sources of events';
	default: return words(row.metric || 'figure') + (row.tid === undefined || row.class === 'figure' ? '' : ` (${row.tid})`);
	}
}

function processTitle(process) {
	const name = leaf(process.program || 'process');
	const rank = process.rank === undefined ? '' : `rank ${process.rank}: `;
	return `${rank}${name}${process.pid === null ? '' : `, pid ${process.pid}`}${process.analysed ? '' : process.role ? `, ${process.role}` : ''}`;
}

function compareRows(left, right) {
	return ORDER.indexOf(left.class) - ORDER.indexOf(right.class) || right.events - left.events || left.row - right.row;
}

/** Tracks in order; a heading holds the process's rows together. */
export function tracksOf(line) {
	const categories = Uint8Array.from(line.labels, (label) => Math.max(0, CATEGORIES.indexOf(label ? OF_KIND[label.kind] || 't-other' : 't-other')));
	const tracks = [];
	if (line.steps.length > 0) tracks.push({kind: 'steps', title: 'steps', lanes: [stepLane(line.steps)]});
	if (line.pieces.filled > 1) tracks.push({kind: 'causes', title: isAlone ? 'where time goes' : 'GPU, and why it is idle', lanes: [causeLane(line.pieces)]});
	const processes = line.processes.slice().sort((left, right) => right.analysed - left.analysed || left.process - right.process);
	for (const process of processes) {
		const rows = line.rows.filter((row) => row.process === process.process).sort(compareRows);
		if (rows.length === 0) continue;
		const heading = {kind: 'process', title: processTitle(process), lanes: [], open: process.analysed, process, rows: []};
		tracks.push(heading);
		for (const row of rows) {
			const track = {kind: row.class, title: titleOf(row), row, lanes: lanesOf(row, categories), heading,
				open: !QUIET.has(row.class) && heading.rows.length < 12, remark: `${count(row.events)} events`};
			heading.rows.push(track);
			tracks.push(track);
		}
	}
	return tracks;
}

/** The parts of a label that a reader wants, as pairs. */
export function factsOf(label) {
	const facts = [];
	const is = label.is || {};
	if (is.grid_x !== undefined) facts.push(['grid', `${is.grid_x} × ${is.grid_y} × ${is.grid_z}`]);
	if (is.block_x !== undefined) facts.push(['block', `${is.block_x} × ${is.block_y} × ${is.block_z}`]);
	for (const [name, value] of Object.entries(is)) {
		if (/^(grid|block)_[xyz]$/.test(name) || name === 'name' || name === 'kernel') continue;
		facts.push([words(name), name.includes('bytes') && typeof value === 'number' ? bytes(value) : Array.isArray(value) ? value.join(', ') : String(value)]);
	}
	return facts;
}

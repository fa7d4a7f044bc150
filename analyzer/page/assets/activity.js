// SPDX-License-Identifier: MIT
// What the time line says as tables and charts: operators, user ranges, input and workers, memory over time.
import {extra, isAlone, report} from './data.js';
import {bytes, count, draw, duration, make, percent, section, words} from './text.js';

const TURN_MS = 8;
const EMPTY_NS = 20e3; // what is waited for a batch that is ready is less

function threads(line, wanted) {
	return line.tracks.filter((track) => track.kind === 'thread' && wanted(track.heading.process));
}

/** So that the page stays fluid while much is added up. */
function pause() {
	return new Promise((done) => setTimeout(done, 0));
}

/**
 * What the device did for operators, by their names: itself for the innermost around the call, in total for all around
 * it. It takes a while, a little at a time.
 */
export async function beneathOperators(line) {
	const {labels} = line.line;
	const found = new Map();
	const rowOf = (name) => {
		if (!found.has(name)) found.set(name, {device_ns: 0, device_total_ns: 0, kernels: 0, beneath: new Map()});
		return found.get(name);
	};
	let since = performance.now();
	for (const track of line.tracks.filter((one) => one.kind === 'stream' && one.heading.process.analysed))
		for (const lane of track.lanes)
			for (let at = 0; at < lane.count; at++) {
				if (at % 256 === 0 && performance.now() - since > TURN_MS) {
					await pause();
					since = performance.now();
				}
				const call = line.partners.of({track, lane, at})[0];
				if (!call) continue;
				const ns = lane.end[at] - lane.begin[at];
				const around = operatorsAround(call, labels);
				new Set(around).forEach((name) => {
					rowOf(name).device_total_ns += ns;
				});
				if (around.length > 0) addKernel(rowOf(around[0]), labels[lane.label[at]].name, ns);
			}
	return found;
}

/** Names of the operators around a call, the innermost first. */
function operatorsAround(call, labels) {
	const time = call.lane.begin[call.at];
	const names = [];
	for (let depth = call.track.lanes.indexOf(call.lane) - 1; depth >= 0; depth--) {
		const outer = call.track.lanes[depth];
		const at = outer.after(time);
		if (at < outer.count && outer.begin[at] <= time && labels[outer.label[at]].kind === 'op') names.push(labels[outer.label[at]].name);
	}
	return names;
}

function addKernel(row, name, ns) {
	row.device_ns += ns;
	row.kernels++;
	const kernel = row.beneath.get(name) || {name, device_ns: 0, kernels: 0};
	kernel.device_ns += ns;
	kernel.kernels++;
	row.beneath.set(name, kernel);
}

function column(name, label, format) {
	return {name, label, text: format === undefined, format};
}

export const OPERATOR_COLUMNS = [column('name', 'name'), column('count', 'count', count), column('self_ns', 'self', duration),
	column('total_ns', 'total', duration), column('device_ns', 'GPU self', duration), column('device_total_ns', 'GPU total', duration),
	column('kernels', 'operations', count), column('avg_ns', 'mean', duration), column('median_ns', 'median', duration),
	column('p99_ns', 'p99', duration), column('max_ns', 'longest', duration)];

const NOTHING = {device_ns: 0, device_total_ns: 0, kernels: 0, beneath: new Map()};
const UNKNOWN = {device_ns: null, device_total_ns: null, kernels: null, beneath: new Map()};

/** The host's times are those of the report; what ran beneath is known of the events in the file, once it is added up. */
export function operators(line) {
	return (line.line.tables.operators || []).map((row) => {
		const device = line.beneath ? line.beneath.get(row.name) || NOTHING : UNKNOWN;
		return {...row, ...device, beneath: [...device.beneath.values()].sort((left, right) => right.device_ns - left.device_ns)};
	});
}

/** For how long the outermost events of a thread of these kinds ran. */
function busy(track, labels, wanted) {
	let sum = 0;
	let until = -Infinity;
	const events = [];
	for (const lane of track.lanes)
		for (let at = 0; at < lane.count; at++)
			if (wanted(labels[lane.label[at]].kind)) events.push([lane.begin[at], lane.end[at]]);
	events.sort((left, right) => left[0] - right[0]);
	for (const [begin, end] of events) {
		if (end > until) sum += end - Math.max(begin, until);
		until = Math.max(until, end);
	}
	return sum;
}

function workerRow(line, track) {
	const {labels} = line.line;
	const first = Math.min(...track.lanes.map((lane) => lane.begin[0]));
	const last = Math.max(...track.lanes.map((lane) => lane.end[lane.count - 1]));
	const span = Math.max(1, last - first);
	const waits = busy(track, labels, (kind) => kind === 'input');
	const works = busy(track, labels, (kind) => kind === 'op' || kind === 'range');
	const share = (ns) => 100 * ns / span;
	return [make('div', {}, `${track.heading.title}, ${track.title}`),
		make('div', {className: 'gauge worker', role: 'img', 'aria-label': `works ${percent(share(works))}, waits ${percent(share(waits))}`},
			make('i', {style: {width: `${share(works)}%`, background: 'var(--t-kernel)'}}),
			make('i', {style: {left: `${share(works)}%`, width: `${Math.min(100 - share(works), share(waits))}%`, background: 'var(--t-input)'}})),
		make('div', {}, `works ${percent(share(works))}, waits ${percent(share(waits))} of ${duration(span)}`)];
}

/** Whether batches were ready when the steps that count asked for them. */
function queueFacts(line) {
	const steady = line ? line.line.steps.filter((step) => !step.aside && step.number >= extra.first_steady && step.number < extra.until_steady) : [];
	if (steady.length === 0) return [];
	const input = extra.causes.findIndex((one) => one.name === 'idle_input');
	const empty = steady.map((step) => step.causes[input]).filter((ns) => ns >= EMPTY_NS);
	const most = empty.reduce((a, b) => Math.max(a, b), 0);
	return [[isAlone ? 'queue was empty' : 'queue was empty, and the GPU idled', `in ${count(empty.length)} of ${count(steady.length)} steps` +
		(most > 0 ? `, at most for ${duration(most)}` : '')]];
}

function workerFacts() {
	const {workers} = report;
	if (workers === null) return [];
	const where = workers.processors === null ? '' : `, for ${count(workers.processors)} processors`;
	const life = workers.busy_most_pct === null ? ''
		: `; on a processor for ${percent(workers.busy_least_pct)} to ${percent(workers.busy_most_pct)} of their life`;
	return [['worker processes', `${count(workers.most_at_a_time)} at a time${where}${life}`]];
}

export function inputSection(line) {
	const {phases} = report.tables;
	const cause = report.account.find((row) => row.cause === 'idle_input');
	const facts = [['the host waits for data', percent(report.ratios.reader_pct)],
		[isAlone ? 'a step is longer because of it' : 'the GPU is idle because of it', cause ? `${duration(cause.ns_per_step)} per step` : '–'],
		['in ranges of the loader', phases.loading_ns === undefined ? '–' : `${duration(phases.loading_ns)} per step`],
		...queueFacts(line), ...workerFacts()];
	const workers = line ? threads(line, (process) => !process.analysed).filter((track) => track.lanes.length > 0) : [];
	return section('input', 'Input', '', make('div', {className: 'card'},
		make('dl', {className: 'pairs'}, facts.map(([name, value]) => [make('dt', {}, name), make('dd', {}, value)])),
		workers.length > 0 ? make('div', {className: 'workers'}, workers.slice(0, 64).map((track) => workerRow(line, track)))
			: make('p', {className: 'meta'}, line ? 'no other process took part' : '')));
}

/** A line over time; points: [ns, bytes] in order. */
function curve(title, points) {
	const values = points.map(([, value]) => value);
	const most = values.reduce((a, b) => Math.max(a, b), 1);
	const from = points[0][0];
	const span = Math.max(1, points[points.length - 1][0] - from);
	const path = points.map(([ns, value]) => `${(ns - from) / span * 600},${100 - value / most * 94}`);
	return make('div', {className: 'curve'}, make('h3', {}, title),
		draw('svg', {viewBox: '0 0 600 102', preserveAspectRatio: 'none', role: 'img', 'aria-label': `up to ${bytes(most)}`},
			draw('polyline', {points: path.join(' '), fill: 'none', stroke: 'currentColor', 'stroke-width': '2', 'vector-effect': 'non-scaling-stroke'})),
		make('p', {className: 'meta'}, `up to ${bytes(most)}, in the end ${bytes(values[values.length - 1])}, over ${duration(span)}`));
}

/** What the program holds of the device's memory, by its own allocations. */
function held() {
	const {memory} = report;
	if (memory === null || memory.reserved_bytes.length < 2) return [];
	return [curve('memory of the GPU that is allocated', memory.reserved_bytes.map((value, at) => [memory.begin_ns + at * memory.part_ns, value]))];
}

export function memorySection(line) {
	const found = line ? line.tracks.filter((track) => track.kind === 'figure' && /resident|held|memory/.test(track.row.metric || '') &&
		track.row.begin.length > 1) : [];
	const curves = held().concat(found.slice(0, 32).map((track) => curve(`${track.heading.title}: ${words(track.row.metric)}`,
		Array.from(track.row.value, (value, at) => [track.row.begin[at], value]))));
	return section('memory', 'Memory over time', '', curves.length > 0
		? make('div', {className: 'card cards'}, curves)
		: make('p', {className: 'card empty'}, 'The trace has no figures of memory.'));
}

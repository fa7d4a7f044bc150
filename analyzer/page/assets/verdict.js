// SPDX-License-Identifier: MIT
// The first screen: verdict, the four ratios with their limits, and where a step goes.
import {causes, isAlone, limit, report} from './data.js';
import {causeColour, inkOn, onTheme} from './theme.js';
import {count, duration, make, percent, section, words} from './text.js';

const LABELS = {
	io: 'IO bound', cpu: 'CPU bound', gpu: 'GPU bound', communication: 'communication bound',
	copy: 'copy bound', mixed: 'mixed', balanced: 'balanced',
};

/** A class of a verdict as people call it. */
export function classLabel(name) {
	return LABELS[name] || words(name || 'unknown');
}

/** What was analysed; a launcher may have been recorded beside it. */
export function programName() {
	const main = report.run.processes[report.run.analysed_process];
	return (main && main.program) || report.run.programs[0];
}

function subject() {
	const {run} = report;
	const main = run.processes[run.analysed_process];
	const parts = [`pid ${run.analysed_pid}`];
	if (main && main.rank !== null) parts.push(`rank ${main.rank}`);
	if (run.hosts.length > 0) parts.push(`on ${run.hosts.join(', ')}`);
	if (run.processes.length > 1) parts.push(`of ${count(run.processes.length)} processes (${words(run.analysed_because)})`);
	return parts.join(', ');
}

function stepsLine() {
	const {steps} = report;
	if (steps.steady === 0) return 'no steady steps were found';
	return `${count(steps.count)} steps by ${steps.method} (${steps.confidence} confidence), ` +
		`the first ${count(steps.warmup)} are warm-up; mean ${duration(steps.mean_ns)}, ` +
		`median ${duration(steps.median_ns)}, p95 ${duration(steps.p95_ns)}, ` +
		`${duration(steps.min_ns)} to ${duration(steps.max_ns)}`;
}

function healthLine() {
	const {health} = report;
	const parts = [`trace ${health.status}`, `${count(health.events)} events`];
	if (health.lost > 0) parts.push(`${count(health.lost)} lost`);
	if (health.matched_pct !== null) parts.push(`${percent(health.matched_pct)} of operations matched`);
	if (health.own_hooks_pct !== null) parts.push(`recording took ${percent(health.own_hooks_pct)} of a step on its threads`);
	else if (health.own_overhead_pct !== null) parts.push(`recording took ${percent(health.own_overhead_pct)}`);
	return parts.join(', ');
}

function list(items) {
	return items.length === 0 ? null : make('ul', {className: 'doubts'}, items.map((text) => make('li', {}, text)));
}

function verdictCard() {
	const {verdict} = report;
	const program = programName() || 'program unknown';
	return make('div', {className: `card verdict v-${verdict.class}`},
		make('p', {className: 'subject'}, make('strong', {}, program), ` ${subject()}`),
		make('h1', {}, make('span', {className: 'pill'}, classLabel(verdict.class)),
			verdict.class === 'insufficient' ? null
				: make('span', {className: 'confidence'}, `${verdict.confidence} confidence`)),
		make('p', {className: 'sentence'}, verdict.text),
		list(verdict.lowered_by.map((doubt) => doubt.text)),
		make('p', {className: 'meta'}, stepsLine()),
		make('p', {className: 'meta'}, healthLine()),
		list(report.health.reasons));
}

/** A ratio from 0 to 100 % with the limits of the verdict drawn in. */
function tile(label, value, colour, limits, remark) {
	const gauge = make('div', {className: 'gauge', role: 'img', 'aria-label': `${label}: ${percent(value)}`},
		value === null ? null : make('i', {style: {width: `${Math.min(100, value)}%`, background: colour}}));
	for (const [name, at] of limits)
		gauge.append(make('u', {title: `limit ${at} % (${name})`, style: {left: `${at}%`}}));
	const marks = limits.map(([name, at]) => `${name} ${at} %`).join(', ');
	return make('div', {className: 'tile'}, make('span', {}, label), make('b', {}, percent(value)), gauge,
		make('small', {}, [remark, marks ? `limits: ${marks}` : ''].filter(Boolean).join('; ')));
}

/** By the kernel's account of the thread that ends the steps; else by what is recorded: as the text report has it. */
function hostTile() {
	const thread = report.host_thread;
	if (thread === null || thread.on_processor_pct === null)
		return tile('host not waiting', report.ratios.host_pct, 'var(--c-idle_host)', [], 'neither for data nor for the GPU');
	return tile('host busy', thread.on_processor_pct, 'var(--c-idle_host)', [], 'on a processor; ready without one for ' +
		`${percent(thread.waiting_for_processor_pct)}, blocked or asleep for ${percent(thread.blocked_pct)}`);
}

function tiles() {
	const {ratios} = report;
	let busy = isAlone ? 'the program gave no work to a GPU' : ratios.gpu_busy_is.replace('_', ' ');
	if (!isAlone && ratios.gpu_busy_is !== 'measured' && ratios.gpu_busy_low_pct !== null)
		busy += `, between ${percent(ratios.gpu_busy_low_pct)} and ${percent(ratios.gpu_busy_high_pct)}`;
	return make('div', {className: 'tiles'},
		tile('waiting for data', ratios.reader_pct, 'var(--c-idle_input)', [['io', limit('io')]], 'of a step'),
		tile('GPU busy', ratios.gpu_busy_pct, 'var(--c-device_compute)', [['cpu', limit('cpu')], ['gpu', limit('gpu')]], busy),
		hostTile(),
		tile('waiting for the GPU', ratios.waiting_for_gpu_pct, 'var(--c-idle_sync)', [], 'the host in a wait'));
}

function account() {
	const rows = report.account.filter((row) => row.ns_per_step > 0);
	if (rows.length === 0) return make('p', {className: 'card empty'}, 'Without steady steps nothing can be said of where a step goes.');
	const bar = make('div', {className: 'bar', role: 'img', 'aria-label': 'where a step goes'});
	const body = make('tbody');
	for (const row of rows) {
		const text = (causes.get(row.cause) || {text: row.cause}).text;
		const part = make('div', {title: `${text}: ${duration(row.ns_per_step)}, ${percent(row.pct)}`,
			style: {width: `${row.pct}%`}}, row.pct > 8 ? percent(row.pct) : '');
		const swatch = make('i', {className: 'swatch'});
		const paint = () => {
			part.style.background = causeColour(row.cause);
			part.style.color = inkOn(causeColour(row.cause));
			swatch.style.background = causeColour(row.cause);
		};
		paint();
		onTheme(paint);
		bar.append(part);
		body.append(make('tr', {}, make('td', {}, swatch, text, row.is === 'estimated' ? ' ~' : ''),
			make('td', {}, duration(row.ns_per_step)), make('td', {}, percent(row.pct))));
	}
	const inferred = rows.some((row) => row.is === 'estimated');
	return make('div', {className: 'card'}, bar, make('table', {className: 'account'}, body),
		inferred ? make('p', {className: 'meta'}, '~ inferred from what the host did, not measured') : null);
}

function phases() {
	const rows = report.between_steps;
	if (rows.length === 0) return null;
	return make('p', {className: 'meta'}, 'between the steps: ' +
		rows.map((row) => `${words(row.phase)} ${count(row.count)} times, ${duration(row.ns)}`).join('; '));
}

export function verdictSections() {
	return [
		section('verdict', 'Verdict', '', make('div', {className: 'hero'}, verdictCard(), tiles())),
		section('account', 'Where a step goes', 'every nanosecond of the steady steps has one cause', account(), phases()),
	];
}

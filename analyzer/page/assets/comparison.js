// SPDX-License-Identifier: MIT
// Two sides instead of one run: what changed, with both on one scale.
import {causes, comparison} from './data.js';
import {Tables} from './tables.js';
import {causeColour, onTheme} from './theme.js';
import {bytes, count, duration, make, percent, place, section, words} from './text.js';

const CHANGED = [['sites', 'Lines'], ['operators', 'Operators'], ['kernels', 'Kernels'], ['copies', 'Copies'], ['calls', 'API functions']];
const SIDES = ['base', 'new'];

function signedText(text, value) {
	return value > 0 ? `+${text}` : text;
}

function changeOf(ns) {
	return ns === null ? '–' : signedText(duration(ns), ns);
}

function changedSize(value) {
	return value < 0 ? `−${bytes(-value)}` : signedText(bytes(value), value);
}

function sideVerdict(side) {
	const one = comparison[side];
	const parts = [words(one.verdict || 'unknown'), one.cause ? words(one.cause) : null, `${one.confidence || 'unknown'} confidence`];
	return `${side}: ${one.name}, ${parts.filter(Boolean).join(', ')}`;
}

function changedStep() {
	const step = comparison.step_ns;
	if (step.change === null) return 'The time of a step is not known on both sides';
	return `${duration(step.base)} → ${duration(step.new)} a step (${signedText((100 * step.change / step.base).toFixed(1), step.change)} %)`;
}

function sideSpread() {
	if (comparison.base.runs === 1 || comparison.new.runs === 1)
		return 'One run on a side: times of two runs of one program differ, too.';
	return `Medians of ${comparison.base.runs} and ${comparison.new.runs} runs, which lie ` +
		`${percent(comparison.base.spread_pct)} and ${percent(comparison.new.spread_pct)} apart.`;
}

function modelled() {
	const of = SIDES.filter((side) => comparison[side].simulated);
	if (of.length === 0) return null;
	return make('p', {className: 'meta', id: 'modelled'}, of.length === 2
		? 'Both sides are of a simulated GPU: counts are the program\u2019s, times are modelled.'
		: `${of[0]} is of a simulated GPU: compare counts alone, its times are modelled.`);
}

/** A step of one side; so wide as it is long beside the longer one. */
function sideBar(side, longest) {
	const whole = comparison.account.reduce((sum, row) => sum + row.ns_per_step[side], 0);
	const self = make('div', {className: 'bar', role: 'img', 'aria-label': `a step of ${side}: ${duration(whole)}`,
		style: {width: `${100 * whole / longest}%`}});
	for (const row of comparison.account) {
		const ns = row.ns_per_step[side];
		if (ns <= 0) continue;
		const part = make('div', {title: `${causeText(row.cause)}: ${duration(ns)}`, style: {width: `${100 * ns / whole}%`}});
		const paint = () => {
			part.style.background = causeColour(row.cause);
		};
		paint();
		onTheme(paint);
		self.append(part);
	}
	return make('div', {className: 'side'}, make('span', {}, side), make('div', {}, self));
}

function causeText(cause) {
	return (causes.get(cause) || {text: words(cause)}).text;
}

function causeSwatch(cause) {
	const self = make('i', {className: 'swatch'});
	const paint = () => {
		self.style.background = causeColour(cause);
	};
	paint();
	onTheme(paint);
	return self;
}

function bothAccounts() {
	const rows = comparison.account.filter((row) => row.ns_per_step.base > 0 || row.ns_per_step.new > 0);
	if (rows.length === 0) return make('p', {className: 'card empty'}, 'Neither side says where a step goes.');
	const longest = Math.max(...SIDES.map((side) => rows.reduce((sum, row) => sum + row.ns_per_step[side], 0)));
	const head = make('tr', {}, ['cause', 'base', 'new', 'change'].map((text) => make('th', {}, text)));
	const body = rows.map((row) => make('tr', {}, make('td', {}, causeSwatch(row.cause), causeText(row.cause)),
		SIDES.map((side) => make('td', {}, duration(row.ns_per_step[side]))),
		make('td', {}, changeOf(row.ns_per_step.change))));
	const left = comparison.step_ns.change === null ? null : make('p', {className: 'meta', id: 'unexplained'},
		`${changeOf(comparison.unexplained_ns)} of ${changeOf(comparison.step_ns.change)} is left unexplained`);
	return make('div', {className: 'card'}, SIDES.map((side) => sideBar(side, longest)),
		make('table', {className: 'account'}, make('thead', {}, head), make('tbody', {}, body)), left);
}

function bothRatios(label, pair, colour) {
	const gauges = SIDES.map((side) => make('div', {className: 'gauge', role: 'img', 'aria-label': `${label}, ${side}: ${percent(pair[side])}`},
		pair[side] === null ? null : make('i', {style: {width: `${Math.min(100, pair[side])}%`, background: colour}})));
	return make('div', {className: 'tile'}, make('span', {}, label), make('b', {}, `${percent(pair.base)} → ${percent(pair.new)}`), gauges,
		make('small', {}, 'above the base, below the new side'));
}

function comparisonCard() {
	const card = make('div', {className: 'card verdict'},
		make('p', {className: 'subject'}, make('strong', {}, comparison.new.program || 'program unknown'), ' two sides, per step'),
		make('h1', {}, changedStep()), make('p', {className: 'meta'}, sideSpread()), modelled(),
		SIDES.map((side) => make('p', {className: 'meta'}, sideVerdict(side))));
	const tiles = make('div', {className: 'tiles'}, bothRatios('waiting for data', comparison.reader_pct, 'var(--c-idle_input)'),
		bothRatios('GPU busy', comparison.gpu_busy_pct, 'var(--c-device_compute)'), bothRatios('host busy', comparison.host_pct, 'var(--c-idle_host)'));
	return make('div', {className: 'hero'}, card, tiles);
}

function changedFinding(finding, most) {
	const ns = finding.ns_per_step;
	const where = place(finding.file, finding.line, finding.function);
	const scale = SIDES.map((side) => make('div', {className: 'side'}, make('span', {}, side),
		make('div', {className: 'gauge'}, make('i', {style: {width: `${most > 0 ? 100 * ns[side] / most : 0}%`, background: 'var(--c-idle_sync)'}}))));
	return make('article', {className: `card finding is-${finding.state}`},
		make('div', {}, make('h3', {}, make('span', {className: 'state'}, finding.state), ' ',
			make('span', {className: `severity s-${finding.severity}`}, finding.severity), make('code', {}, finding.rule), ' ',
			where ? make('span', {title: finding.file}, where) : null),
		finding.text ? make('p', {className: 'what'}, finding.text) : null,
		finding.op ? make('p', {className: 'evidence'}, 'in ', make('code', {}, finding.op)) : null),
		make('div', {className: 'gain'}, make('b', {}, changeOf(ns.change)), make('small', {}, `${duration(ns.base)} → ${duration(ns.new)} a step`),
			scale));
}

function changedFindings() {
	const most = Math.max(0, ...comparison.findings.flatMap((finding) => SIDES.map((side) => finding.ns_per_step[side])));
	return section('findings', 'Findings', 'by what they cost a step, on one scale',
		comparison.findings.length > 0 ? comparison.findings.map((finding) => changedFinding(finding, most))
			: make('p', {className: 'card empty'}, 'Neither side has findings.'));
}

const callRate = (value) => count(value === null ? null : Math.round(100 * value) / 100);
const CHANGE_COLUMNS = [
	{name: 'change_ns', label: 'change', format: changeOf}, {name: 'state', label: 'state', text: true}, {name: 'what', label: 'what', text: true},
	{name: 'base_calls', label: 'base calls', format: callRate}, {name: 'new_calls', label: 'new calls', format: callRate},
	{name: 'base_ns', label: 'base', format: duration}, {name: 'new_ns', label: 'new', format: duration},
	{name: 'change_bytes', label: 'change in size', format: changedSize},
];

function changeRow(row) {
	const where = row.file ? ` ${place(row.file, row.line, row.function)}${row.op ? `, ${row.op}` : ''}` : '';
	return {change_ns: row.ns_per_step.change, state: row.state, what: row.name + where,
		base_calls: row.count.base_per_1000_steps / 1000, new_calls: row.count.new_per_1000_steps / 1000,
		base_ns: row.ns_per_step.base, new_ns: row.ns_per_step.new,
		change_bytes: (row.bytes.new_per_1000_steps - row.bytes.base_per_1000_steps) / 1000};
}

export function comparisonSections() {
	const sheets = CHANGED.map(([name, title]) =>
		({name, title, rows: comparison[name].map(changeRow), columns: CHANGE_COLUMNS, none: 'None of these has changed.'}));
	return [
		section('comparison', 'Comparison', '', comparisonCard()),
		section('account', 'What explains the difference', 'both steps on one scale', bothAccounts()),
		changedFindings(),
		new Tables(sheets).node,
	];
}

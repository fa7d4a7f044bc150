// SPDX-License-Identifier: MIT
// Two sides instead of one run: what changed, with both on one scale; of runs with several ranks all of them.
import {causes, comparison} from './data.js';
import {note, onLink} from './links.js';
import {Tables} from './tables.js';
import {causeColour, onTheme} from './theme.js';
import {bytes, count, duration, make, percent, place, section, words} from './text.js';
import {classLabel} from './verdict.js';

const CHANGED = [['sites', 'Lines'], ['operators', 'Operators'], ['kernels', 'Kernels'], ['copies', 'Copies'], ['calls', 'API functions']];
const SIDES = ['base', 'new'];
const RATIOS = [['waiting for data', 'reader_pct', 'var(--c-idle_input)'], ['GPU busy', 'gpu_busy_pct', 'var(--c-device_compute)'],
	['host not waiting', 'host_pct', 'var(--c-idle_host)']];

function signedText(text, value) {
	return value > 0 ? `+${text}` : text;
}

/** A number and its unit on one line. */
function tight(text) {
	return make('span', {className: 'tight'}, text);
}

function changeOf(ns) {
	return ns === null ? '–' : signedText(duration(ns), ns);
}

function changedSize(value) {
	return value < 0 ? `−${bytes(-value)}` : signedText(bytes(value), value);
}

/** What is compared: the runs themselves, or each rank that is on both sides, the lowest first. */
function comparedRanks() {
	return [{...comparison, rank: comparison.base.rank}, ...comparison.other_ranks];
}

function sideVerdict(one, side) {
	const {verdict, cause, confidence} = one[side];
	const parts = [classLabel(verdict), cause ? causeText(cause) : null, `${confidence || 'unknown'} confidence`];
	return `${side}: ${comparison[side].name}, ${parts.filter(Boolean).join(', ')}`;
}

function changedStep(one) {
	const step = one.step_ns;
	if (step.change === null) return 'The time of a step is not known on both sides';
	return [tight(duration(step.base)), ' → ', tight(duration(step.new)), ' a step ',
		tight(`(${signedText((100 * step.change / step.base).toFixed(1), step.change)} %)`)];
}

function sideSpread(one) {
	if (comparison.base.runs === 1 || comparison.new.runs === 1)
		return 'One run on a side: times of two runs of one program differ, too.';
	return `Medians of ${comparison.base.runs} and ${comparison.new.runs} runs, which lie ` +
		`${percent(one.base.spread_pct)} and ${percent(one.new.spread_pct)} apart.`;
}

function modelled() {
	const of = SIDES.filter((side) => comparison[side].simulated);
	if (of.length === 0) return null;
	return make('p', {className: 'meta', id: 'modelled'}, of.length === 2
		? 'Both sides are of a simulated GPU: counts are the program\u2019s, times are modelled.'
		: `${of[0]} is of a simulated GPU: compare counts alone, its times are modelled.`);
}

function accountOf(one, side) {
	return one.account.reduce((sum, row) => sum + Math.max(0, row.ns_per_step[side]), 0);
}

/** The longest step of all ranks on both sides, which everything is drawn beside. */
function longestStep(ranks) {
	return ranks.reduce((most, one) => Math.max(most, accountOf(one, 'base'), accountOf(one, 'new')), 0);
}

/** A step of one side; so wide as it is long beside the longest one. */
function sideBar(one, side, longest) {
	const whole = accountOf(one, side);
	const self = make('div', {className: 'bar', role: 'img', 'aria-label': `a step of ${side}: ${duration(whole)}`,
		style: {width: `${longest > 0 ? 100 * whole / longest : 0}%`}});
	for (const row of one.account) {
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

function bothAccounts(one, longest) {
	const rows = one.account.filter((row) => row.ns_per_step.base > 0 || row.ns_per_step.new > 0);
	if (rows.length === 0) return make('p', {className: 'card empty'}, 'Neither side says where a step goes.');
	const head = make('tr', {}, ['cause', 'base', 'new', 'change'].map((text) => make('th', {}, text)));
	const body = rows.map((row) => make('tr', {}, make('td', {}, causeSwatch(row.cause), causeText(row.cause)),
		SIDES.map((side) => make('td', {}, duration(row.ns_per_step[side]))),
		make('td', {}, changeOf(row.ns_per_step.change))));
	const left = one.step_ns.change === null ? null : make('p', {className: 'meta', id: 'unexplained'},
		`${changeOf(one.unexplained_ns)} of ${changeOf(one.step_ns.change)} is left unexplained`);
	return make('div', {className: 'card'}, SIDES.map((side) => sideBar(one, side, longest)),
		make('table', {className: 'account'}, make('thead', {}, head), make('tbody', {}, body)), left);
}

function bothRatios(label, pair, colour) {
	const gauges = SIDES.map((side) => make('div', {className: 'gauge', role: 'img', 'aria-label': `${label}, ${side}: ${percent(pair[side])}`},
		pair[side] === null ? null : make('i', {style: {width: `${Math.min(100, pair[side])}%`, background: colour}})));
	return make('div', {className: 'tile'}, make('span', {}, label), make('b', {}, tight(percent(pair.base)), ' → ', tight(percent(pair.new))), gauges,
		make('small', {}, 'above the base, below the new side'));
}

function comparisonCard(one, ranks) {
	const of = ranks.length > 1 ? `, rank ${one.rank} of ${count(ranks.length)} ranks` : '';
	const card = make('div', {className: 'card verdict'},
		make('p', {className: 'subject'}, make('strong', {}, comparison.new.program || 'program unknown'), ` two sides, per step${of}`),
		make('h1', {}, changedStep(one)), make('p', {className: 'meta'}, sideSpread(one)), modelled(),
		SIDES.map((side) => make('p', {className: 'meta'}, sideVerdict(one, side))));
	const tiles = make('div', {className: 'tiles'}, RATIOS.map(([label, key, paint]) => bothRatios(label, one[key], paint)));
	return make('div', {className: 'hero'}, card, tiles);
}

/** The cause that changed most, of those that went the way of the step. */
function mainCause(one) {
	const cause = one.account.find((row) => row.ns_per_step.change * one.step_ns.change > 0);
	return cause ? `, most of it ${causeText(cause.cause)} (${changeOf(cause.ns_per_step.change)})` : '';
}

function rankRow(one, longest, show) {
	const button = make('button', {type: 'button', 'aria-pressed': 'false'}, `rank ${one.rank}`);
	button.addEventListener('click', () => {
		show(one);
		note('rank', one.rank);
	});
	const verdicts = SIDES.map((side) => `${classLabel(one[side].verdict)}${one[side].cause ? ` (${words(one[side].cause)})` : ''}`);
	return make('div', {className: 'rank'},
		make('div', {}, button, make('b', {}, changedStep(one)), mainCause(one)),
		make('p', {className: 'meta verdicts'}, verdicts[0] === verdicts[1] ? `${verdicts[0]} on both sides` : verdicts.join(' → ')),
		make('p', {className: 'meta ratios'}, RATIOS.map(([label, key], at) => [at > 0 ? ', ' : '', `${label} `,
			tight(`${percent(one[key].base)} → ${percent(one[key].new)}`)])),
		SIDES.map((side) => sideBar(one, side, longest)));
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

function changedFindings(one) {
	const most = Math.max(0, ...one.findings.flatMap((finding) => SIDES.map((side) => finding.ns_per_step[side])));
	return one.findings.length > 0 ? one.findings.map((finding) => changedFinding(finding, most))
		: make('p', {className: 'card empty'}, 'Neither side has findings.');
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

/** "0, 2–3" of 0, 2 and 3. */
function rankList(ranks) {
	const parts = [];
	for (const rank of ranks) {
		const last = parts[parts.length - 1];
		if (last && last[1] === rank - 1) last[1] = rank;
		else parts.push([rank, rank]);
	}
	return parts.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
}

function changedTables(one) {
	const sheets = CHANGED.map(([name, title]) =>
		({name, title, rows: one[name].map(changeRow), columns: CHANGE_COLUMNS, none: 'None of these has changed.'}));
	if (comparison.other_ranks.length > 0) sheets.push({name: 'uneven', title: 'Not alike on all ranks',
		rows: comparison.uneven.map((row) => ({...changeRow(row), ranks: rankList(row.ranks)})),
		columns: [...CHANGE_COLUMNS.slice(0, 3), {name: 'ranks', label: 'on ranks', text: true}, ...CHANGE_COLUMNS.slice(3)],
		none: 'All counts changed alike on all ranks.'});
	return new Tables(sheets).node;
}

/** All of a section but its heading. */
function refill(node, ...content) {
	node.replaceChildren(node.querySelector('h2'), ...content.flat());
}

export function comparisonSections() {
	const ranks = comparedRanks();
	const longest = longestStep(ranks);
	const card = section('comparison', 'Comparison', '');
	const account = section('account', 'What explains the difference', 'both steps on one scale');
	const findings = section('findings', 'Findings', 'by what they cost a step, on one scale');
	const tables = section('tables', 'Tables', 'a heading sorts');
	const buttons = make('div', {className: 'scroll ranks', tabIndex: 0, role: 'region', 'aria-label': 'ranks'});
	const show = (one) => {
		refill(card, comparisonCard(one, ranks));
		refill(account, bothAccounts(one, longest));
		refill(findings, changedFindings(one));
		refill(tables, ...[...changedTables(one).children].slice(1));
		[...buttons.querySelectorAll('button')].forEach((button, at) => button.setAttribute('aria-pressed', String(ranks[at] === one)));
	};
	if (ranks.length > 1) buttons.append(...ranks.map((one) => rankRow(one, longest, show)));
	show(ranks[0]);
	onLink('rank', (number) => {
		const one = ranks.find((rank) => rank.rank === Number(number));
		if (one) show(one);
	});
	const all = section('ranks', 'Rank by rank', 'all steps on one scale; a rank is what the rest of the page shows', buttons);
	return [card, ...(ranks.length > 1 ? [all] : []), account, findings, tables];
}

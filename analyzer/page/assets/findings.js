// SPDX-License-Identifier: MIT
// What to mend: severity, place, evidence, advice, gain, and the lines of source where the trace has them.
import {report} from './data.js';
import {note, onLink} from './links.js';
import {duration, leaf, make, percent, place, section} from './text.js';

function sourceLines(finding) {
	if (!finding.source) return null;
	const lines = finding.source.map(({line, text}) =>
		make('div', {className: line === finding.line ? 'hit' : ''}, make('i', {}, String(line)), text));
	const label = `${leaf(finding.file)} around line ${finding.line}`;
	return make('div', {className: 'source', tabIndex: 0, 'aria-label': label, role: 'region'}, lines);
}

function gain(finding) {
	if (finding.part_of !== null) return make('div', {className: 'gain'}, make('small', {}, `counted in ${finding.part_of}`));
	if (finding.gain_pct !== null && Math.abs(finding.gain_pct) < 0.05)
		return make('div', {className: 'gain'}, make('small', {}, 'less than 0.1 %'));
	if (finding.gain_pct === null) return make('div', {className: 'gain'}, make('small', {}, 'gain unknown'));
	return make('div', {className: 'gain'},
		make('b', {}, `−${percent(finding.gain_pct)}`),
		make('small', {}, finding.predicted_step_ns === null ? 'of a step, at most'
			: `a step of ${duration(finding.predicted_step_ns)} at best`),
		make('div', {className: 'gauge'}, make('i', {style: {width: `${Math.min(100, finding.gain_pct)}%`, background: 'var(--good)'}})));
}

function callers(finding) {
	if (!finding.callers) return null;
	return make('p', {className: 'evidence'}, 'called from ' +
		finding.callers.map((caller) => place(caller.file, caller.line, caller.function)).join(', '));
}

function findingCard(finding, number, show) {
	const where = place(finding.file, finding.line, finding.function);
	const library = place(finding.library_file, finding.library_line, finding.library_function);
	const self = make('article', {className: 'card finding', id: `finding-${number}`, tabIndex: -1},
		make('div', {},
			make('h3', {}, make('span', {className: `severity s-${finding.severity}`}, finding.severity),
				make('code', {}, finding.rule), ' ', where ? make('span', {title: finding.file}, where) : null),
			make('p', {className: 'what'}, finding.text),
			make('p', {className: 'advice'}, finding.advice),
			make('p', {className: 'evidence'}, finding.evidence),
			finding.op ? make('p', {className: 'evidence'}, 'in ', make('code', {}, finding.op)) : null,
			library ? make('p', {className: 'evidence'}, `through ${library}`) : null,
			callers(finding),
			make('p', {className: 'actions'}, show(finding, number),
				make('a', {href: `#finding=${number}`, className: 'link', title: 'link to this finding'}, `finding ${number}`))),
		gain(finding), sourceLines(finding));
	return self;
}

function reveal(number) {
	const target = document.getElementById(`finding-${number}`);
	if (!target) return;
	target.scrollIntoView({block: 'start'});
	target.focus({preventScroll: true});
	note('finding', number);
}

/** show: makes the button that leads to the time line, or null. */
export function findingsSection(show) {
	onLink('finding', reveal);
	const cards = report.findings.map((finding, at) => findingCard(finding, at + 1, show));
	return section('findings', 'Findings', 'gains are ceilings: a step if that cause alone were gone',
		cards.length > 0 ? cards : make('p', {className: 'card empty'}, report.steps.steady > 0
			? 'Nothing was found that costs a step noticeably.' : 'Without steady steps nothing can be said of what to mend.'));
}

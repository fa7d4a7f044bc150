// SPDX-License-Identifier: MIT
// What is known about the selected event.
import {extra, report} from './data.js';
import {count, duration, leaf, make, percent, place, words} from './text.js';
import {factsOf} from './tracks.js';

function pairsOf(entries) {
	return make('dl', {className: 'pairs'}, entries.map(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
}

/** How often the same name occurs on the track, and for how long. */
function alike(line, {track, lane, at}) {
	const {labels} = line;
	const {name} = labels[lane.label[at]];
	let found = 0;
	let sum = 0;
	let longest = 0;
	for (const one of track.lanes)
		for (let i = 0; i < one.count; i++) {
			if (labels[one.label[i]].name !== name) continue;
			found++;
			sum += one.end[i] - one.begin[i];
			longest = Math.max(longest, one.end[i] - one.begin[i]);
		}
	return `${count(found)}, mean ${duration(sum / found)}, longest ${duration(longest)}`;
}

function stepDetails(step) {
	const shares = step.causes.map((ns, at) => [extra.causes[at].text, ns]).filter(([, ns]) => ns > 0)
		.sort((left, right) => right[1] - left[1]);
	const whole = shares.reduce((sum, [, ns]) => sum + ns, 0);
	return pairsOf(shares.map(([text, ns]) => [text, `${duration(ns)}, ${percent(100 * ns / whole)}`]));
}

function partnerLinks(owner, spot, partners) {
	if (partners.length === 0) return null;
	const asked = spot.track.kind === 'stream';
	return pairsOf(partners.slice(0, 8).map((other) => {
		const node = make('button', {type: 'button', className: 'partner'}, other.track.nameOf(other.lane, other.at));
		node.addEventListener('click', () => owner.reveal(other));
		const call = asked ? other : spot;
		const run = asked ? spot : other;
		const later = run.lane.begin[run.at] - call.lane.end[call.at];
		return [asked ? 'asked for by' : 'asked for', [node, later >= 0 ? ` begins ${duration(later)} after the call`
			: ' begins during the call']];
	}));
}

/** The text of a line, where a finding has it. */
function sourceText(file, number) {
	for (const finding of report.findings) {
		if (!finding.source || finding.file !== file) continue;
		const found = finding.source.find(({line}) => line === number);
		if (found) return found.text.trim();
	}
	return null;
}

/** The elements of the panel. */
export function details(owner, spot, partners) {
	if (!spot) return [make('p', {className: 'meta'}, 'nothing is selected')];
	const {track, lane, at} = spot;
	const {line} = owner;
	const facts = [['duration', duration(lane.end[at] - lane.begin[at])], ['begins', duration(lane.begin[at])], ['on', track.title]];
	const step = line.steps.find((one) => one.begin <= lane.begin[at] && one.end > lane.begin[at]);
	if (step && track.kind !== 'steps') facts.push(['in', owner.stepName(step)]);
	const title = make('h3', {}, track.nameOf(lane, at));
	if (track.kind === 'steps') return [make('div', {}, title, pairsOf(facts)), stepDetails(line.steps[lane.label[at]])];
	if (track.kind === 'causes') return [make('div', {}, title, pairsOf(facts))];
	const label = line.labels[lane.label[at]];
	facts.unshift(['is', words(label.kind)]);
	const text = sourceText(label.file, label.line);
	if (text !== null) facts.push(['source', make('code', {}, text)]);
	if (label.file) facts.push(['line', make('code', {title: label.file}, place(label.file, label.line, label.function) || leaf(label.file))]);
	return [make('div', {}, title, pairsOf(facts)),
		make('div', {}, pairsOf(factsOf(label).concat([['of this name here', alike(line, spot)]]))),
		make('div', {}, partnerLinks(owner, spot, partners))];
}

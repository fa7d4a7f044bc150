// SPDX-License-Identifier: MIT
// What was run and recorded: versions, sources, state of the trace, limits in force.
import {extra, report} from './data.js';
import {bytes, count, make, percent, section, words} from './text.js';

function pairs(entries) {
	return make('dl', {className: 'pairs'}, entries.map(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
}

function card(title, content) {
	return make('div', {className: 'card'}, make('h3', {}, title), content);
}

function devices() {
	const {devices: all} = report.run;
	if (all.length === 0) return make('p', {className: 'empty'}, 'no device was described');
	return pairs(all.map((device) => [`GPU ${device.id}`, [device.name || 'unknown',
		device.compute_capability ? `compute ${device.compute_capability}` : '',
		device.multiprocessors ? `${device.multiprocessors} multiprocessors` : '',
		device.memory_bytes ? bytes(device.memory_bytes) : ''].filter(Boolean).join(', ')]));
}

function sources() {
	return pairs(Object.entries(report.run.sources).map(([name, state]) => {
		const why = report.run.source_reasons[name];
		return [name, why ? `${state}: ${why}` : state];
	}));
}

function health() {
	const {health: state} = report;
	return pairs([['status', state.status], ['events', count(state.events)], ['lost', count(state.lost)],
		['missing', count(state.missing)], ['operations matched', percent(state.matched_pct)],
		['cost of recording, on the program\'s threads', percent(state.own_hooks_pct)],
		['and of a processor beside them', percent(state.own_overhead_pct)]]);
}

function thread() {
	const state = report.host_thread;
	if (state === null) return make('p', {className: 'empty'}, 'the kernel was not asked');
	return pairs([['thread', String(state.tid)], ['on a processor', percent(state.on_processor_pct)],
		['waiting for one', percent(state.waiting_for_processor_pct)], ['blocked or asleep', percent(state.blocked_pct)],
		['minor faults', count(state.minor_faults)], ['major faults', count(state.major_faults)],
		['voluntary switches', count(state.voluntary_switches)], ['involuntary switches', count(state.involuntary_switches)],
		['read from storage', bytes(state.storage_read_bytes)]]);
}

function questions() {
	if (report.what_if.length === 0) return null;
	return card('What if', pairs(report.what_if.map((answer) => [answer.without,
		answer.gain_pct === null ? 'nothing to take away' : `a step would take ${percent(answer.gain_pct)} less`])));
}

export function runSection() {
	const versions = Object.entries(report.run.versions);
	const settings = Object.entries(report.run.settings);
	return section('run', 'Run', `made by trace-analyzer ${extra.version}`, make('div', {className: 'cards'},
		card('Settings', settings.length > 0 ? pairs(settings) : make('p', {className: 'empty'}, 'all at their defaults')),
		card('Versions', versions.length > 0 ? pairs(versions) : make('p', {className: 'empty'}, 'not recorded')),
		card('Devices', devices()), card('Sources', sources()), card('State of the trace', health()),
		card('The thread that ends the steps', thread()), questions(),
		card('Limits', pairs(Object.entries(report.tables.thresholds).map(([name, value]) => [words(name), String(value)])))));
}

// SPDX-License-Identifier: MIT
// Puts the page together: the report at once, what comes from the time line when it is unpacked.
import {beneathOperators, inputSection, memorySection, operators, OPERATOR_COLUMNS} from './activity.js';
import {comparisonSections} from './comparison.js';
import {comparison, extra, report} from './data.js';
import {readLine} from './decode.js';
import {findingsSection} from './findings.js';
import {startLinks} from './links.js';
import {runSection} from './run.js';
import {StepChart, takeWaitsForData} from './steps.js';
import {Tables} from './tables.js';
import {make, section} from './text.js';
import {startTheme, themeButton} from './theme.js';
import {Timeline} from './timeline.js';
import {programName, verdictSections} from './verdict.js';

const SHEETS = [
	['modules', 'Modules'], ['ranges', 'User ranges'], ['step_phases', 'Phases of a step'],
	['gpu_activities', 'GPU activities'], ['api_calls', 'API calls'], ['kernels', 'Kernels'], ['copies', 'Copies'],
	['launches', 'Launches'], ['lines', 'Lines'], ['collectives', 'Collectives'], ['threads', 'Threads'],
	['workers', 'Workers'], ['files', 'Files'], ['streams', 'Streams'], ['devices', 'Devices'],
	['distribution', 'GPU time by part'], ['memory', 'GPU memory'], ['failed_calls', 'Failed calls'],
];
const OLD = 'This browser cannot unpack the time line (it has no DecompressionStream): steps, time line, tables, workers and ' +
	'memory are left out. Chrome and Edge from 103, Firefox from 113 and Safari from 16.4 show them.';

function sheets(line) {
	const processes = {name: 'processes', title: 'Processes', rows: report.run.processes};
	if (line === null) return [processes].concat(SHEETS.map(([name, title]) => ({name, title, rows: [], none: OLD})));
	const {tables} = line.line;
	const none = tables.device_tables_absent || undefined;
	const own = [{name: 'operators', title: 'Operators', rows: () => operators(line), columns: OPERATOR_COLUMNS,
		remark: extra.whole ? '' : 'what ran on the GPU is told of the events that are in this file'}];
	return own.concat(SHEETS.map(([name, title]) => ({name, title, rows: tables[name] || [], none: tables[name] ? undefined : none})), processes);
}

function navigation(sections) {
	const links = sections.map((part) => make('a', {href: `#${part.id}`}, part.querySelector('h2').firstChild.textContent));
	const print = make('button', {type: 'button'}, 'print');
	print.addEventListener('click', () => window.print());
	document.getElementById('nav').append(make('span', {className: 'name'}, document.title), make('div', {className: 'sections'}, links),
		make('span', {className: 'tools'}, print, themeButton()));
	const watch = new IntersectionObserver((entries) => {
		for (const entry of entries)
			links[sections.indexOf(entry.target)].classList.toggle('on', entry.isIntersecting);
	}, {rootMargin: '-30% 0px -60% 0px'});
	sections.forEach((part) => watch.observe(part));
}

function showButton(line) {
	return (finding) => {
		if (line === null || (!finding.file && !finding.op)) return null;
		const node = make('button', {type: 'button', className: 'show noprint'}, 'show on the time line');
		node.addEventListener('click', () => {
			if (!line.showFinding(finding)) node.replaceWith(make('span', {className: 'meta'}, 'no event of it is in this file'));
		});
		return node;
	};
}

function finish(sections) {
	document.getElementById('main').replaceChildren(...sections);
	document.getElementById('foot').textContent = `trace-analyzer ${extra.version}: one file, nothing is loaded from anywhere`;
	navigation(sections);
}

function startComparison() {
	document.title = comparison.new.program || 'comparison';
	finish(comparisonSections());
	startLinks();
	return null;
}

async function start() {
	startTheme();
	if (comparison !== null) return startComparison();
	document.title = programName() || 'trace report';
	const main = document.getElementById('main');
	const first = verdictSections();
	main.replaceChildren(...first, make('p', {className: 'meta'}, 'unpacking the time line …'));
	const read = await readLine();
	const mixed = read !== null && takeWaitsForData(read);
	const line = read === null ? null : new Timeline(read);
	const chart = line === null ? null : new StepChart(read.steps, (number) => line.showStep(number, true), mixed);
	const tables = new Tables(sheets(line));
	const sections = [...first, ...(chart ? [chart.node] : []), findingsSection(showButton(line)),
		line ? line.node : section('timeline', 'Time line', '', make('p', {className: 'card empty'}, OLD)),
		tables.node, inputSection(line), memorySection(line), runSection()];
	finish(sections);
	if (line) {
		chart.mount();
		line.mount();
	}
	startLinks();
	if (line) settle(line, tables);
	return line;
}

/** What takes longer comes when the page can be used. */
function settle(line, tables) {
	window.libtrace.settled = new Promise((done) => setTimeout(done, 50)).then(() => {
		line.partners.prepare();
		line.draw();
		return beneathOperators(line);
	}).then((found) => {
		line.beneath = found;
		tables.refresh('operators');
	});
}

// for tests and for those who look around in the console
window.libtrace = {report, ready: start().then((line) => {
	window.libtrace.line = line;
})};

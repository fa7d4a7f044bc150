// SPDX-License-Identifier: MIT
// Step by step: a bar for each, stacked by cause, warm-up paler; a click goes to the time line.
import {extra, report} from './data.js';
import {count, duration, make, section} from './text.js';
import {causeColour, colour, onTheme} from './theme.js';

const HEIGHT = 190;

const MOST_OTHER = 0.05; // of the time at waits: so little is drawn with the rest

/**
 * Whether the host was blocked by data is known only of the whole run, from what follows each wait: the report says it,
 * steps and pieces of time do not yet. Where it was data all along they are told; else the answer is true: they differ.
 */
export function takeWaitsForData(line) {
	const from = extra.causes.findIndex((cause) => cause.name === 'idle_blocked');
	const to = extra.causes.findIndex((cause) => cause.name === 'idle_input');
	const steady = line.steps.filter((step) => !step.aside && step.number >= extra.first_steady && step.number < extra.until_steady);
	const found = steady.reduce((sum, step) => sum + step.causes[from], 0);
	const account = report.account.find((row) => row.cause === 'idle_blocked');
	const other = account ? account.ns_per_step * steady.length : 0;
	if (found - other <= MOST_OTHER * found) return false;
	if (other > MOST_OTHER * found) return true;
	for (const step of line.steps) {
		step.causes[to] += step.causes[from];
		step.causes[from] = 0;
	}
	const {cause, filled} = line.pieces;
	for (let i = 0; i < filled; i++) if (cause[i] === from) cause[i] = to;
	return false;
}

export class StepChart {
	constructor(steps, show, mixed) {
		this.steps = steps.filter((step) => !step.aside && step.number > 0);
		this.show = show;
		this.at = 0;
		this.canvas = make('canvas', {tabIndex: 0, id: 'steps-canvas', role: 'img', 'aria-label': 'length of every step, by cause'});
		this.said = make('p', {className: 'meta', 'aria-live': 'polite'}, 'a click or Enter shows a step on the time line');
		this.legend = make('div', {className: 'legend'});
		const remark = extra.steps_left_out > 0 ? `the last ${count(extra.steps_left_out)} steps are left out here`
			: `${count(this.steps.length)} steps, without what came before the first one ended`;
		const caution = mixed ? make('p', {className: 'meta', id: 'mixed-waits'}, 'here and on the time line, waits that were found to ' +
			'be for data are drawn as those of a host that is blocked') : null;
		this.node = section('steps', 'Step by step', remark, this.steps.length === 0
			? make('p', {className: 'card empty'}, 'No step was found.')
			: make('div', {className: 'card'}, this.canvas, this.legend, this.said, caution));
		if (this.steps.length > 0) this.prepare();
	}

	prepare() {
		const longest = this.steps.map((step) => step.causes.reduce((sum, ns) => sum + ns, 0));
		this.lengths = longest;
		const sorted = longest.slice().sort((left, right) => left - right);
		// a single long step must not make all others flat: it is drawn up to the edge
		const typical = sorted[Math.floor(sorted.length * 0.98)];
		this.most = Math.max(1, Math.min(sorted[sorted.length - 1], 2 * typical));
		this.used = extra.causes.map((cause, at) => at).filter((at) => this.steps.some((step) => step.causes[at] > 0));
		this.canvas.addEventListener('click', (event) => this.show(this.steps[this.under(event)].number));
		this.canvas.addEventListener('pointermove', (event) => this.say(this.under(event)));
		this.canvas.addEventListener('keydown', (event) => this.key(event));
	}

	mount() {
		if (this.steps.length === 0) return;
		new ResizeObserver(() => this.paint()).observe(this.canvas.parentNode);
		onTheme(() => this.paint());
		this.paint();
	}

	under(event) {
		return Math.max(0, Math.min(this.steps.length - 1, Math.floor(event.offsetX / this.canvas.clientWidth * this.steps.length)));
	}

	say(at) {
		const step = this.steps[at];
		const parts = this.used.filter((cause) => step.causes[cause] > 0)
			.sort((left, right) => step.causes[right] - step.causes[left]).slice(0, 4)
			.map((cause) => `${extra.causes[cause].text} ${duration(step.causes[cause])}`);
		const warm = step.number < extra.first_steady ? ' (warm-up)' : '';
		this.said.textContent = `step ${step.number}${warm}: ${duration(this.lengths[at])}; ${parts.join('; ')}`;
		this.at = at;
	}

	key(event) {
		const moves = {ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10};
		if (event.key === 'Enter') this.show(this.steps[this.at].number);
		else if (moves[event.key]) this.say(Math.max(0, Math.min(this.steps.length - 1, this.at + moves[event.key])));
		else return;
		event.preventDefault();
	}

	paint() {
		const style = getComputedStyle(this.canvas.parentNode);
		const width = Math.floor(this.canvas.parentNode.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
		if (width <= 0) return;
		const scale = window.devicePixelRatio || 1;
		this.canvas.width = width * scale;
		this.canvas.height = HEIGHT * scale;
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${HEIGHT}px`;
		const context = this.canvas.getContext('2d');
		context.scale(scale, scale);
		const colours = extra.causes.map((cause) => causeColour(cause.name));
		const bar = width / this.steps.length;
		this.steps.forEach((step, at) => {
			let y = HEIGHT;
			context.globalAlpha = step.number < extra.first_steady || step.number >= extra.until_steady ? 0.4 : 1;
			for (const cause of this.used) {
				const height = step.causes[cause] / this.most * HEIGHT;
				context.fillStyle = colours[cause];
				context.fillRect(at * bar, y - height, Math.max(1, bar - (bar > 4 ? 1 : 0)), height);
				y -= height;
			}
		});
		context.globalAlpha = 1;
		this.rule(context, width, report.steps.median_ns);
		this.legend.replaceChildren(...this.used.map((cause) => {
			const swatch = make('i', {className: 'swatch', style: {background: colours[cause]}});
			return make('span', {}, swatch, extra.causes[cause].text);
		}));
	}

	rule(context, width, median) {
		if (median === null) return;
		const y = Math.round(HEIGHT - median / this.most * HEIGHT) + 0.5;
		context.strokeStyle = colour('ink');
		context.setLineDash([4, 4]);
		context.beginPath();
		context.moveTo(0, y);
		context.lineTo(width, y);
		context.stroke();
		context.fillStyle = colour('card');
		context.font = '11px system-ui, sans-serif';
		const text = `median ${duration(median)}`;
		context.fillRect(2, y - 18, context.measureText(text).width + 8, 15);
		context.fillStyle = colour('ink');
		context.fillText(text, 6, y - 7);
	}
}

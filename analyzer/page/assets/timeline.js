// SPDX-License-Identifier: MIT
// The time line: what is in view, moving, searching, measuring, selecting.
import {causes, extra} from './data.js';
import {details} from './details.js';
import {only} from './lanes.js';
import {note, onLink} from './links.js';
import {AXIS, Painter, trackHeight} from './paint.js';
import {Partners} from './partners.js';
import {count, duration, make, section} from './text.js';
import {onTheme} from './theme.js';
import {tracksOf} from './tracks.js';

const LEAST_NS = 50; // in view
const ARROWS = 256; // more in view are no help

function button(text, title, action) {
	const node = make('button', {type: 'button', title, 'aria-label': title}, text);
	node.addEventListener('click', action);
	return node;
}

function leftOut(line) {
	const summed = line.rows.reduce((sum, row) => sum + row.summed, 0);
	if (extra.whole) return `${count(extra.events)} events, all of them in this file`;
	const chosen = extra.chosen.map((one) => {
		const cause = causes.get(one.why);
		return `${one.step} (${cause ? `most of "${cause.text}"` : one.why})`;
	});
	return `${count(extra.events)} events, of which ${count(summed)} are here as sums only; ` +
		(chosen.length > 0 ? `every event of steps ${chosen.join(', ')}` : 'no step was found to be shown whole') +
		'; --detail-steps chooses others';
}

export class Timeline {
	constructor(line) {
		this.line = line;
		this.tracks = tracksOf(line);
		this.partners = new Partners(this.tracks, line.labels);
		this.numbers = new Map(line.steps.filter((step) => !step.aside).map((step) => [step.number, step]));
		this.selected = null;
		this.measure = null;
		this.found = null;
		this.beneath = null; // what ran for operators, once it is known
		for (const track of this.tracks) this.name(track);
		this.build();
		this.bounds();
		this.view = {begin: this.first, end: this.last, left: 180, top: 0};
		this.fold();
	}

	name(track) {
		const {labels, steps} = this.line;
		track.figure = track.kind === 'figure' || track.kind === 'thread_figure';
		if (track.kind === 'steps') track.nameOf = (lane, at) => this.stepName(steps[lane.label[at]]);
		else if (track.kind === 'causes') track.nameOf = (lane, at) => extra.causes[lane.label[at]].text;
		else track.nameOf = (lane, at) => labels[lane.label[at]].name;
	}

	stepName(step) {
		if (step.aside) return 'between steps';
		return step.number === 0 ? 'before the first step ended' : `step ${step.number}`;
	}

	bounds() {
		this.first = Infinity;
		this.last = -Infinity;
		const extend = (begin, end) => {
			this.first = Math.min(this.first, begin);
			this.last = Math.max(this.last, end);
		};
		for (const track of this.tracks) {
			for (const lane of track.lanes) if (lane.count > 0) extend(lane.begin[0], lane.end[lane.count - 1]);
			if (track.row && track.row.bins) extend(0, track.row.bins.ns.length * track.row.bin_ns);
		}
		if (this.first >= this.last) [this.first, this.last] = [0, 1e9];
		const margin = (this.last - this.first) * 0.005;
		this.first -= margin;
		this.last += margin;
	}

	build() {
		this.canvas = make('canvas', {tabIndex: 0, id: 'line-canvas', role: 'application',
			'aria-label': 'time line; arrow keys move, plus and minus zoom, comma and full stop go from event to event'});
		this.spacer = make('div', {className: 'spacer'}, this.canvas);
		this.box = make('div', {className: 'lines', tabIndex: -1}, this.spacer);
		this.search = make('input', {type: 'search', id: 'line-search', placeholder: 'search names', 'aria-label': 'search names of events'});
		this.hits = make('output', {id: 'line-hits'});
		this.panel = make('div', {className: 'details', id: 'line-details', 'aria-live': 'polite'});
		this.linkButton = button('arrows', 'arrows from calls to what is in view of their work on the GPU', () => this.link(!this.linked));
		const bar = make('div', {className: 'linebar noprint'},
			button('−', 'zoom out', () => this.zoom(2)), button('+', 'zoom in', () => this.zoom(0.5)),
			button('◂ step', 'step before', () => this.nextStep(-1)), button('step ▸', 'next step', () => this.nextStep(1)),
			button('whole run', 'show the whole run', () => this.show(this.first, this.last)),
			button('fold all', 'fold all rows', () => this.foldAll(false)), button('unfold', 'unfold all rows', () => this.foldAll(true)), this.linkButton,
			make('span', {className: 'grow'}), this.search, this.hits,
			button('‹', 'previous match', () => this.nextMatch(-1)), button('›', 'next match', () => this.nextMatch(1)));
		this.node = section('timeline', 'Time line', leftOut(this.line), make('div', {className: 'card linecard'}, bar, this.box, this.panel),
			make('p', {className: 'meta noprint'}, 'drag moves, Ctrl and the wheel zoom, Shift and drag measure, a click selects; ' +
				'keys: arrows, + and −, comma and full stop, Esc'));
		this.painter = new Painter(this.canvas);
		this.select(null);
		this.link(true);
	}

	/** Once it is part of the page. */
	mount() {
		new ResizeObserver(() => this.resize()).observe(this.box);
		this.box.addEventListener('scroll', () => {
			this.view.top = this.box.scrollTop;
			this.draw();
		});
		onTheme(() => {
			this.painter.theme();
			this.draw();
		});
		this.search.addEventListener('input', () => this.find(this.search.value));
		this.canvas.addEventListener('keydown', (event) => this.key(event));
		this.canvas.addEventListener('wheel', (event) => this.wheel(event), {passive: false});
		this.canvas.addEventListener('pointerdown', (event) => this.press(event));
		this.canvas.addEventListener('pointermove', (event) => this.hover(event));
		this.canvas.addEventListener('pointerleave', () => this.tip(null));
		this.canvas.addEventListener('dblclick', (event) => this.zoom(0.25, this.timeAt(event.offsetX)));
		onLink('step', (number) => this.showStep(Number(number), true));
		this.resize();
	}

	resize() {
		const width = this.box.clientWidth;
		if (width === 0) return;
		this.view.left = width < 600 ? 96 : 216;
		const height = Math.min(this.height(), Math.max(240, Math.round(window.innerHeight * 0.7)));
		this.spacer.style.height = `${this.height()}px`;
		this.box.style.height = `${height}px`;
		this.painter.size(width, height);
		this.paint();
	}

	height() {
		return AXIS + 6 + this.tracks.reduce((sum, track) => sum + trackHeight(track), 0);
	}

	draw() {
		if (this.pending || !this.view) return;
		this.pending = requestAnimationFrame(() => this.paint());
	}

	paint() {
		this.pending = null;
		const start = performance.now();
		this.painter.paint(this.tracks, this.view, {selected: this.selected, partners: this.arrows, measure: this.measure,
			found: this.found, steps: this.line.steps, links: this.links()});
		this.paintMs = performance.now() - start;
	}

	/** From calls to the operations in view that they asked for, unless there are too many. */
	links() {
		if (!this.linked || !this.partners.ready) return [];
		const spots = [];
		for (const track of this.tracks.filter((one) => one.kind === 'stream' && !one.hidden && one.open))
			for (const lane of track.lanes)
				for (let at = lane.after(this.view.begin); at < lane.count && lane.begin[at] < this.view.end; at++) {
					if (spots.length === ARROWS) return [];
					spots.push({track, lane, at});
				}
		return spots.map((spot) => [this.partners.of(spot)[0], spot]).filter(([call]) => call !== undefined && call.track.open);
	}

	/** Switch the arrows of what is in view. */
	link(on) {
		this.linked = on;
		this.linkButton.setAttribute('aria-pressed', String(on));
		this.draw();
	}

	fold() {
		for (const track of this.tracks) track.hidden = track.heading !== undefined && !track.heading.open;
	}

	folded() {
		this.fold();
		this.resize();
	}

	foldAll(open) {
		for (const track of this.tracks) if (track.heading !== undefined) track.open = open;
		this.folded();
	}

	show(begin, end) {
		const least = Math.max(LEAST_NS, end - begin);
		const middle = (begin + end) / 2;
		const span = Math.min(least, this.last - this.first);
		this.view.begin = Math.max(this.first, Math.min(middle - span / 2, this.last - span));
		this.view.end = this.view.begin + span;
		this.draw();
	}

	zoom(factor, around) {
		const {begin, end} = this.view;
		const at = around === undefined ? (begin + end) / 2 : around;
		const span = Math.max(LEAST_NS, Math.min((end - begin) * factor, this.last - this.first));
		const share = (at - begin) / (end - begin);
		this.view.begin = Math.max(this.first, Math.min(at - share * span, this.last - span));
		this.view.end = this.view.begin + span;
		this.draw();
	}

	move(share) {
		const shift = share * (this.view.end - this.view.begin);
		this.show(this.view.begin + shift, this.view.end + shift);
	}

	timeAt(x) {
		return this.view.begin + (x - this.view.left) * this.painter.perPixel(this.view);
	}

	showStep(number, scroll) {
		const step = this.numbers.get(number);
		if (!step) return;
		const margin = (step.end - step.begin) * 0.03;
		this.show(step.begin - margin, step.end + margin);
		note('step', number);
		if (scroll) this.node.scrollIntoView();
	}

	nextStep(direction) {
		const middle = (this.view.begin + this.view.end) / 2;
		const steps = [...this.numbers.values()];
		let at = steps.findIndex((step) => step.end > middle);
		if (at < 0) at = steps.length - 1;
		const whole = this.view.end - this.view.begin > 1.5 * (steps.length > 0 ? steps[at].end - steps[at].begin : 0);
		const step = steps[Math.max(0, Math.min(steps.length - 1, whole ? at : at + direction))];
		if (step) this.showStep(step.number, false);
	}

	/** What lies under a point: a track, and an event of it. */
	under(x, y) {
		const down = y + this.view.top;
		const track = this.tracks.find((one) => down >= one.top && down < one.top + trackHeight(one));
		if (!track || x < this.view.left || y < AXIS) return {track: y < AXIS ? undefined : track};
		const depth = track.open || track.heading === undefined ? Math.floor((down - track.top - 3) / 16) : 0;
		const lane = track.lanes[depth];
		const at = lane ? lane.at(this.timeAt(x), 2 * this.painter.perPixel(this.view)) : -1;
		return {track, spot: at < 0 ? null : {track, lane, at}};
	}

	select(spot) {
		this.selected = spot;
		const partners = spot ? this.partners.of(spot) : [];
		this.arrows = partners.map((other) => (spot.track.kind === 'stream' ? [other, spot] : [spot, other]));
		this.panel.replaceChildren(...details(this, spot, partners));
		this.draw();
	}

	/** Select an event and bring it into view. */
	reveal(spot, margin) {
		const {track, lane, at} = spot;
		if (track.heading && !track.heading.open) track.heading.open = true;
		if (track.heading && !track.open) track.open = true;
		this.folded();
		this.select(spot);
		const length = Math.max(lane.end[at] - lane.begin[at], LEAST_NS);
		const before = margin === undefined ? length : margin;
		this.show(lane.begin[at] - before, lane.end[at] + before);
		this.paint();
		const y = track.top + track.lanes.indexOf(lane) * 16;
		if (y < this.view.top + AXIS || y > this.view.top + this.box.clientHeight - 30) this.box.scrollTop = Math.max(0, y - 120);
	}

	find(text) {
		const wanted = text.trim().toLowerCase();
		this.found = null;
		this.hits.textContent = '';
		if (wanted !== '') {
			const hit = this.line.labels.map((label) => label.name.toLowerCase().includes(wanted));
			this.found = new Map(this.tracks.filter((track) => track.row).map((track) => [track, track.lanes.map((lane) => only(lane, hit))]));
			let sum = 0;
			for (const lanes of this.found.values()) for (const lane of lanes) sum += lane.count;
			this.hits.textContent = `${count(sum)} found`;
		}
		this.draw();
	}

	/** The next match of the search after what is selected, or in view; behind the last comes the first. */
	nextMatch(direction) {
		if (!this.found) return;
		const {selected} = this;
		const from = selected ? selected.lane.begin[selected.at] : direction > 0 ? this.view.begin - 1 : this.view.end + 1;
		const spot = this.matchAfter(from, direction) || this.matchAfter(-direction * Infinity, direction);
		if (spot) this.reveal(spot);
	}

	matchAfter(from, direction) {
		let best = null;
		let time = direction * Infinity;
		for (const [track, lanes] of this.found)
			lanes.forEach((lane, depth) => {
				let at = lane.after(from);
				if (direction > 0) while (at < lane.count && lane.begin[at] <= from) at++;
				else do at--; while (at >= 0 && (at >= lane.count || lane.begin[at] >= from));
				if (at < 0 || at >= lane.count || direction * (lane.begin[at] - time) >= 0) return;
				time = lane.begin[at];
				best = {track, lane: track.lanes[depth], at: track.lanes[depth].index.indexOf(lane.index[at])};
			});
		return best;
	}

	neighbour(direction) {
		if (!this.selected) return;
		const {track, lane, at} = this.selected;
		const next = at + direction;
		if (next >= 0 && next < lane.count) this.reveal({track, lane, at: next});
	}

	key(event) {
		const actions = {
			ArrowLeft: () => this.move(-0.2), ArrowRight: () => this.move(0.2), a: () => this.move(-0.2), d: () => this.move(0.2),
			'+': () => this.zoom(0.5), '=': () => this.zoom(0.5), w: () => this.zoom(0.5), '-': () => this.zoom(2), s: () => this.zoom(2),
			ArrowUp: () => this.box.scrollBy(0, -40), ArrowDown: () => this.box.scrollBy(0, 40),
			',': () => this.neighbour(-1), '.': () => this.neighbour(1), 0: () => this.show(this.first, this.last),
			Escape: () => {
				this.measure = null;
				this.select(null);
			},
		};
		const action = actions[event.key];
		if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
		event.preventDefault();
		action();
	}

	wheel(event) {
		if (event.ctrlKey || event.metaKey) {
			event.preventDefault();
			this.zoom(Math.pow(1.0025, event.deltaY), this.timeAt(event.offsetX));
		} else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
			event.preventDefault();
			this.move((event.deltaX || event.deltaY) / this.canvas.clientWidth);
		}
	}

	press(event) {
		if (event.button !== 0) return;
		const start = {x: event.offsetX, y: event.offsetY, begin: this.view.begin, end: this.view.end, top: this.box.scrollTop};
		const from = this.timeAt(event.offsetX);
		const measuring = event.shiftKey;
		let moved = false;
		const drag = (next) => {
			if (!moved && Math.abs(next.offsetX - start.x) + Math.abs(next.offsetY - start.y) < 4) return;
			moved = true;
			if (measuring) {
				this.measure = {from, to: this.timeAt(next.offsetX)};
				this.draw();
				return;
			}
			const shift = (start.x - next.offsetX) * this.painter.perPixel(this.view);
			this.show(start.begin + shift, start.end + shift);
		};
		const release = (last) => {
			this.canvas.removeEventListener('pointermove', drag);
			if (!moved) this.click(last);
		};
		this.canvas.setPointerCapture(event.pointerId);
		this.canvas.addEventListener('pointermove', drag);
		this.canvas.addEventListener('pointerup', release, {once: true});
	}

	click(event) {
		const {track, spot} = this.under(event.offsetX, event.offsetY);
		const title = track && (event.offsetX < this.view.left || track.kind === 'process');
		if (title && (track.heading || track.kind === 'process')) {
			track.open = !track.open;
			this.folded();
			return;
		}
		this.measure = null;
		this.select(spot || null);
		if (spot && spot.track.kind === 'steps' && !this.line.steps[spot.lane.label[spot.at]].aside)
			note('step', this.line.steps[spot.lane.label[spot.at]].number);
	}

	hover(event) {
		const {track, spot} = event.buttons === 0 ? this.under(event.offsetX, event.offsetY) : {};
		this.canvas.style.cursor = spot || (track && (event.offsetX < this.view.left || track.kind === 'process')) ? 'pointer' : 'grab';
		if (track && event.offsetX < this.view.left && event.buttons === 0) return this.tip(track.title, event);
		if (!spot) return this.tip(null);
		const {lane, at} = spot;
		return this.tip(`${spot.track.nameOf(lane, at)}\n${duration(lane.end[at] - lane.begin[at])}`, event);
	}

	tip(text, event) {
		const box = document.getElementById('tip');
		box.hidden = text === null;
		if (text === null) return;
		box.textContent = text.length > 400 ? `${text.slice(0, 400)}…` : text;
		const left = Math.min(event.clientX + 14, window.innerWidth - box.offsetWidth - 8);
		const above = event.clientY + 18 + box.offsetHeight > window.innerHeight;
		box.style.left = `${Math.max(4, left)}px`;
		box.style.top = `${above ? event.clientY - box.offsetHeight - 10 : event.clientY + 18}px`;
	}

	/** The longest event of the place that a finding names: in the steps that count, if there is one. */
	worst(finding) {
		const {labels} = this.line;
		const wanted = labels.map((label) => (finding.file ? label.file === finding.file && label.line === finding.line
			: label.name === finding.op));
		const named = labels.map((label, at) => wanted[at] && label.name === finding.op);
		const first = this.numbers.get(extra.first_steady);
		const from = first ? first.begin : -Infinity;
		for (const [choice, since] of [[named, from], [wanted, from], [wanted, -Infinity]]) {
			let best = null;
			let longest = -1;
			for (const track of this.tracks.filter((one) => one.kind === 'thread' && one.heading.process.analysed))
				for (const lane of track.lanes)
					for (let at = 0; at < lane.count; at++)
						if (choice[lane.label[at]] && lane.begin[at] >= since && lane.end[at] - lane.begin[at] > longest) {
							longest = lane.end[at] - lane.begin[at];
							best = {track, lane, at};
						}
			if (best) return best;
		}
		return null;
	}

	/** Show a finding's worst event with the step around it. */
	showFinding(finding) {
		const spot = this.worst(finding);
		if (!spot) return false;
		const step = this.line.steps.find((one) => one.end > spot.lane.begin[spot.at]);
		this.reveal(spot);
		if (step && step.begin <= spot.lane.begin[spot.at] && !step.aside) {
			const end = Math.max(step.end, spot.lane.end[spot.at]);
			this.show(step.begin - (end - step.begin) * 0.03, end + (end - step.begin) * 0.03);
		}
		this.node.scrollIntoView();
		return true;
	}
}


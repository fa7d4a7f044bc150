// SPDX-License-Identifier: MIT
// Paints the tracks that are in view. What is narrower than two pixels goes into strips of pixels, one for each lane,
// the rest is drawn with its name; how much is painted depends on the window, not on the trace.
import {duration} from './text.js';
import {colour} from './theme.js';
import {CATEGORIES} from './tracks.js';

export const AXIS = 26;
export const HEADING = 22;
export const LANE = 16;
const GAP = 5;
const WIDE = 2; // pixels from which an event is a box

export function trackHeight(track) {
	if (track.kind === 'process') return HEADING;
	if (track.hidden) return 0;
	const lanes = Math.max(1, track.lanes.length);
	return GAP + (track.open || track.heading === undefined ? Math.max(lanes, track.figure ? 2 : 1) * LANE : 10);
}

/** Pixels of a canvas are bytes in the order of the machine. */
function pixel(css) {
	const value = /^#(..)(..)(..)$/.exec(css.length === 4 ? css.replace(/[^#]/g, '$&$&') : css);
	const [red, green, blue] = value ? value.slice(1).map((text) => parseInt(text, 16)) : [128, 128, 128];
	return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}

export class Painter {
	constructor(canvas) {
		this.canvas = canvas;
		this.context = canvas.getContext('2d');
		this.strips = document.createElement('canvas');
		this.stripContext = this.strips.getContext('2d');
		this.painted = 0;
		this.theme();
	}

	theme() {
		this.colours = CATEGORIES.map((name) => colour(name));
		this.pixels = Uint32Array.from(this.colours, pixel);
		this.ink = colour('ink');
		this.soft = colour('soft');
		this.line = colour('line');
		this.card = colour('card');
		this.grid = colour('grid');
		this.accent = colour('accent');
		this.dark = colour('bg') < '#8';
	}

	size(width, height) {
		const scale = window.devicePixelRatio || 1;
		this.scale = scale;
		this.width = width;
		this.height = height;
		this.canvas.width = Math.round(width * scale);
		this.canvas.height = Math.round(height * scale);
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${height}px`;
	}

	/** view: begin, end (ns), left (pixels of the titles), top (pixels scrolled). */
	paint(tracks, view, marks) {
		const {context} = this;
		this.painted = 0;
		context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
		context.fillStyle = this.card;
		context.fillRect(0, 0, this.width, this.height);
		context.textBaseline = 'middle';
		context.font = '12px system-ui, sans-serif';
		const shown = this.inView(tracks, view);
		this.stepLines(view, marks.steps);
		this.events(shown, view, marks.found ? 0.22 : 1);
		if (marks.found) this.events(shown.map((one) => ({...one, lanes: marks.found.get(one.track) || []})), view, 1);
		for (const {track, top} of shown) this.beside(track, top, view);
		this.marks(tracks, view, marks);
		this.titles(shown, view);
		this.axis(view);
	}

	inView(tracks, view) {
		const shown = [];
		let top = AXIS - view.top;
		for (const track of tracks) {
			track.top = top + view.top;
			const height = trackHeight(track);
			if (height > 0 && top < this.height && top + height > AXIS)
				shown.push({track, top, height, lanes: track.open || track.heading === undefined ? track.lanes : track.lanes.slice(0, 1)});
			top += height;
		}
		return shown;
	}

	perPixel(view) {
		return (view.end - view.begin) / (this.width - view.left);
	}

	events(shown, view, alpha) {
		const {context} = this;
		const ns = this.perPixel(view);
		const width = Math.max(1, Math.floor(this.width - view.left));
		const jobs = [];
		for (const {track, top, lanes} of shown) {
			const height = track.open || track.heading === undefined ? LANE - 2 : 8;
			lanes.forEach((lane, at) => {
				const y = top + 3 + at * LANE;
				if (y < this.height && y + height > AXIS) jobs.push({lane, y, height, track});
			});
		}
		if (jobs.length === 0) return;
		if (this.strips.width !== width || this.strips.height < jobs.length) {
			this.strips.width = width;
			this.strips.height = Math.max(jobs.length, this.strips.height);
		}
		const image = this.stripContext.createImageData(width, jobs.length);
		const pixels = new Uint32Array(image.data.buffer);
		const boxes = [];
		if (!this.longest || this.longest.length < width) this.longest = new Float32Array(width);
		jobs.forEach((job, at) => this.narrow(job, view, ns, pixels.subarray(at * width, (at + 1) * width), boxes));
		this.stripContext.putImageData(image, 0, 0);
		context.globalAlpha = alpha;
		context.imageSmoothingEnabled = false;
		jobs.forEach((job, at) => context.drawImage(this.strips, 0, at, width, 1, view.left, job.y, width, job.height));
		for (const box of boxes) this.box(box, view);
		context.globalAlpha = 1;
	}

	/** Pixels of what is narrow; what is wide is put by. */
	narrow(job, view, ns, strip, boxes) {
		const lane = job.lane.copy(ns);
		const {begin, end, category} = lane;
		for (let i = lane.after(view.begin); i < begin.length && begin[i] < view.end; i++) {
			const from = (begin[i] - view.begin) / ns;
			const until = (end[i] - view.begin) / ns;
			this.painted++;
			if (until - from >= WIDE) boxes.push({job, from, until, category: category[i], label: lane.origin === null ? i : lane.origin[i]});
			else {
				// what is longest in a pixel gives it its colour
				const at = Math.max(0, Math.min(strip.length - 1, Math.floor(from)));
				if (strip[at] !== 0 && until - from <= this.longest[at]) continue;
				this.longest[at] = until - from;
				strip[at] = this.pixels[category[i]];
			}
		}
	}

	box({job, from, until, category, label}, view) {
		const {context} = this;
		const x = view.left + Math.max(0, from);
		const width = Math.min(this.width, view.left + until) - x;
		context.fillStyle = this.colours[category];
		context.fillRect(x, job.y, Math.max(1, width - (width > 4 ? 1 : 0)), job.height);
		if (width < 34 || job.height < 12 || label < 0 || !job.track.nameOf) return;
		context.save();
		context.beginPath();
		context.rect(x, job.y, width - 2, job.height);
		context.clip();
		context.fillStyle = this.readable(category);
		context.font = '11px system-ui, sans-serif';
		context.fillText(job.track.nameOf(job.lane, label), x + 4, job.y + job.height / 2 + 1);
		context.restore();
	}

	/** Black or white, whichever can be read on the colour. */
	readable(category) {
		const value = this.pixels[category];
		const light = 0.3 * (value & 255) + 0.59 * (value >> 8 & 255) + 0.11 * (value >> 16 & 255);
		return light > 125 ? '#101418' : '#ffffff';
	}

	/** Sums of what is not there event by event, and figures as a line. */
	beside(track, top, view) {
		const {row} = track;
		if (!row || !track.open) return;
		if (row.bins) this.sums(row, top, view);
		if (track.figure) this.figure(row, top, view);
	}

	sums(row, top, view) {
		const {context} = this;
		const ns = this.perPixel(view);
		context.fillStyle = this.soft;
		context.globalAlpha = 0.45;
		for (let i = Math.max(0, Math.floor(view.begin / row.bin_ns)); i < row.bins.ns.length && i * row.bin_ns < view.end; i++) {
			if (row.bins.events[i] === 0 && row.bins.ns[i] === 0) continue;
			const x = view.left + (i * row.bin_ns - view.begin) / ns;
			const height = Math.max(2, Math.min(1, row.bins.ns[i] / row.bin_ns) * (LANE - 2));
			const from = Math.max(view.left, x);
			this.painted++;
			context.fillRect(from, top + LANE + 1 - height, Math.max(1, x + row.bin_ns / ns - from), height);
		}
		context.globalAlpha = 1;
	}

	figure(row, top, view) {
		const {context} = this;
		const ns = this.perPixel(view);
		let least = Infinity;
		let most = -Infinity;
		for (const value of row.value) {
			least = Math.min(least, value);
			most = Math.max(most, value);
		}
		context.strokeStyle = this.accent;
		context.beginPath();
		for (let i = 0; i < row.begin.length; i++) {
			const x = Math.max(view.left, view.left + (row.begin[i] - view.begin) / ns);
			const y = top + 2 * LANE - (most > least ? (row.value[i] - least) / (most - least) : 0.5) * (2 * LANE - 4);
			context.lineTo(x, y);
		}
		context.stroke();
	}

	stepLines(view, steps) {
		const ns = this.perPixel(view);
		const {context} = this;
		if (!steps || steps.length === 0) return;
		const width = (view.end - view.begin) / ((steps[steps.length - 1].end - steps[0].begin) / steps.length);
		if (width > 60) return;
		context.fillStyle = this.grid;
		for (const step of steps)
			if (step.begin >= view.begin && step.begin < view.end)
				context.fillRect(view.left + (step.begin - view.begin) / ns, AXIS, 1, this.height);
	}

	rectangle(tracks, view, spot) {
		const {track, lane, at} = spot;
		if (track.hidden) return null;
		const ns = this.perPixel(view);
		const open = track.open || track.heading === undefined;
		const depth = open ? Math.max(0, track.lanes.indexOf(lane)) : 0;
		return {x: view.left + (lane.begin[at] - view.begin) / ns, width: Math.max(2, (lane.end[at] - lane.begin[at]) / ns),
			y: track.top - view.top + 3 + depth * LANE, height: open ? LANE - 2 : 8};
	}

	marks(tracks, view, {selected, partners, measure, links}) {
		const {context} = this;
		context.save();
		context.beginPath();
		context.rect(view.left, AXIS, this.width - view.left, this.height);
		context.clip();
		context.globalAlpha = 0.4;
		for (const [from, to] of links) this.arrow(this.rectangle(tracks, view, from), this.rectangle(tracks, view, to));
		context.globalAlpha = 1;
		this.painted += links.length;
		for (const [from, to] of partners || []) this.arrow(this.rectangle(tracks, view, from), this.rectangle(tracks, view, to));
		const box = selected ? this.rectangle(tracks, view, selected) : null;
		if (box) {
			context.strokeStyle = this.ink;
			context.lineWidth = 2;
			context.strokeRect(box.x, box.y, box.width, box.height);
			context.lineWidth = 1;
		}
		if (measure) this.measure(view, measure);
		context.restore();
	}

	arrow(from, to) {
		if (!from || !to) return;
		const {context} = this;
		const [x1, y1] = [from.x + Math.min(from.width, 6) / 2, from.y + from.height / 2];
		const [x2, y2] = [to.x, to.y + to.height / 2];
		const bend = Math.max(20, Math.min(120, Math.abs(x2 - x1) / 2));
		context.strokeStyle = this.ink;
		context.fillStyle = this.ink;
		context.beginPath();
		context.moveTo(x1, y1);
		context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2 - 5, y2);
		context.stroke();
		context.beginPath();
		context.moveTo(x2, y2);
		context.lineTo(x2 - 7, y2 - 4);
		context.lineTo(x2 - 7, y2 + 4);
		context.fill();
	}

	measure(view, {from, to}) {
		const {context} = this;
		const ns = this.perPixel(view);
		const left = view.left + (Math.min(from, to) - view.begin) / ns;
		const width = Math.abs(to - from) / ns;
		context.fillStyle = this.accent;
		context.globalAlpha = 0.16;
		context.fillRect(left, AXIS, width, this.height);
		context.globalAlpha = 1;
		context.fillRect(left, AXIS, 1, this.height);
		context.fillRect(left + width, AXIS, 1, this.height);
		context.fillStyle = this.ink;
		context.fillText(duration(Math.abs(to - from)), left + 5, AXIS + 10);
	}

	titles(shown, view) {
		const {context} = this;
		context.fillStyle = this.card;
		context.fillRect(0, AXIS, view.left, this.height);
		for (const {track, top, height} of shown) {
			const heading = track.kind === 'process';
			context.fillStyle = heading ? this.grid : this.line;
			if (heading) context.fillRect(0, top, this.width, HEADING);
			else context.fillRect(0, top + height - 1, this.width, 0.5);
			context.fillStyle = this.ink;
			context.font = `${heading ? '600 ' : ''}12px system-ui, sans-serif`;
			const mark = track.heading || heading ? (track.open ? '▾ ' : '▸ ') : '';
			this.text(`${mark}${track.title}`, 6, top + (height < LANE ? height / 2 : 11), heading ? this.width - 12 : view.left - 12);
			if (!heading && track.remark && height > 2 * LANE) {
				context.fillStyle = this.soft;
				context.font = '11px system-ui, sans-serif';
				this.text(track.remark, 18, top + 26, view.left - 24);
			}
		}
		context.fillStyle = this.line;
		context.fillRect(view.left - 1, AXIS, 1, this.height);
	}

	/** A text that ends in an ellipsis where there is no room. */
	text(text, x, y, room) {
		const {context} = this;
		let shown = text;
		if (context.measureText(text).width > room) {
			let length = Math.floor(text.length * room / context.measureText(text).width);
			while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > room) length--;
			shown = `${text.slice(0, length)}…`;
		}
		context.fillText(shown, x, y);
	}

	axis(view) {
		const {context} = this;
		const ns = this.perPixel(view);
		context.fillStyle = this.card;
		context.fillRect(0, 0, this.width, AXIS);
		context.fillStyle = this.line;
		context.fillRect(0, AXIS - 1, this.width, 1);
		context.fillStyle = this.soft;
		context.font = '11px system-ui, sans-serif';
		this.text(`${duration(view.end - view.begin)} shown`, 6, AXIS / 2, view.left - 10);
		const wanted = 110 * ns;
		const power = Math.pow(10, Math.floor(Math.log10(wanted)));
		const step = [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= wanted);
		for (let at = Math.ceil(view.begin / step) * step; at < view.end; at += step) {
			const x = view.left + (at - view.begin) / ns;
			context.fillStyle = this.line;
			context.fillRect(x, AXIS - 8, 1, 8);
			context.fillStyle = this.soft;
			if (x < this.width - 50) context.fillText(this.time(at, step), x + 4, AXIS / 2);
		}
	}

	/** A time of the axis, as exact as the distance to the next needs. */
	time(ns, step) {
		const [unit, name] = Math.abs(ns) + step >= 1e9 ? [1e9, 's'] : Math.abs(ns) + step >= 1e6 ? [1e6, 'ms'] : [1e3, 'µs'];
		const decimals = Math.max(0, Math.min(9, Math.ceil(Math.log10(unit / step))));
		return `${(ns / unit).toFixed(decimals)} ${name}`;
	}
}

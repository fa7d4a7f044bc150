// SPDX-License-Identifier: MIT
// Events of a row into lanes in which nothing overlaps: what is nested lies one lower, and what overlaps without
// being nested as well, so that nothing is ever dropped. And coarser copies of a lane for far views.

const COPY_FROM = 2048; // events of a lane from which coarser copies are worth it

/** A lane: ascending begins and ends that do not overlap. category: what colours it, of each event. */
export class Lane {
	constructor(begin, end, label, category, index) {
		this.begin = begin;
		this.end = end;
		this.label = label;
		this.category = category;
		this.index = index; // of the event in its row
		this.copies = [];
		this.origin = null; // of a copy: the event of the lane that each is, -1 where several are one
	}

	get count() {
		return this.begin.length;
	}

	/** The first event that ends after ns. */
	after(ns) {
		let low = 0;
		let high = this.end.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.end[middle] > ns) high = middle;
			else low = middle + 1;
		}
		return low;
	}

	/** The event at ns, with some slack on both sides; -1: none. */
	at(ns, slack) {
		let best = -1;
		let distance = slack;
		for (let i = this.after(ns - slack); i < this.count && this.begin[i] <= ns + slack; i++) {
			const off = Math.max(0, this.begin[i] - ns, ns - this.end[i]);
			if (off <= distance) {
				best = i;
				distance = off;
			}
		}
		return best;
	}

	/** A copy in which events that are shorter than ns and begin close together are one. */
	copy(ns) {
		if (this.count < COPY_FROM || ns < 256) return this;
		const level = Math.floor(Math.log2(ns) / 2) - 4; // widths of 256, 1024, 4096 ...
		for (let at = this.copies.length; at <= level; at++)
			this.copies.push(coarser(at > 0 ? this.copies[at - 1] : this, Math.pow(4, at + 4)));
		return this.copies[Math.max(0, level)];
	}
}

function coarser(lane, width) {
	const {begin, end, category, origin} = lane;
	const size = begin.length;
	const copy = {begin: new Float64Array(size), end: new Float64Array(size), category: new Uint8Array(size), origin: new Int32Array(size)};
	let last = -1;
	let bucket = -1;
	let longest = 0;
	for (let i = 0; i < size; i++) {
		const length = end[i] - begin[i];
		const own = length < width ? Math.floor(begin[i] / width) : -1;
		if (own >= 0 && own === bucket) {
			copy.end[last] = end[i];
			copy.origin[last] = -1;
			if (length > longest) {
				longest = length;
				copy.category[last] = category[i];
			}
			continue;
		}
		last++;
		copy.begin[last] = begin[i];
		copy.end[last] = end[i];
		copy.category[last] = category[i];
		copy.origin[last] = origin === null ? i : origin[i];
		bucket = own;
		longest = length;
	}
	const kept = (column) => column.slice(0, last + 1);
	const made = new Lane(kept(copy.begin), kept(copy.end), null, kept(copy.category), null);
	made.origin = kept(copy.origin);
	return made;
}

/** Events by falling ends, the longer of two first: then each lies in what came before, or beside it. */
function fallingEnds(row) {
	const {begin, end} = row;
	const count = begin.length;
	const order = new Uint32Array(count);
	let rising = true;
	for (let i = 0; i < count; i++) {
		order[i] = count - 1 - i;
		if (i > 0 && (end[i] < end[i - 1] || (end[i] === end[i - 1] && begin[i] > begin[i - 1]))) rising = false;
	}
	if (!rising) order.sort((one, two) => end[two] - end[one] || begin[one] - begin[two] || one - two);
	return order;
}

/** The lane of each event of a row, by number. */
function depths(row, order) {
	const {begin, end} = row;
	const depth = new Uint16Array(begin.length);
	const open = [];
	const counts = [];
	for (const i of order) {
		// an event without length needs a place of its own too
		const until = Math.max(end[i], begin[i] + 1);
		while (open.length > 0 && open[open.length - 1] >= until) open.pop();
		depth[i] = open.length;
		counts[open.length] = (counts[open.length] || 0) + 1;
		open.push(begin[i]);
	}
	return {depth, counts};
}

/** categories: the category of each label. */
export function lanesOf(row, categories) {
	const order = fallingEnds(row);
	const {depth, counts} = depths(row, order);
	const lanes = counts.map((count) => new Lane(new Float64Array(count), new Float64Array(count),
		new Uint32Array(count), new Uint8Array(count), new Uint32Array(count)));
	const left = counts.slice();
	for (const i of order) {
		const lane = lanes[depth[i]];
		const at = --left[depth[i]];
		lane.begin[at] = row.begin[i];
		lane.end[at] = row.end[i];
		lane.label[at] = row.label[i];
		lane.category[at] = categories[row.label[i]];
		lane.index[at] = i;
	}
	return lanes;
}

/** Of a lane only what has one of these labels. */
export function only(lane, wanted) {
	const kept = [];
	for (let i = 0; i < lane.count; i++) if (wanted[lane.label[i]]) kept.push(i);
	const pick = (column, Type) => Type.from(kept, (i) => column[i]);
	return new Lane(pick(lane.begin, Float64Array), pick(lane.end, Float64Array), pick(lane.label, Uint32Array),
		pick(lane.category, Uint8Array), pick(lane.index, Uint32Array));
}

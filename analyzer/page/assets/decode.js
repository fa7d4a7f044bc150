// SPDX-License-Identifier: MIT
// The packed time line: chunks of columns (analyzer/page/line.h) become rows, labels, steps and pieces.
import {extra} from './data.js';

const CHUNK = 16384; // no chunk has more entries (analyzer/page/track.h)
const BASE = 91; // two digits are 13 bits, one digit at the end is 6 (analyzer/page/pack.c)

function fromText(text) {
	const pairs = text.length >> 1;
	const single = text.length % 2;
	const bytes = new Uint8Array((13 * pairs + 6 * single) >> 3);
	const values = new Uint8Array(128);
	for (let value = 0; value < BASE; value++) values[value + 35 === 60 ? 33 : value + 35] = value;
	let bits = 0;
	let held = 0;
	let at = 0;
	for (let i = 0; i < pairs + single; i++) {
		bits |= (values[text.charCodeAt(2 * i)] + (i < pairs ? BASE * values[text.charCodeAt(2 * i + 1)] : 0)) << held;
		held += i < pairs ? 13 : 6;
		for (; held >= 8; held -= 8, bits >>>= 8) bytes[at++] = bits & 255;
	}
	return bytes;
}

async function inflate(packed) {
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads numbers one after the other; columns are planes of bytes, lowest first. */
class Cursor {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	u32() {
		const {bytes, at} = this;
		this.at += 4;
		return bytes[at] + bytes[at + 1] * 256 + bytes[at + 2] * 65536 + bytes[at + 3] * 16777216;
	}

	/** Beyond 53 bits the lowest ones are lost, which only values of figures have. */
	column(count, into) {
		const {bytes} = this;
		const planes = bytes[this.at++];
		for (let i = 0; i < count; i++) into[i] = planes > 0 ? bytes[this.at + i] : 0;
		for (let plane = 1, factor = 256; plane < planes; plane++, factor *= 256) {
			const from = this.at + plane * count;
			for (let i = 0; i < count; i++) {
				const byte = bytes[from + i];
				if (byte !== 0) into[i] += byte * factor;
			}
		}
		this.at += planes * count;
	}

	skip(count, columns) {
		for (let i = 0; i < columns; i++) this.at += 1 + this.bytes[this.at] * count;
	}
}

function unsign(value) {
	return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function describe(line, text) {
	for (const one of text.split('\n')) {
		if (one === '') continue;
		const thing = JSON.parse(one);
		if (thing.label !== undefined) line.labels[thing.label] = thing;
		else if (thing.tables !== undefined) line.tables = thing.tables;
		else if (thing.row !== undefined) line.rows[thing.row] = {...line.rows[thing.row], ...thing};
		else line.processes[thing.process] = thing;
	}
}

function rowOf(line, number) {
	if (!line.rows[number]) line.rows[number] = {};
	return line.rows[number];
}

/** First how many there are, so that columns are made once; then what they are. */
function countAll(bytes, line) {
	const cursor = new Cursor(bytes);
	const columns = {E: 5, B: 2, A: 2, S: 4 + extra.causes.length};
	const text = new TextDecoder();
	const counts = {A: 0, S: 0};
	while (cursor.at < bytes.length) {
		const letter = String.fromCharCode(bytes[cursor.at++]);
		if (letter === 'D') {
			const size = cursor.u32();
			describe(line, text.decode(bytes.subarray(cursor.at, cursor.at + size)));
			cursor.at += size;
			continue;
		}
		const row = letter === 'E' || letter === 'B' ? rowOf(line, cursor.u32()) : null;
		const count = cursor.u32();
		if (letter === 'E') row.whole = (row.whole || 0) + count;
		else if (row === null) counts[letter] += count;
		cursor.skip(count, columns[letter]);
	}
	for (const row of line.rows) {
		const size = row.whole || 0;
		row.begin = new Float64Array(size);
		row.end = new Float64Array(size);
		row.label = new Uint32Array(size);
		row.value = new Float64Array(size);
		row.filled = 0;
		row.last = 0;
	}
	line.pieces = {end: new Float64Array(counts.A), cause: new Uint8Array(counts.A), filled: 0, last: 0};
}

/** A column that lies by label, in the order of time. */
function inTime(cursor, count, {scratch, order}, into) {
	cursor.column(count, scratch);
	for (let i = 0; i < count; i++) into[order[i]] = scratch[i];
}

/** The order of a chunk's columns: by label, those of one label as they came. */
function takeLabels(cursor, row, count, {scratch, keys, order}) {
	const {label, filled} = row;
	cursor.column(count, scratch);
	for (let i = 0; i < count; i++) {
		label[filled + i] = scratch[i];
		keys[i] = scratch[i] * CHUNK + i;
	}
	keys.subarray(0, count).sort();
	for (let i = 0; i < count; i++) order[i] = keys[i] % CHUNK;
}

/** Times of what has others inside start from those of the others (analyzer/page/track.c). */
function takeTimes(cursor, row, count, room) {
	const {begin, end, filled} = row;
	const {inside, begins, lengths, ended} = room;
	inTime(cursor, count, room, inside);
	inTime(cursor, count, room, begins);
	inTime(cursor, count, room, lengths);
	let at = row.last;
	let open = 0;
	for (let i = filled; i < filled + count; i++) {
		const from = i - filled;
		if (inside[from] === 0) {
			begin[i] = at + unsign(begins[from]);
			at = begin[i] + lengths[from];
		} else {
			at = end[ended[open - 1]] + lengths[from];
			open -= inside[from];
			begin[i] = begin[ended[open]] - begins[from];
		}
		end[i] = at;
		ended[open++] = i;
	}
	row.last = at;
}

function takeEvents(cursor, row, count, room) {
	const {value, filled} = row;
	const {values} = room;
	takeLabels(cursor, row, count, room);
	takeTimes(cursor, row, count, room);
	inTime(cursor, count, room, values);
	let at = 0;
	for (let i = 0; i < count; i++) value[filled + i] = values[i] === 0 ? 0 : at += unsign(values[i] - 1);
	row.filled += count;
}

function takeSteps(cursor, line, count) {
	const columns = [];
	for (let i = 0; i < 4 + extra.causes.length; i++) {
		columns.push(new Float64Array(count));
		cursor.column(count, columns[i]);
	}
	for (let i = 0; i < count; i++) {
		const begin = unsign(columns[0][i]);
		line.steps.push({begin, end: begin + columns[1][i], number: columns[2][i], aside: columns[3][i] === 1,
			causes: columns.slice(4).map((column) => column[i])});
	}
}

function takePieces(cursor, pieces, count, scratch) {
	cursor.column(count, scratch);
	for (let i = 0; i < count; i++) pieces.end[pieces.filled + i] = pieces.last += unsign(scratch[i]);
	cursor.column(count, scratch);
	for (let i = 0; i < count; i++) pieces.cause[pieces.filled + i] = scratch[i];
	pieces.filled += count;
}

function takeAll(bytes, line) {
	const cursor = new Cursor(bytes);
	const scratch = new Float64Array(CHUNK);
	const room = {scratch, order: new Uint16Array(CHUNK), ended: new Uint32Array(CHUNK)};
	for (const name of ['keys', 'inside', 'begins', 'lengths', 'values']) room[name] = new Float64Array(CHUNK);
	while (cursor.at < bytes.length) {
		const letter = String.fromCharCode(bytes[cursor.at++]);
		if (letter === 'D') {
			const size = cursor.u32();
			cursor.at += size;
			continue;
		}
		const row = letter === 'E' || letter === 'B' ? line.rows[cursor.u32()] : null;
		const count = cursor.u32();
		if (letter === 'E') takeEvents(cursor, row, count, room);
		else if (letter === 'S') takeSteps(cursor, line, count);
		else if (letter === 'A') takePieces(cursor, line.pieces, count, scratch);
		else {
			row.bins = {events: new Float64Array(count), ns: new Float64Array(count)};
			cursor.column(count, row.bins.events);
			cursor.column(count, row.bins.ns);
		}
	}
}

/** null where this browser cannot unpack it. */
export async function readLine() {
	if (typeof DecompressionStream === 'undefined') return null;
	const bytes = await inflate(fromText(document.getElementById('line').textContent));
	const line = {rows: [], labels: [], processes: [], steps: [], pieces: null, tables: {}};
	countAll(bytes, line);
	takeAll(bytes, line);
	line.rows = line.rows.filter((row) => row.class !== undefined);
	return line;
}

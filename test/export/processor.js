// SPDX-License-Identifier: MIT
// Load a trace into Perfetto's own trace processor, as the viewer does, and answer queries.
// usage: node processor.js FOLDER-OF-THE-VIEWER TRACE SQL...   one JSON array of rows per query
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const REQUEST_LIMIT = 16 << 20;
const APPEND = 1, FINALIZE = 2, QUERY = 3;

function varint(value) {
	const bytes = [];
	for (; value >= 0x80; value = Math.floor(value / 128))
		bytes.push((value % 128) | 0x80);
	bytes.push(value);
	return Buffer.from(bytes);
}

const field = (number, value) => Buffer.concat([varint(number * 8), varint(value)]);
const bytesField = (number, bytes) =>
	Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);

// The fields of a message as [number, value]: numbers as BigInt, bytes as Buffer.
function* fields(bytes) {
	let at = 0;
	const number = () => {
		let value = 0n;
		for (let shift = 0n;; shift += 7n) {
			const byte = bytes[at++];
			value |= BigInt(byte & 0x7f) << shift;
			if (byte < 0x80)
				return value;
		}
	};
	while (at < bytes.length) {
		const tag = Number(number());
		if ((tag & 7) === 0) {
			yield [tag >> 3, number()];
		} else if ((tag & 7) === 1) {
			at += 8;
			yield [tag >> 3, bytes.subarray(at - 8, at)];
		} else {
			const size = Number(number());
			at += size;
			yield [tag >> 3, bytes.subarray(at - size, at)];
		}
	}
}

function* varints(bytes) {
	for (let at = 0; at < bytes.length;) {
		let value = 0n;
		for (let shift = 0n;; shift += 7n) {
			const byte = bytes[at++];
			value |= BigInt(byte & 0x7f) << shift;
			if (byte < 0x80)
				break;
		}
		yield Number(BigInt.asIntN(64, value));
	}
}

class Result {
	constructor() {
		this.names = [];
		this.rows = [];
		this.row = [];
		this.error = '';
		this.done = false;
	}

	takeBatch(bytes) {
		const cells = [], numbers = [], floats = [];
		let strings = [];
		for (const [number, value] of fields(bytes)) {
			if (number === 1)
				cells.push(...varints(value));
			else if (number === 2)
				numbers.push(...varints(value));
			else if (number === 3)
				for (let at = 0; at < value.length; at += 8)
					floats.push(value.readDoubleLE(at));
			else if (number === 5)
				strings = value.toString('utf8').split('\0');
			else if (number === 6)
				this.done = value !== 0n;
		}
		for (const cell of cells) {
			this.row.push(cell === 2 ? numbers.shift() :
				cell === 3 ? floats.shift() : cell === 4 ? strings.shift() : null);
			if (this.row.length === this.names.length) {
				this.rows.push(this.row);
				this.row = [];
			}
		}
	}

	take(bytes) {
		for (const [number, value] of fields(bytes)) {
			if (number === 1)
				this.names.push(value.toString('utf8'));
			else if (number === 2)
				this.error = value.toString('utf8');
			else if (number === 3)
				this.takeBatch(value);
		}
	}
}

// The viewer's worker, whose page is this program.
function startEngine(folder) {
	const self = {onmessage: null, location: {href: 'https://viewer/engine_bundle.js'}};
	const fetchFile = async (url) => new Response(fs.readFileSync(path.join(folder, path.basename(url))),
		{headers: {'Content-Type': 'application/wasm'}});
	// the viewer asks for its engine in this way; it lies beside the bundle
	class XMLHttpRequest {
		open(method, url) { this.file = path.join(folder, path.basename(url)); }
		send() {
			this.status = 200;
			this.response = new Uint8Array(fs.readFileSync(this.file)).buffer;
		}
	}
	const context = vm.createContext({
		XMLHttpRequest,
		self, location: self.location, fetch: fetchFile, Response, TextDecoder,
		TextEncoder, URL, setTimeout, clearTimeout, performance, importScripts: () => {},
		WorkerGlobalScope: class {}, console: {log() {}, warn() {}, error() {}}, crypto,
	});
	vm.runInContext(fs.readFileSync(path.join(folder, 'engine_bundle.js'), 'utf8'), context);
	const port = {onmessage: null, postMessage: null};
	self.onmessage({data: port});
	port.bytes = vm.runInContext('Uint8Array', context); // the worker's own kind of array
	return port;
}

async function main(folder, trace, queries) {
	const port = startEngine(folder);
	let waiting = null, result = null, sequence = 0, pending = Buffer.alloc(0);
	port.postMessage = (data) => {
		pending = Buffer.concat([pending, Buffer.from(data)]);
		for (const [, message] of fields(pending)) {
			for (const [number, value] of fields(message)) {
				if (number === 203)
					result.take(value);
				if (number === 5)
					throw new Error(value.toString('utf8'));
			}
		}
		pending = Buffer.alloc(0);
		if (result === null || result.done || result.error !== '')
			waiting();
	};
	const send = (request, ...parts) => new Promise((resolve) => {
		waiting = resolve;
		const message = Buffer.concat([field(1, ++sequence), field(2, request), ...parts]);
		port.onmessage({data: new port.bytes(bytesField(1, message))});
	});
	// the engine is ready a moment after it was started
	await new Promise((resolve) => setTimeout(resolve, 2000));
	const bytes = fs.readFileSync(trace);
	for (let at = 0; at < bytes.length; at += REQUEST_LIMIT)
		await send(APPEND, bytesField(101, bytes.subarray(at, at + REQUEST_LIMIT)));
	await send(FINALIZE);
	for (const sql of queries) {
		result = new Result();
		await send(QUERY, bytesField(103, bytesField(1, Buffer.from(sql))));
		if (result.error !== '')
			throw new Error(result.error);
		console.log(JSON.stringify(result.rows));
	}
	process.exit(0);
}

main(process.argv[2], process.argv[3], process.argv.slice(4)).catch((error) => {
	console.error(`processor.js: ${error.message}`);
	process.exit(1);
});

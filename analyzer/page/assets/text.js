// SPDX-License-Identifier: MIT
// Numbers and elements as people see them. Texts of the trace only ever become text nodes.

const DECIMALS = new Intl.NumberFormat('en', {maximumFractionDigits: 0});

/** An element with properties, attributes (with a dash, or role) and children; null children are left out. */
export function make(tag, properties, ...children) {
	const node = document.createElement(tag);
	for (const [key, value] of Object.entries(properties || {})) {
		if (value === null || value === undefined || value === false) continue;
		if (key === 'style') for (const [name, text] of Object.entries(value)) node.style.setProperty(name, text);
		else if (key.includes('-') || key === 'role') node.setAttribute(key, value);
		else node[key] = value;
	}
	for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) node.append(child);
	return node;
}

const SVG = 'http://www.w3.org/2000/svg';

export function draw(tag, attributes, ...children) {
	const node = document.createElementNS(SVG, tag);
	for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
	node.append(...children);
	return node;
}

/** 1234567 as "1 234 567", with narrow blanks. */
export function count(value) {
	return value === null || value === undefined ? '–' : DECIMALS.format(value).replace(/,/g, '\u202f');
}

function digits(value) {
	return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Nanoseconds with a fitting unit. */
export function duration(ns) {
	if (ns === null || ns === undefined) return '–';
	const size = Math.abs(ns);
	if (size < 1000) return `${Math.round(ns)} ns`;
	const sign = ns < 0 ? '−' : '';
	if (size < 999.5e3) return `${sign}${digits(size / 1e3)} µs`;
	if (size < 999.5e6) return `${sign}${digits(size / 1e6)} ms`;
	return `${sign}${digits(size / 1e9)} s`;
}

export function bytes(value) {
	if (value === null || value === undefined) return '–';
	const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
	let at = 0;
	let size = value;
	while (size >= 1024 && at < units.length - 1) {
		size /= 1024;
		at++;
	}
	return `${at === 0 ? size : digits(size)} ${units[at]}`;
}

export function percent(value) {
	return value === null || value === undefined ? '–' : `${Math.abs(value).toFixed(1)} %`;
}

/** "a_name" as "a name". */
export function words(name) {
	return name.replace(/_/g, ' ');
}

/** The last part of a path. */
export function leaf(path) {
	return path.slice(path.lastIndexOf('/') + 1);
}

/** "file.py:12 in main"; empty where nothing is known. */
export function place(file, line, fn) {
	if (!file) return '';
	return leaf(file) + (line ? `:${line}` : '') + (fn ? ` in ${fn}` : '');
}

/** A section of the page with its heading. */
export function section(id, title, remark, ...children) {
	return make('section', {id, 'aria-labelledby': `${id}-title`},
		make('h2', {id: `${id}-title`}, title, remark ? make('small', {}, remark) : null), ...children);
}

/** Let the browser store a text as a file. */
export function save(name, type, text) {
	const address = URL.createObjectURL(new Blob([text], {type}));
	make('a', {href: address, download: name}).click();
	setTimeout(() => URL.revokeObjectURL(address), 1000);
}

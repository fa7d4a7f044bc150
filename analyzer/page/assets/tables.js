// SPDX-License-Identifier: MIT
// Tables to sort, to search and to save as CSV. Only rows on the screen are elements, so length costs nothing.
import {note, onLink} from './links.js';
import {bytes, count, duration, make, percent, save, section, words} from './text.js';

const SHOWN = 200; // rows that become elements at first; the rest on demand

function rate(value) {
	return value === null ? '–' : `${(value / 1e9).toFixed(2)} GB/s`;
}

function kindOf(column) {
	if (/_ns$/.test(column)) return {format: duration, label: column.replace(/_ns$/, '')};
	if (/_bytes$/.test(column)) return {format: bytes, label: column.replace(/_bytes$/, ' size')};
	if (/_bytes_per_s$/.test(column)) return {format: rate, label: column.replace(/_bytes_per_s$/, ' rate')};
	if (/_pct$/.test(column)) return {format: percent, label: column === 'time_pct' ? 'share' : column.replace(/_pct$/, ' share')};
	return {format: count, label: column};
}

/** Columns of rows as the report has them: texts first, the most telling numbers next. */
function columnsOf(rows) {
	const names = Object.keys(rows[0]);
	const isText = (name) => rows.some((row) => typeof row[name] === 'string');
	const first = ['name', 'kind', 'api', 'call', 'direction'];
	const rank = (name) => {
		if (first.includes(name)) return first.indexOf(name);
		if (isText(name)) return 20;
		return name === 'count' ? 10 : name === 'total_ns' ? 11 : 30;
	};
	return names.map((name, at) => ({name, at, text: isText(name), ...kindOf(name)}))
		.sort((left, right) => rank(left.name) - rank(right.name) || left.at - right.at)
		.map((column) => ({...column, label: words(column.label)}));
}

function compare(left, right) {
	if (left === right) return 0;
	if (left === null || left === undefined) return -1;
	if (right === null || right === undefined) return 1;
	if (typeof left === 'string' || typeof right === 'string') return String(left).localeCompare(String(right), 'en', {numeric: true});
	return left - right;
}

function csvCell(value) {
	if (value === null || value === undefined) return '';
	const text = String(value);
	return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csv(columns, rows) {
	const lines = [columns.map((column) => column.name)].concat(rows.map((row) => columns.map((column) => row[column.name])));
	return lines.map((line) => line.map(csvCell).join(',')).join('\r\n') + '\r\n';
}

class Table {
	constructor(name, rows, columns) {
		this.name = name;
		this.rows = rows;
		this.open = new Set();
		this.columns = columns || columnsOf(rows);
		this.sorted = this.columns.find((column) => /^(self_ns|total_ns|busy_ns)$/.test(column.name)) || this.columns[0];
		this.down = !this.sorted.text;
		this.search = '';
		this.shown = SHOWN;
		const numbers = this.columns.filter((column) => !column.text);
		this.most = new Map(numbers.map((column) => [column.name, Math.max(...rows.map((row) => row[column.name] || 0))]));
	}

	/** Go on as another table of the same columns was left. */
	resume(before) {
		for (const key of ['search', 'sorted', 'down', 'shown']) this[key] = before[key];
		const names = new Set([...before.open].map((row) => row.name));
		for (const row of this.rows) if (names.has(row.name)) this.open.add(row);
	}

	/** The rows that the search leaves, in order. */
	wanted() {
		const text = this.search.toLowerCase();
		const texts = this.columns.filter((column) => column.text);
		const found = text === '' ? this.rows.slice()
			: this.rows.filter((row) => texts.some((column) => String(row[column.name]).toLowerCase().includes(text)));
		const key = this.sorted.name;
		const sign = this.down ? -1 : 1;
		return found.sort((left, right) => sign * compare(left[key], right[key]));
	}

	heading(column) {
		const state = column === this.sorted ? (this.down ? 'descending' : 'ascending') : null;
		const button = make('button', {type: 'button'}, column.label);
		button.addEventListener('click', () => {
			this.down = column === this.sorted ? !this.down : !column.text;
			this.sorted = column;
			this.render();
			this.node.querySelectorAll('th button')[this.columns.indexOf(column)].focus();
		});
		return make('th', {className: column.text ? 'left' : '', scope: 'col', 'aria-sort': state}, button);
	}

	/** Shows or hides what is beneath a row. */
	unfold(row) {
		if (!row.beneath || row.beneath.length === 0) return null;
		const open = this.open.has(row);
		const button = make('button', {type: 'button', className: 'unfold', 'aria-expanded': String(open),
			'aria-label': `what is beneath ${row.name}`}, open ? '▾' : '▸');
		button.addEventListener('click', () => {
			if (!this.open.delete(row)) this.open.add(row);
			this.render();
			this.node.querySelectorAll('.unfold')[this.unfolding.indexOf(row)].focus();
		});
		this.unfolding.push(row);
		return button;
	}

	/** The elements of a row, and of what is beneath it where it is unfolded. */
	rowsOf(row) {
		const own = make('tr', {}, this.columns.map((column, at) => this.cell(row, column, at === 0 ? this.unfold(row) : null)));
		if (!this.open.has(row)) return [own];
		return [own].concat(row.beneath.map((inner) => make('tr', {className: 'beneath'},
			this.columns.map((column) => this.cell(inner, column, null)))));
	}

	cell(row, column, unfold) {
		const value = row[column.name];
		if (column.text) {
			const text = value === null || value === undefined ? '–' : String(value);
			return make('td', {className: 'left', title: text}, unfold, text);
		}
		if (value === undefined) return make('td');
		const whole = this.most.get(column.name);
		const share = column === this.sorted && whole > 0 && value > 0
			? make('span', {className: 'share'}, make('i', {style: {width: `${100 * value / whole}%`}})) : null;
		return make('td', {className: share ? 'shared' : ''}, share, column.format(value));
	}

	render() {
		const rows = this.wanted();
		this.unfolding = [];
		const body = make('tbody', {}, rows.slice(0, this.shown).map((row) => this.rowsOf(row)));
		const more = rows.length > this.shown
			? make('button', {type: 'button', className: 'more'}, `show all ${count(rows.length)} rows`) : null;
		if (more) more.addEventListener('click', () => {
			this.shown = rows.length;
			this.render();
		});
		this.node.replaceChildren(make('div', {className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': words(this.name)},
			make('table', {className: 'rows', id: `table-${this.name}`},
				make('thead', {}, make('tr', {}, this.columns.map((column) => this.heading(column)))), body)),
			make('p', {className: 'meta'}, rows.length === this.rows.length ? `${count(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}`
				: `${count(rows.length)} of ${count(this.rows.length)} rows`, more ? ', ' : '', more));
	}

	mount() {
		this.node = make('div');
		this.render();
		return this.node;
	}
}

/** Sheets: {name, title, rows} or {name, title, rows() , columns}; rows may be made when they are looked at. */
export class Tables {
	constructor(sheets) {
		this.sheets = sheets;
		this.tables = new Map();
		this.box = make('div', {role: 'tabpanel', id: 'table-box'});
		this.search = make('input', {type: 'search', id: 'table-search', placeholder: 'search this table',
			'aria-label': 'search this table'});
		this.search.addEventListener('input', () => this.filter());
		const store = make('button', {type: 'button', id: 'table-csv'}, 'CSV');
		store.addEventListener('click', () => this.store());
		this.tabs = sheets.map((sheet) => this.tab(sheet));
		const list = make('div', {role: 'tablist', 'aria-label': 'tables'}, this.tabs);
		this.node = section('tables', 'Tables', 'a heading sorts',
			make('div', {className: 'tabs'}, list, this.search, store), this.box);
		onLink('table', (name) => {
			this.open(name);
			this.node.scrollIntoView();
		});
		if (sheets.length > 0) this.open(sheets[0].name, true);
	}

	tab(sheet) {
		const none = Array.isArray(sheet.rows) && sheet.rows.length === 0;
		const button = make('button', {type: 'button', role: 'tab', className: none ? 'none' : '', 'aria-controls': 'table-box',
			id: `tab-${sheet.name}`}, sheet.title);
		button.addEventListener('click', () => {
			this.open(sheet.name);
			note('table', sheet.name);
		});
		return button;
	}

	open(name, quiet) {
		const at = this.sheets.findIndex((sheet) => sheet.name === name);
		if (at < 0) return;
		const sheet = this.sheets[at];
		this.tabs.forEach((tab, index) => tab.setAttribute('aria-selected', String(index === at)));
		if (!this.tables.has(name)) {
			const rows = typeof sheet.rows === 'function' ? sheet.rows() : sheet.rows;
			this.tables.set(name, rows.length > 0 ? new Table(name, rows, sheet.columns) : null);
		}
		this.current = this.tables.get(name);
		const remark = sheet.remark ? make('p', {className: 'meta'}, sheet.remark) : '';
		const none = sheet.none || 'The trace has none of these.';
		this.box.replaceChildren(...this.current ? [this.current.mount(), remark] : [make('p', {className: 'card empty'}, none)]);
		if (this.current) this.search.value = this.current.search;
		if (!quiet) this.tabs[at].scrollIntoView({block: 'nearest', inline: 'nearest'});
	}

	filter() {
		if (!this.current) return;
		this.current.search = this.search.value;
		this.current.render();
	}

	store() {
		if (this.current) save(`${this.current.name}.csv`, 'text/csv', csv(this.current.columns, this.current.wanted()));
	}

	/** Make a sheet's rows again, because what they are made from has arrived; what the user did with it stays. */
	refresh(name) {
		const at = this.sheets.findIndex((sheet) => sheet.name === name);
		const before = this.tables.get(name);
		if (at < 0 || !before) return;
		const table = new Table(name, this.sheets[at].rows(), this.sheets[at].columns);
		table.resume(before);
		this.tables.set(name, table);
		if (this.current === before) this.open(name, true);
	}
}

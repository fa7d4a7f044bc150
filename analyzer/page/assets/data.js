// SPDX-License-Identifier: MIT
// What the file holds: the report as `trace-analyzer report --format json` writes it, and what only the page needs.

function read(id) {
	const block = document.getElementById(id);
	return block === null ? null : JSON.parse(block.textContent);
}

export const report = read('report');
export const comparison = read('comparison'); // of two sides, in place of a report
export const extra = read('extra');

export const causes = new Map(extra.causes.map((cause, index) => [cause.name, {...cause, index}]));

/** Whether the program gave no work to a GPU: what is said is then of the host alone. */
export const isAlone = report !== null && report.ratios.gpu_busy_is === 'none';

/** Share of the limit "name" of the verdict. */
export function limit(name) {
	return report.tables.thresholds[name];
}

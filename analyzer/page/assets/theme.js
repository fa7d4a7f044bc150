// SPDX-License-Identifier: MIT
// Light or dark, and the colours that canvases need as values.
import {make} from './text.js';

const listeners = [];
const system = matchMedia('(prefers-color-scheme: dark)');
let chosen = null; // 'light' or 'dark'; null: as the system has it

export function isDark() {
	return chosen === null ? system.matches : chosen === 'dark';
}

function apply() {
	document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
	for (const listener of listeners) listener();
}

export function onTheme(listener) {
	listeners.push(listener);
}

/** The value of a colour of page.css. */
export function colour(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function causeColour(name) {
	return colour(`c-${name}`) || colour('c-unexplained');
}

/** Black or white, whichever is easier to read on a colour. */
export function inkOn(hex) {
	const light = [1, 3, 5].map((at) => Math.pow(parseInt(hex.slice(at, at + 2), 16) / 255, 2.2));
	return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] > 0.18 ? '#000' : '#fff';
}

export function setTheme(name) {
	chosen = name;
	apply();
}

export function themeButton() {
	const text = () => (isDark() ? 'light' : 'dark');
	const button = make('button', {type: 'button', id: 'theme', title: 'light or dark'}, text());
	button.addEventListener('click', () => setTheme(text()));
	onTheme(() => {
		button.textContent = text();
	});
	return button;
}

export function startTheme() {
	system.addEventListener('change', apply);
	apply();
}

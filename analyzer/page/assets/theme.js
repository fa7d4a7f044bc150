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

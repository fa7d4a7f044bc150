// SPDX-License-Identifier: MIT
// A link to any place: #findings is a section, #finding=3 or #step=12 a thing, which its owner shows.

const owners = new Map();

export function onLink(name, show) {
	owners.set(name, show);
}

/** Show what an address names; false when nobody knows it. */
export function follow(hash) {
	const [name, value] = decodeURIComponent(hash.replace(/^#/, '')).split('=');
	const show = owners.get(name);
	if (!show || value === undefined) return false;
	show(value);
	return true;
}

/** Put the place into the address, so that it can be copied, without a jump. */
export function note(name, value) {
	history.replaceState(null, '', `#${name}=${encodeURIComponent(value)}`);
}

export function startLinks() {
	addEventListener('hashchange', () => follow(location.hash));
	if (location.hash) follow(location.hash);
}

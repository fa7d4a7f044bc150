// SPDX-License-Identifier: MIT
// Which call asked for which operation of the device: the device's side tells the interval of each call and gives it
// the number that its operations have.

const CALLS = new Set(['launch', 'graph', 'copy', 'set', 'call', 'alloc', 'sync', 'event']);

export class Partners {
	constructor(tracks, labels) {
		this.labels = labels;
		this.processes = new Map();
		this.ready = false;
		for (const track of tracks) {
			if (!track.row) continue;
			if (!this.processes.has(track.heading)) this.processes.set(track.heading, {threads: new Map(), calls: [], streams: []});
			const own = this.processes.get(track.heading);
			if (track.kind === 'thread') own.threads.set(track.row.tid, track);
			else if (track.kind === 'device_call') own.calls.push(track);
			else if (track.kind === 'stream') own.streams.push(track);
		}
	}

	/** Events of tracks by their number, as lists in columns; made when it is first asked for. */
	byNumber(process, key, tracks) {
		if (process[key]) return process[key];
		const lanes = tracks.flatMap((track) => track.lanes.map((lane) => ({track, lane})));
		const total = lanes.reduce((sum, {lane}) => sum + lane.count, 0);
		const found = {first: new Map(), next: new Int32Array(total), owner: new Uint32Array(total), at: new Uint32Array(total), lanes};
		let entry = 0;
		lanes.forEach(({track, lane}, owner) => {
			const {value} = track.row;
			for (let at = 0; at < lane.count; at++, entry++) {
				const number = value[lane.index[at]];
				found.owner[entry] = owner;
				found.at[entry] = at;
				const before = found.first.get(number);
				found.next[entry] = before === undefined ? -1 : before;
				if (number !== 0) found.first.set(number, entry);
			}
		});
		process[key] = found;
		return found;
	}

	/** The events with a number, in order. */
	having(found, number) {
		const spots = [];
		for (let entry = number === 0 ? undefined : found.first.get(number); entry !== undefined && entry >= 0; entry = found.next[entry])
			spots.push({...found.lanes[found.owner[entry]], at: found.at[entry]});
		return spots.reverse();
	}

	/** So that the first arrows cost no frame. */
	prepare() {
		for (const process of this.processes.values()) this.byNumber(process, 'byCall', process.calls);
		this.ready = true;
	}

	numberOf({track, lane, at}) {
		return track.row.value[lane.index[at]];
	}

	/** The call on the thread around an interval that the device's side told. */
	callAround(process, {track, lane, at}) {
		const thread = process.threads.get(track.row.tid);
		if (!thread) return null;
		const [begin, end] = [lane.begin[at], lane.end[at]];
		for (let depth = thread.lanes.length - 1; depth >= 0; depth--) {
			const host = thread.lanes[depth];
			const found = host.after((begin + end) / 2);
			if (found < host.count && host.begin[found] <= end && host.end[found] >= begin && CALLS.has(this.labels[host.label[found]].kind))
				return {track: thread, lane: host, at: found};
		}
		return null;
	}

	/** The call of an operation, or the operations of a call. */
	of(spot) {
		const process = this.processes.get(spot.track.heading);
		if (!process || !spot.track.row) return [];
		if (spot.track.kind === 'stream') {
			const intervals = this.having(this.byNumber(process, 'byCall', process.calls), this.numberOf(spot));
			const call = intervals.map((one) => this.callAround(process, one)).find((one) => one !== null);
			return call ? [call] : [];
		}
		if (spot.track.kind !== 'thread' || !CALLS.has(this.labels[spot.lane.label[spot.at]].kind)) return [];
		const found = [];
		const [begin, end] = [spot.lane.begin[spot.at], spot.lane.end[spot.at]];
		for (const track of process.calls.filter((one) => one.row.tid === spot.track.row.tid))
			for (const lane of track.lanes)
				for (let at = lane.after(begin); at < lane.count && lane.begin[at] < end && found.length < 64; at++)
					for (const one of this.having(this.byNumber(process, 'byOperation', process.streams), this.numberOf({track, lane, at})))
						if (!found.some((other) => other.lane === one.lane && other.at === one.at)) found.push(one);
		return found;
	}
}

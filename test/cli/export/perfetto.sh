# the same events, rows, arrows and texts as the JSON form, read by the rules of protobuf alone
trace-analyzer export -q --plain --format perfetto -o trace "$TRACES/training.msgpack.zst"
trace-analyzer export -q --plain -o trace.json "$TRACES/training.msgpack.zst"
trace-analyzer export -q --format perfetto -o hostile "$TRACES/hostile.msgpack.zst"
python3 - <<'END'
import collections, json, struct

def fields(data):
    at = 0
    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        tag = number()
        if tag & 7 == 0:
            yield tag >> 3, number()
        elif tag & 7 == 1:
            at += 8
            yield tag >> 3, struct.unpack("<Q", data[at - 8:at])[0]
        else:
            assert tag & 7 == 2, tag
            size = number()
            at += size
            assert at <= len(data)
            yield tag >> 3, data[at - size:at]

def read(path):
    names, tracks, begins, ends, texts = {}, {}, [], [], []
    for number, packet in fields(open(path, "rb").read()):
        assert number == 1
        packet = list(fields(packet))
        what = dict(packet)
        assert what[10] == 1  # one sequence
        for kind, entry in fields(what.get(12, b"")):
            entry = dict(fields(entry))
            texts.append(entry[2].decode("utf-8"))
            names[kind, entry[1]] = entry
        if 60 in what:
            track = dict(fields(what[60]))
            thread = dict(fields(track.get(4, b"")))
            tracks[track[1]] = (thread.get(5) or track.get(2, b"")).decode("utf-8")
        if 11 in what:
            event = list(fields(what[11]))
            top = dict(event)
            assert top[11] in tracks, "a track is described before its first event"
            if top[9] == 1:
                assert what[13] == 2
                name = names[2, top[10]][2].decode("utf-8")
                begins.append((what[8], top[11], name, top.get(47), top.get(48)))
            if top[9] == 2:
                ends.append((what[8], top[11]))
    return tracks, begins, ends, texts

tracks, begins, ends, texts = read("trace")
events = json.load(open("trace.json"))["traceEvents"]
slices = [e for e in events if e["ph"] == "X"]
rows = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
assert collections.Counter(b[2] for b in begins) == collections.Counter(e["name"] for e in slices)
assert collections.Counter(tracks[b[1]] for b in begins) == collections.Counter(rows.get(e["tid"], "") for e in slices)
assert collections.Counter(b[1] for b in begins) == collections.Counter(e[1] for e in ends)
starts = {b[3] for b in begins if b[3] is not None}
assert all(b[4] in starts for b in begins if b[4] is not None)
print(sum(b[4] is not None for b in begins) == sum(e["ph"] == "s" for e in events) > 0)
# begin and end of each row nest: by time, and by their order in the file where times are equal
for track in tracks:
    order = sorted([(b[0], i, 1) for i, b in enumerate(begins) if b[1] == track] +
                   [(e[0], i, -1) for i, e in enumerate(ends) if e[1] == track], key=lambda x: x[0])
    open_now = 0
    for at, _, step in order:
        open_now += step
    assert open_now == 0
print("a\"b\\c</script>\x1b[31m\n\ufffd\u00fc" in read("hostile")[3])
END

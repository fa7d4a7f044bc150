# text that would break a parser: valid JSON in strict UTF-8, and no "</" for web pages
trace-analyzer export "$TRACES/hostile.msgpack.zst" | tee export.json | python3 -c '
import json, sys
trace = json.loads(sys.stdin.buffer.read().decode("utf-8"))
name = "a\"b\\c</script>\x1b[31m\n\ufffd\u00fc"
events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
assert [e["name"] for e in events] == [name], events
assert events[0]["args"]["kernel"] == name
assert name in str([e["args"] for e in trace["traceEvents"] if e["ph"] == "M"][1]["name"])
'
grep -c "</" export.json

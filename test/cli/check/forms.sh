# JUnit is what Jenkins' schema says, SARIF what that of OASIS says: passed, failed, of a hostile run
trace="$TRACES/training.msgpack.zst"
schema=$ROOT/test/cli/check/schema
trace-analyzer check "$trace" --write-baseline base
sed -e 's/^total launches = \([0-9]*\)/total launches = 1\1/' -e 's/| main |/| m<&">\x01 |/' base >more
valid() { # name, options of check
	local name=$1
	shift
	trace-analyzer check "$trace" "$@" --format junit >out.xml
	xmllint --noout --schema "$schema/junit-10.xsd" out.xml 2>&1
	trace-analyzer check "$trace" "$@" --format sarif >out.sarif
	/usr/bin/python3 - "$schema/sarif-schema-2.1.0.json" out.sarif <<-'END'
		import json, jsonschema, sys
		schema, report = (json.load(open(name)) for name in sys.argv[1:])
		faults = [fault.message for fault in jsonschema.Draft4Validator(schema).iter_errors(report)]
		print("sarif", faults or "validates", len(report["runs"][0]["results"]), "results")
	END
}
valid passed --baseline base
valid failed --baseline more --fail-on info --max syncs=0 --min gpu_busy=101
trace-analyzer check "$trace" --max syncs=0 --format sarif | /usr/bin/python3 -c '
import json, sys
run = json.load(sys.stdin)["runs"][0]
print([rule["id"] for rule in run["tool"]["driver"]["rules"]])
for result in run["results"]:
    place = result["locations"][0]["physicalLocation"]
    print(place["artifactLocation"]["uri"], place["region"], result["message"]["text"])
    print(sorted(result["partialFingerprints"]))'
cat out.xml
trace-analyzer check "$trace" --max syncs=9 --format junit

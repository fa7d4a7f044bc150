trace-analyzer doctor --format json | python3 -c '
import json, sys
report = json.load(sys.stdin)
print(report["schema"], len(report["checks"]))
for check in report["checks"]:
    assert check["status"] in ("ok", "note", "missing"), check
    assert check["found"] and check["for"], check
    assert check["status"] == "ok" or check["advice"], check
'

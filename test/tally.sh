# Sourced by shell suites: ok, not_ok, skip and the closing line.
passed=0 failed=0 skipped=0
ok() { passed=$((passed + 1)) && echo "ok $*"; }
not_ok() { failed=$((failed + 1)) && echo "FAIL $*"; }
skip() { skipped=$((skipped + 1)) && echo "SKIP $*"; }
finish() {
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
	exit
}

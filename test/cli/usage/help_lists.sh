# every limit and every rule is listed, with what --threshold and a rules file call it
trace-analyzer help thresholds >limits
sed -n 's/^THRESHOLD([A-Z_]*, *"\([^"]*\)".*/\1/p' "$ROOT/analyzer/report/result/threshold.def" |
	while read -r name; do
		grep -qE "^$name=[0-9.]+" limits || echo "no limit $name"
	done
[ "$(grep -c '^  default: ' limits)" = "$(grep -c '^THRESHOLD(' "$ROOT/analyzer/report/result/threshold.def")" ]
trace-analyzer help rules >rules
sed -n 's/^RULE([a-z_]*, *"\([^"]*\)".*/\1/p' "$ROOT/analyzer/report/rules/rules.def" |
	while read -r name; do
		grep -qE "^  $name " rules || echo "no rule $name"
		grep -q "| \`$name\` |" "$ROOT/docs/rules.md" || echo "docs/rules.md has no $name"
	done

# every line of the programs on standard error that these tests expect is "program: place: reason"
cat "$ROOT"/test/cli/*/*.stderr.* | grep '^trace-' | tee lines | grep -vE '^trace-(analyzer|run): [^ :][^:]*: .+'
[ "$(wc -l <lines)" -gt 30 ]

# 32 lines of 100 columns
for command in report dump export doctor help version; do
	trace-analyzer help $command | awk -v c=$command 'length($0) > 100 { print c ": " $0 } END { if (NR > 32) print c ": " NR " lines" }'
done

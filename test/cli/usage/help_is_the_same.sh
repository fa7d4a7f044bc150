# every way to ask for help gives the same
cmp <(trace-analyzer help) <(trace-analyzer -h) && cmp <(trace-analyzer help) <(trace-analyzer --help) &&
	cmp <(trace-analyzer help dump) <(trace-analyzer dump -h)

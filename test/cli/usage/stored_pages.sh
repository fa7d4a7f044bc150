# manual and completion are those that the tables give
cd "$ROOT" && diff scripts/man/trace-analyzer.1 <(trace-analyzer help manual) &&
	diff scripts/completion/trace-analyzer <(trace-analyzer help completion)

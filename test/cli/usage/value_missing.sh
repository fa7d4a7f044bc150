trace-analyzer dump x --output

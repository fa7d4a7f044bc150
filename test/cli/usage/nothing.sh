trace-analyzer

trace-analyzer help

trace-analyzer help nope

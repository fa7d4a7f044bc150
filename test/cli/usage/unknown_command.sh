trace-analyzer exprot x

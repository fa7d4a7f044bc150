trace-analyzer dump ./nothing

trace-analyzer dump --quiet

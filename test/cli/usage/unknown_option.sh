trace-analyzer dump --knd=launch x

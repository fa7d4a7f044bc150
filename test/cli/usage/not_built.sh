trace-analyzer check x

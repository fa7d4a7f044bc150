trace-analyzer doctor

trace-analyzer doctor there

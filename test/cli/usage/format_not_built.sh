trace-analyzer export --format sqlite x

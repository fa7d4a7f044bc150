trace-analyzer export --threshold a=1 x

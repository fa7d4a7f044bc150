trace-analyzer export --format otf2 x

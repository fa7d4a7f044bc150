#!/bin/bash
# Print the figures of the format: writer, bytes per event, decoder.
set -eu
cd "$(dirname "$0")/../.."
make --no-print-directory build/bench/bench_codec >&2
exec build/bench/bench_codec

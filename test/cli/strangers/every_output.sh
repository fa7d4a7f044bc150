# the same hostile names through every output; what is wrong is printed
python3 "$ROOT/test/cli/strangers/every_output.py"

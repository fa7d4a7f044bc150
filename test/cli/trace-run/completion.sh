# The words that the shell offers: options, values, then what belongs to the command.
source "$ROOT/scripts/completion/trace-run"
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trace_run; echo "${COMPREPLY[@]}"; }
try trace-run --ring
try trace-run --sources al
try trace-run -q -l ""
mkdir bin && printf "" >bin/train_fast && chmod +x bin/train_fast && PATH=$PWD/bin:$PATH
try trace-run -s torch train_f
try trace-run -q python3 --out

# the manual has no groff warning where there is a groff, the completion works
if command -v groff >/dev/null; then groff -man -ww -Tascii "$ROOT"/scripts/man/*.1 2>&1 >/dev/null; fi
source "$ROOT/scripts/completion/trace-analyzer"
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trace_analyzer; echo "${COMPREPLY[@]}"; }
try trace-analyzer do
try trace-analyzer dump --ki
try trace-analyzer dump --format ""

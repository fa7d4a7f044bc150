#!/bin/bash
# `trace-run --simulate` as it is installed: a program of PyTorch's without a GPU, ended after some steps; what
# its trace, reports, comparison and gate say of that; the jobs of scripts/ci; the demonstration's baseline.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
unset MAKEFLAGS MFLAGS MAKELEVEL
tree=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts=$tree/test/run/simulate

expect() { # name, what is expected, what there is
	if [ "$3" = "$2" ]; then ok "$1"; else not_ok "$1: '$3' instead of '$2'"; fi
}
expect_text() { # name, text that must be there, file
	if grep -qF -- "$2" "$3"; then ok "$1"; else not_ok "$1: no '$2' in: $(tail -n 15 "$3")"; fi
}
read_json() { # file, what to print of it
	/usr/bin/python3 -c 'import json, sys; print(eval(sys.argv[2], {"r": json.load(open(sys.argv[1]))}))' "$@"
}

demonstration() {
	cd "$tree" && CUDASIM_KERNELS='*=9us' trace-run --simulate -q -o "$work/mended" python3 scripts/demo_mended.py \
		>"$work/demo.out" 2>"$work/demo.err"
}

make -s install PREFIX="$work/libtrace" >"$work/log" 2>&1
expect 'make install' 0 $? || cat "$work/log"
if ! environment=$(python3 test/cudasim/wheel/fetch.py 2.15.0 --if-cached); then
	skip 'PyTorch: the wheel is not in the cache (make demo fetches it)'
	finish
fi
export PATH=$work/libtrace/bin:$environment/bin:$PATH PYTHONNOUSERSITE=1 XDG_CACHE_HOME=$work/cache
cd "$work" || exit 1

# What nobody ends is ended after the steps that were asked for, as the program itself would.
cp "$scripts/endless.py" train.py
timeout 300 trace-run --simulate --steps 30 -o run1 python3 train.py >out 2>err
expect 'an endless training ends' 0 $?
expect 'its output is written and its end is run' 'finally closed' "$(tail -n 2 out | tr '\n' ' ' | sed 's/ $//')"
steps=$(grep -c '^step' out)
if [ "$steps" -ge 29 ] && [ "$steps" -le 31 ]; then ok 'after 30 steps'; else not_ok "after $steps steps, not 30"; fi
expect 'one line says what it ran on, one where the trace is' 2 "$(wc -l <err)"
expect_text 'it is told that times are modelled' "on a simulated GPU: counts are the program's, times are modelled" err
trace-analyzer run1 >text
expect_text 'text' 'on a simulated GPU: times are modelled' text
expect_text 'its state' "the GPU is a simulated one: counts are the program's, times are modelled" text
trace-analyzer report --format json run1 >base.json
expect 'JSON' 'True 30 *=5us' "$(read_json base.json \
	'" ".join(str(x) for x in (r["run"]["simulated"], r["steps"]["count"], r["run"]["versions"]["simulated"]))')"
trace-analyzer report --format html --output page.html run1
expect_text 'HTML' 'the GPU is a simulated one' page.html
trace-analyzer check run1 --write-baseline train.baseline
expect_text 'a baseline names it' 'version simulated = *=5us' train.baseline

# Beside the jobs below: the demonstration's mended script, with other modelled times, and a program that wants
# what is not there.
TIMEFORMAT='%R %U %S'
{ time demonstration; } 2>demo.time &
trace-run --simulate -o beyond python3 "$scripts/beyond.py" >beyond.out 2>beyond.err &

# The jobs, where a network would be needed with stand-ins: the same script passes, one line more fails.
# GitHub's checkout has libtrace already; GitLab clones it.
mkdir tools github gitlab
printf '#!/bin/sh\nprintf "%%s\\n" "$*" >>"%s/pip"\n' "$work" >tools/pip
printf '#!/bin/sh\n[ "$1" = clone ] && ln -s "%s" "$5"\n' "$tree" >tools/git
chmod +x tools/pip tools/git
cp train.py train.baseline github && cp train.py train.baseline gitlab && ln -s "$tree" github/libtrace
sed -i 's/^\( *\)optimizer.step()$/\1seen = loss.item()\n&/' github/train.py
touch before
run_job() { # platform
	env HOME="$work" PATH="$work/tools:$environment/bin:/usr/bin:/bin" \
		/usr/bin/python3 "$scripts/jobs.py" "$1" "$work/$1" >"$work/$1.out" 2>&1
}
run_job gitlab
expect 'GitLab: the same script passes' 0 $? || cat gitlab.out
expect_text 'GitLab: and says on what' 'note: the runs were recorded on a simulated GPU' gitlab.out
expect 'GitLab: what it shows as tests' 0 "$(xmllint --xpath 'count(//failure)' gitlab/counts.xml)"
expect 'nothing is linked again' '' "$(find cache -newer before -name 'lib*')"
run_job github
expect 'GitHub: an item() in the loop fails' 1 $? || cat github.out
line=$(grep -n 'seen = loss.item()' github/train.py | cut -d: -f1)
expect_text 'GitHub: the line in the summary' "| train.py:$line in main (aten::item) | syncs per step | 0 | 1 |" github/summary
expect 'GitHub: the line that is marked' "train.py $line" "$(read_json github/counts.sarif '(lambda at: "%s %d" % (
	at["artifactLocation"]["uri"], at["region"]["startLine"]))(r["runs"][0]["results"][0]["locations"][0]["physicalLocation"])')"
expect 'both install a PyTorch alone' 2 "$(grep -c '^install --no-deps torch==2.15.0 ' pip)"

trace-analyzer compare run1 gitlab/run >text
expect_text 'compare' 'both sides are of a simulated GPU' text
trace-analyzer report --format json gitlab/run >new.json
sed 's/"simulated": true/"simulated": false/; /"simulated": "/d' base.json >real.json
trace-analyzer compare real.json new.json >text
expect_text 'compare with a real one' 'new is of a simulated GPU: compare counts alone' text
trace-analyzer compare --format json base.json new.json >compare.json
expect 'compare, JSON' True "$(read_json compare.json 'r["base"]["simulated"] and r["new"]["simulated"]')"

wait
# The demonstration does what its baseline in git says; other modelled times change no count.
read -r wall user system <demo.time
echo "the demonstration's script: $wall s, of a processor $user s and $system s for the system"
if [ "${user%.*}" -lt 60 ]; then ok 'the demonstration takes less than a minute'; else not_ok "it took $user s"; fi
(cd "$tree" && trace-analyzer check "$work/mended" -b test/run/simulate/demo_mended.baseline) >text
expect "the demonstration's counts" 0 $? || cat text
expect_text 'other modelled times are told' 'simulated is *=9us, the baseline was written with *=5us' text
expect 'quiet: nothing is said' '' "$(cat demo.err)"

# What is beyond it is named; the program goes on, or gets the error that the library has for it.
expect 'a program that wants more' 'True 0.0 refused' "$(tr '\n' ' ' <beyond.out | sed 's/ $//')"
expect_text 'a kernel that is not computed' 'simulated GPU: not computed' beyond.err
expect_text 'a product too large for the host' 'a matrix product of 320 million operations is too large' beyond.err
expect_text 'a function that is not there' "is not there: it answers 'not supported'" beyond.err
finish

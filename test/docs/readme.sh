# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: each command in the README's sh blocks is in commands.txt, the other way round too,
# and does what it is there for.

readme_commands() { sed -n '/^```sh$/,/^```$/{/^```/d; s/ *#.*//; /./p}' README.md; }

# The script of a make target, as the suite that stands for it has to start it.
recipe() { sed -n "/^$1:/,/^\$/s/^\t@\(scripts\/[a-z_]*\).*/\1/p" Makefile | grep -v setup; }

# What a suite has in it that runs a command.
started() { # command
	case $1 in
	make*) recipe "${1#make }" ;;
	*) echo "$1" ;;
	esac
}

run_command() { # command
	local command=$1 status
	(
		cd "$folder" || exit 1
		export DESTDIR="$work/installed" CUDASIM_TORCH=none
		timeout 300 bash -c "$command"
	) >"$work/log" 2>&1
	status=$?
	if [ "$status" = 0 ]; then ok "README: $command"; else
		not_ok "README: $command: status $status: $(tail -n 2 "$work/log")"
	fi
}

check_command() { # command
	local how suite
	how=$(awk -v command="$1" '!/^#/ && index($0, command) && substr($0, length($0) - length(command)) == " " command {
		sub(/ *$/, "", $0); print $1, $2; exit }' test/docs/commands.txt)
	case $how in
	'run '*) run_command "$1" ;;
	'suite '*)
		suite=$(awk -v name="${how#suite }" '$1 == name { print $3 }' test/suites.txt)
		if grep -qF -- "$(started "$1")" "${suite:-/dev/null}"; then ok "README: $1 is run by $how"; else
			not_ok "README: $1 is not run by $how"
		fi
		;;
	'target '*)
		if make -n "${1#make }" >/dev/null 2>&1; then ok "README: $1 is there"; else not_ok "README: no $1"; fi
		;;
	*) not_ok "README: nobody runs '$1' (test/docs/commands.txt)" ;;
	esac
}

# What the README calls train.py, and the tree as its commands see it.
folder=$work/tree
mkdir "$folder"
for name in build scripts analyzer collector preload test Makefile; do ln -s "$PWD/$name" "$folder/$name"; done
cat >"$folder/train.py" <<'END'
import os
os.execv("build/cudasim/13/train_loop", ["train_loop", "sync_bound", "60"])
END
make -s -C test/cudasim programs || exit 4

while IFS= read -r command; do check_command "$command"; done < <(readme_commands)
while IFS= read -r command; do
	if readme_commands | grep -qxF "$command"; then ok "commands.txt: $command"; else
		not_ok "commands.txt: the README does not say '$command'"
	fi
done < <(sed '/^#/d; s/^run *//; s/^target *//; s/^suite [a-z]* *//' test/docs/commands.txt)
if [ -f "$work/installed/usr/local/lib/libtrace.so" ]; then ok 'make install: below DESTDIR'; else
	not_ok "make install: $(find "$work/installed" | head -n 5)"
fi

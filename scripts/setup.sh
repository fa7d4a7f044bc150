#!/bin/sh
# Install the Debian packages of the groups named (scripts/packages.txt) that are missing; when that
# is not possible here, print the one command that does it and fail. Quiet when nothing is missing.
# usage: scripts/setup.sh GROUP...
set -u
list=$(dirname "$0")/packages.txt

# The packages of the groups whose proof is not there, in $missing.
find_missing() { # group...
	missing=
	for group in "$@"; do
		while read -r of package proof; do
			[ "$of" = "$group" ] || continue
			case $proof in
			/*) [ -e "$proof" ] ;;
			*) command -v "$proof" >/dev/null 2>&1 ;;
			esac || missing="$missing $package"
		done <"$list"
	done
}

find_missing "$@"
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1; then
	echo "setup: missing:$missing (Debian's names; this system has no apt-get: install them by hand)" >&2
	exit 1
fi
sudo=
if [ "$(id -u)" != 0 ]; then
	if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		sudo=sudo
	else
		echo "setup: missing packages; run: sudo apt-get install$missing" >&2
		exit 1
	fi
fi

# Two at once (make -j check lint): the second waits, and may find nothing left to do.
exec 9<"$list"
flock 9
find_missing "$@"
[ -n "$missing" ] || exit 0
echo "setup: installing$missing" >&2
log=$(mktemp)
install_packages() {
	# shellcheck disable=SC2086 # package names are words
	DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y --no-install-recommends $missing
}
if ! install_packages >"$log" 2>&1; then
	$sudo apt-get update >>"$log" 2>&1
	if ! install_packages >>"$log" 2>&1; then
		tail -n 5 "$log" >&2
		echo "setup: could not install; run: sudo apt-get update && sudo apt-get install$missing" >&2
		rm -f "$log"
		exit 1
	fi
fi
rm -f "$log"

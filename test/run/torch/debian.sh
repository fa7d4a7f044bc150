#!/bin/sh
# Run a command with this release's own PyTorch (the package python3-torch). Its packages are unpacked into the cache, once
# (150 MB); none is installed, so that no other program finds them. Status 2, and why, when they cannot be had.
# usage: debian.sh COMMAND [ARGUMENT]...
set -eu

here=$(cd "$(dirname "$0")" && pwd)
say() { echo "debian.sh: $*" >&2 && exit 2; }

download() {
	apt-get install -y --no-install-recommends --download-only -o "Dir::Cache::archives=$1" -o Debug::NoLocking=1 python3-torch
}

# What is unpacked, in $1.
unpack() {
	mkdir -p "$1/archives/partial" "$1/root"
	download "$1/archives" >"$1/log" 2>&1 || { apt-get update && download "$1/archives"; } >"$1/log" 2>&1 ||
		say "python3-torch cannot be had: $(tail -n 1 "$1/log")"
	for package in "$1"/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$package" |
			tar -x -C "$1/root" --no-same-owner --exclude='./usr/share/*' --exclude='./usr/include/*' ||
			say "cannot unpack $package"
	done
}

if ! /usr/bin/python3 -c 'import torch' 2>/dev/null; then
	command -v apt-get >/dev/null || say "no torch in /usr/bin/python3, and no apt-get"
	cache=$(/usr/bin/python3 "$here/../../cudasim/wheel/fetch.py" --cache)
	root=$cache/debian-torch-$(sed -n 's/^VERSION_ID=//p' /etc/os-release | tr -d '"')
	exec 9>>"$cache/lock"
	flock 9
	if [ ! -d "$root" ]; then
		scratch=$(mktemp -d "$cache/debian-XXXXXX")
		trap 'rm -rf "$scratch"' EXIT
		unpack "$scratch"
		mv "$scratch/root" "$root"
		rm -rf "$scratch"
		trap - EXIT
	fi
	exec 9>&-
	libraries=$root/usr/lib/$(uname -m)-linux-gnu
	LD_LIBRARY_PATH=$libraries:$root/usr/lib:$root/lib/$(uname -m)-linux-gnu:$libraries/blas:$libraries/lapack
	PYTHONPATH=$root/usr/lib/python3/dist-packages
	export LD_LIBRARY_PATH PYTHONPATH
fi
exec "$@"

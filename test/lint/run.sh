#!/bin/bash
# The checks of the sources see what they are there for: each is given a small made-up tree that is fine,
# then the same tree with one thing wrong, and must name that thing and nothing else.
set -u
cd "$(dirname "$0")" || exit 1
. ../tally.sh
root=$PWD/../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

. ./includes.sh
. ./limits.sh
. ./words.sh
finish

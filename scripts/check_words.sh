#!/bin/bash
# Words that no file of the tree may hold: work put off, paths of one machine, hosts of package
# registries (packages are named by name and hash; where they come from is the reader's own setting).
# Prints one line per violation.
# usage: scripts/check_words.sh      in a folder under git
set -u
put_off='\b(TO''DO|FIX''ME|X''XX)([^a-zA-Z]|$)'
of_one_machine='(^|[^]A-Za-z0-9_.$)}*%"/-])/(wor''k|roo''t)/'
registries='py''pi\.|pythonhos''ted|npm''js\.|crat''es\.io|proxy\.gol''ang|deb\.deb''ian|download\.pyto''rch'
registries+='|anacon''da\.(org|com)|artifac''tory'

find_words() { # what is said, pattern
	git grep -nIE -e "$2" | cut -c -160 | sed "s/^/$1: /"
}
find_words 'work put off' "$put_off"
find_words "a path of one machine" "$of_one_machine"
find_words 'a host of a package registry' "$registries"
exit 0

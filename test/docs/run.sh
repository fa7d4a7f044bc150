#!/bin/bash
# The texts of the tree are true where a machine can tell: what they name is there, and the README's commands
# work. First the check itself is shown a small tree with one thing wrong at a time.
set -u
cd "$(dirname "$0")/../.." || exit 1
. test/tally.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
docs=$PWD/test/docs/docs.py

texts_tree() { # lines of one text more
	rm -rf "$work/small"
	mkdir -p "$work/small/analyzer" "$work/small/scripts" "$work/small/docs" && cd "$work/small" || exit 1
	git init -q .
	echo 'all: x' >Makefile
	echo 'analyzer - -' >scripts/rooms.txt
	echo 'int low(void);' >analyzer/low.c
	printf '%s\n' '# A' 'The room `analyzer`, [here](#a).' >docs/architecture.md
	printf '%s\n' "$@" >text.md
	git add .
	said=$(python3 "$docs" | grep -v 'passed')
	cd "$OLDPWD" || exit 1
}

texts_say() { # name, what is said
	if [ "$said" = "$2" ]; then ok "texts: $1"; else not_ok "texts: $1: it said: $said"; fi
}

texts_tree '[a](docs/architecture.md#a), `analyzer/low.c`, `low.c`, `make all`'
texts_say 'a text without a fault' ''
texts_tree '[a](docs/gone.md)'
texts_say 'a link to a file that is no more' 'FAIL text.md: the link docs/gone.md leads nowhere'
texts_tree '[a](docs/architecture.md#b)'
texts_say 'a link to a heading that is no more' 'FAIL text.md: the link docs/architecture.md#b leads nowhere'
texts_tree 'see `analyzer/gone.c`'
texts_say 'a file that is no more' 'FAIL text.md: `analyzer/gone.c` is not in the tree'
texts_tree 'try `make gone`'
texts_say 'a target that is no more' 'FAIL text.md: `make gone`: gone is no target of the Makefile'
texts_tree '| question | file | holds |' '| --- | --- | --- |' '| Who? | `analyzer/low.c` | `low` |'
texts_say 'an answer' ''
texts_tree '| question | file | holds |' '| --- | --- | --- |' '| Who? | `analyzer/low.c` | `high` |'
texts_say 'an answer that has moved' 'FAIL text.md: Who? analyzer/low.c holds no high'
texts_tree 'text' && sed -i 's/`analyzer`/nothing/' "$work/small/docs/architecture.md"
said=$(python3 "$docs" "$work/small" | grep -v passed)
texts_say 'a room that is not listed' 'FAIL docs/architecture.md: no line for `analyzer/`'

python3 "$docs" >"$work/said" 2>&1
grep '^FAIL' "$work/said"
tail -n 1 "$work/said"
tail -n 1 "$work/said" | grep -q ' passed, ' || not_ok "texts: $docs ended with no sum"
. test/docs/readme.sh
finish

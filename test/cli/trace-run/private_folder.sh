# The link stands only where no other user can put another library in its place.
mkdir 'a b' tmp bin && cp "$(dirname "$ANALYZER")/libtrace.so" 'a b'
unset XDG_RUNTIME_DIR TMPDIR
us=libtrace-$(id -u)
where() { # folder of the link
	link=$("$ROOT/scripts/trace-run" --library 'a b/libtrace.so' printenv LD_PRELOAD) || return
	echo "${link%/*}"
	rm -f "$link"
	rmdir "${link%/*}" 2>/dev/null
}
place() { where | sed "s|^$PWD/||; s|/$us\$||"; }
echo "no variable: $(place)"
export TMPDIR=$PWD/tmp
echo "own folder: $(place)"
mkdir runtime && XDG_RUNTIME_DIR=$PWD/runtime place
TMPDIR=$PWD/nothing place
mkdir elsewhere && ln -s ../elsewhere tmp/$us
echo "a link of that name: $(place)"
rm tmp/$us && mkdir -m 755 tmp/$us
echo "others may look into it: $(place)"
rmdir tmp/$us && chmod 777 tmp
echo "everybody's without sticky bit: $(place)"
chmod 1777 tmp
echo "everybody's with sticky bit: $(place)"
ls elsewhere
# folders of that name that belong to another user, everywhere
printf '#!/bin/sh\necho 4242424\n' >bin/id && chmod +x bin/id
export PATH=$PWD/bin:$PATH
where
status=$?
rmdir /tmp/libtrace-4242424 tmp/libtrace-4242424 2>/dev/null
exit $status

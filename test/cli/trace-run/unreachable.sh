# Programs that no library can be preloaded into run as they are, and one line says so before.
cat >program.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	printf("runs with%s\n", getenv("LD_PRELOAD") == NULL ? "out" : "");
	return 5;
}
END
mkdir loader
ln -s "$(readelf -lW /bin/true | sed -n 's/.*interpreter: \(.*\)]/\1/p')" loader/ld-musl-here.so.1
gcc -o dynamic program.c
gcc -static -o static program.c
gcc -static-pie -fPIE -o static-pie program.c
gcc "-Wl,--dynamic-linker,$PWD/loader/ld-musl-here.so.1" -o musl program.c
cp static owned && chmod u+s owned
for program in dynamic static static-pie musl owned; do
	echo "$program:"
	"$ROOT/scripts/trace-run" --out out "./$program" 2>&1 | grep -v '^libtrace: '
	echo "status ${PIPESTATUS[0]}"
	"$ROOT/scripts/trace-run" --quiet --out out "./$program" 2>&1 | grep trace-run
done
[ -e out ] || echo nothing is left

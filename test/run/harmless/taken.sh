# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: the file under the rings is cut off while they are in use.

taken_ends() { sed -n 's/^end .*reason=\(.*\) end_ns=.*/\1/p' "$work/dump"; }

test_taken() {
	local how disk
	gcc -std=gnu17 -D_GNU_SOURCE -O1 -g -Wall -Wno-unused-result -I. -DCUDART_MAJOR=13 -include stdbool.h \
		-o "$work/taken" test/run/harmless/taken.c -L"$build/cudasim/13" -lcudart -lcuda -lpthread || exit 4
	for disk in 0 1; do
		for how in none before after signal sent; do
			LIBTRACE_RINGS_ON_DISK=$disk both "rings cut off, on disk $disk, handler $how" 60 "$work/taken" $how
			equal "rings cut off, on disk $disk, handler $how: it is said" 'memory taken away' "$(taken_ends)"
		done
	done
	both 'a handler that is set past libc' 60 "$work/taken" direct
	equal 'a handler that is set past libc: all is recorded' 9000 "$(kinds launch)"
	cat >"$work/taken.py" <<'END'
import ctypes, faulthandler, os, re
cudart = ctypes.CDLL("libcudart.so.13")
cudart.cudaDeviceSynchronize()
faulthandler.enable()
for live in set(re.findall(r"/\S*\.live$", open("/proc/self/maps").read(), re.MULTILINE)):
    os.truncate(live, 0)
for _ in range(3000):
    cudart.cudaDeviceSynchronize()
print("done", faulthandler.is_enabled())
END
	both "rings cut off, Python's faulthandler" 60 python3 "$work/taken.py"
	equal "rings cut off, Python's faulthandler: it is said" 'memory taken away' "$(taken_ends)"
}

# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: programs built with a sanitizer of gcc or clang, whose interceptors stand in for much of
# libc and look up the true functions through dlsym before anything else of the process works.

# A program and what the loader is to be given before and behind us: names of runtimes, "-" for none.
sanitized_programs() {
	cat <<-END
		gcc address -lpthread libasan.so
		gcc thread -lpthread libtsan.so
		clang address -lpthread -
		clang thread -lpthread -
		clang address -shared-libasan libclang_rt.asan-$(uname -m).so
	END
}

sanitized_build() { # compiler, sanitizer, more flags, program
	"$1" -std=gnu17 -D_GNU_SOURCE -O1 -g -w -I. -DCUDART_MAJOR=13 -fsanitize="$2" "$3" -o "$4" \
		test/run/harmless/hostile.c -L"$build/cudasim/13" -lcudart -lcuda -lpthread -ldl 2>"$work/make"
}

# Twice, as both() does; preloads is the list of the loader, "@" in it is us.
sanitized_both() { # name, preloads, how, count
	local name=$1 preloads=$2 plain traced
	rm -rf "$work/out"
	plain=$(LD_PRELOAD=$(sed 's/@//' <<<"$preloads") timeout 60 "$work/sanitized" "$3" "$4" 2>&1; echo "status $?")
	traced=$(LD_PRELOAD=${preloads/@/$library} LIBTRACE_LOG=quiet LIBTRACE_OUT=$work/out \
		timeout 60 "$work/sanitized" "$3" "$4" 2>&1; echo "status $?")
	equal "$name, preloads ${preloads//$library/@}: $3: status and output" "$plain" "$traced"
	equal "$name, preloads ${preloads//$library/@}: $3: switched off" "$plain" "$(LIBTRACE_ENABLE=0 \
		LD_PRELOAD=${preloads/@/$library} timeout 60 "$work/sanitized" "$3" "$4" 2>&1; echo "status $?")"
	"$build/trace-analyzer" dump "$work/out" >"$work/dump" 2>"$work/dump.err"
}

test_sanitized() {
	local compiler sanitizer flag runtime preloads path name
	# Two threads that launch first at the same time may both load the code; the simulated driver keeps both.
	echo 'leak:libcuda.so' >"$work/leaks"
	export LSAN_OPTIONS=suppressions=$work/leaks:print_suppressions=0
	while read -r compiler sanitizer flag runtime; do
		name="$compiler -fsanitize=$sanitizer${flag#-lpthread}"
		if ! command -v "$compiler" >/dev/null || ! sanitized_build "$compiler" "$sanitizer" "$flag" "$work/sanitized"; then
			skip "$name: cannot be built"
			continue
		fi
		preloads=@
		if [ "$runtime" != - ]; then
			path=$("$compiler" -print-file-name="$runtime")
			preloads="@ $path:@ @:$path"
			[ "$compiler" = gcc ] || LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$(dirname "$path")
		fi
		for preloads in $preloads; do
			sanitized_both "$name" "$preloads" threads 8
			equal "$name, preloads $preloads: what it launched is recorded" '8 8' "$(kinds launch) $(kinds device_kernel)"
			sanitized_both "$name" "$preloads" plain 0
		done
	done < <(sanitized_programs)
	rm -f "$work/sanitized"
	unset LSAN_OPTIONS
	test_locale_lock
}

# The runtime of clang 14 begins inside an allocation under the lock of libc's locales, and breaks that lock by
# dlerror(): the program lives on until it takes the lock once more, as every translated message does.
test_locale_lock() {
	local program runtime
	equal 'messages of the loader are forgotten, not translated' '' \
		"$(nm -D --undefined-only "$library" | grep -w dlerror)"
	program=$(command -v llvm-symbolizer llvm-symbolizer-14 | head -n 1)
	runtime=$(clang -print-file-name="libclang_rt.asan-$(uname -m).so" 2>/dev/null)
	if [ -z "$program" ] || [ ! -e "$runtime" ]; then
		skip 'a constructor that holds the lock of the locales: no llvm-symbolizer, or no runtime of clang'
		return
	fi
	equal 'a constructor that holds the lock of the locales: ends' 0 \
		"$(LD_PRELOAD=$runtime:$library LIBTRACE_LOG=quiet LIBTRACE_OUT=$work/out \
			timeout -k 1 20 "$program" </dev/null >/dev/null 2>&1; echo $?)"
}

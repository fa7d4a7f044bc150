# SPDX-License-Identifier: MIT
"""Programs of other languages, programs with rights of their own, and a kernel that ends who takes too much memory."""
import functools
import os
import pathlib
import shutil
import subprocess
import time

from cluster import CANNOT
from ends import all_there
from failing import victim
from frame import Skip, attack, counted, hold

STRANGER = 64444
GROUP_MIB = 160
THREADS, CALLS = 6, 400
GO = """package main

// #cgo LDFLAGS: -lcudart_attack
// #include <stddef.h>
// int cudaMemset(void *address, int value, size_t count);
import "C"
import ("fmt"; "os"; "runtime"; "sync"; "time"; "unsafe")

func main() {
	var all sync.WaitGroup
	for i := 0; i < THREADS; i++ {
		all.Add(1)
		go func() {
			memory := C.malloc_one()
			for k := 0; k < CALLS; k++ {
				C.cudaMemset(unsafe.Pointer(memory), 1, 1)
				if k % 100 == 0 { runtime.GC(); time.Sleep(time.Millisecond) }
			}
			all.Done()
		}()
	}
	all.Wait()
	func() {
		defer func() { fmt.Println("came back from", recover()) }()
		var none *int
		*none = 1
	}()
	os.Exit(5)
}
""".replace("// int cuda", "// static char one; static inline char *malloc_one(void) { return &one; }\n// int cuda")
RUST = """extern "C" { fn cudaMemset(address: *mut u8, value: i32, count: usize) -> i32; }
fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let all: Vec<_> = (0..THREADS).map(|_| std::thread::spawn(|| {
        let mut byte = 0u8;
        for _ in 0..CALLS { unsafe { cudaMemset(&mut byte, 1, 1); } }
        panic!("on purpose");
    })).collect();
    println!("{}", all.into_iter().map(|one| one.join().is_err() as u32).sum::<u32>());
    std::process::exit(5);
}
"""
JAVA = """public class Calls {
    static native void make(int calls);
    static int depth(int at) { return depth(at + 1) + 1; }
    public static void main(String[] arguments) throws Exception {
        System.load(arguments[0]);
        Thread[] all = new Thread[THREADS];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Thread(() -> { make(CALLS); });
            all[i].start();
        }
        for (Thread one : all) one.join();
        String none = arguments.length > 5 ? "" : null;
        try { System.out.println(none.length()); } catch (NullPointerException error) { System.out.println("null"); }
        try { depth(0); } catch (StackOverflowError error) { System.out.println("deep"); }
        System.gc();
        System.exit(5);
    }
}
"""
NATIVE = """#include <jni.h>
int cudaMemset(void *address, int value, size_t count);
JNIEXPORT void JNICALL Java_Calls_make(JNIEnv *java, jclass of, jint calls)
{
	char byte;
	(void)java;
	(void)of;
	for (jint i = 0; i < calls; i++)
		(void)cudaMemset(&byte, 1, 1);
}
"""


def fill(text):
    return text.replace("THREADS", str(THREADS)).replace("CALLS", str(CALLS))


def build(folder, needs, *commands, **variables):
    for tool in needs:
        if shutil.which(tool) is None:
            raise Skip(f"{tool} is not installed")
    for command in commands:
        built = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True, check=False,
                               env={**os.environ, **variables})
        if built.returncode != 0:
            raise Skip(f"{command[0]}: cannot build here: {built.stderr[-200:]}")


def of_go(context, folder, link):
    (folder / "calls.go").write_text(fill(GO))
    build(folder, ["go", "gcc"], ["go", "build", "-o", folder / "calls", "calls.go"], GOCACHE=str(folder / "cache"), GO111MODULE="off",
          CGO_LDFLAGS=f"-L{link} -Wl,-rpath,{link}")
    return [folder / "calls"]


def of_rust(context, folder, link):
    (folder / "calls.rs").write_text(fill(RUST))
    build(folder, ["rustc"], ["rustc", "-O", "-o", folder / "calls", "calls.rs", "-L", link, "-l", "cudart_attack", "-C",
                              f"link-arg=-Wl,-rpath,{link}"])
    return [folder / "calls"]


def of_java(context, folder, link, *options):
    (folder / "Calls.java").write_text(fill(JAVA))
    (folder / "native.c").write_text(NATIVE)
    if shutil.which("javac") is None:
        raise Skip("javac is not installed")
    headers = pathlib.Path(shutil.which("javac")).resolve().parents[1] / "include"
    build(folder, ["java", "gcc"], ["javac", "-d", ".", "Calls.java"], [
        "gcc", "-shared", "-fPIC", f"-I{headers}", f"-I{headers}/linux", "-o", "libnative.so", "native.c", f"-L{link}", "-lcudart_attack",
        f"-Wl,-rpath,{link}"])
    return ["java", *options, "-cp", folder, "Calls", folder / "libnative.so"]


LANGUAGES = {"Go": of_go, "Rust": of_rust, "Java": of_java,
             "Java, its signals checked": functools.partial(of_java), "Java, interpreted": functools.partial(of_java)}
OPTIONS = {"Java, its signals checked": ["-Xcheck:jni"], "Java, interpreted": ["-Xint", "-XX:+UseSerialGC"]}


def one_language(context, name):
    folder = context.folder()
    command = LANGUAGES[name](context, folder, context.build / "attack", *OPTIONS.get(name, []))
    plain = context.run(command)
    hold(plain.status == 5, f"alone {plain}")
    traced = context.traced(command, folder / "out")
    context.same(plain, traced)
    there, lost, skipped, _ = context.account(folder / "out", kinds={"set"})
    hold(there + lost + skipped == THREADS * CALLS, f"{there} recorded, {lost} lost, {skipped} skipped of {THREADS * CALLS}")
    context.drop(folder)


@attack("languages", "programs in Go, Rust and Java whose threads call, with runtimes that take signals and stacks into their own hands",
        short=False)
def try_languages(context):
    yield from ((name, functools.partial(one_language, context, name)) for name in LANGUAGES)


# how a file gives rights to who starts it
RIGHTS = {"setuid": ["chmod", "u+s"], "setgid": ["chmod", "g+s"], "capability": ["setcap", "cap_net_raw+ep"], "none": ["true"]}
EVERYWHERE = """cp -a /etc "$1/etc" && echo "$LIBRARY" >"$1/etc/ld.so.preload" && mount --bind "$1/etc" /etc || exit 9; shift; exec "$@\""""


def one_right(context, right, everywhere):
    """With LD_PRELOAD, which the loader then drops, or from ld.so.preload, from which it does not."""
    folder = context.open_folder()
    program = folder / "program"
    shutil.copy(context.build / "attack/calls", program)
    if shutil.which(RIGHTS[right][0]) is None or subprocess.run([*RIGHTS[right], program], check=False).returncode != 0:
        raise Skip(f"{right}: it cannot be given here")
    command = ["setpriv", "--reuid", STRANGER, "--regid", STRANGER, "--clear-groups", "env"]
    how = "return" if right == "none" else "trusted"
    variables = {"LIBTRACE_OUT": folder / "out", "COUNTS": folder / "counts", "LIBTRACE_RUN_SINCE": 1}
    plain = context.run([*command, program, how, 2, 100])
    if plain.status == CANNOT:
        raise Skip(f"{right}: it is not honoured here")
    hold(plain.status == 3, f"alone {plain}")
    (folder / "counts").unlink(missing_ok=True)
    if everywhere:
        ended = context.run(["unshare", "-m", "bash", "-c", EVERYWHERE, "-", folder, *command, program, how, 2, 100], LIBRARY=context.library,
                            **variables)
        if ended.status in (1, CANNOT):
            raise Skip("nothing can be mounted here")
    else:
        ended = context.run([*command, f"LD_PRELOAD={context.library}", program, how, 2, 100], **variables)
    hold((ended.status, ended.out) == (plain.status, plain.out), f"alone {plain}; with the library {ended}")
    if right == "none":
        all_there(context, folder / "out", folder / "counts")
    else:
        hold(not ended.said() and not (folder / "out").exists(), f"it is not to be trusted with rights: {ended}")
    context.drop(folder)


@attack("rights", "programs with rights that who starts them has not: setuid, setgid, capabilities, preloaded by the environment or by the system")
def try_rights(context):
    for right in RIGHTS:
        for everywhere in (False, True):
            yield f"{right}, {'system' if everywhere else 'environment'}", functools.partial(one_right, context, right, everywhere)


def make_group(name):
    """A control group with little memory, of either kind; its folder."""
    for top, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = pathlib.Path(top) / name
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / limit).write_text(str(GROUP_MIB << 20))
        except OSError:
            group.rmdir()
            continue
        for swap in ("memory.memsw.limit_in_bytes", "memory.swap.max"):
            if (group / swap).exists():
                (group / swap).write_text(str(GROUP_MIB << 20 if "memsw" in swap else 0))
        return group
    raise Skip("no control group with a limit of memory can be made here")


def one_memory(context, number):
    """Killed by the kernel: what was called is in the rings, in the file, or counted as lost."""
    folder = context.folder()
    group = make_group(f"libtrace-attack-{os.getpid()}-{number}")
    try:
        ended = context.run(["bash", "-c", "echo $$ >\"$GROUP/cgroup.procs\" && exec env \"LD_PRELOAD=$LIBRARY\" \"$@\"", "-",
                             *victim(context, "all memory", 2, 200)], GROUP=group, LIBRARY=context.library, LIBTRACE_OUT=folder / "out",
                            COUNTS=folder / "counts", limit=120)
    finally:
        for _ in range(50):
            try:
                group.rmdir()
                break
            except OSError:
                time.sleep(0.1)
    if ended.status != -9:
        raise Skip(f"the kernel did not end it: {ended}")
    hold(counted(folder / "counts")[1] > 1000, "it was ended before it called")
    all_there(context, folder / "out", folder / "counts", True)
    report = context.analyze("report", folder / "out", codes=(0, 1, 3))
    hold(report.status != 3 or b"insufficient data" in report.out, str(report))
    context.drop(folder)


@attack("no memory", "the kernel ends a program in a control group that has no memory left, while its threads call")
def try_memory(context):
    for number in range(1 if context.short else 25):
        yield f"number {number}", functools.partial(one_memory, context, number)

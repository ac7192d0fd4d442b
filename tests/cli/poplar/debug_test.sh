# SPDX-License-Identifier: MIT
# `tilewright run --debug`: what the page debugging.md does not show. Stops change nothing of a run.
. "$1/tests/cli/lib.sh"
cd "$work" || exit 1

cat >pair.cpp <<'END'
#include <poplar/Vertex.hpp>
namespace ns {
template <typename T> class Add : public poplar::Vertex {
  public:
    poplar::InOut<poplar::Vector<T>> data;
    T by;
    bool compute()
    {
        for (unsigned i = 0; i < data.size(); i++) data[i] += by;
        return true;
    }
};
template class Add<int>;
} // namespace ns
class All : public poplar::MultiVertex {
  public:
    poplar::InOut<poplar::Vector<int>> data;
    bool compute(unsigned worker)
    {
        data[worker] = 100 + (int)worker;
        return true;
    }
};
END
cat >bad.S <<'END'
#include <poplar/StackSizeDefs.hpp>
.globl __runCodelet_Bad
.type __runCodelet_Bad, @function
__runCodelet_Bad:
 setzi $m0, 4
 ld32 $m1, $m0, $mzero, 0
 exitz $mzero
.size __runCodelet_Bad, .-__runCodelet_Bad
DEF_STACK_USAGE 0 .text
END
cat >bad.cpp <<'END'
#include <poplar/Vertex.hpp>
class Bad : public poplar::Vertex {
  public:
    static const bool isExternalCodelet = true;
    poplar::InOut<poplar::Vector<int>> data;
    bool compute() { return true; }
};
END
cat >pair.c <<'END'
#include <pthread.h>
#include <string.h>
#include <tilewright/tilewright.h>
static void *run(void *e)
{
    return tw_engine_run(e, 0) == TW_OK ? e : NULL;
}
int main(int argc, char **argv)
{
    bool is_bad = argc > 1 && strcmp(argv[1], "bad") == 0, in_thread = argc > 1 && strcmp(argv[1], "thread") == 0;
    tw_device *dev = tw_device_by_name(NULL, TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_graph_add_codelets(g, "pair.cpp", NULL);
    if (is_bad) tw_graph_add_codelets(g, "bad.cpp", NULL), tw_graph_add_codelets(g, "bad.S", NULL);
    tw_tensor a = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 8 }, "a");
    tw_graph_map(g, a, 3);
    tw_graph_set_initial_value(g, a, (int[]){ 1 }, true);
    tw_compute_set one = tw_graph_add_compute_set(g, "one"), two = tw_graph_add_compute_set(g, "two");
    tw_vertex add = tw_graph_add_vertex(g, one, "ns::Add<int>", 3);
    tw_graph_connect(g, add, "data", tw_tensor_slice(g, a, 0, 6, 8));
    tw_graph_set_field_int(g, add, "by", 41);
    tw_graph_connect(g, tw_graph_add_vertex(g, two, is_bad ? "Bad" : "All", 3), "data", tw_tensor_slice(g, a, 0, 0, 6));
    tw_graph_create_host_read(g, "out", tw_tensor_slice(g, a, 0, 4, 8));
    tw_program both[] = { tw_program_execute(g, one), tw_program_execute(g, two) };
    tw_engine *e = tw_engine_new(g, tw_program_sequence_of(g, 2, both), NULL);
    int out[4];
    pthread_t thread;
    void *ran = NULL;
    bool good = tw_engine_load(e, dev) == TW_OK;
    if (good && in_thread) pthread_create(&thread, NULL, run, e), pthread_join(thread, &ran);
    good = good && (in_thread ? ran : run(e));
    if (good) {
        tw_engine_read(e, "out", out, sizeof out);
        printf("the end: %d %d %d %d\n", out[0], out[1], out[2], out[3]);
    } else {
        tw_engine_report_error(stderr, e);
    }
    tw_engine_free(e), tw_graph_free(g), tw_device_free(dev);
    return good ? 5 : 3;
}
END

# debug STATUS COMMANDS [WORD...]: commands are lines between semicolons.
debug() {
  status=$1
  echo "$2" | tr ';' '\n' >commands.txt
  shift 2
  expect "$status" sh -c 'commands=$1; shift; exec "$@" <"$commands"' sh commands.txt "$tilewright" run --debug "$@"
}

# The program's status; a script that went wrong has one of its own; quit and the end of the commands.
debug 5 'continue' --device ipu-sim pair.c
prints out 'the end: 104 105 42 42'
debug 1 'nonsense;continue' --device ipu-sim pair.c
prints err 'Undefined command: "nonsense"'
debug 0 'quit' --device ipu-sim pair.c
! grep -q 'the end' "$work/out" || fail 'quit lets the program go on'
debug 0 'next' --device ipu-sim pair.c
expect 2 "$tilewright" run --debug -n 2 pair.c
prints err 'one process'

# Vertices by template, tile and compute set; and by names of tensors.
debug 5 'display/i $pc;break vertex Add tile 3 step one;continue;info vertex;print a[5..7];stepi;print by;
  finish;finish;print a[6..8];print out;info break;continue' --device ipu-sim pair.c
prints out "Breakpoint 1, vertex 1 of type 'ns::Add<int>' in compute set 'one' on tile 3, worker 0"
prints out 'InOut  int[2] : a[6..8]'
prints out 'by = 41'
prints out '1: $pc' # and nothing while no vertex runs
prints out 'a[5..7] = int[2] [1 1]'
prints out 'a[6..8] = int[2] [42 42]'
prints out 'out = int[4] [ 1  1 42 42]'
prints out '1    always on  vertex Add tile 3 step one, hit 1 times'
debug 1 'break vertex Add tile 2;break vertex Ad;break vertex Add step two;break vertex tile x;break step three;
  break pair.cpp:999;break nothing;print b;print a[9];print a[0][0];print a[;registers;info vertex;info nothing;
  watch;delete 7;stepi' --device ipu-sim pair.c
[ "$(grep -c 'There is no such vertex' "$work/err")" = 3 ] || fail 'vertices that are none'
prints err "No step is called 'three'"
prints err "No tile has code at 'pair.cpp:999'"
prints err "no tensor is called 'b'"
prints err "dimension 0 of 'a' has 8 elements"
prints err "'a' has 1 dimensions"
prints err "'stepi' needs a vertex to stand in"

# All workers of a MultiVertex; a breakpoint with a condition; watches end with their vertex.
debug 5 'tbreak vertex All;continue;thread 4;watch $m3;break pair.cpp:20 if $m13 != 0;continue;info threads;delete 3;continue' \
  --device ipu-sim pair.c
prints out "compute set 'two' on tile 3, all workers"
prints out 'worker 4: [worker 4] 0x'
prints out ': its vertex has ended'
prints out 'the end: 104 105 42 42'

# An exception is looked at before the run fails of it.
debug 3 'break bad.S:6;continue;continue;info registers m0;backtrace;continue' --device ipu-sim pair.c bad
prints out 'Exception: '
prints out 'm0 = 4'
prints err "vertex 2 of type 'Bad' in compute set 'two' on tile 3"

# Replicas are engines of their own, with tensors of their own; the first step may be a sync; what the debugger gets
# wrong is no error of the program's. A condition is not dropped.
cat >replicas.c <<'END'
#include <tilewright/tilewright.h>
int main(void)
{
    tw_ipu_model m = { .size = sizeof m, .num_ipus = 2, .tiles_per_ipu = 4, .replicas_only = true };
    tw_device *dev = tw_device_ipu_model_with(&m);
    tw_graph *g = tw_graph_new_replicated(tw_device_target(dev), 2);
    tw_tensor a = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 1 }, "a");
    tw_tensor b = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 1 }, "b");
    tw_graph_map(g, a, 0), tw_graph_map(g, b, 1);
    tw_graph_create_host_access(g, "a", a);
    tw_program both[] = { tw_program_sync(g, TW_SYNC_GLOBAL), tw_program_copy(g, a, b) };
    tw_engine *e = tw_engine_new(g, tw_program_sequence_of(g, 2, both), NULL);
    if (tw_engine_load(e, dev) != TW_OK || tw_engine_write(e, "a", (int[]){ 7, 8 }, 8) != TW_OK) return 3;
    tw_error_set(TW_E_APPLICATION, "mine");
    if (tw_engine_run(e, 0) != TW_OK) return 4;
    printf("error %d: %s\n", (int)tw_error_status(), tw_error_message());
    tw_engine_free(e), tw_graph_free(g), tw_device_free(dev);
    return 0;
}
END
debug 1 'break step nothing if 1;info steps all;next;next;print a;next;print a;print b;print none;next' replicas.c
prints out 'step 1: sync, replica 0 of 2'
prints out 'step 2: copy, replica 1 of 2'
prints out 'a = int[1] [7]'
prints out 'a = int[1] [8]'
prints out 'error -36: mine'
prints err 'break step NAME has no condition'

# The profile is that of a run without stops.
expect 5 "$tilewright" run --device ipu-sim --profile plain.json pair.c
debug 5 'break vertex Add;continue;step 3;watch a;continue;continue' --device ipu-sim --profile stops.json pair.c
for file in plain stops; do
  "$tilewright" profile "$file.json" >"$file.txt" || fail "no profile $file"
done
sed '/host\|seconds\|time/d' plain.txt >a.txt
sed '/host\|seconds\|time/d' stops.txt | sed 's/stops/plain/' | cmp -s a.txt - || fail "another profile: $(diff plain.txt stops.txt)"

# A NUL byte makes no empty line, which would repeat the last command; Ctrl-C drops a line that is not edited, too.
printf '.globl add\nadd: add $m0, $m0, $m1\n br $lr\n' >edited.s
expect 0 python3 "$source/tests/cli/terminal.py" '(sim) ' 'junk\003' '(sim) ' 'print 41 + 1\r' '(sim) ' '\x00\r' 'a NUL byte' '' \
  '(sim) ' 'q\r' -- \
  sh -c 'trap "" INT; "$1" sim edited.s --call "add(1, 2)" -i | cat' sh "$tilewright"
[ "$(grep -c '= 42' "$work/out")" = 1 ] || fail 'a line with a NUL byte repeats the last command'
! grep -q Undefined "$work/out" || fail 'what Ctrl-C dropped is a command'

# A terminal that sends several lines at once, and Ctrl-C just behind a line: for what the line starts, not for the next one.
${CC:-cc} -fno-sanitize=all -shared -fPIC -o late.so "$source/tests/cli/late_interrupt.c" -ldl || fail 'late_interrupt.c'
expect 0 python3 "$source/tests/cli/terminal.py" '(sim) ' 'continue\nprint 41 + 1\nc\nq\n' -- \
  sh -c 'stty -icanon; env LD_PRELOAD=./late.so ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" "$1" sim edited.s \
    --call "add(1, 2)" -i | cat' sh "$tilewright"
[ "$(grep -c Interrupted "$work/out")" = 1 ] || fail 'Ctrl-C behind a line is lost, or for the next one'
prints out '= 42'
prints out 'ended with status'

# A vertex that no breakpoint holds up tells how far it is, and Ctrl-C stops it.
sed 's/for (unsigned i = 0; i < data.size(); i++) data\[i\] += by;/while (*(volatile T *)\&data[0] != 77) data[1] ^= by;/' pair.cpp >spin.cpp
sed 's/pair\.cpp/spin.cpp/' pair.c >spin.c
expect 0 python3 "$source/tests/cli/terminal.py" '(run) ' 'c\r' ' cycles, ' '\003' 'Interrupted.' '' '(run) ' 'q\r' -- \
  env POPLAR_ENGINE_OPTIONS='{"simulator.turnLimit":"0"}' "$tilewright" run --device ipu-sim --debug spin.c
prints out "of type 'ns::Add<int>'"

# At a terminal lines are edited, where the build has libedit: Tab completes commands, what info shows and symbols, Up
# brings back the last command, also of another session.
export XDG_STATE_HOME="$work/state"
if ldd "$tilewright" | grep -q libedit; then
  terminal="$source/tests/cli/terminal.py"
  expect 0 python3 "$terminal" '(sim) ' 'info cy\t\r' 'worker 0: 0' '' '(sim) ' '\e[A\r' 'worker 0: 0' '' \
    '(sim) ' 'print ad\t\r' 'add = ' '' '(sim) ' 'q\r' -- "$tilewright" sim edited.s --call 'add(1, 2)' -i
  expect 0 python3 "$terminal" '(sim) ' '\e[A\e[A\r' 'add = ' '' '(sim) ' 'dis\t' 'disable  disassemble  display' '\025q\r' \
    -- "$tilewright" sim edited.s --call 'add(1, 2)' -i
  # Ctrl-C drops what was typed, in a thread that no signal comes to as well; the run does not stop for it.
  expect 5 python3 "$terminal" '(run) ' 'junk\003' '(run) ' 'info steps\r' 'step 2' '' '(run) ' 'c\r' -- \
    "$tilewright" run --debug pair.c thread
  prints out 'the end: 104'
  ! grep -q 'Interrupted\|Undefined' "$work/out" || fail 'what Ctrl-C dropped is a command'
  [ "$(stat -c %a "$work/state/tilewright/history-sim")" = 600 ] || fail 'others can read the history'
  expect 0 python3 "$terminal" '(run) ' 'tensor a\t\r' 'a = int[8]' '' '(run) ' 'q\r' -- "$tilewright" run --debug pair.c
fi
finish

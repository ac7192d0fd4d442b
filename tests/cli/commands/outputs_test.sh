# SPDX-License-Identifier: MIT
# What is written: a full disk is an error of every command, outputs replace nothing but regular files, links stay links,
# inputs are never overwritten, an input has a largest size.
. "$1/tests/cli/lib.sh"
cd "$work" || exit 1
graph=$source/tests/golden/profile_graph.json
execution=$source/tests/golden/profile_execution.json
softmax=$source/examples/pto/softmax/softmax.pto
printf '#include <poplar/Vertex.hpp>\nclass A : public poplar::Vertex {\npublic:\n    poplar::Input<int> x;\n    bool compute() { return true; }\n};\n' >a.cpp
printf 'typedef struct s { int a; } s;\n' >s.c

# --- the standard output: every command, and every verb, that prints -------------------------------------------------
if [ -c /dev/full ]; then
  while read -r arguments; do
    # shellcheck disable=SC2086  # several words
    "$tilewright" $arguments >/dev/full 2>err </dev/null
    status=$?
    [ $status = 1 ] || fail "tilewright $arguments on a full disk: exit status $status"
    grep -q 'cannot write.* space' err || { fail "tilewright $arguments says nothing of the full disk"; cat err; }
  done <<END
--help
--version
help
help run
complete
run --help
popc --help
popc --version
popc --list-targets
popc -E a.cpp
popc -S a.cpp
popc -v --target cpu a.cpp -o a.gp
profile --help
profile --version
profile $graph
info --help
info targets
info targets --json
info types
info types --json
info options
info options --json
aie --help
aie types
aie types --json
aie type v8int16
aie type v8int16 --json
layout --help
layout encode --arch mk1 --layout SCALED_PTR64 --type float --address 0x50000 --count 12
layout encode --arch mk1 --layout SCALED_PTR64 --type float --address 0x50000 --count 12 --json
layout vertex a.cpp --arch mk2
layout vertex a.cpp --arch mk2 --json
layout struct s.c
layout struct s.c --json
pto --help
pto list
pto info TADD
pto fmt $softmax
csl fmt $source/examples/csl/stencil/layout.csl
pto run $softmax --target a2a3 --trace
pto run $softmax --target a2a3 --profile
END
  for command in $("$tilewright" --help | sed -n '/^$/q; p; /^  --/q' | sed 1,2d) $("$tilewright" complete); do
    case $command in --*) continue ;; esac
    "$tilewright" "$command" --help >/dev/full 2>/dev/null
    [ $? = 1 ] || fail "tilewright $command --help on a full disk"
  done
fi

# Files on a full disk: one that takes a block. (No device is written to by name here: a mistake would replace it.)
(
  trap '' XFSZ
  ulimit -f 1
  "$tilewright" profile --graph-profile "$graph" --execution-profile "$execution" --trace full.json 2>full.err
  echo $? >full.status 2>/dev/null || :
)
grep -q 'cannot write full.json: File too large' full.err || { fail 'no word of the full disk'; cat full.err; }
[ ! -e full.json ] || fail 'a part of a file stays'

# --- what stands at an output's place ------------------------------------------------------------------------------
expect 0 "$build/bin/popc" --target cpu a.cpp -o plain.gp
mkfifo pipe
cat pipe >through &
expect 0 "$build/bin/popc" --target cpu a.cpp -o pipe
wait
[ -p pipe ] || fail 'a FIFO was replaced by a file'
cmp -s through plain.gp || fail 'another object came through the FIFO'
mkdir folder
expect 1 "$build/bin/popc" --target cpu a.cpp -o folder
prints err 'cannot write folder: it is a folder'
: >target && chmod 640 target && ln -s target link
expect 0 "$build/bin/popc" --target cpu a.cpp -o link
[ -L link ] && cmp -s target plain.gp || fail 'a link was replaced, or its target was not written'
[ "$(stat -c %a target)" = 640 ] || fail 'permissions changed'
ln -s later dangling
expect 0 "$build/bin/popc" --target cpu a.cpp -o dangling
[ -L dangling ] && cmp -s later plain.gp || fail 'a link to nothing did not make its target'
ln target other
expect 0 "$build/bin/popc" -O1 --target cpu a.cpp -o target
cmp -s target other || fail 'a second name shows another file'

# --- inputs ----------------------------------------------------------------------------------------------------------
cp a.cpp before
for name in a.cpp ./a.cpp "$work/a.cpp" alias; do
  ln -sf a.cpp alias
  expect 1 "$build/bin/popc" --target cpu a.cpp -o "$name"
  prints err 'is also an input'
  expect 1 "$build/bin/popc" -E a.cpp -o "$name"
  cmp -s a.cpp before || fail "-o $name overwrote the source"
done
sed s/A/B/ a.cpp >b.cpp
expect 0 "$build/bin/popc" --target cpu b.cpp -o later.gp
expect 1 "$build/bin/popc" plain.gp later.gp -o later.gp
prints err 'later.gp is also an input'
expect 1 "$build/bin/popc" --target cpu missing.cpp -o plain.gp # a failure leaves what was there
cmp -s through plain.gp || fail 'a failed run changed its output'

# Nothing ends when everything has been read; so nothing reads everything.
limited() { # limited COMMAND...: in 1 GiB
  (ulimit -v 4194304 && ulimit -t 120 && "$@") >out 2>err </dev/null
  got=$?
  [ $got = 1 ] || { fail "exit status $got: $*"; cat err; }
  grep -q 'larger than' err || { fail "no word of the size: $*"; cat err; }
}
ls -A | grep '\.tw-' && fail 'temporary files stay'
case $(nm "$tilewright" "$build/libtilewright.so" 2>/dev/null | grep -c __asan_init) in
  0)
    ln -s /dev/zero zero.cpp && ln -s /dev/zero zero.gp && ln -s /dev/zero zero.json && ln -s /dev/zero zero.pto
    limited "$build/bin/popc" --target cpu zero.cpp -o z.gp
    limited "$build/bin/popc" zero.gp -o z.gp
    limited "$tilewright" profile zero.json
    limited "$tilewright" profile --graph-profile zero.json
    limited "$tilewright" layout vertex zero.cpp --arch mk2
    ;;
esac

# --- progress: on a terminal a line for what takes long, which is gone behind it -----------------------------------
# As a terminal shows it: what was on the line of each drawing, and what is left at the end.
cat >terminal.py <<'END'
import fcntl, os, pty, re, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
said = b''
try:
    while block := os.read(terminal, 65536): said += block
except OSError: pass # nobody writes any more
drawn = []
for line in said.decode().replace('\r\n', '\n').split('\n'):
    for shown in re.split('(?=\r)', line):
        if shown.startswith('\r') and shown.endswith('\033[K') and shown != '\r\033[K': drawn.append(shown[1:-3])
    rest = line.rsplit('\r', 1)
    assert len(rest) == 1 or rest[1].startswith('\033[K'), line # else something is left of a line
    print(rest[-1].removeprefix('\033[K'))
assert all(len(d) < int(sys.argv[1]) for d in drawn), drawn
print(*('drawn: ' + d for d in drawn), sep='\n')
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
progress() { # progress COLUMNS PATTERN COMMAND...: that is on the line at some time
  columns=$1 pattern=$2
  shift 2
  expect 0 env -u NO_COLOR TERM=xterm TILEWRIGHT_PROGRESS=0.000001 python3 terminal.py "$columns" "$@"
  grep -qE "^drawn: $pattern" out || { fail "no '$pattern' on the terminal: $*"; tail -5 out; }
}
stencil="$tilewright csl run $source/examples/csl/stencil/layout.csl --arch=wse3 --launch run,500"
cat >layout.csl <<'END'
layout {
  @set_rectangle(64, 64);
  var x: u16 = 0;
  while (x < 64) : (x += 1) {
    var y: u16 = 0;
    while (y < 64) : (y += 1) { @set_tile_code(x, y, "pe.csl", .{ .n = x * 2 + y % 2 }); }
  }
}
END
cat >pe.csl <<'END'
param n: u16;
var a: u16 = n;
task main() void { a += 1; }
const id = @get_local_task_id(8);
comptime { @bind_local_task(main, id); @activate(id); }
END
progress 100 'layout: [0-9,]+ of 4,096 PEs, [0-9,.]+( million)? a second, [0-9]+ s left$' "$tilewright" csl check layout.csl --arch=wse3
# shellcheck disable=SC2086  # several words
progress 100 'wafer: [0-9,]+ cycles, .*[0-9]+ s$' $stencil
grep -q '^@[0-9]* PE(2,2): 2500 hundredths after 500 steps$' out || { fail 'what the program prints is not on lines of its own'; cat out; }
# shellcheck disable=SC2086
progress 20 'wafer: [0-9,]+ c[a-z]*' $stencil
# shellcheck disable=SC2086
progress 100 'wafer: [0-9,]+ of 50,000,000 cycles at most, [0-9,.]+( million)? a second, .* left$' $stencil --max-cycles=50000000
# shellcheck disable=SC2086 # where there is no room for both, the time left stays
progress 64 'wafer: [0-9,]+ of 50,000,000 cycles at most, [^,]* left$' $stencil --max-cycles=50000000
python3 - <<'END'
header = "{'descr': '<u4', 'fortran_order': False, 'shape': (5, 3, 20000), }".ljust(117) + '\n'
open('words.npy', 'wb').write(b'\x93NUMPY\x01\x00\x76\x00' + header.encode() + bytes(4 * 300000))
END
progress 100 'wafer: [0-9,]+ of 300,000 words, [0-9,.]+( million)? a second, [0-9]+ s left$' "$tilewright" csl run \
  "$source/tests/cli/csl/ranks/layout.csl" --send 1=words.npy --receive 2:20000=received.npy
cat >count.pto <<'END'
%zero = arith.constant 0 : index
%one = arith.constant 1 : index
%many = arith.constant 100000 : index
scf.for %i = %zero to %many step %one {
  %next = arith.addi %i, %one : index
}
END
progress 100 'core: [0-9,]+ of 100,000 turns of a loop, ' "$tilewright" pto run count.pto --target a5
# Of a loop in loops it is the outermost one, and none where that one's turns are not known.
sed '/^scf.for/,$d' count.pto >nested.pto
cat >>nested.pto <<'END'
%two = arith.constant 2 : index
%less = arith.constant 100000 : index
scf.for %k = %zero to %two step %one {
  scf.for %i = %zero to %less step %one {
    %next = arith.addi %i, %one : index
  }
}
END
progress 100 'core: [01] of 2 turns of a loop, ' "$tilewright" pto run nested.pto --target a5
grep -q 'of 100,000 turns' out && fail 'turns of a loop within another one are told of'
{
  sed '/^scf.for/,$d' nested.pto
  echo '%n = scf.while (%k = %zero) : (index) -> (index) {'
  echo '  %go = arith.cmpi slt, %k, %two : index'
  echo '  scf.condition(%go) %k : index'
  printf '} do {\n^bb0(%%k: index):\n'
  sed -n '/for %i/,/^  }/p' nested.pto
  printf '  %%next = arith.addi %%k, %%one : index\n  scf.yield %%next : index\n}\n'
} >while.pto
progress 100 'core: [0-9,]+ steps, ' "$tilewright" pto run while.pto --target a5
grep -q 'of 100,000 turns' out && fail 'turns of a loop within another one are told of'
progress 100 'grid: [0-3] of 4 cores through, ' "$tilewright" pto run count.pto --target a5 --blocks 4
printf '.globl count\ncount:\n  setzi $m0, 1000000\n  shl $m0, $m0, 2\nagain:\n  add $m0, $m0, -1\n  brnz $m0, again\n  exitnz $mzero\n' >count.s
progress 100 'tile: [0-9,]+ cycles, ' "$tilewright" sim count.s
progress 100 'tile: [0-9,]+ of 100,000,000 turns at most, .* left$' "$tilewright" sim --limit 100000000 count.s
progress 100 '[a-z]* on a2a3: [012] of 2 runs, ' env OMP_NUM_THREADS=1 "$tilewright" compare axpy dot --small --on a2a3
cat >runs.c <<'END'
#include <poll.h>
#include <tilewright/aie.h>
#include <tilewright/tilewright.h>
static void give(void *user) { (void)user; put_ms(0, 1, 0); }
static void take(void *user) { (void)user; (void)get_ss(0); }
static void fetch(void *buffer, void *user)
{
    static int calls;
    (void)buffer, (void)user;
    if (++calls % 500 == 0) puts("fetched");
}
static int rounds(unsigned replicas) /* 0: a graph that is no replica */
{
    tw_ipu_model model = { .size = sizeof model, .num_ipus = replicas + !replicas, .tiles_per_ipu = 2, .replicas_only = replicas };
    tw_device *device = tw_device_ipu_model_with(&model);
    tw_graph *g = replicas ? tw_graph_new_replicated(tw_device_target(device), replicas) : tw_graph_new(tw_device_target(device));
    tw_tensor a = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 64 }, "a"), b = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 64 }, "b");
    tw_graph_map(g, a, 0), tw_graph_map(g, b, 1);
    tw_stream in = tw_graph_add_host_to_device_fifo(g, "in", TW_INT, 64, TW_STREAM_BROADCAST, NULL);
    tw_program round[] = { tw_program_copy_from_stream(g, in, a), tw_program_copy(g, a, b) };
    tw_engine *e = tw_engine_new(g, tw_program_repeat(g, 200000, tw_program_sequence_of(g, 2, round)), NULL);
    tw_stream_callback callback = { .fetch = fetch };
    static int buffer[64];
    if (!e || (replicas ? tw_engine_connect_stream(e, "in", buffer, sizeof buffer) : tw_engine_connect_stream_to_callback(e, "in", &callback)))
        return tw_engine_report_error(stderr, e), 1;
    if (tw_engine_load(e, device) != TW_OK || tw_engine_run(e, 0) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    puts(replicas ? "replicas" : "engine");
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    return poll(NULL, 0, 250); /* what follows does not belong to it */
}
int main(void)
{
    if (rounds(0) || rounds(2)) return 1;
    tw_aie_array *array = tw_aie_array_new();
    tw_aie_kernel from = tw_aie_array_add(array, "give", give, NULL, 10, 2), to = tw_aie_array_add(array, "take", take, NULL, 12, 2);
    tw_aie_array_stream(array, tw_aie_out(from, 0), tw_aie_in(to, 0), 4);
    tw_status status = tw_aie_array_run(array, 20000);
    tw_aie_array_free(array);
    return status != TW_OK || puts("array") < 0;
}
END
progress 100 'graph: [0-9,]+ of 200,000 rounds, [0-9,.]+( million)? a second, [0-9]+ s left$' "$tilewright" run runs.c
grep -qE '^drawn: array: [0-9,]+ of 40,000 firings, ' out || { fail 'no firings'; tail -3 out; }
grep -qx engine out && grep -qx replicas out && grep -qx array out && grep -qx fetched out || { fail 'what the program prints is not on lines of its own'; cat out; }
quiet() { # quiet COMMAND...: no word of progress
  expect 0 "$@"
  ! grep -q 'wafer: ' out err || fail "progress: $*"
}
# shellcheck disable=SC2086
{
  quiet env TERM=xterm TILEWRIGHT_PROGRESS=0.000001 $stencil
  quiet env TERM=xterm TILEWRIGHT_PROGRESS=0 python3 terminal.py 80 $stencil
  quiet env TERM=xterm TILEWRIGHT_PROGRESS=soon python3 terminal.py 80 $stencil
  quiet env TERM=xterm TILEWRIGHT_PROGRESS=0.000001 NO_COLOR=1 python3 terminal.py 80 $stencil
  quiet env TERM=dumb TILEWRIGHT_PROGRESS=0.000001 python3 terminal.py 80 $stencil
}
finish

# SPDX-License-Identifier: MIT
# Files of every command: what it prints on a full disk, what it writes where a device, a link or an input stands, and
# what it reads that has no end. The tables below have a row for each verb and each option of `tilewright complete`: a
# new one makes this fail until somebody has said what it does.
. "$1/tests/cli/lib.sh"
cd "$work" || exit 1
PATH=$build/bin:$PATH
export PATH
cp "$source/examples/poplar/scale/scale.c" scale.c
cp "$source/examples/poplar/colossus/dot.S" "$source/examples/poplar/colossus/addend.S" "$source/examples/pto/softmax/softmax.pto" .
sed 's/^/   /' softmax.pto >loose.pto
printf 'fn f()void{}' >loose.csl
cp "$source/examples/pto/vector_add/vector_add.pto" add.pto
cp "$source/examples/csl/stencil/layout.csl" "$source/examples/csl/stencil/cell.csl" .
cp "$source/tests/golden/profile_graph.json" graph.json
cp "$source/tests/golden/profile_execution.json" execution.json
cat >host.c <<'END'
#include <tilewright/tilewright.h>
int main(void)
{
    tw_device *dev = tw_device_ipu_model(TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 8 }, "t"), u = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 8 }, "u");
    tw_graph_map_linearly(g, t), tw_graph_map_linearly(g, u);
    tw_engine *e = tw_engine_new(g, tw_program_copy(g, t, u), NULL);
    int bad = tw_engine_load(e, dev) != TW_OK || tw_engine_run(e, 0) != TW_OK;
    if (bad) tw_engine_report_error(stderr, e);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(dev);
    return bad;
}
END
cat >graph.cpp <<'END'
#include <adf.h>
static void copy(input_window_int32 *in, output_window_int32 *out)
{
    window_writeincr(out, window_readincr(in));
}
struct whole : adf::graph {
    adf::kernel k = adf::kernel::create(copy);
    adf::input_plio in = adf::input_plio::create("in", adf::plio_32_bits, "in.txt");
    adf::output_plio out = adf::output_plio::create("out", adf::plio_32_bits, "out.txt");
    whole()
    {
        adf::source(k) = "graph.cpp";
        adf::runtime<adf::ratio>(k) = 0.5;
        adf::connect<adf::window<4>>(in.out[0], k.in[0]);
        adf::connect<adf::window<4>>(k.out[0], out.in[0]);
    }
};
static whole g;
int main() { return g.init() || g.run(1) || g.end(); }
END
seq 1 8 >in.txt
expect 0 tilewright asm dot.S -o dot.o
expect 0 popc --target cpu scale.c -o scale.gp
expect 0 cslc layout.csl --arch=wse3 --fabric-dims=12,7 --fabric-offsets=4,1 --memcpy --channels=1 -o folder
expect 0 tilewright csl run folder --launch run,3 --out t=t.npy --profile csl.json
expect 0 tilewright pto run add.pto --arg 'x=f32[512]' --arg 'y=f32[512]' --arg 'z=f32[512]' --arg fill=true --out z=z.npy
has_page=$(grep -c DecompressionStream "$build/generated/report.html" 2>/dev/null)
add='pto run add.pto --arg x=f32[512] --arg y=@z.npy --arg z=f32[512] --arg fill=true'
sim='sim addend.S --entry __runCodelet_AddPlain___false --mem 0x90000=0x91000,4,10.0,20.0;0x91000=1.0,2.0,3.0,4.0'
launch='csl run folder --launch run,2'

# --- what is printed: command, verb, the rest ------------------------------------------------------------------------
cat >printing <<END
run -v host.c
popc -v --target cpu scale.c -o x.gp
profile csl.json
report csl.json -o x.html
compare axpy --small --on wse3
info targets
info types
info options
info insn
aie type v8int16
aie types
aie run -v graph.cpp -o x
aie cycles graph.cpp
layout encode --arch mk1 --layout SCALED_PTR64 --type float --address 0x50000 --count 12
layout decode --arch mk1 --layout SCALED_PTR64 --type float A000
layout vertex scale.c --arch mk2
layout struct scale.c
asm --list dot.S
objdump -d dot.o
objdump -h dot.o
objdump -t dot.o
objdump -r dot.o
objdump --stack dot.o
link --map dot.o -o x.elf
sim addend.S --entry __runCodelet_AddPlain___false --mem 0x90000=0x91000,4,10.0,20.0;0x91000=1.0,2.0,3.0,4.0
pto run softmax.pto
pto check --target nowhere softmax.pto
pto fmt softmax.pto
pto fmt --check loose.pto
pto info TADD
pto list
pto reference
cslc --verbose layout.csl --arch=wse3 --memcpy --channels=1 --fabric-dims=12,7 --fabric-offsets=4,1 -o x
csl run folder --stats
csl debug folder
csl check --json layout.csl
csl list folder
csl fmt layout.csl
csl fmt --check loose.csl
csl python --help
cs_python --help
lsp --help
help
END
cut -d' ' -f1,2 printing >verbs
for command in $(tilewright complete x | grep -v '^-'); do
  grep -q "^$command" printing || fail "$command: no row says what it prints"
  for verb in $(tilewright complete "$command" x | grep -v '^[-*]'); do
    case $command in asm | compare | help) continue ;; esac
    grep -qx "$command $verb" verbs || fail "$command $verb: no row says what it prints"
  done
done
if [ -c /dev/full ]; then
  while read -r arguments; do
    case $arguments in
      report*) [ "$has_page" ] && [ "$has_page" != 0 ] || continue ;;
      'run -v'* | 'aie run -v'* | popc* | 'pto check'*) continue ;; # messages, on the standard error
    esac
    # shellcheck disable=SC2086  # several words
    tilewright $arguments >/dev/full 2>err </dev/null
    status=$?
    [ $status = 1 ] || fail "tilewright $arguments on a full disk: exit status $status"
    grep -q 'cannot write.* space' err || { fail "tilewright $arguments says nothing of the full disk"; cat err; }
  done <printing
fi

# --- what is written: option (of a command) | input that the output may not be | command line, OUT the file ----------
cat >writing <<END
run --report      | host.c      | run --report OUT host.c
run --profile     | host.c      | run --profile OUT host.c
run --save        | host.c      | run --save-at 0 --save OUT host.c
popc -o           | scale.c     | popc --target cpu scale.c -o OUT
popc -MF          | scale.c     | popc --target cpu scale.c -o x.gp -MD -MF OUT
popc -E           | scale.c     | popc -E scale.c -o OUT
popc -S           | scale.c     | popc -S scale.c -o OUT
popc -c           | scale.c     | popc -c scale.c -o OUT
profile --trace   | csl.json    | profile csl.json --trace OUT
report -o         | csl.json    | report csl.json -o OUT
compare --json    | -           | compare axpy --small --on wse3 --json OUT
compare --report  | -           | compare axpy --small --on wse3 --report OUT
aie --profile     | graph.cpp   | aie run graph.cpp -o x --profile OUT
aie --report      | graph.cpp   | aie run graph.cpp -o x --report OUT
asm -o            | dot.S       | asm dot.S -o OUT
link -o           | dot.o       | link dot.o -o OUT
sim --option      | addend.S    | $sim --option traceFile=OUT
sim --save        | addend.S    | $sim --save-at 6 --save OUT
pto --out         | z.npy       | $add --out z=OUT
pto --timeline    | z.npy       | $add --timeline OUT
pto --profile     | z.npy       | $add --profile=OUT
pto --report      | z.npy       | $add --report OUT
csl --out         | folder/program.twcsl | $launch --out t=OUT
csl --out         | cell.csl    | csl run layout.csl --arch=wse3 --launch run,2 --out t=OUT
csl --trace       | layout.csl  | csl run layout.csl --arch=wse3 --launch run,2 --trace OUT
csl --profile     | folder/program.twcsl | $launch --profile OUT
csl --report      | folder/program.twcsl | $launch --report OUT
csl --memory      | folder/program.twcsl | $launch --memory OUT
csl --save        | folder/program.twcsl | $launch --save-at 50 --save OUT
END
# Options that write no file of that name: values, switches, what is read, folders; csl --receive is --out of a stream;
# fmt of pto and csl writes its input on purpose (-i, --in-place).
others='run:--save-at,--save-every,--resume,--device,--debug,--dap,-n,--hosts,--all-output,-v,-g,-O0,-O1,-O2,-O3,-D,-I,-l
popc:-D,-I,-U,-g,-O0,-O1,-O2,-O3,-v,-MD,-MT,-isystem,-include,--target,--list-targets,--version
profile:--graph-profile,--execution-profile,--show-execution-steps,--show-optimizations,--show-per-ipu-memory-usage
profile:--show-var-storage,--top,--lines,--names,--tiles,--memory,--rows,--diff,--fail-if,--version
report:--open,--title,--graph-profile,--execution-profile
info:--json,--markdown
compare:--size,--on,--small,--list,--show,--sources
aie:-i,-o,--input-dir,--output-dir,--timestamps,--target,-I,-D,-v,--extra,--json
layout:--arch,--layout,--outer,--type,--align,--address,--count,--base,--table,--rows,--flags,--json
asm:--arch,--list,-I,-D,-U
objdump:-d,-h,-t,-r,--stack,--arch
link:--entry,--code,--data,--map
sim:--save-at,--resume,--entry,--arch,--set-reg,--mem,--call,--show,--limit,--all,--supervisor,--trace,--cycles,--interactive,-i,--dap
pto:--target,--manual,--function,--arg,--blocks,--devices,--vectors,--trace,--max-steps,--check,--in-place
cslc:--arch,-o,--params,--colors,--fabric-dims,--fabric-offsets,--memcpy,--channels,--width-west-buf
cslc:--width-east-buf,--import-path,--verbose,--warnings-as-errors,--fp16-format,--max-inlined-iterations
cslc:--max-comptime-steps,--max-memory,--max-seconds,-O0,-O2
csl:--in,--launch,--send,--receive,--nowait,--check,--order-seed,--max-cycles,--threads,--stats,--json,-i,--in-place
csl:--hosts,--all-output,-n,--dap,--save-at,--save-every,--resume
cs_python:-n,--hosts,--all-output
lsp:--stdio'
for command in $(tilewright complete x | grep -v '^-'); do
  for option in $(tilewright complete "$command" x | grep '^-'); do
    [ "$option" = --help ] || grep -q "^$command $option " writing ||
      printf '%s\n' "$others" | grep -q "^$command:\(.*,\)\{0,1\}$option\(,\|\$\)" ||
      fail "$command $option: a new option; does it write a file? say so in $0"
  done
done

# Devices of our own where that is possible: a mistake would replace them.
full=/dev/full null=/dev/null
mknod full c 1 7 2>/dev/null && mknod null c 1 3 2>/dev/null && (: >null) 2>/dev/null && full=full null=null
while IFS='|' read -r option input line; do
  option=$(echo $option) input=$(echo $input)
  case $option in *report* | 'report -o') [ "$has_page" ] && [ "$has_page" != 0 ] || continue ;; esac
  words() { echo "${line%%OUT*}$1${line#*OUT}"; }
  # Graphs of AI Engines take seconds each to compile: what is refused beforehand, and one full disk.
  slow=
  case $option in aie*) slow=1 ;; esac
  # shellcheck disable=SC2046  # several words
  if [ -c "$full" ] && [ "$option" != 'aie --report' ]; then
    expect 1 tilewright $(words "$full")
    grep -q "cannot write.*$full.* space" "$work/err" || { fail "$option: not what was written, and why not"; cat "$work/err"; }
    [ -c "$full" ] || fail "$option replaced a device"
  fi
  if [ -z "$slow" ]; then
    expect 0 tilewright $(words "$null")
    [ -c "$null" ] || fail "$option replaced a device"
    : >target && ln -sf target link
    expect 0 tilewright $(words link)
    [ -L link ] && [ -s target ] || fail "$option: a link was replaced, or its target was not written"
    expect 1 tilewright $(words nowhere/at/all)
    case $option in 'pto --profile' | 'pto --report' | 'pto --timeline') [ ! -s "$work/out" ] || fail "$option: the work is done before it is refused" ;; esac
  fi
  [ "$input" != - ] || continue
  cp "$input" before
  tilewright $(words "$input") >out 2>err </dev/null && fail "$option $input: an input is overwritten"
  prints err 'is also an input'
  cmp -s "$input" before || fail "$option $input: the input is not what it was"
  ls -A | grep '\.tw-' && fail "$option: temporary files stay"
done <writing
expect 1 cslc layout.csl --arch=wse3 --memcpy --channels=1 --fabric-dims=12,7 --fabric-offsets=4,1 -o "$null"
[ -c "$null" ] || fail 'a folder replaced a device'

# --- what is read: every kind of file, without an end ----------------------------------------------------------------
# AddressSanitizer needs more address space than any limit allows.
case $(nm "$tilewright" "$build/libtilewright.so" 2>/dev/null | grep -c __asan_init) in 0) ;; *) finish ;; esac
for suffix in c cpp gp json pto S s o csl npy; do ln -s /dev/zero zero.$suffix; done
mkdir endless && ln -s /dev/zero endless/program.twcsl
printf 'layout { @set_rectangle(1, 1); @set_tile_code(0, 0, "zero.csl", .{}); }\n' >importing.csl
printf '.include "zero.s"\n' >including.s
printf '.section .data\n.incbin "zero.s"\n' >binary.s
while read -r arguments; do
  # shellcheck disable=SC2086  # several words
  (ulimit -v 4194304 && ulimit -t 120 && "$tilewright" $arguments) >out 2>err </dev/null
  status=$?
  [ $status = 1 ] || [ "$status $arguments" = "2 profile --diff zero.json zero.json" ] ||
    { fail "exit status $status: tilewright $arguments"; tail -n 5 err; }
  grep -q 'larger than\|not a regular file\|no regular file\|not a .npy file\|cannot read' err ||
    { fail "no word of the size: tilewright $arguments"; tail -n 5 err; }
done <<END
run zero.c
popc --target cpu zero.cpp -o z.gp
popc zero.gp -o z.gp
popc zero.S -o z.gp
profile zero.json
profile --diff zero.json zero.json
profile --graph-profile zero.json
report zero.json -o z.html
report --execution-profile zero.json -o z.html
aie run zero.cpp
layout vertex zero.cpp --arch mk2
layout vertex zero.gp --arch mk2
layout struct zero.c
asm zero.s
asm zero.S
asm including.s
asm binary.s
objdump -d zero.o
link zero.o
sim zero.S
sim zero.s
sim zero.o
pto run zero.pto
pto check zero.pto
pto fmt zero.pto
pto run add.pto --arg x=@zero.npy
cslc zero.csl -o x
cslc importing.csl -o x
csl run zero.csl
csl run endless
csl run folder --in t=zero.npy
csl check zero.csl
csl fmt zero.csl
csl list endless
END
finish

#!/bin/sh
# SPDX-License-Identifier: MIT
# SIGINT once: the profile of what ran is written, a message, exit status 130. Twice: the end. Each program never ends by
# itself and prints when it runs; a signal is sent when that was seen.
. "$1/tests/cli/lib.sh"
env --default-signal=INT true 2>/dev/null || exit 77
cd "$work" || exit 1

# begin COMMAND...: in the background, with the usual handling of SIGINT, until it has printed "runs".
begin() {
  : >out
  : >err
  env --default-signal=INT "$@" >out 2>err </dev/null &
  pid=$!
  until grep -q runs out err; do
    kill -0 $pid 2>/dev/null || { wait $pid; fail "ended by itself ($?): $*"; cat out err; return; }
    sleep 0.05
  done
}
# interrupted COMMAND...: ends with 130 after one signal, and says so.
interrupted() {
  begin "$@"
  kill -INT $pid
  wait $pid
  got=$?
  [ $got -eq 130 ] || { fail "exit status $got instead of 130: $*"; tail -n 5 out err; }
  grep -q '^tilewright [a-z]*: interrupted[; ]' err || { fail "no message: $*"; tail -n 5 err; }
}
# killed COMMAND...: nothing can end before it is asked again.
killed() {
  begin "$@"
  while kill -INT $pid 2>/dev/null; do sleep 0.05; done
  wait $pid
  got=$?
  [ $got -eq 130 ] || fail "exit status $got instead of that of the signal: $*"
}
has_cycles() { # has_cycles FILE.json: a profile of something that ran
  expect 0 "$tilewright" profile "$1"
  "$tilewright" profile "$1" >text
  grep -qE '[1-9][0-9,]* cycles|cycles: +[1-9]' text || { fail "$1 has no cycles"; head -n 20 text; }
}

# CSL: a task that starts itself again and prints.
# The second launch waits for the command stream, which the first one leaves blocked.
cat >layout.csl <<'END'
const memcpy = @import_module("<memcpy/get_params>", .{ .width = 1, .height = 1 });
layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(0) });
  @export_name("start", fn()void);
}
END
cat >pe.csl <<'END'
param memcpy_params: comptime_struct;
const sys = @import_module("<memcpy/memcpy>", memcpy_params);
const out = @import_module("<simprint>");
var n: u16 = 0;
fn start() void { @activate(@get_local_task_id(8)); }
task again() void { n += 1; out.fmt("runs {d}", .{n}); @activate(@get_local_task_id(8)); }
comptime {
  @bind_local_task(again, @get_local_task_id(8));
  @export_symbol(start);
  @rpc(@get_data_task_id(sys.LAUNCH));
}
END
endless='csl run layout.csl --arch=wse3 --max-cycles 1000000000000 --launch start --launch start'
interrupted "$tilewright" $endless --profile csl.json --trace csl_trace.json
grep -q '^tilewright csl: cycle [1-9][0-9]*: interrupted$' err || fail 'csl: no cycle'
has_cycles csl.json
[ -s csl_trace.json ] || fail 'csl: no trace'
# Without a profile the first signal is the end, as ever.
begin "$tilewright" $endless
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail 'csl run without a profile'
grep -q interrupted err && fail 'csl run without a profile writes none'

# PTO.
cat >loop.pto <<'END'
module attributes {pto.target_arch = "a3"} {
  func.func @loop(%x : !pto.ptr<f32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %many = arith.constant 1000000000000 : index
    %view = pto.make_tensor_view %x, shape = [%c1, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>
    %part = pto.partition_view %view, offsets = [%c0, %c0], sizes = [%c1, %c16] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x16xf32>
    %a = pto.alloc_tile : !pto.tile_buf<vec, 1x16xf32>
    scf.for %i = %c0 to %many step %c1 {
      pto.tload ins(%part : !pto.partition_tensor_view<1x16xf32>) outs(%a : !pto.tile_buf<vec, 1x16xf32>)
      pto.print ins("runs\n")
    }
    return
  }
}
END
interrupted "$tilewright" pto run loop.pto --arg 'x=f32[16]' --max-steps 1000000000000 --profile pto.json --timeline pto_trace.json
grep -q 'interrupted after [1-9][0-9]* steps' err || fail 'pto: no steps'
has_cycles pto.json
[ -s pto_trace.json ] || fail 'pto: no timeline'

# Graph programs: one that would go on behind an endless run, whatever became of it.
cat >endless.c <<'END'
#include <stdlib.h>
#include <tilewright/tilewright.h>
#include <unistd.h>
int main(void)
{
    tw_device *device = tw_device_by_name(NULL, TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_tensor a = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 64 }, "a"),
              b = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 64 }, "b");
    tw_graph_map(g, a, 0), tw_graph_map(g, b, 1);
    tw_program copy = tw_program_copy(g, a, b);
    tw_engine *e = tw_engine_new_programs(g, 2, (tw_program[]){ copy, tw_program_repeat(g, 4000000000u, copy) }, NULL);
    if (tw_engine_load(e, device) != TW_OK || tw_engine_run(e, 0) != TW_OK) return 1;
    puts("runs"), fflush(stdout);
    while (getenv("STUCK")) pause(); /* nothing comes to a place where it could end */
    for (;;) tw_engine_run(e, 1);
}
END
interrupted "$tilewright" run --profile ipu.json endless.c
has_cycles ipu.json
killed env STUCK=1 "$tilewright" run --profile stuck.json endless.c
[ ! -e stuck.json ] || fail 'a run that was killed has no profile'

# While a compiler works, which gets the signal too: nothing ran, and no half of a file stays.
printf '#!/bin/sh\necho runs\nexec sleep 60\n' >slow_cc
chmod +x slow_cc
interrupted env CC="$work/slow_cc" "$tilewright" run --profile none.json endless.c
grep -q '^tilewright run: interrupted while it was compiled; nothing ran$' err || fail 'run: what was compiled'
[ ! -e none.json ] || fail 'a profile of nothing'
[ -z "$(find "$XDG_CACHE_HOME" -name 'endless.*' -size 0)" ] || fail 'half of a file in the cache'

# AI Engine: a kernel without input, for very many firings.
cat >graph.cpp <<'END'
#include <adf.h>
#include <cstdio>
static void source_(output_stream_int32 *out) { writeincr(out, 1); }
static void sink(input_stream_int32 *in)
{
    static int seen;
    if (readincr(in) && !seen++) std::puts("runs"), std::fflush(stdout);
}
class pair : public adf::graph {
  public:
    adf::kernel a, b;
    pair()
    {
        a = adf::kernel::create(source_), b = adf::kernel::create(sink);
        adf::source(a) = "graph.cpp", adf::source(b) = "graph.cpp";
        adf::runtime<adf::ratio>(a) = adf::runtime<adf::ratio>(b) = 0.5;
        adf::connect<adf::stream>(a.out[0], b.in[0]);
    }
};
pair g;
int main() { g.init(); return g.run(2000000000) == adf::ok ? 0 : 1; }
END
interrupted "$tilewright" aie run graph.cpp --profile aie.json
grep -q 'interrupted before firing' err || fail 'aie: no firing'
has_cycles aie.json
finish

# SPDX-License-Identifier: MIT
# `tilewright report`, --report of runs, `tilewright profile --diff` and its tables. Without the page's script (a build
# without npm) `report` says what is missing; then that is what is tested.
. "$1/tests/cli/lib.sh"
graph=$source/tests/golden/profile_graph.json
execution=$source/tests/golden/profile_execution.json
cd "$work" || exit 1

expect 2 "$tilewright" report
prints err 'no profile is given'
expect 2 "$tilewright" report a b c
prints err "'c': two profiles are compared at most"
expect 2 "$tilewright" report a --graph-profile b
prints err "either 'a' or --graph-profile"
expect 1 "$tilewright" report /nowhere/profile.json
prints err /nowhere/profile.json

expect 0 "$tilewright" pto run "$source/examples/pto/vector_add/vector_add.pto" --manual --arg x='f32[512]' \
  --arg y='f32[512]' --arg z='f32[512]' --arg fill=true --profile=a.json
if ! grep -q 'DecompressionStream' "$build/generated/report.html" 2>/dev/null; then
  expect 1 "$tilewright" report a.json
  prints err './dev setup'
  prints err 'npm'
  [ ! -e report.html ] || fail 'a file is left behind'
else
  expect 0 "$tilewright" report a.json
  prints out report.html
  for part in 'Content-Security-Policy' "default-src 'none'" 'class="tilewright-data"' '<noscript>' 'Cycles'; do
    grep -qF "$part" report.html || fail "'$part' is not in the page"
  done
  ! grep -qE '(src|href)="?https?:' report.html || fail 'the page names a network address to load from'
  # How near cycles are to published ones: nothing is published for this machine.
  grep -q '<th scope="row">Cycles are</th><td>not validated</td>' report.html || fail 'no band in the page'
  grep -q '"cycleBand": *"not validated"' a.json || fail 'no band in the profile'
  expect 0 "$tilewright" profile a.json
  prints out 'cycles are estimated: not validated (nothing is published).'
  expect 0 "$tilewright" report --graph-profile "$graph" --execution-profile "$execution" -o guide.html --title 'Guide <x>'
  grep -qF '<title>Guide &#60;x&#62;</title>' guide.html || fail 'the title is not escaped'
  grep -qF '54,202' guide.html || fail 'the summary without a script lacks the cycles'
  expect 0 "$tilewright" report "$graph" -o graph.html
  expect 0 "$tilewright" report a.json a.json -o both.html
  expect 1 "$tilewright" report a.json -o a.json
  grep -q tilewright a.json || fail 'the input is gone'
  expect 1 "$tilewright" report a.json -o /nowhere/x.html
  [ ! -c /dev/full ] || { expect 1 "$tilewright" report a.json -o /dev/full; prints err 'cannot write'; }
  printf '#!/bin/sh\nprintf %%s "$1" >opened\n' >browser
  chmod +x browser
  mkfifo opened
  BROWSER=$PWD/browser expect 0 "$tilewright" report a.json --open
  [ "$(cat opened)" = "$PWD/report.html" ] || fail 'the browser was not given the page'

  # one flag away from a run
  expect 0 "$tilewright" pto run "$source/examples/pto/vector_add/vector_add.pto" --manual --arg x='f32[512]' \
    --arg y='f32[512]' --arg z='f32[512]' --arg fill=true --report pto.html
  prints out 'report: pto.html'
  grep -qF 'ASCEND_PTO' pto.html || fail 'the report of a PTO program'
  expect 0 "$tilewright" csl run "$source/examples/csl/stencil/layout.csl" --launch run,4 --report csl.html
  grep -qF 'WSE' csl.html || fail 'the report of a CSL program'
  expect 0 "$tilewright" run --report poplar.html --profile poplar.json "$source/examples/poplar/adder/adder.c"
  grep -qF 'IPU_MODEL' poplar.html || fail 'the report of a Poplar program'
  expect 0 "$tilewright" run --report=aie.html "$source/examples/aie/cascade.c"
  grep -qF 'AI_ENGINE' aie.html || fail 'the report of an AI Engine program'
  expect 0 "$tilewright" run --report=ptoc.html --profile ptoc.json "$source/examples/pto/fifo/fifo.c"
  grep -qF 'ASCEND_PTO' ptoc.html || fail 'the report of a PTO program in C'
  grep -qF '"FIFO 0"' ptoc.json || fail 'who sends to whom through FIFOs'
  expect 0 "$tilewright" run --report=ptoxx.html "$source/examples/pto/iota/iota.cpp"
  grep -qF 'ASCEND_PTO' ptoxx.html || fail 'the report of a PTO program in C++'
  for page in pto=vector_add csl=stencil/layout poplar=adder aie=cascade ptoc=fifo ptoxx=iota; do
    grep -qF "<title>${page#*=}</title>" "${page%%=*}.html" || fail "the title of ${page%%=*}.html is not the program's"
  done
fi

# --- traces: each as the documents of the format have it ---------------------------------------------------------------
arrays='--arg x=f32[512] --arg y=f32[512] --arg z=f32[512] --arg fill=true'
# shellcheck disable=SC2086  # words
expect 0 "$tilewright" pto run "$source/examples/pto/vector_add/vector_add.pto" --manual $arrays --timeline pto.trace
expect 0 "$tilewright" run --profile fifo.json "$source/examples/pto/fifo/fifo.c"
if command -v addr2line >/dev/null; then # lines of calls in C, and in what of them each lane's instructions are
  expect 0 "$tilewright" profile fifo.json --lines
  for call in 'TPUSH tw_pto_push(core' 'TPOP tw_pto_pop(core' 'TSTORE tw_pto_store(core'; do
    line=$(grep -nF "${call#* }" "$source/examples/pto/fifo/fifo.c" | cut -d: -f1)
    grep -q "^  fifo.c:$line ${call%% *} " out || fail "no line $line, '$call'"
  done
fi
expect 0 "$tilewright" run --profile adder.json "$source/examples/poplar/adder/adder.c"
# Names as a tree; the source of what runs in a trace: of an interval, of a step's main vertex.
expect 0 "$tilewright" profile adder.json --names
prints out "Steps by the program's own names" '  add '
expect 0 "$tilewright" profile adder.json --trace adder.trace
grep -q '"source":"[^"]*adder_codelets.cpp:[1-9]' adder.trace || fail 'no source of a vertex in the trace'
expect 0 "$tilewright" profile fifo.json --trace fifo.trace
if command -v addr2line >/dev/null; then grep -q '"source":"[^"]*fifo.c:[1-9]' fifo.trace || fail 'no source of a call in the trace'; fi
# Lines of codelets: counted in the simulator, on the model the whole vertex's.
adder=$source/examples/poplar/adder/adder_codelets.cpp
expect 0 "$tilewright" profile adder.json --lines
grep -q "^  adder_codelets.cpp:$(grep -n 'compute()' "$adder" | cut -d: -f1) Plus, whole vertex .* 1 times" out || fail 'no line of compute()'
if [ -e "$build/tilewright/cc.so" ]; then
  expect 0 "$tilewright" run --device ipu-sim --profile sim.json "$source/examples/poplar/adder/adder.c"
  expect 0 "$tilewright" profile sim.json --lines
  grep -q "^  adder_codelets.cpp:$(grep -nF '*left + *right' "$adder" | cut -d: -f1) Plus " out || fail 'no line of the sum'
  lines=$(awk '$2 == "Plus" { gsub(",", "", $3); sum += $3 } END { print sum }' out)
  expect 0 "$tilewright" profile sim.json
  grep -qE "Plus +\(1 instances\): +$lines$" out || fail "lines of Plus: $lines"
fi
expect 0 "$tilewright" run --profile cascade.json "$source/examples/aie/cascade.c"
expect 0 "$tilewright" csl run "$source/examples/csl/stencil/layout.csl" --launch run,4 --profile stencil.json --trace csl.trace
for kind in a fifo adder cascade stencil; do
  expect 0 "$tilewright" profile $kind.json --trace $kind.trace
done
expect 0 "$build/test_profile_perfetto" a.trace fifo.trace adder.trace cascade.trace stencil.trace pto.trace csl.trace

expect 2 "$tilewright" run --report
printf 'int main(void) { return 7; }\n' >seven.c
expect 7 "$tilewright" run --profile seven.json seven.c
cat >kept.c <<'END'
#include <tilewright/poplar.h>
int main(void)
{
    tw_device *dev = tw_device_ipu_model(TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_engine *e = tw_engine_new(g, tw_program_sequence(g, "nothing"), NULL);
    return tw_engine_load(e, dev) != TW_OK || tw_engine_run(e, 0) != TW_OK;
}
END
sed 's/tw_pto_grid_free(.*);//; s/tw_pto_free(.*);//' "$source/examples/pto/fifo/fifo.c" >kept_grid.c
sed 's/tw_pto_free(.*);//' "$source/examples/pto/softmax/softmax.c" >kept_core.c
sed 's/tw_aie_array_free(.*);//' "$source/examples/aie/cascade.c" >kept_array.c
cp "$source/examples/pto/fifo/fifo.pto" "$source/examples/pto/softmax/softmax.pto" .
for kept in kept kept_grid kept_core kept_array; do # these leave freeing to the end of the process
  ASAN_OPTIONS=detect_leaks=0 expect 0 "$tilewright" run --profile $kept.json $kept.c
  expect 0 "$tilewright" profile $kept.json
done
printf 'int main(void) { return 0; }\n' >none.c
expect 1 "$tilewright" run --profile none.json none.c
prints err 'left no profile'

# --- differences and tables ------------------------------------------------------------------------------------------
expect 0 "$tilewright" pto run "$source/examples/pto/vector_add/vector_add.pto" --manual --arg x='f32[512]' \
  --arg y='f32[512]' --arg z='f32[512]' --arg fill=false --profile=b.json
expect 0 "$tilewright" profile --diff a.json a.json --fail-if 'cycles>+0' --fail-if='memory.max>+0%'
prints out 'cycles>+0 does not hold'
expect 1 "$tilewright" profile --diff a.json a.json --fail-if 'cycles>+5%' --fail-if 'cycles>1'
prints out 'cycles>1 holds'
expect 2 "$tilewright" profile --diff a.json a.json --fail-if 'cycles=1'
prints err 'expected METRIC>VALUE'
grep -q Warning "$work/out" && fail 'a warning of one machine'
expect 0 "$tilewright" profile --diff a.json kept.json
prints out 'Warning: A is of ASCEND_PTO'
prints out 'B of IPU_MODEL ipu2: cycles, steps and memories of different machines do not compare'
expect 2 "$tilewright" profile --diff a.json /nowhere --fail-if 'cycles>1'
expect 2 "$tilewright" profile --diff a.json
expect 2 "$tilewright" profile a.json --fail-if 'cycles>1'
prints err '--fail-if needs --diff'
expect 2 "$tilewright" profile a.json --top --rows 0
expect 0 "$tilewright" profile a.json --top --tiles --memory --rows 3
prints out 'Cycles by instruction:'
prints out 'core 0'
prints out 'Bytes by category'
CLICOLOR_FORCE=1 expect 0 "$tilewright" profile a.json --top
grep -q "$(printf '\033')" "$work/out" || fail 'no colours'
CLICOLOR_FORCE=1 CLICOLOR=0 expect 0 "$tilewright" profile a.json --top
grep -q "$(printf '\033')" "$work/out" || fail 'CLICOLOR_FORCE is stronger than CLICOLOR'
finish

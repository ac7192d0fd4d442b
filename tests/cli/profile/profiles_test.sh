# SPDX-License-Identifier: MIT
# The profiles of all examples, of every machine: no tile is busy for longer than the run, no balance is above 100 %,
# parts do not add up to more than the whole, and the file is as docs/profile.schema.json says.
. "$1/tests/cli/lib.sh"
cd "$work" || exit 1

# sound FILE: what the summary and the tables say of it.
sound() {
  [ -s "$1" ] || { fail "no profile $1"; return; }
  "$build/test_profile_published" "$1" || fail "$1 and the schema"
  "$tilewright" profile "$1" --show-execution-steps >all || fail "the summary of $1"
  "$tilewright" profile "$1" --top --tiles --rows 100000 >tables || fail "the tables of $1"
  awk -v file="$1" '
    function percent(line,   n) { match(line, /[0-9.]+%/); n = substr(line, RSTART, RLENGTH - 1); return n + 0 }
    FILENAME == "all" && /[Bb]alance/ && percent($0) > 100 { print file ": " $0; bad = 1 }
    FILENAME == "all" { next }
    /^[^ ]/ { table = $0; sum = 0 }
    /^  [^ ].*[0-9]%/ && table ~ /^(Cycles by|Steps,)/ {
      sum += percent($0)
      if (sum > 100.001) { print file ": " table " parts add up to " sum " %"; bad = 1 }
    }
    /^  [^ ].*[0-9]%/ && table ~ /^Busy/ && percent($0) > 100 { print file ": busy for longer than the run: " $0; bad = 1 }
    END { exit bad }' all tables || fail "the figures of $1"
}

csl() {
  name=$1
  shift
  expect 0 "$tilewright" csl run "$source/examples/csl/$name/layout.csl" --profile "csl_$name.json" "$@"
  sound "csl_$name.json"
}
for chip in wse2 wse3; do
  csl gemv --arch=$chip --launch fill --launch columns --launch rows --launch mapped
  csl gemv_row --arch=$chip --launch compute
  csl fifo --arch=$chip
  csl stencil --arch=$chip --launch run,200
  csl all_reduce --arch=$chip --launch all_reduce
  csl histogram --arch=$chip
done
csl messages --arch=wse3 --launch transpose

pto() {
  name=$1
  shift
  expect 0 "$tilewright" pto run "$source/examples/pto/$name/$name.pto" "$@" --profile "pto_$name.json"
  sound "pto_$name.json"
}
pto iota --target a2a3 --arg S=100
pto vector_add --manual --arg 'x=f32[512]' --arg 'y=f32[512]' --arg 'z=f32[512]' --arg fill=true
pto softmax --target a2a3
pto gemm --target a2a3 --arg 'a=f16[32x64]' --arg 'b=f16[64x32]' --arg 'c=f32[32x32]'
pto topk --target a2a3
pto fifo --vectors 2 --arg 'c=f32[4x32x32]'

for name in adder/adder scale/scale_host vector_add/vector_add streams/streams pipeline/pipeline heat/heat; do
  file=$(basename "$name")
  expect 0 "$tilewright" run --profile "$file.json" "$source/examples/poplar/$name.c" "$work/$file.out"
  sound "$file.json"
done
expect 0 "$tilewright" run --profile cascade.json "$source/examples/aie/cascade.c"
sound cascade.json
finish

#!/bin/sh
# SPDX-License-Identifier: MIT
# same_output.sh SOURCE BUILD NATIVE EMULATOR...: programs of each system print and write the same bytes as in the build of
# this machine, NATIVE.
set -u
source=$1 build=$2 native=$3
shift 3
emulator=$*
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
[ -x "$native/bin/tilewright" ] || { echo "there is no build of this machine in $native: ninja -C $native compared"; exit 1; }
failures=0 compared=0

# same PROGRAM ARGUMENT...: PROGRAM, below the build folders, in a folder of its own for each.
same() {
  program=$1
  shift
  rm -rf "$work/native" "$work/cross"
  mkdir "$work/native" "$work/cross"
  (cd "$work/native" && "$native/$program" "$@" >out 2>&1 </dev/null; echo "exit status $?" >>out)
  # shellcheck disable=SC2086  # a command with its options
  (cd "$work/cross" && $emulator "$build/$program" "$@" >out 2>&1 </dev/null; echo "exit status $?" >>out)
  compared=$((compared + 1))
  if [ "$(tail -n 1 "$work/native/out")" != 'exit status 0' ]; then
    echo "FAILED on this machine: $program $*"
    cat "$work/native/out"
  elif ! diff -r "$work/native" "$work/cross" >"$work/diff" 2>&1; then
    echo "FAILED, other bytes: $program $*"
    head -n 20 "$work/diff"
  else
    return
  fi
  failures=$((failures + 1))
}

pto() {
  text=$source/examples/pto/$1/$1.pto
  shift
  same bin/tilewright pto run "$text" --profile=profile.json --timeline timeline.json "$@"
}
pto softmax --target a2a3
pto gemm --target a2a3 --arg 'a=f16[32x64]' --arg 'b=f16[64x32]' --arg 'c=f32[32x32]' --out c=c.npy
pto flash_attention --arg 'q=f16[16x32]' --arg 'kt=f16[32x128]' --arg 'v=f16[128x32]' --arg 'o=f32[16x32]' --arg fill=true \
  --out o=o.npy
pto topk --target a2a3
pto all_reduce --devices 4 --arg 'x=f32[4x64]' --arg 'got=f32[4x64]' --arg 'signal=i32[8]' --arg fill=true

csl() {
  layout=$source/examples/csl/$1/layout.csl
  shift
  same bin/tilewright csl run "$layout" --trace=trace --profile=profile --memory=memory --stats "$@"
}
csl gemv --arch=wse2 --launch fill --launch columns --launch rows --launch mapped
csl gemv --arch=wse3 --launch fill --launch columns --launch rows --launch mapped
csl stencil --arch=wse3 --launch run,200
csl all_reduce --arch=wse2 --launch all_reduce
csl histogram --arch=wse3
csl messages --arch=wse3 --params=size:20 --launch transpose

# Every instruction's turn and what it changed.
same bin/tilewright sim "$source/tests/cross/numbers.s" --entry numbers --set-reg '$a0=1.5,$a1=0.37,$a6=-0.8,$a7=0x00a00000' --trace
same bin/tilewright asm "$source/tests/cross/numbers.s" -o numbers.o

for example in "$native"/examples/aie/*; do
  if [ -f "$example" ] && [ -x "$example" ]; then same "examples/aie/${example##*/}"; fi
done

echo "$compared commands compared"
[ "$compared" -ge 20 ] && [ "$failures" -eq 0 ]

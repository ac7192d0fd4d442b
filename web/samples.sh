#!/bin/sh
# SPDX-License-Identifier: MIT
# web/samples.sh TILEWRIGHT FOLDER: reports of examples of each system, into FOLDER (`./dev site`, `./dev pictures`).
set -eu
tilewright=$1
case $tilewright in /*) ;; *) tilewright=$PWD/$tilewright ;; esac
mkdir -p "$2"
out=$(cd "$2" && pwd)
source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
kernels=${KERNELS:-axpy gemm stencil softmax} # a test is content with one
heat=$source/examples/poplar/heat
cp "$heat"/* .
sed 's/COLS = 12/COLS = 16/' "$heat/heat.c" >wider.c
"$tilewright" run --profile heat.json heat.c heat.ppm >/dev/null
"$tilewright" run --profile wider.json wider.c heat.ppm >/dev/null
"$tilewright" pto run "$source/examples/pto/flash_attention/flash_attention.pto" --arg 'q=f16[16x32]' \
  --arg 'kt=f16[32x128]' --arg 'v=f16[128x32]' --arg 'o=f32[16x32]' --arg fill=true --profile=flash.json >/dev/null
"$tilewright" run --profile aie.json "$source/examples/aie/cascade.c" >/dev/null
"$tilewright" csl run "$source/examples/csl/stencil/layout.csl" --launch run,20 --report "$out/stencil.html" >/dev/null
for name in heat flash aie; do "$tilewright" report $name.json -o "$out/$name.html" >/dev/null; done
"$tilewright" report heat.json wider.json -o "$out/both.html" >/dev/null
# shellcheck disable=SC2086  # one word a kernel
"$tilewright" compare $kernels --small --on ipu-mk2,wse3,aie,a2a3 --report "$out/four.html" >/dev/null

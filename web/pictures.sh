#!/bin/sh
# SPDX-License-Identifier: MIT
# web/pictures.sh TILEWRIGHT FOLDER: the pictures of docs/report.md, from examples. Run by `./dev pictures`.
set -eu
tilewright=$1
case $tilewright in /*) ;; *) tilewright=$PWD/$tilewright ;; esac
mkdir -p "$2"
out=$(cd "$2" && pwd)
source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
heat=$source/examples/poplar/heat
cp "$heat"/* .
sed 's/COLS = 12/COLS = 16/' "$heat/heat.c" >wider.c
"$tilewright" run --profile heat.json heat.c heat.ppm >/dev/null
"$tilewright" run --profile wider.json wider.c heat.ppm >/dev/null
"$tilewright" pto run "$source/examples/pto/flash_attention/flash_attention.pto" --arg 'q=f16[16x32]' \
  --arg 'kt=f16[32x128]' --arg 'v=f16[128x32]' --arg 'o=f32[16x32]' --arg fill=true --profile=flash.json >/dev/null
"$tilewright" run --profile aie.json "$source/examples/aie/cascade.c" >/dev/null
"$tilewright" csl run "$source/examples/csl/stencil/layout.csl" --launch run,20 --profile stencil.json >/dev/null
for name in heat flash aie stencil; do "$tilewright" report $name.json -o $name.html >/dev/null; done
"$tilewright" report heat.json wider.json -o both.html >/dev/null
cd "$source/web"
shoot() { SHOTS=$out FULL=0 node test/shoot.mjs "$@"; }
shoot "$work/heat.html" report-poplar '#view=time'
shoot "$work/heat.html" report '#view=summary' '#view=memory' '#view=memory&tab=map' '#view=program' '#view=kernels' \
  '#view=time&tab=grid' '#view=memory&tab=liveness!dark'
shoot "$work/flash.html" report '#view=time'
shoot "$work/flash.html" report-pto '#view=memory&tab=map' '#view=memory&tab=liveness'
shoot "$work/aie.html" report-aie '#view=time'
shoot "$work/stencil.html" report-csl '#view=time&tile=12'
shoot "$work/both.html" report '#view=compare'
"$tilewright" compare axpy gemm stencil softmax --small --on ipu-mk2,wse3,aie,a2a3 --report "$work/four.html" >/dev/null
SIZE=1000x1205 SHOTS=$out node test/shoot.mjs "$work/four.html" compare
ls -l "$out"

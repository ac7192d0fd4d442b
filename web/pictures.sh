#!/bin/sh
# SPDX-License-Identifier: MIT
# web/pictures.sh TILEWRIGHT FOLDER: the pictures of docs/report.md, from examples. Run by `./dev pictures`.
set -eu
mkdir -p "$2"
out=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
web=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
sh "$web/samples.sh" "$1" "$work"
cd "$web"
shoot() { SHOTS=$out FULL=0 node test/shoot.mjs "$@"; }
shoot "$work/heat.html" report-poplar '#view=time'
shoot "$work/heat.html" report '#view=summary' '#view=memory' '#view=memory&tab=map' '#view=program' '#view=kernels' \
  '#view=time&tab=grid' '#view=memory&tab=liveness!dark'
shoot "$work/flash.html" report '#view=time'
shoot "$work/flash.html" report-pto '#view=memory&tab=map' '#view=memory&tab=liveness'
shoot "$work/aie.html" report-aie '#view=time' '#view=graph'
shoot "$work/stencil.html" report-csl '#view=time&tile=12'
shoot "$work/stencil.html" report '#view=motion&at=620&tile=7&route=0'
shoot "$work/both.html" report '#view=compare'
SIZE=1000x1205 SHOTS=$out node test/shoot.mjs "$work/four.html" compare
ls -l "$out"

#!/bin/sh
# SPDX-License-Identifier: MIT
# Published cycles of the vendor's IPU Model against ours: ipu.sh BUILD DIR. DIR is a checkout of graphcore/tutorials
# (branch sdk-release-3.1), of which tut6 is built with its own Makefile and run. Needs a C++ compiler and make.
# Prints each row and the error of the group: exp of the mean of |ln ratio|; what differs is explained in docs/model.md.
set -eu
build=$(cd "$1" && pwd)
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
program=$2/tutorials/poplar/tut6_matrix_vector_opt
[ -f "$program/tut6.cpp" ] || {
  echo "ipu.sh: there is no tutorials/poplar/tut6_matrix_vector_opt/tut6.cpp in $2 (branch sdk-release-3.1 has it)" >&2
  exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$program" "$work/tut6"
export PATH="$build/bin:$PATH" CPATH="$root/include${CPATH:+:$CPATH}" TILEWRIGHT_DEVICES=model
export LIBRARY_PATH="$build${LIBRARY_PATH:+:$LIBRARY_PATH}" LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
make -C "$work/tut6" >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
for chip in ipu1 ipu2; do
  (cd "$work/tut6" && ./tut6 10000 1000 --device "model-$chip") >"$work/$chip" 2>&1 || { cat "$work/$chip" >&2 && exit 1; }
done

# row CHIP PUBLISHED NAME LINE TILES: the number behind the line's beginning, whose commas go, for each of so many tiles.
row() {
  ours=$(sed -n "s/^ *$4: *\([0-9,]*\).*/\1/p" "$work/$1" | head -n 1 | tr -d ,)
  printf '%s, Mk%s|%s|%s|%s\n' "$3" "${1#ipu}" "$2" "${ours:-0}" "$5"
}
{
  row ipu2 6681766 'total cycles' 'Total cycles' 1
  row ipu2 3801.8 'compute of a tile, with idle threads' 'Total compute cycles (including idle threads)' 1472
  row ipu2 3717.6 'compute of a tile, without' 'Total compute cycles (excluding idle threads)' 1472
  row ipu2 8697.4 'exchange of a tile' 'Total IPU exchange cycles' 1472
  row ipu2 6663550.8 'host exchange of a tile' 'Total host exchange cycles' 1472
  row ipu2 1134.8 'sync of a tile' 'Total sync cycles' 1472
  row ipu2 53807 'largest estimate of cost' 'Worst cost seen' 1
  row ipu1 64373 'largest estimate of cost' 'Worst cost seen' 1
} | awk -F'|' '
  $3 <= 0 { print $1 ": no figure"; bad = 1; next }
  { ours = $3 / $4; ratio = ours / $2; off = log(ratio); if (off < 0) off = -off; sum += off; n++; if (off > worst) worst = off
    printf "%-41s %11.1f %11.1f %7.3f\n", $1, $2, ours, ratio }
  END { if (n) printf "tut6: %d rows, error %.3f, worst %.3f\n", n, exp(sum / n), exp(worst)
        exit bad || !n }'

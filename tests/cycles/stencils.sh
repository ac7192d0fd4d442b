#!/bin/sh
# SPDX-License-Identifier: MIT
# Published cycles of Elia-Belli/stencil-cerebras against ours: stencils.sh BUILD DIR. DIR holds checkouts of it:
# stencil-cerebras (248fe47: star2d, WSE-3) and stencil-cerebras-cd54d0e (Stencil2D, WSE-2). Needs python3 with numpy.
# Prints each row and the error of each group: exp of the mean of |ln ratio|.
set -eu
bin=$(cd "$1" && pwd)/bin
dir=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$bin:$PATH

# star FOLDER RADIUS ITERATIONS PUBLISHED: the program tells its seconds at 875 MHz.
star() {
  ours=$(cd "$work/wse/$1" && radius=$2 iterations=$3 bash commands.sh 2>"$work/log" |
    awk '/Time .device/ { printf "%d", $3 * 875e6 + 0.5 }') || true
  printf 'wse3|%s radius %s, %s iterations|%s|%s\n' "$1" "$2" "$3" "$4" "${ours:-0}"
}
# square PES SIZE SLOWEST [FASTEST]: the program leaves both in its table.
square() {
  (cd "$work/Stencil2D" && : >run_test_log.csv && mkdir -p out/output &&
    kernel_dim_x=$1 kernel_dim_y=$1 inp_rows=$2 inp_cols=$2 bash commands.sh) >"$work/log" 2>&1 || true
  tail -n 1 "$work/Stencil2D/run_test_log.csv" >"$work/row"
  printf 'wse2|Stencil2D %s x %s PEs, slowest|%s|%s\n' "$1" "$1" "$3" "$(cut -d, -f7 "$work/row")"
  [ -z "${4:-}" ] || printf 'wse2|Stencil2D %s x %s PEs, fastest|%s|%s\n' "$1" "$1" "$4" "$(cut -d, -f6 "$work/row")"
}

{
  if [ -d "$dir/stencil-cerebras/src/wse" ]; then
    cp -r "$dir/stencil-cerebras/src/wse" "$work/wse"
    star 1r-star2d 1 1 906
    star 1r-star2d 1 4 3598
    star star2d 2 1 2127
    star star2d 2 3 6362
    star star2d 3 1 2407
    star star2d 3 3 7253
  fi
  if [ -d "$dir/stencil-cerebras-cd54d0e/Stencil2D" ]; then
    cp -r "$dir/stencil-cerebras-cd54d0e/Stencil2D" "$work/Stencil2D"
    sed -i 's/--verify//' "$work/Stencil2D/commands.sh" # its check wants a folder of the vendor's compiler
    square 4 256 36679 34061
    square 8 256 12350 10787
    square 12 256 9395 8300
    square 16 256 4599 3779
    square 20 256 3720 3038
    square 24 256 3005 2426
    square 28 256 2802 2258
    square 32 256 2034 1582
    square 2 2 283
  fi
} | awk -F'|' '
  $4 <= 0 { print $2 ": no figure"; bad = 1; next }
  { ratio = $4 / $3; off = log(ratio); if (off < 0) off = -off; sum[$1] += off; n[$1]++; if (off > worst[$1]) worst[$1] = off
    printf "%-38s %8d %8d %7.3f\n", $2, $3, $4, ratio }
  END { for (g in n) { any = 1; printf "%s: %d rows, error %.3f, worst %.3f\n", g, n[g], exp(sum[g] / n[g]), exp(worst[g]) }
        if (!any) print "no checkout is there"
        exit bad || !any }'

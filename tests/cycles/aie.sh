#!/bin/sh
# SPDX-License-Identifier: MIT
# Published cycles of AI Engine kernels against ours: aie.sh BUILD DIR. DIR holds checkouts by the names of their
# repositories: onnx2versal, aie-intrinsics-nn, xup_aie_training, aie_api; rows whose programs are not there are left out.
# Prints each row and the error of the group: exp of the mean of |ln ratio|. A checkout that is there has to be whole: a
# program that is missing or does not run, or a row without its kernel, is said, and the status is 1.
set -eu
tilewright=$(cd "$1" && pwd)/bin/tilewright
dir=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TILEWRIGHT_AIE_API="$dir/aie_api" CXX=clang++-19
failed=0

# run FOLDER GRAPH OPTIONS...: profiles go to $work/cycles.json, cycles.json.2 ...; the last graph that was made comes first.
run() {
  rm -f "$work"/cycles.json*
  (cd "$1" && shift && "$tilewright" aie run "$@" --profile "$work/cycles.json" -o "$work/out") >"$work/log" 2>&1 || {
    failed=1
    rm -f "$work"/cycles.json*
    echo "$1/$2 does not run:" && tail -3 "$work/log"
  } >&2
}
# row PUBLISHED GRAPH KERNEL NAME: the cycles of a firing, of the graph with that number.
row() {
  file=$work/cycles.json
  [ "$2" = 1 ] || file=$file.$2
  [ -e "$work/cycles.json" ] || return 0 # its program does not run
  "$tilewright" profile "$file" | sed -n '/Cycles by kernel/,$p' | awk -v published="$1" -v kernel="$3" -v name="$4" '
    index($0, " " kernel " ") && match($0, /\([0-9]+ instances?\)/) {
      firings = substr($0, RSTART + 1) + 0; gsub(",", "", $NF); printf "%s|%d|%d\n", name, published, $NF / firings + 0.5
      found = 1; exit }
    END { exit !found }' || { failed=1 && echo "no cycles of $3 for the row $4" >&2; }
}

{ # no pipeline: what fails here has to end the script
  if [ -d "$dir/aie-intrinsics-nn" ]; then
    cd "$dir/aie-intrinsics-nn"
    mkdir -p "$work/in/data"
    awk 'BEGIN { for (i = 0; i < 2000; i++) print 1, 2, 3, 4 }' >"$work/in/data/x.txt"
    for n in 0 1 2 3; do cp "$work/in/data/x.txt" "$work/in/data/matA$n.txt" && cp "$work/in/data/x.txt" "$work/in/data/matB$n.txt"; done
    run gemm_i32/aie/api_benchmark/aie graph.cpp -i "$work/in" -I ..
    row 1071 1 kernels 'GEMM 16x32x16 int32'
    run gemv_i32/aie graph.cpp -i "$work/in"
    row 79 1 kernels 'GEMV 16x16 int32'
    awk 'BEGIN { for (i = 0; i < 2000; i++) print 1, 2, 3, 4, 5, 6, 7, 8 }' >"$work/in/data/x.txt"
    run gemv_i16/aie graph.cpp -i "$work/in"
    row 42 1 kernels 'GEMV 16x16 int16'
  fi
  if [ -d "$dir/xup_aie_training" ]; then
    cd "$dir/xup_aie_training/sources/matmult_lab"
    run aie src/graph.cpp -I src -i .
    row 257 1 matmult_float 'matmult float'
    row 202 1 matmult_int32 'matmult int32'
    row 60 1 matmult_int16 'matmult int16'
    row 34 1 matmult_int8 'matmult int8'
  fi
  if [ -d "$dir/onnx2versal" ]; then
    cd "$dir"
    from='-I design/aie_src -i data -DITER_CNT=1'
    run onnx2versal design/aie_src/graph_quantize_linear.cpp $from
    row 92121 4 quantize_linear QuantizeLinearScalar
    row 1977 3 quantize_linear QuantizeLinear
    row 1534 2 quantize_linear QuantizeLinearFmul
    row 1669 1 quantize_linear QuantizeLinearFmulStream
    run onnx2versal design/aie_src/graph_dequantize_linear.cpp $from
    row 296 2 dequantize_linear DequantizeLinearScalar
    row 154 1 dequantize_linear DequantizeLinear
    run onnx2versal design/aie_src/graph_qlinearsoftmax.cpp $from
    row 6410 2 qlinearsoftmax QLinearSoftmaxFloatmul
    row 5185 1 qlinearsoftmax QLinearSoftmaxSingleaxis
    run onnx2versal design/aie_src/graph_concat.cpp $from
    row 5858 19 concat ConcatScalar
    row 715 18 concat ConcatFloat
    row 283 8 concat ConcatInt8
  fi
} >"$work/rows"
awk -F'|' '
  { ratio = $3 / $2; off = log(ratio); if (off < 0) off = -off; sum += off; n++; if (off > worst) worst = off
    printf "%-28s %8d %8d %6.2f\n", $1, $2, $3, ratio }
  END { if (!n) { print "no checkout is there"; exit 1 }
        printf "%d rows, error %.2f, worst %.2f\n", n, exp(sum / n), exp(worst) }' "$work/rows" || failed=1
exit $failed

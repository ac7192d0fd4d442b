#!/bin/sh
# SPDX-License-Identifier: MIT
# run_example.sh SOURCE PROGRAM [ARGUMENT...]: runs an example; passes when it exits with 0 and its output holds the
# texts that the "prints: ..." lines of SOURCE announce, each in a later line or farther on in the same one.
source=$1
shift
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
"$@" >"$out"
status=$?
[ "$status" -eq 0 ] || { cat "$out"; echo "run_example: exit status $status"; exit 1; }
awk '
  NR == FNR { if (match($0, /prints: /)) want[++wanted] = substr($0, RSTART + RLENGTH); next }
  {
    line = $0
    while (found < wanted && (at = index(line, want[found + 1]))) line = substr(line, at + length(want[++found]))
    text = text $0 "\n"
  }
  END {
    if (!wanted) { print "run_example: the source does not say what it prints"; exit 1 }
    if (found < wanted) { printf "%srun_example: not printed: %s\n", text, want[found + 1]; exit 1 }
  }' "$source" "$out"

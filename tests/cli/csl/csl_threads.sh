#!/bin/sh
# SPDX-License-Identifier: MIT
# csl_threads.sh PROGRAM csl run LAYOUT [option...]: runs a program on the wafer with 1, 2 and 7 threads; trace,
# profile, memory of all PEs and what is printed have to be the same bytes.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
for threads in 1 2 7; do
  mkdir "$dir/$threads"
  "$@" --threads=$threads --trace="$dir/$threads/trace" --profile="$dir/$threads/profile" \
    --memory="$dir/$threads/memory" --stats >"$dir/$threads/out" 2>&1 ||
    { cat "$dir/$threads/out"; echo "csl_threads: exit status $? with $threads threads"; exit 1; }
  for file in trace profile memory out; do
    [ -s "$dir/$threads/$file" ] || { echo "csl_threads: no $file"; exit 1; }
    cmp "$dir/1/$file" "$dir/$threads/$file" || { echo "csl_threads: $threads threads differ"; exit 1; }
  done
done

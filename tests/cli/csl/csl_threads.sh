#!/bin/sh
# SPDX-License-Identifier: MIT
# csl_threads.sh PROGRAM csl run LAYOUT [option...]: runs a program on the wafer with 1, 2 and 7 threads; trace,
# profile, memory of all PEs and what is printed have to be the same bytes. The run with 2 threads takes two
# checkpoints; that with 7 is resumed from the first, early one, prints what is left, and takes the second one as well.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed() { echo "csl_threads: $1"; exit 1; }
# run NAME PROGRAM ...: into a folder of that name, to be compared with the first one.
run() {
  name=$1
  shift
  mkdir "$dir/$name"
  "$@" --trace="$dir/$name/trace" --profile="$dir/$name/profile" --memory="$dir/$name/memory" --stats \
    >"$dir/$name/out" 2>&1 || { cat "$dir/$name/out"; failed "exit status $?: $name"; }
  for file in trace profile memory out; do
    [ -s "$dir/$name/$file" ] || failed "no $file: $name"
    [ "$name $file" = "resumed out" ] || cmp "$dir/plain/$file" "$dir/$name/$file" || failed "$name: differs"
  done
}
run plain "$@" --threads=1
end=$(tail -n 1 "$dir/plain/out")
first=$((${end%% *} / 8 + 1)) second=$((${end%% *} * 3 / 4))
run saved "$@" --threads=2 --save-at=$first,$second --save="$dir/save"
run resumed "$@" --threads=7 --resume="$dir/save.$first" --save-at=$second --save="$dir/again"
cmp "$dir/save.$second" "$dir/again" || failed "a resumed run takes another checkpoint"
lines=$(wc -l <"$dir/resumed/out")
tail -n "$lines" "$dir/plain/out" | cmp - "$dir/resumed/out" || failed "a resumed run prints something else"

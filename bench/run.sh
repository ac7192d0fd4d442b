#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the benchmarks of a build folder: run.sh FOLDER [--markdown] [NAME]. With --markdown each runs TIMES times
# (default 3), and the medians of its rows (rows.h) replace what stands between `<!-- bench: NAME -->` and
# `<!-- end -->` in docs/performance.md (PAGE=... for another page). Status 1 when a limit is missed.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
folder=$1 page=${PAGE:-$here/../docs/performance.md} times=1 markdown=
shift
if [ "${1:-}" = --markdown ]; then
  markdown=1 times=${TIMES:-3}
  shift
fi
rows=$folder/bench.rows
mkdir -p "$rows"

table() { # table NAME: its medians into the page
  grep -q "^<!-- bench: $1 -->\$" "$page" || { echo "bench: $page has no place for $1" >&2; return 1; }
  [ -s "$rows/$1" ] || { echo "bench: $1 measured nothing, its table stays" >&2; return 0; }
  awk -v name="$1" -f "$here/markdown.awk" "$rows/$1" "$page" >"$rows/page" && cat "$rows/page" >"$page"
}

ran= missed=
for program in "$folder"/bench_*; do
  if [ ! -x "$program" ] || [ ! -f "$program" ]; then continue; fi
  name=$(basename "$program")
  case $name in *"${1:-}"*) ;; *) continue ;; esac
  printf '\n== %s\n' "$name"
  rm -f "$rows/$name"
  i=0
  while [ $i -lt "$times" ]; do
    BENCH_ROWS=${markdown:+$rows/$name} "$program" || case $missed in *" $name") ;; *) missed="$missed $name" ;; esac
    i=$((i + 1))
  done
  [ -z "$markdown" ] || table "$name" || missed="$missed page"
  ran=1
done
[ -n "$ran" ] || { echo "dev: no benchmark matches '${1:-}'" >&2; exit 1; }
[ -z "$missed" ] || { echo "dev: limits missed:$missed" >&2; exit 1; }

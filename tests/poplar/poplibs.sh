#!/bin/sh
# poplibs.sh DIR [WORD...]: do the host sources of a checkout of PopLibs (branch sdk-release-2.2) compile against
# <poplar/...>? Syntax only: one line for each file whose path has one of the words, with its first error.
# Needs Debian's libboost-dev, libtbb-dev, libspdlog-dev and libfmt-dev; JOBS=n works on n files at a time.
set -eu
[ $# -ge 1 ] || { sed -n 2,4p "$0" >&2; exit 2; }
here=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
checkout=$(CDPATH='' cd -- "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# fmt 9 formats through << only when asked; older standard libraries took a few braced pairs that narrow.
flags="-std=c++17 -fsyntax-only -Wall -pedantic-errors -Wvla -Wno-narrowing -Wno-deprecated-declarations
 -DFMT_DEPRECATED_OSTREAM -DSPDLOG_FMT_EXTERNAL -DBOOST_ICL_USE_STATIC_BOUNDED_INTERVALS
 -isystem $here/include -I$checkout/include"
for folder in "$checkout"/lib/* "$checkout"/lib/*/include; do
  [ -d "$folder" ] && flags="$flags -I$folder"
done

cd "$checkout"
files=$(find lib -name '*.cpp' ! -path '*/codelets/*' ! -path '*/tests/*' | sort)
for file in $files; do
  [ $# -eq 0 ] && { echo "$file"; continue; }
  for word; do case $file in *"$word"*) echo "$file"; break ;; esac; done
done >"$work/files"

export flags work
# shellcheck disable=SC2016  # the inner shell expands these
xargs -P "${JOBS:-2}" -I '{}' sh -c '
  name=$(printf %s "$1" | tr / _)
  if ${CXX:-g++} $flags "$1" >"$work/$name.log" 2>&1; then echo "passed  $1" >"$work/$name.result"
  else echo "FAILED  $1: $(grep -m1 -E "error:" "$work/$name.log" || head -n 1 "$work/$name.log")" >"$work/$name.result"
  fi
  cat "$work/$name.result"' sh '{}' <"$work/files"
passed=$(cat "$work"/*.result 2>/dev/null | grep -c '^passed' || :)
failed=$(cat "$work"/*.result 2>/dev/null | grep -c '^FAILED' || :)
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]

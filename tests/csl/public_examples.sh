#!/bin/sh
# SPDX-License-Identifier: MIT
# public_examples.sh BIN DIR [WORD]: runs commands_wse2.sh and commands_wse3.sh (in older ones commands.sh) of every program below DIR, a checkout of the
# vendor's public examples, with our cslc and cs_python from the folder BIN; WORD keeps programs whose path contains it.
# One line each: pass, FAIL and the last line of what it printed, or skip when a Python module is missing. JOBS at a time
# (default 2), LIMIT seconds each (default 300). What was printed stays in OUT (default: a new folder in /tmp).
set -u
bin=$(cd "$1" && pwd) dir=$(cd "$2" && pwd) word=${3:-}
out=${OUT:-$(mktemp -d)}
mkdir -p "$out"

run_one() { # run_one commands file
  commands=$1
  arch=$(basename "$commands" .sh)
  arch=${arch#commands_}
  [ "$arch" != commands ] || arch=any
  folder=$(dirname "$commands")
  name=$(basename "$folder")
  log=$out/$name.$arch.log
  work=$(mktemp -d)
  # Some programs reach into folders beside their own.
  cp -r "$(dirname "$folder")" "$work/all"
  status=0
  (cd "$work/all/$name" && PATH=$bin:$PATH MPLBACKEND=agg timeout "${LIMIT:-300}" bash "./$(basename "$commands")") >"$log" 2>&1 ||
    status=$?
  rm -rf "$work"
  missing=$(sed -n "s/^ModuleNotFoundError: No module named '\([^']*\)'.*/\1/p" "$log" | head -n 1)
  if [ $status -eq 0 ]; then echo "pass  $arch $name"
  elif [ -n "$missing" ]; then echo "skip  $arch $name: python3 has no module $missing"
  elif [ $status -eq 124 ]; then echo "FAIL  $arch $name: more than ${LIMIT:-300} seconds"
  else
    echo "FAIL  $arch $name: $(grep -m 1 -E 'error:|Error' "$log" || tail -n 1 "$log")"
  fi
}

if [ "${4:-}" = one ]; then
  run_one "$word"
  exit 0
fi
find "$dir" -name 'commands_wse?.sh' -o -name commands.sh | sort | { [ -z "$word" ] && cat || grep -e "$word"; } |
  xargs -r -P "${JOBS:-2}" -I '{}' env OUT="$out" sh "$0" "$bin" "$dir" '{}' one >"$out/results"
sort -k 3,3 -k 2,2 "$out/results"
echo "$(grep -c ^pass "$out/results") passed, $(grep -c ^FAIL "$out/results") failed, $(grep -c ^skip "$out/results") skipped; logs in $out"
! grep -q ^FAIL "$out/results"

# SPDX-License-Identifier: MIT
# For the scripts of the folders here: `source build` as arguments, a folder of one's own, checks that say what failed.
set -u
source=$1
build=$2
tilewright=$build/bin/tilewright
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache"
failures=0

fail() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}

# expect STATUS COMMAND...: runs it, output in $work/out and $work/err.
expect() {
  wanted=$1
  shift
  "$@" >"$work/out" 2>"$work/err" </dev/null
  got=$?
  [ "$got" -eq "$wanted" ] || { fail "exit status $got instead of $wanted: $*"; cat "$work/out" "$work/err"; }
}

# prints out|err TEXT: the last command wrote it there.
prints() {
  grep -qF -e "$2" "$work/$1" || { fail "'$2' is not in std$1:"; cat "$work/$1"; }
}

finish() {
  [ "$failures" -eq 0 ] || exit 1
  exit 0
}

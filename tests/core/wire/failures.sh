#!/bin/sh
# SPDX-License-Identifier: MIT
# Ranks that do different things, wait for each other, leave or are killed: the run ends, and says why.
# Arguments: misbehave, then the launcher with its options.
set -u
program=$1
shift
out=$(mktemp)
trap 'rm -f "$out"' EXIT
failed=0
run() { # how, ranks, what has to be said
    how=$1 ranks=$2
    shift 2
    timeout 60 $launcher -n "$ranks" "$program" "$how" >"$out" 2>&1
    status=$?
    if [ $status -eq 0 ] || [ $status -eq 124 ]; then
        echo "$how with $ranks ranks: ends with $status"; failed=1
    fi
    for said in "$@"; do
        grep -q -- "$said" "$out" || { echo "$how with $ranks ranks: nothing says '$said' in"; cat "$out"; failed=1; }
    done
}
launcher=$*
for ranks in 2 4; do
    run diverge $ranks "do different things" "tw_engine_run (misbehave.c:" "tw_engine_read 'y' (misbehave.c:" "call 13 is"
    run deadlock $ranks "do different things" "from the first (misbehave.c:" "from the last (misbehave.c:"
    run skip $ranks "do different things" "tw_engine_write 'x' (misbehave.c:" "call 3 is"
    run leave $ranks "do different things" "the end of the program" "a round (misbehave.c:"
    run late $ranks "has waited 2 s for rank" "in a round; TILEWRIGHT_MPI_TIMEOUT"
    begin=$(date +%s)
    run killed $ranks "signal 9"
    [ $(($(date +%s) - begin)) -le 20 ] || { echo "killed: took longer than 20 s"; failed=1; }
done
exit $failed

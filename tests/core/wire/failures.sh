#!/bin/sh
# SPDX-License-Identifier: MIT
# Ranks that do different things, wait for each other, leave or are killed: the run ends, and says why.
# Arguments: misbehave, then the launcher with its options.
set -u
program=$1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
out=$work/out
# what ranks that are killed leave of their shared memory
export OMPI_MCA_btl_vader_backing_directory="$work" TW_ASKED="$work/asked"
failed=0
fine=0 # status that no run ends with
run() { # how, ranks, what has to be said
    how=$1 ranks=$2
    shift 2
    timeout 60 $launcher -n "$ranks" "$program" "$how" >"$out" 2>&1
    status=$?
    if [ "$status" = "$fine" ] || [ $status -eq 124 ]; then
        echo "$how with $ranks ranks: ends with $status"; failed=1
    fi
    for said in "$@"; do
        grep -q -- "$said" "$out" || { echo "$how with $ranks ranks: nothing says '$said' in"; cat "$out"; failed=1; }
    done
}
launcher=$*
for ranks in 2 4; do
    run diverge $ranks "do different things" "tw_engine_run (misbehave.c:" "tw_engine_read 'y' (misbehave.c:" "call 14 is"
    run deadlock $ranks "do different things" "from the first (misbehave.c:" "from the last (misbehave.c:"
    run skip $ranks "do different things" "tw_engine_write 'x' (misbehave.c:" "call 4 is"
    run leave $ranks "do different things" "the end of the program" "a round (misbehave.c:"
    run late $ranks "has waited 2 s for rank" "in a round; TILEWRIGHT_MPI_TIMEOUT"
    begin=$(date +%s)
    run killed $ranks "signal 9"
    [ $(($(date +%s) - begin)) -le 20 ] || { echo "killed: took longer than 20 s"; failed=1; }
done
run leave_longer 2 "do different things" "the end of the program" "a value (misbehave.c:"
# At the end of a run: the last rank is at the end of the program, or reads.
run leave_run 2 "do different things" "the end of the program" "the end of a run"
# All but the last fail; who is at the end hears of them in any order.
run leave_failed 4 "is at the end of the program, but rank [012] has failed in a run: a vertex has failed"
run read_failed 2 "do different things" "tw_engine_read 'y'" "tw_engine_run of a program"
# Who waits at the end asks what the others do, and all of that is received before MPI ends.
for ranks in 2 3 4; do
    timeout 60 $launcher -n $ranks "$program" asked_at_end >"$out" 2>&1 &&
        awk '/^asked/ { asked += $2; heard += $4 } END { exit !(asked && asked == heard) }' "$out" ||
        { echo "asked_at_end with $ranks ranks: not all is received"; cat "$out"; failed=1; }
    rm -f "$TW_ASKED"
done
# A program that starts and ends MPI itself.
timeout 60 $launcher -n 3 "$program" own_mpi >"$out" 2>&1 || { echo "own_mpi fails"; cat "$out"; failed=1; }
# A launcher that lets the others wait: they find out.
launcher="$launcher --enable-recovery"
fine=none # it has its own idea
run killed_at_end 2 "rank 0 waits in the end of a run, but rank 1 (process" "is gone"
run killed_before 2 "next wait: nothing yet" "but rank 1 (process"
run killed 4 "waits in a round, but rank 3 (process"
# The same where each rank is on a machine of its own, as far as it can tell.
own='hostname "$1"; shift; exec "$@"'
if unshare --user --map-root-user --uts sh -c "$own" sh elsewhere true 2>/dev/null; then
    misbehave=$program
    program=$(mktemp)
    printf '#!/bin/sh\nexec unshare --user --map-root-user --uts sh -c '\''%s'\'' sh "m$OMPI_COMM_WORLD_RANK" "%s" "$@"\n' \
        "$own" "$misbehave" >"$program"
    chmod +x "$program"
    run killed_at_end 2 "rank 0 waits in the end of a run, but rank 1 (process" "of another machine) is gone"
    rm -f "$program"
else
    echo "no machines of one's own here: a rank that is killed on another one is not tested"
fi
exit $failed

# SPDX-License-Identifier: MIT
# `tilewright run -n`: the same output, picture and profile as of one process; ranks that are not alike, or too many, are
# told what would be right.
. "$1/tests/cli/lib.sh"
heat=$source/examples/poplar/heat/heat.c
unequal=$source/tests/cli/poplar/unequal.c

expect 1 "$tilewright" run -n 0 "$heat"
prints err "-n is a number of ranks from 1 to 65536, not '0'"
expect 1 "$tilewright" run -n 2x "$heat"
prints err "not '2x'"
expect 2 "$tilewright" run --hosts a,b "$heat"
prints err '--hosts needs -n'
expect 2 "$tilewright" run -n
prints err "'-n' needs a value"
if ! ls "$build"/tilewright/wire-*.so >/dev/null 2>&1; then
    expect 1 "$tilewright" run -n 2 "$heat"
    prints err 'built without MPI (Debian: apt install libopenmpi-dev'
    echo "no MPI here: runs of several ranks are skipped"
    exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Open MPI's mpirun reads memory that it has not written when two ranks abort at once, and dies of what is there.
unset MALLOC_PERTURB_
# containers may forbid copies from process to process, and say so on the standard error
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none

# One process and two.
expect 0 "$tilewright" run --profile "$work/a.json" "$heat" "$work/a.ppm" 3e-3
grep -v '^picture' "$work/out" >"$work/alone"
expect 0 "$tilewright" run -n 2 --profile "$work/b.json" -DHEAT "$heat" "$work/b.ppm" 3e-3
grep -v '^picture' "$work/out" >"$work/ranks"
cmp "$work/alone" "$work/ranks" || fail "two ranks print something else"
cmp "$work/a.ppm" "$work/b.ppm" || fail "two ranks draw another picture"
for file in a b; do sed 's/"microseconds": *[0-9.e+-]*//g' "$work/$file.json" >"$work/$file.same"; done
cmp "$work/a.same" "$work/b.same" || fail "two ranks have another profile"

# Ranks that are not alike.
expect 0 "$tilewright" run -n 4 "$unequal" nothing
prints out 'values 0 to 39'
expect 0 "$tilewright" run -n 2 --all-output "$unequal" nothing
[ "$(grep -c 'values 0 to 39' "$work/out")" = 2 ] || fail "--all-output shows one rank"
full() { # command: where its output cannot be written
    "$tilewright" "$@" >/dev/full 2>"$work/err" </dev/null && fail "nothing is wrong with what cannot be written: $*"
    prints err "cannot write the output of the ranks: No space left on device"
}
if [ -c /dev/full ]; then
    full run -n 2 "$unequal" nothing
    full run -n 2 --profile "$work/full.json" "$unequal" nothing
    [ -s "$work/full.json" ] || fail 'no profile where the output cannot be written'
fi
unlike() { # how, what is said
    expect 1 "$tilewright" run -n 2 "$unequal" "$1"
    prints err "$2"
}
unlike name "variable 'other' (number 1) of rank 1 is not that of rank 0"
unlike shape "variable 'second' (number 1) of rank 1 is not that of rank 0"
unlike mapping "variable 'second' (number 1) of rank 1 is not that of rank 0"
unlike program 'program: rank 1 has 3 of them, rank 0 has 2'
unlike call 'do different things: call '
unlike values "mpi.verify: after this run variable 'first' has other values on rank 1 than on rank 0"
expect 1 "$tilewright" run -n 3 "$unequal" nothing
prints err '3 ranks do not divide the 4 IPUs of the target: start a number of ranks that does, or set mpi.map=tiles'
expect 1 "$tilewright" run -n 6 "$unequal" nothing
prints err '6 ranks cannot share 4 IPUs of 4 tiles'
POPLAR_ENGINE_OPTIONS='{"mpi.map": "tiles"}' expect 0 "$tilewright" run -n 3 "$unequal" nothing
prints out 'values 0 to 39'
# Ctrl-C, where no rank would ever end: the launcher ends all of them, and there is no profile of what they ran.
cat >"$work/endless.c" <<'END'
#include <stdio.h>
#include <tilewright/tilewright.h>
#include <unistd.h>
int main(void)
{
    tw_device *device = tw_device_by_name(NULL, TW_MK2, 2);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_tensor a = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 64 }, "a"),
              b = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 64 }, "b");
    tw_graph_map(g, a, 0), tw_graph_map(g, b, 2000);
    tw_program copy = tw_program_copy(g, a, b);
    tw_engine *e = tw_engine_new_programs(g, 2, (tw_program[]){ copy, tw_program_repeat(g, 4000000000u, copy) }, NULL);
    if (tw_engine_load(e, device) != TW_OK || tw_engine_run(e, 0) != TW_OK) return 1;
    printf("runs %d\n", (int)getpid()), fflush(stdout);
    for (;;) tw_engine_run(e, 1);
}
END
cat >"$work/waits.c" <<'END'
#include <stdio.h>
#include <unistd.h>
int main(void) /* starts no MPI, which would notice that its launcher is gone */
{
    printf("runs %d\n", (int)getpid()), fflush(stdout);
    for (;;) pause();
}
END
gone() { # of what
    for rank in $(sed -n 's/^runs //p' "$work/out"); do
        tries=0
        while kill -0 "$rank" 2>/dev/null; do
            sleep 0.05
            tries=$((tries + 1))
            [ $tries -lt 1000 ] || { fail "a rank is left behind at $1"; kill -9 "$rank"; }
        done
    done
}
interrupted() { # signal, "" or "-" for the whole group, options and program
    number=$1 whom=$2
    shift 2
    : >"$work/out"
    setsid env --default-signal=INT "$tilewright" run -n 2 --all-output "$@" >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    until [ "$(grep -c '^runs [0-9]*$' "$work/out")" = 2 ]; do
        kill -0 $pid 2>/dev/null || { fail "ended by itself"; cat "$work/out" "$work/err"; return; }
        sleep 0.05
    done
    kill -s "$number" -- "$whom$pid"
    wait $pid && fail "ended with 0 at $number: $*"
    gone "$number: $*"
}
if env --default-signal=INT true 2>/dev/null; then
    interrupted INT "" "$work/endless.c"
    interrupted INT "" --profile "$work/none.json" "$work/endless.c"
    interrupted TERM - "$work/waits.c"
    # Who reads the output has gone: as of one process, and the launcher does not die of it.
    printf '#include <stdio.h>\n#include <unistd.h>\nint main(void)\n{\n    for (;;) printf("runs %%d\\n", (int)getpid());\n}\n' >"$work/much.c"
    { env --default-signal=PIPE "$tilewright" run -n 2 "$work/much.c" 2>"$work/err"; echo $? >"$work/status"; } | head -n 1 >"$work/out"
    [ "$(cat "$work/status")" = 141 ] || { fail "ends with $(cat "$work/status") where nobody reads"; cat "$work/err"; }
    gone "a pipe"
    [ ! -e "$work/none.json" ] || fail "a profile of ranks that were ended"
fi
# A signal to the command alone goes on to its launcher, long before this one gives up; one for the group is there
# already, and comes no second time.
mkdir "$work/bin"
cat >"$work/bin/mpirun.openmpi" <<'END'
#!/bin/sh
told=0
trap 'told=$((told + 1)); echo told' TERM
sleep 5 >/dev/null &
kill -s TERM "${WHOM:-$PPID}"
until [ $told -gt 0 ] || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
[ $told -gt 0 ] || echo nothing comes
for more in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; done
exit 3
END
chmod +x "$work/bin/mpirun.openmpi"
cp "$work/bin/mpirun.openmpi" "$work/bin/mpiexec.mpich"
for whom in '' 0; do
    expect 3 env WHOM=$whom PATH="$work/bin:$PATH" setsid "$tilewright" run -n 2 "$unequal" nothing
    [ "$(cat "$work/out")" = told ] || { fail "the launcher is told otherwise than once, of a signal to ${whom:-the command}"; cat "$work/out" "$work/err"; }
done
# A rank starts no others, which Open MPI refuses in many words.
if [ -e "$build/tilewright/wire-openmpi.so" ]; then
    OMPI_COMM_WORLD_RANK=1 expect 1 "$tilewright" run -n 2 "$unequal" nothing
    prints err 'this is rank 1 of a run, and mpirun starts none from a rank: leave -n out'
fi
# No module for the launcher: told, and how to go on alone.
OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 TILEWRIGHT_MPI=off expect 0 "$tilewright" run "$unequal" nothing
if [ ! -e "$build/tilewright/wire-mpich.so" ]; then
    PMI_SIZE=2 PMI_RANK=1 expect 1 "$tilewright" run "$unequal" nothing
    prints err 'this is rank 1 of 2 that MPICH started, but the module for it cannot be loaded'
    prints err 'apt install libmpich-dev), or set TILEWRIGHT_MPI=off'
fi
finish

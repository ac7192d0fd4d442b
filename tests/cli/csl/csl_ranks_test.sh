# SPDX-License-Identifier: MIT
# `tilewright csl run -n`: arrays, streams, reports and messages as of one process; what cannot be shared is told with what
# would be right.
. "$1/tests/cli/lib.sh"
layout=$source/tests/cli/csl/ranks/layout.csl
expect 1 "$tilewright" csl run -n 0 "$layout"
prints err "-n is a number of ranks from 1 to 65536, not '0'"
expect 2 "$tilewright" csl run --hosts a,b "$layout"
prints err '--hosts needs -n'
expect 2 "$tilewright" csl run "$layout" -n
prints err "'-n' needs a value"
expect 2 "$tilewright" csl python -n
prints err "'-n' needs a value"
expect 2 "$tilewright" csl debug -n 2 "$layout"
prints err 'csl debug is for one process'
if ! ls "$build"/tilewright/wire-*.so >/dev/null 2>&1; then
    expect 1 "$tilewright" csl run -n 2 "$layout"
    prints err 'built without MPI (Debian: apt install libopenmpi-dev'
    echo "no MPI here: runs of several ranks are skipped"
    exit 77
fi
# Open MPI's mpirun reads memory that it has not written when two ranks abort at once, and dies of what is there.
unset MALLOC_PERTURB_
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# containers may forbid copies from process to process, and say so on the standard error
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
cd "$work" || exit 1

# Arrays in and out, a stream in and another one out: one process and three with rows of their own.
expect 0 "$tilewright" csl run "$layout" --in v=ramp --out v=in.npy
with() { # folder, then options in front
    mkdir "$1"
    to=$1
    shift
    expect 0 "$tilewright" csl run "$@" "$layout" --in v=ramp --launch f --send 1=in.npy --receive 2:2="$to/r.npy" \
        --out v="$to/v.npy" --stats
    cp out "$to/out"
}
with one
TILEWRIGHT_WSE_CUT=1,4 with three -n 3
for file in r.npy v.npy out; do cmp "one/$file" "three/$file" || fail "three ranks have another $file"; done

# A deadlock and a fault: the report of one process, from the first rank alone.
for wrong in 1 2; do
    expect 1 "$tilewright" csl run --params=wrong:$wrong "$layout" --in v=ramp --launch f
    cp err alone
    expect 1 "$tilewright" csl run -n 2 --params=wrong:$wrong "$layout" --in v=ramp --launch f
    sed '/^--*$/,/^--*$/d; /^$/d' err >ranks # without what the launcher says, wherever it stands
    cmp alone ranks || { fail "two ranks report something else"; cat alone err; }
done

# <message_passing>: what comes in which order at which cycle, twice; a message that cannot go; messages nobody takes.
messages() { # folder, status, then options in front
    mkdir "$1"
    to=$1 status=$2
    shift 2
    TILEWRIGHT_WSE_CUT=1,4 expect "$status" "$tilewright" csl run "$@" "$source/tests/cli/csl/ranks/messages.csl" --arch=wse3 \
        --launch go --launch go --stats --out out=out.npy
    sed '/^--*$/,/^--*$/d; /^$/d' err >"$to/err"
    cp out "$to/out"
    [ "$status" = 1 ] || cp out.npy "$to/out.npy"
}
for wrong in 0 1 2; do
    messages alone.$wrong $((wrong > 0)) --params=wrong:$wrong
    messages ranks.$wrong $((wrong > 0)) --params=wrong:$wrong -n 3
    diff -r alone.$wrong ranks.$wrong || fail "three ranks with messages, wrong = $wrong, are not as one process"
done
grep -q 'a message to PE 0,0, whose program does not import' ranks.1/err || fail "a message to PE 0,0 goes"
grep -q 'a message of [0-9]* element(s) from PE 0,4 waits' ranks.2/err || fail "no message of another rank waits"

# What cannot be shared.
expect 1 "$tilewright" csl run -n 6 "$layout"
prints err '6 ranks cannot share the 5 rows of PEs of this wafer, since each has whole rows: start 5 at most'
prints err '[ranks 0 to 5] tilewright csl: '
[ "$(grep -c 'cannot share' err)" = 1 ] || { fail 'what all ranks refuse is told several times'; cat err; }
expect 1 "$tilewright" csl run -n 3 "$layout" --launch nothing
prints err "[ranks 0 to 2] tilewright csl: the program exports no 'nothing'; it exports v, f"
[ "$(grep -c 'exports no' err)" = 1 ] || { fail 'what all ranks refuse is told several times'; cat err; }
expect 2 "$tilewright" csl run -n 2 -
prints err 'the first of several ranks alone has the standard input: name a file'
expect 2 "$tilewright" csl run -n 2 "$layout" --in v=-
prints err 'the first of several ranks alone has the standard input: name a file'
expect 0 "$tilewright" csl run -n 3 "$layout" --in v=ramp --launch f --send 1=in.npy --profile - --stats
[ "$(grep -c 'cycles on 3 x 5 PEs' err)" = 1 ] || { fail 'ranks tell their cycles'; cat err; }
echo 'layout { @set_rectangle(1, 1); const x: i32 = y; }' >wrong.csl
once() { # status, what is told, then words of csl run
    status=$1 said=$2
    shift 2
    expect "$status" "$tilewright" csl run -n 3 "$@"
    [ "$(grep -cF -e "$said" err)" = 1 ] || { fail "not told once: $said"; cat err; }
}
once 1 '[ranks 0 to 2] tilewright csl: cannot open none.npy' "$layout" --in v=none.npy
once 1 '[ranks 0 to 2] tilewright csl: the output in.npy is also an input' "$layout" --in v=in.npy --out v=in.npy
once 1 "[ranks 0 to 2] tilewright csl: 'one/v.npy' has the shape (5, 3, 2)" "$layout" --in v@0,0,2,1=one/v.npy
once 1 "[ranks 0 to 2] tilewright csl: 'err' is neither a layout" err
once 1 "wrong.csl:1:47: error: 'y' is not declared" wrong.csl
once 1 "tilewright csl: 'wrong.csl' has 1 error" wrong.csl
once 2 "'1,2' is no rectangle X,Y,W,H" "$layout" --in v@1,2=in.npy
TILEWRIGHT_WSE_CUT=5 expect 1 "$tilewright" csl run -n 2 "$layout"
prints err "TILEWRIGHT_WSE_CUT is '5': with 2 ranks it holds 1 row"

# Ranks with other programs: what the launcher starts may differ.
cat >unlike.sh <<'END'
exec "$0" csl run "$1" --params=wrong:$((${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}} * $2)) --check=$(
    [ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = 0 ] && echo error || echo "$3")
END
launcher=$(command -v mpirun.openmpi || command -v mpirun || command -v mpiexec)
expect 1 "$launcher" -n 2 sh -c "$(cat unlike.sh)" "$tilewright" "$layout" 1 error
prints err 'has another program than rank 0: all ranks have to run the same program with the same options'
cat >unlike_names.sh <<'END'
exec "$0" csl run "$1" --launch "none${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}"
END
expect 1 "$launcher" -n 2 sh -c "$(cat unlike_names.sh)" "$tilewright" "$layout"
prints err "tilewright csl: the program exports no 'none0'"
prints err "[rank 1] tilewright csl: the program exports no 'none1'"
cat >unlike_sources.sh <<'END'
exec "$0" csl run "wrong${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}.csl"
END
cp wrong.csl wrong0.csl
cp wrong.csl wrong1.csl
expect 1 "$launcher" -n 2 sh -c "$(cat unlike_sources.sh)" "$tilewright"
prints err "'wrong0.csl' has 1 error"
prints err "'wrong1.csl' has 1 error"
expect 1 "$launcher" -n 2 sh -c "$(cat unlike.sh)" "$tilewright" "$layout" 0 strict
prints err 'has another set of options than rank 0'

# The same library behind host scripts in Python.
if "${TILEWRIGHT_PYTHON:-python3}" -c 'import numpy' 2>/dev/null || /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    expect 0 "$build/bin/cslc" "$source/examples/csl/stencil/layout.csl" --arch=wse3 --fabric-dims=12,7 --fabric-offsets=4,1 \
        --memcpy --channels=1 -o folder
    expect 0 "$tilewright" csl python "$source/examples/csl/stencil/run.py" --name folder --steps 20
    cp out alone
    expect 0 "$tilewright" csl python -n 2 "$source/examples/csl/stencil/run.py" --name folder --steps 20
    cmp alone out || fail "two ranks print something else in Python"
fi
finish

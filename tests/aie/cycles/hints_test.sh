# SPDX-License-Identifier: MIT
# What the source says of its loops is read and changes what they take, by what the vendor's guide says of each hint
# (UG1079, Loops; Loop Flattening and Unrolling); values stay. 77: no clang 19, or no module with LLVM.
. "$1/tests/cli/lib.sh"
command -v clang++-19 >/dev/null && [ -e "$build/tilewright/ir.so" ] || exit 77
export CXX=clang++-19
cp "$source/tests/aie/cycles/hints.cpp" "$work/" && cd "$work" || exit 1
seq 1 400 >x.txt
expect 0 "$tilewright" aie run hints.cpp -i . -o plain
expect 0 "$tilewright" aie run hints.cpp -i . -o counted --profile cycles.json
for file in plain surely twice often four all around overlapped lands; do
  cmp -s plain/$file.txt counted/$file.txt || fail "other values in $file.txt"
done
"$tilewright" profile cycles.json | sed -n '/Cycles by kernel/,$p' | tee cycles.txt
cycles_of() {
  awk -v name="$1" '$1 == name { gsub(",", "", $NF); print $NF; exit }' cycles.txt
}
is() { # is TEXT EXPRESSION
  [ "$(($2))" = 1 ] || fail "$1: not $2"
}
loop_of() { # the lines of the loops of a function
  awk -v name="$1:" '/^[a-z_]+:$/ { here = $0 == name } here && / loop, / { print }' out
}
expect 0 "$tilewright" aie cycles hints.cpp
# A loop that surely turns is entered without asking: a branch of five cycles less. Sixteen turns and more may overlap as
# they like; of two that it surely makes, two: half of the length (13 cycles) at least.
is 'chess_loop_range(1,)' "$(cycles_of plain) - $(cycles_of surely) == 5"
is 'chess_loop_range(16,)' "$(cycles_of often) == $(cycles_of surely)"
loop_of often | grep -q 'pipelined loop, .* 13 cycles, a turn every 3$' || fail "often: $(loop_of often)"
loop_of twice | grep -q 'pipelined loop, .* 13 cycles, a turn every 7$' || fail "twice: $(loop_of twice)"
is 'chess_loop_range(2,)' "$(cycles_of twice) - $(cycles_of often) == 15 * 4"
# Four turns in one are not dearer than four, and all of them are no loop.
loop_of four | grep -q 'a turn every 12$' || fail "four: $(loop_of four)"
[ "$(loop_of four | wc -l)" = 1 ] || fail "four: $(loop_of four)"
[ -z "$(loop_of all)" ] || fail "all: $(loop_of all)"
is 'chess_unroll_loop(*)' "$(cycles_of all) <= $(cycles_of four)"
# A loop that held another is pipelined where the source asks for it: two words in and two out, one of each a cycle.
loop_of around | grep -q ': loop, ' || fail "around: $(loop_of around)"
loop_of overlapped | grep -q 'pipelined loop, ' || fail "overlapped: $(loop_of overlapped)"
is 'chess_prepare_for_pipelining' "$(cycles_of overlapped) < $(cycles_of around) / 2"
# Two loads, two stores a turn, whole numbers of one lane: no vectors of the host's optimiser.
loop_of pairs | grep -q 'pipelined loop, .* a turn every 4$' || fail "pairs: $(loop_of pairs)"
awk '/^pairs:$/ { on = 1; next } /^[a-z_]+:$/ { on = 0 } on && /vmove|vector/' out | grep . && fail 'pairs: vectors'
# Code that an exception might leave is counted: 64 words in and out, each at least two cycles.
is 'landing pads' "$(cycles_of lands) > 64 * 4"
expect 1 "$tilewright" aie cycles hints.cpp -DJUMPS
prints err "function 'jumps', line 69: the cycles of a computed goto cannot be counted: write a switch"
finish

# SPDX-License-Identifier: MIT
# Cycles from the compiler's code: kernels of our own, whose loops are worked out by hand, give what they should, and the
# same values as a run without counters. 77: no clang 19, or no module with LLVM.
. "$1/tests/cli/lib.sh"
command -v clang++-19 >/dev/null && [ -e "$build/tilewright/ir.so" ] || exit 77
export CXX=clang++-19
cp "$source/tests/aie/cycles/own.cpp" "$work/" && cd "$work" || exit 1
seq 1 400 | awk '{ print $1 % 100, $1 % 77 }' >x.txt
seq 1 400 >y.txt
cycles_of() { # cycles of the kernel with the number, in the order of the profile's text
  "$tilewright" profile cycles.json | sed -n '/Cycles by kernel/,$p' | awk -v name="$1" '
    $1 == name { gsub(",", "", $NF); print $NF; exit }'
}
within() { # within KERNEL LEAST MOST
  got=$(cycles_of "$1")
  [ -n "$got" ] && [ "$got" -ge "$2" ] && [ "$got" -le "$3" ] || fail "$1: '$got' cycles, not $2 to $3"
}
expect 0 "$tilewright" aie run own.cpp -i . -o plain
expect 0 "$tilewright" aie run own.cpp -i . -o counted --profile cycles.json
for file in u v w t; do cmp -s plain/$file.txt counted/$file.txt || fail "other values in $file.txt"; done
"$tilewright" profile cycles.json | sed -n '/Cycles by kernel/,$p'
# fir: 32 turns of two products (II 2), the first 8 + 1 + 6 + 3 cycles and more, entry and return: 64 to 64 + 50.
# words: 64 turns, of which each waits for its word: 2 in, 1, 2 out at least. divide: 128 turns of 40 and more.
names=$("$tilewright" profile cycles.json | sed -n '/Cycles by kernel/,$p' | awk 'NR > 1 && $NF ~ /^[0-9,]+$/ { print $1 }')
[ "$(echo "$names" | wc -l)" -ge 3 ] || fail "kernels: $names"
within fir 78 130
within words 64 420
within divide 5120 7500
# choose: 32 turns of three branches or four, 5 cycles each, two words in and one out; four of them divide, 40 and more.
within choose 640 1800
# The graph, with the sub-graphs that kernels are members of.
[ "$(python3 - cycles.json <<'END'
import json, sys
d = json.load(open(sys.argv[1]))["execution"]["dataflow"]
n = lambda i: d["names"][i]
print(*sorted(f"{n(a)}:{n(g)}" for a, k, g in zip(d["nodeName"], d["nodeKind"], d["nodeGroup"]) if n(k) == "kernel"))
name = [n(i) for i in d["nodeName"]]
print(*sorted(f"{name[f]}-{name[t]}:{b}" for f, t, b in zip(d["wireFrom"], d["wireTo"], d["wireBytes"])))
END
)" = 'choose: divide:outer fir: words:outer/inner
choose-t:128 divide-w:512 fir-u:512 s-choose:320 words-v:256 x-fir:528 y-words:320 z-divide:512' ] || fail 'another graph'
# Lines of a kernel have all of its cycles; intrinsics and ports count to the line that calls them.
for kernel in fir words divide choose; do
  sum=$("$tilewright" profile cycles.json --lines --rows 99 | awk -v name=$kernel '
    /^  own.cpp:/ && $2 == name { gsub(",", "", $3); sum += $3 } END { print sum + 0 }')
  [ "$sum" = "$(cycles_of $kernel)" ] || fail "lines of $kernel: $sum cycles"
done
"$tilewright" profile cycles.json --lines --rows 99 >lines
for call in 'mul8(x, 0' 'readincr(in) + 1' 'case 1: value' 'upd_v(x, 1'; do
  line=$(grep -nF "$call" own.cpp | cut -d: -f1)
  grep -q "^  own.cpp:$line " lines || fail "no line $line, '$call'"
done
grep "^  own.cpp:$(grep -nF 'mul8(x, 0' own.cpp | cut -d: -f1) fir .* 32 times" lines || fail 'turns of fir'
! grep -q 'vendor_\|adf/\|array.h' lines || fail 'lines of headers'
# Cycles are those of optimised code, whatever the program is compiled with.
first=$(cycles_of fir)
expect 0 "$tilewright" aie run own.cpp -i . -o counted --profile cycles.json -O0
[ "$(cycles_of fir)" = "$first" ] || fail 'cycles depend on -O'
# Block by block: what the compiler is told is read, nothing runs.
rm -rf x86simulator_output
expect 0 "$tilewright" aie cycles own.cpp
prints out 'cycles are estimated: ± '
prints out 'fir:'
prints out 'pipelined loop, 36 instructions, 20 cycles, a turn every 2'
prints out '10 vector  mac8'
prints out 'call    sdiv'
cp "$work/out" listed
[ ! -e x86simulator_output ] || fail 'cycles ran the program'
expect 2 "$tilewright" aie cycles own.cpp --profile x.json
prints err 'cycles runs nothing'
# A listing is of clang's code, whatever builds programs.
expect 0 env CXX=c++ "$tilewright" aie cycles own.cpp
cmp -s "$work/out" listed || fail 'a listing depends on CXX'
finish

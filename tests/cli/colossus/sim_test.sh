#!/bin/sh
# SPDX-License-Identifier: MIT
# tilewright sim: arguments of calls by the guide's chapter 10, registers, memory, trace, faults.
set -eu
tilewright=$2/bin/tilewright
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >lib.s <<'END'
.worker
.section .text.f
.globl f
.align 4
f: ld32 $m4, $sp, $mzero, 0
  ld32 $m5, $sp, $mzero, 1
  br $lr
.section .text.g
.globl g
.align 4
g: ld32 $m4, $m0, $mzero, 2
  f32add $a7, $a0, $a1
  br $lr
.section .text.bad
.globl bad
.align 4
bad: setzi $m7, 1
  setzi $m8, 2
  setzi $m9, 3
  setzi $a6, 4
  setzi $a7, 5
  add $sp, $sp, -16
  br $lr
.section .text.pair
.globl pair
.align 4
pair: st32 $m1, $m0, $mzero, 0
  st32 $m2, $m0, $mzero, 1
  br $lr
.section .text.h
.globl h
.align 4
h: st32 $m1, $m0, $mzero, 0
  exitz $mzero
END

# call, what the output must show
expect() {
    "$tilewright" sim lib.s "$1" "$2" >out 2>&1 || true
    shift 2
    for text in "$@"; do
        grep -qF -- "$text" out || { echo "sim: no '$text' in:"; cat out; exit 1; }
    done
}
expect --call 'f(1, 2:3)' '$m0  00000001' '$m1  00000000' '$m2  00000002' '$m3  00000003' # a skipped register
expect --call 'f(1, 2:3, 4, 5)' '$m4  00000004' '$m5  00000005'                           # on to the stack
expect --call 'f(1, ..., 8, 9)' '$m0  00000001' '$m1  00000000' '$m4  00000008' '$m5  00000009' # variadic
expect --call 'g({7, 8, 9}, 1.5, 2.0)' '$m4  00000009' '$a7 40600000 (3.5)'               # by pointer
expect --call 'f({7})' '$m0  00000007'                                                    # a single member
expect --call 'f(1.0, 2.0:3.0)' '$a0 3f800000' '$a1 00000000' '$a2 40000000' '$a3 40400000' # a pair
expect --call 'f(1.0:2.0:3.0:4.0, 5.0)' '$a3 40800000' '$a4 40a00000'                     # a quad
expect --call 'f({1.5})' '$a0 3fc00000'
expect --call 'f(1, 2, 3, 4:5, 6)' '$m2  00000003' '$m3  00000000' '$m4  00000004' '$m5  00000005' # no half of a pair
expect --call 'f(1, 2, 3, 4, 5, 6)' '$m3  00000004' '$m4  00000005' '$m5  00000006'

# Stack and arguments lie behind the data that is in region 1.
table() { # words
  cat <<END
.worker
.section .text.t
.globl t
.align 4
t: setzi \$m4, table
  ld32 \$m0, \$m4, \$mzero, 3840
  ld32 \$m1, \$m4, \$mzero, 3841
  ld32 \$m4, \$sp, \$mzero, 0
  br \$lr
.section .interleaved.t, "a"
.align 16
table: .fill $1, 4, 9
END
}
table 32768 >table.s
"$tilewright" sim table.s --call 't({1, 2}, 2, 3, 4, 5)' >out 2>&1
for word in '$m0  00000009' '$m1  00000009' '$m4  00000005'; do
  grep -qF "$word" out || { cat out; exit 1; }
done
table 100000 >table.s
! "$tilewright" sim table.s --call 't(1)' >out 2>&1
grep -qF 'the data ends at 0xe1a80 and leaves no 64 KB for stacks and arguments' out
expect --call 'f(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)' '$a5 40c00000' '$m4  40e00000' '$m5  41000000'
expect --call 'f(1, 2.0, 3, 4.0)' '$m0  00000001  $m1  00000003' '$a0 40000000' '$a1 40800000' # each file by itself
expect --call 'f(..., {7, 8})' '$m4  0008c000' '$m5  00000000'                            # variadic: by pointer
expect --call 'g(..., 1.0, 2)' '$m0  00000000' '$a0 00000000'
expect --call 'f(1:2:3)' 'a vector has two words'
expect --call 'nothing(1)' "'nothing' is not defined"
expect --entry=f --trace '$sp, which is not initialised' 'there is no memory at this address' 'lib.s:5:'

# A result that is an aggregate: the caller says where it goes. What a function has to keep, 10.3.3 and 10.3.4.
"$tilewright" sim lib.s --call 'pair({0, 0}, 7, 8)' --show 0x8c000:2 >out 2>err
grep -q '0x8c000: 00000007 00000008' out && [ ! -s err ] || { cat out err; exit 1; }
expect --call 'bad()' '$m7 is 0x1 when the function returns' '$m8 is 0x2' '$m9 is 0x3' '$a6 is 0x4' '$a7 is 0x5' \
    'to keep the stack pointer (guide 10.3)'
"$tilewright" sim lib.s --entry h --set-reg '$m0=0x82000,$m1=0x2a' --mem '0x82004=1.5' --show 0x82000:2 --cycles >out
grep -q '0x82000: 0000002a 3fc00000' out && grep -q '2 turns' out && grep -q 'lib.s:33' out || { cat out; exit 1; }
# The bases and other names of registers; a vertex's state anywhere.
printf '.globl f\nf: ld32 $m0, $mvertex_base, 1\n add $m1, $mworker_base, $sp\n exitz $mzero\n' >base.s
"$tilewright" sim base.s --entry f --set-reg '$mvertex_base=0x82000, $m12=0x84000,$sp=8' --mem '0x82004=77' >out
grep -q '$m0  0000004d  $m1  00084008' out || { cat out; exit 1; }
for wrong in '$m14=1' '$a8=1' '$q=1' '$m=1' 'sp' '$sp=x' '=1'; do
    "$tilewright" sim base.s --entry f --set-reg "$wrong" >out 2>&1 && exit 1
    grep -q 'is not $m0=VALUE' out || { cat out; exit 1; }
done
printf '.worker;.globl f\nf: %s\nexitz $mzero\n' "$(printf 'nop\n%.0s' 1 2 3 4 5 6 7 8 9 10)" >long.s
"$tilewright" sim long.s --entry f --cycles >out
[ "$(grep -o 'long.s:[0-9]*' out | tr '\n' ' ')" = 'long.s:2 long.s:3 long.s:4 long.s:5 long.s:6 long.s:7 long.s:8 long.s:9 long.s:10 long.s:11 long.s:12 ' ] ||
    { cat out; exit 1; }
printf 'f: nop\ng: nop\n' >local.s
"$tilewright" sim local.s --entry g >out 2>&1 && exit 1
grep -q "'g' is a label of its file only: write .globl g" out || { cat out; exit 1; }

# Checkpoints: the run that is resumed is the whole one.
printf '.globl count\ncount: setzi $m1, 0\n1: add $m1, $m1, $m0\n add $m0, $m0, -1\n brnz $m0, 1b\n mov $m0, $m1\n br $lr\n' >count.s
count="$tilewright sim count.s --call count(100)"
$count >whole
$count --save-at 6,300,1700 --save tile | cmp - whole || exit 1
for file in tile.6 tile.300 tile.1700; do $count --resume $file | cmp - whole || exit 1; done
$count --resume tile.300 --save-at 1700 --save again >/dev/null && cmp again tile.1700 || exit 1
printf 'info reg $m0\nbreak 5\ncontinue\nquit\n' | $count --resume tile.300 --interactive >out 2>&1
grep -q 'Breakpoint' out || { cat out; exit 1; }
refused() { # refused PHRASE option...
    phrase=$1
    shift
    "$tilewright" sim "$@" >out 2>&1 && { echo "sim $* is not refused"; exit 1; }
    grep -q -- "$phrase" out || { cat out; exit 1; }
}
refused 'another program' base.s --entry f --resume tile.300
refused 'other options of the simulator' count.s --call 'count(100)' --resume tile.300 --option denormals=true
refused 'no checkpoint was written at cycle 90000' count.s --call 'count(100)' --save-at 6,90000
refused 'is no checkpoint' count.s --call 'count(100)' --resume count.s
refused 'no list of cycles' count.s --call 'count(100)' --save-at 9,6
refused '--save-at' count.s --call 'count(100)' --save x
refused 'tile.300 is also an input' count.s --call 'count(100)' --resume tile.300 --save-at 300,400 --save tile
cp tile.300 checkpoint
refused 'checkpoint is also an input' count.s --call 'count(100)' --resume checkpoint --save-at 400
refused 'not a standard stream' count.s --call 'count(100)' --save-at 6 --save -
refused 'not a standard stream' count.s --call 'count(100)' --resume -
head -c 200 tile.300 >cut
refused 'was cut off' count.s --call 'count(100)' --resume cut

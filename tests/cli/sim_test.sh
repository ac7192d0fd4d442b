#!/bin/sh
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
expect --call 'f(1:2:3)' 'a vector has two words'
expect --call 'nothing(1)' "'nothing' is not defined"
expect --entry=f --trace '$sp, which is not initialised' 'there is no memory at this address' 'lib.s:5:'
"$tilewright" sim lib.s --entry h --set-reg '$m0=0x82000,$m1=0x2a' --mem '0x82004=1.5' --show 0x82000:2 --cycles >out
grep -q '0x82000: 0000002a 3fc00000' out && grep -q '2 turns' out && grep -q 'lib.s:17' out || { cat out; exit 1; }

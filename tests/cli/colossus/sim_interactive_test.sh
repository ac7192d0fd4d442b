#!/bin/sh
# SPDX-License-Identifier: MIT
# tilewright sim --interactive: gdb's words on scripts, and the simulator's options.
set -eu
tilewright=$2/bin/tilewright
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >d.s <<'END'
.worker
.section .text.main
.globl main
.align 8
main:
  setzi $m0, 3
  setzi $m1, 0
loop:
  add $m1, $m1, 5
  call $lr, twice
  brnzdec $m0, loop
  setzi $m2, 0x82000
  st32 $m1, $m2, $mzero, 0
  rpt $m1, 0
  { ld32step $a0, $mzero, $m2+=, 1
    f32add $a1, $a1, $a1 }
  exitz $mzero
twice:
  add $m1, $m1, $m1
  setzi $a1, 0x3f800
  br $lr
END

# debug STATUS OPTIONS... <commands: the output is in `out`
debug() {
    wanted=$1 status=0
    shift
    "$tilewright" sim d.s --interactive "$@" >out 2>&1 || status=$?
    [ "$status" = "$wanted" ] || { echo "sim -i: status $status, not $wanted:"; cat out; exit 1; }
}
shows() { # each argument, in this order
    at=1
    for text in "$@"; do
        found=$(tail -n +"$at" out | grep -nF -m1 -- "$text" | cut -d: -f1) || found=
        [ -n "$found" ] || { echo "sim -i: no '$text' from line $at on in:"; cat out; exit 1; }
        at=$((at + found))
    done
}

# Steps: by line into and over calls, by instruction; three passes of the loop leave (((5*2)+5)*2+5)*2+5)*2 = 150.
debug 0 --entry main <<'END'
step
step 2
step
finish
next
nexti 2
p $m1
p/x $m1 * 2 + 1
p/t $m0
stepi
info cycles
END
shows '0x4c000 in main () at d.s:6' 'd.s:7' 'd.s:10' '0x4c02c in twice () at d.s:19' '19	  add $m1, $m1, $m1' \
    '0x4c010 in loop () at d.s:11' '0x4c008 in loop () at d.s:9' 'd.s:11' '$m1 = 30 (0x1e)' '= 0x3d' '$m0 = 10' \
    '0x4c008 in loop ()' '14'

# Breakpoints: by symbol, line, file and line, address, once, with a condition; listed, disabled, deleted.
debug 0 --entry main <<'END'
break twice
b 12 if $m1 == 150
b d.s:17
tbreak *main + 4
c
c
bt
continue 2
delete 1
disable 3
info breakpoints
c
x/2dw 0x82000
si 2
x/dw 0x82000
c
run
END
shows 'Breakpoint 1, 0x4c02c <twice+0> at d.s:19' 'if $m1 == 150' 'Temporary breakpoint 4, 0x4c004 <main+4>' \
    'Temporary breakpoint 4, 0x4c004 in main' 'Breakpoint 1, 0x4c02c in twice' '#0  0x4c02c <twice+0>' \
    '#1  0x4c00c <loop+4>' 'Breakpoint 1, 0x4c02c in twice' '2    always on  0x4c014' \
    '3    always off 0x4c028 <loop+32> at d.s:17' 'Breakpoint 2, 0x4c014' '0x82000:	0	0' '0x82000:	150' \
    'ended with status 1 after 180 turns' 'Breakpoint 2, 0x4c014'

# Memory in gdb's formats, values that are set, registers of all kinds, source and code.
debug 0 --entry main --mem '0x82000=0x64636261,1.5,0x3e003c00,-2' <<'END'
x/2xw 0x82000
x/4cb 0x82000
x/s 0x82000
x/fw 0x82004
x/2fh 0x82008
x/dw 0x8200c
x/uh 0x8200c
x/tb 0x82000
x/og 0x82000
x/aw 0x82000
x/3i main
set $m4 = *0x8200c - 1
p $m4
set *0x82010 = 0x12345678
x/xw 0x82010
set $a0 = 1.5
set $a1 = 2.5
p $a0:1
p/f $a0
set $FP_CTL = 7
p $FP_CTL
set $cwei3 = 9
p $cwei3
set $aacc2 = 1.0
p $aacc2
info registers m4 sp
info threads
thread 3
thread 0
list 12
disassemble twice
frame
help step
END
shows '0x82000:	0x64636261	0x3fc00000' "97 'a'	98 'b'" '"abcd' '1.5' '1	1.5' '-2' '65534' '1100001' '03770000000' \
    '0x64636261' '<main>:	setzi $m0, 3' '$m4 = -3' '0x12345678' '$a0:1 = {0x3fc00000 (1.5), 0x40200000 (2.5)}' \
    '$a0 = 1.5' '$FP_CTL = 7' '$cwei3 = {9' '$aacc2 = 0x3f800000 (1)' '$m4 = -3' '* 0  worker 0' 'worker 3: [worker 3]' \
    '12	  setzi $m2, 0x82000' '0x4c02c <twice>:	add' '0x4c000 in main' 'to another source line, into calls'

# Calls as the ABI has them: what returns goes to what was in $lr at its entry, wherever the function has kept that; a
# call written by hand is one; a function that another one ends with returns in its place. Targets are told in bytes.
cat >abi.s <<'END'
.worker
.section .text.main
.globl main
.type main, @function
.align 4
main:
  add $sp, $mworker_base, -32
  setzi $m0, 4
  call $lr, fact          // 9
  mov $m6, $m0
  setzi $lr, back         // a call by hand
  bri hand
back:
  setzi $m0, 5
  call $lr, tail
  add $m6, $m6, $m0
  exitz $mzero
.section .text.fact
.globl fact
.type fact, @function
.align 4
fact:
  brz $m0, 1f
  add $sp, $sp, -16
  st32 $lr, $sp, $mzero, 0
  st32 $m0, $sp, $mzero, 1
  add $m0, $m0, -1
  call $lr, fact
  ld32 $m1, $sp, $mzero, 1
  mul $m0, $m0, $m1
  ld32 $m2, $sp, $mzero, 0
  add $sp, $sp, 16
  br $m2                  // returns, though not through $lr
1: setzi $m0, 1
  br $lr
.section .text.hand
.globl hand
.type hand, @function
.align 4
hand:
  add $m6, $m6, 1
  br $lr
.section .text.tail
.globl tail
.type tail, @function
.align 4
tail:
  add $sp, $sp, -8
  st32 $lr, $sp, $mzero, 0
  call $lr, hand
  ld32 $lr, $sp, $mzero, 0
  add $sp, $sp, 8
  bri hand                // in its place
END
"$tilewright" sim abi.s --entry main -i >out 2>&1 <<'END'
b 32
c
bt
frame 2
finish
bt
delete
b hand
c
bt
finish
c
bt
c
bt
finish
c
END
shows '#0  0x4c04c' '#1  0x4c03c <fact+20>' '#2  0x4c03c' '#3  0x4c03c' '#4  0x4c008 <main+8> at abi.s:9' \
    '#2 0x4c03c in fact () at abi.s:28' 'call $m10, 0x4c028 <fact>' '0x4c040 in fact () at abi.s:29' \
    'Returned with $m0 = 1 (0x1)' '#2  0x4c03c' '#3  0x4c008 <main+8>' 'Breakpoint 2, 0x4c05c in hand' \
    '#0  0x4c05c <hand+0>' '#1  0x4c014 <main+20> at abi.s:12' '0x4c018 in back () at abi.s:14' \
    'Returned with $m0 = 24 (0x18)' '#0  0x4c05c <hand+0>' '#1  0x4c06c <tail+8> at abi.s:50' \
    '#2  0x4c01c <back+4> at abi.s:15' '#0  0x4c05c <hand+0>' '#1  0x4c01c <back+4>' '0x4c020 in back () at abi.s:16' \
    'Returned with $m0 = 5' 'ended with status 1 after 69 turns'
[ "$(grep -c '^#' out)" = 17 ] || { cat out; exit 1; }

# A worker that ended within a function and is started again has no callers left.
cat >again.s <<'END'
.supervisor
.globl s
s: setzi $m1, w
  setzi $m0, 0x82000
  run $m1, $m0, 0
  sync 2
  run $m1, $m0, 0
  sync 2
  br $lr
.worker
w: call $lr, e
e: exitz $mzero
END
"$tilewright" sim again.s --entry s --supervisor -i >out 2>&1 <<'END'
b e
c
bt
c
bt
END
[ "$(grep -c '^#' out)" = 4 ] || { cat out; exit 1; }

# Six workers: a breakpoint stops each; an exception names its context.
debug 0 --entry main --all <<'END'
b twice
c
c
display/i $pc
x/i 0x4c02c
thread 5
END
shows 'Breakpoint 1, 0x4c02c' '[worker 1] 0x4c02c' '1: $pc' '=> 0x4c02c' '=> 0x4c02c' 'worker 5'

# What a script gets wrong is told, and the status says so.
refused() {
    printf '%s\n' "$1" >script
    debug 1 --entry main <script
    shows "$2"
}
refused 'frob' 'Undefined command: "frob"'
refused 'st main' 'Ambiguous command "st": step, stepi'
refused 'b nowhere' "there is no symbol 'nowhere'"
refused 'b 99' 'no code at line 99 of d.s'
refused 'b *0x82000' 'There is no code at 0x82000'
refused 'p $m16' "there is no register '\$m16'"
refused 'p 1 +' 'a value is missing at the end'
refused 'p 1 / 0' 'division by zero'
refused 'p (1' "a ')' is missing"
refused 'p 1 2' "'2' cannot follow here"
refused 'p *3' 'not a multiple of 4'
refused 'x/xw 0' 'is not all in the memory'
refused 'set $m12 = 1' '$m12 cannot be set'
refused 'set 7 = 1' 'neither a register'
refused 'delete 7' 'There is no breakpoint number 7'
refused 'finish' 'outermost function'
refused 'frame 3' "There is no frame '3'"
refused 'thread 9' 'There is no context 9'
refused 'p/q 1' "There is no format 'q'"
refused 'info' 'info registers'
refused "$(printf 'c\nc')" 'Nothing is running'
refused "p $(printf '%0500d' 1)" 'at most 400 characters'

# The supervisor; syncs with other tiles end at once.
cat >s.s <<'END'
.supervisor
.globl s
s: setzi $m4, 7
  sync 3
  add $m4, $m4, $m0
  br $lr
END
"$tilewright" sim s.s --entry s --supervisor --set-reg '$m0=5' >out 2>&1
shows "'sync 3' is between tiles" 'the supervisor: status 1' '$m4  0000000c'

# Options of the simulator: the command line, and the environment that wins.
"$tilewright" sim d.s --entry main --option traceFile=trace.txt,seed=3 >out
grep -qF '0 w0 4c000  setzi $m0, 3  $m0=3' trace.txt && grep -qF '[0x82000]=96' trace.txt || { cat trace.txt; exit 1; }
POPLAR_SIMULATOR_OPTIONS='{"traceFile": "other.txt"}' "$tilewright" sim d.s --entry main --option traceFile=no.txt >out
[ -s other.txt ] && [ ! -e no.txt ]
for wrong in '{"frob": 1}' '{"seed": "x"}' '{' '[]'; do
    if POPLAR_SIMULATOR_OPTIONS=$wrong "$tilewright" sim d.s --entry main >out 2>&1; then
        echo "sim: accepted $wrong"
        exit 1
    fi
done
POPLAR_SIMULATOR_OPTIONS='{"frob": 1}' "$tilewright" sim d.s >out 2>&1 || :
shows "POPLAR_SIMULATOR_OPTIONS: unknown option 'frob'; the simulator has traceFile, traceTile, denormals, seed, breakOn"
if "$tilewright" sim d.s --entry main --option traceFile=/nowhere/t >out 2>&1; then exit 1; fi
shows "cannot write /nowhere/t: No such file or directory"

# Denormals, the seed, clashes, and whether others go on behind an exception.
cat >o.s <<'END'
.worker
.globl small, clash, one
.section .text.small
small: f32add $a2, $a0, $a1
  urand32 $a3
  exitz $mzero
.section .text.clash
clash: setzi $m0, 0x50000
  setzi $m1, 0x50008
  ld2x64pace $a0:1, $a2:3, $m0:1+=, $mzero, 0
  exitz $mzero
.section .text.one
.align 8
one: get $m0, $WSR
  and $m0, $m0, 7
  brnz $m0, 1f
  trap 0
1: nop
  rpt 100, 0
  { nop ; fnop }
  exitz $mzero
END
small() { "$tilewright" sim o.s --entry small --set-reg '$a0=3,$a1=4' --option "$1"; }
small denormals=false | grep -qF '$a2 00000000'
small denormals=true | grep -qF '$a2 00000007'
one=$(small seed=1 | grep -F '$a3') two=$(small seed=2 | grep -F '$a3') again=$(small seed=1 | grep -F '$a3')
[ "$one" != "$two" ] && [ "$one" = "$again" ]
fails() {
    if "$tilewright" sim o.s "$@" >out 2>&1; then echo "sim: no failure: $*"; cat out; exit 1; fi
}
fails --entry clash
shows 'memory clash'
"$tilewright" sim o.s --entry clash --option ignoreClashes=true >out
fails --entry one --all
shows 'trap on channel 0' 'worker 5: status 0, 3 turns' # as many as the others when worker 0 traps
fails --entry one --all --option breakOnException=false
shows 'trap on channel 0' 'worker 5: status 1, 106 turns'

# What workers print is printed also beside a real exception, before the others have ended or where they go on.
cat >p.s <<'END'
.worker
.section .text.both
.align 8
both: get $m0, $WSR
  and $m4, $m0, 7
  brnz $m4, 1f
  trap 0
1: add $m0, $m4, 48
  call $lr, putchar
  exitz $mzero
.globl putchar, both
putchar: trap 1
  br $lr
END
if "$tilewright" sim p.s --entry both --all --option breakOnException=false >out 2>&1; then exit 1; fi
shows '12345' 'trap on channel 0' 'worker 0: status 0' 'worker 5: status 1'

# Where the documents are silent, the assembler and a trace say so.
cat >w.s <<'END'
.worker
.globl f
.align 8
f: shl $m0, $m1, 40
  shrs $m0, $m1, $m2
  nop
  rpt $m3, 0
  { nop ; fnop }
  exitz $mzero
END
"$tilewright" sim w.s --entry f --set-reg '$m2=32,$m3=0x10002' --trace >out 2>&1
grep -qF 'w.s:4:18: warning: a shift by 40: only 0 to 31 are documented' out || { cat out; exit 1; }
grep -qF 'warning: pc 0x4c004 shifts by 32' out && grep -qF 'repeats 65538 times: the counter has 16 bits' out || { cat out; exit 1; }
grep -qF '7 turns' out || { cat out; exit 1; } # 2 repetitions: masked

# watch: registers of the context, words of memory; what the user sets, and a new start, are no changes. display at each
# stop; jump; arrays by VALUE@COUNT.
debug 0 --entry main <<'END'
watch $m1
display $m0
display/x $m1 * 2
continue
continue
set $m1 = 7
info breakpoints
disable 1
undisplay 2
watch *0x82000
continue
print *0x82000@3
jump loop
tbreak twice
run
continue
END
shows 'Watchpoint 1: $m1 = 0 (0x0)' '1: $m0 = 0 (0x0)' '2: $m1 * 2 = 0x0' \
  'Watchpoint 1: $m1' 'Old value = 0 (0x0)' 'New value = 5 (0x5)' 'd.s:10' '1: $m0 = 3 (0x3)' '2: $m1 * 2 = 0xa' \
  'New value = 10 (0xa)' 'in twice ()' '2: $m1 * 2 = 0x14' '1    watch  on  $m1, hit 2 times' \
  'Watchpoint 2: *0x82000 = 0 (0x0)' 'Watchpoint 2: *0x82000' 'Old value = 0 (0x0)' 'New value = 126 (0x7e)' 'd.s:14' \
  '1: $m0 = 0 (0x0)' '*0x82000@3 = {126 (0x7e), 0 (0x0), 0 (0x0)}' 'Continuing at 0x4c008 <loop+0> at d.s:9' \
  'Old value = 126 (0x7e)' 'New value = 262 (0x106)' 'Temporary breakpoint 3, ' 'in twice ()'
if sed '/display.x/,/undisplay/d' out | tail -8 | grep -q '^2: '; then echo 'sim -i: undisplay'; cat out; exit 1; fi
debug 1 --entry main <<'END'
watch
watch $nothing
undisplay 3
jump
jump 0x82000
display $nothing
display/i nothing
display/i $pc
stepi
print $m0@2
print *0x82000@0
print *0x82000@201
print *1@2
END
shows 'watch VALUE, such as watch $m0' "there is no register" 'There is no display number 3.' 'jump LOCATION' \
  'There is no code at 0x82000.' '1: $pc' '=> 0x4c000' '1: $pc' '=> 0x4c004' 'print *a@n or a[i]@n, n from 1 to 200.' 'print *a@n' 'print *a@n'

[ "$(grep -c 'nothing' out)" = 3 ] || { echo 'sim -i: what cannot be shown is shown'; cat out; exit 1; }

# A name that is not there: those that are.
if "$tilewright" sim d.s --entry mian >out 2>&1; then exit 1; fi
shows "'mian' is not defined" 'code has the symbols main, loop, twice'

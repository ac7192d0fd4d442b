# SPDX-License-Identifier: MIT
# `tilewright pto` as a newcomer and as a hostile user meet it: arguments of every type, wrong ones, outputs, programs from
# the standard input, exit statuses.
. "$1/tests/cli/lib.sh"
pto() { wanted_status=$1; shift; expect "$wanted_status" "$tilewright" pto "$@"; }
# stdin STATUS TEXT COMMAND...: TEXT on the standard input.
from_stdin() {
  wanted=$1
  printf '%b' "$2" | "$tilewright" pto "$3" - ${4+"$4"} >"$work/out" 2>"$work/err"
  got=$?
  [ "$got" -eq "$wanted" ] || { fail "exit status $got instead of $wanted: $2"; cat "$work/out" "$work/err"; }
}
iota=$source/examples/pto/iota/iota.pto
gemm=$source/examples/pto/gemm/gemm.pto

# help, listing, wrong use
pto 0 --help
prints out 'usage: tilewright pto run|check|fmt|info|list'
for word in --arg --out --blocks --target --manual --trace --profile --max-steps --function; do prints out "$word"; done
pto 0 run --help
pto 2
prints err 'a command is missing'
pto 2 rn
prints err "unknown command 'rn'"
pto 2 run
prints err 'a file is missing'
pto 2 run "$iota" --maunal
prints err "did you mean '--manual'?"
pto 2 run "$iota" "$gemm"
prints err 'one file at a time'
pto 2 run "$iota" --arg
prints err "'--arg' lacks its value"
pto 2 run "$iota" --arg S
prints err 'expected NAME=VALUE'
pto 2 run "$iota" --arg S=1 --arg S=2
prints err 'each name once'
pto 2 run "$iota" --arg S=1 --blocks 0
prints err 'expected a number from 1'
pto 2 run "$iota" --arg S=1 --blocks many
pto 2 run "$iota" --arg S=1 --max-steps -1
pto 2 run "$iota" --arg S=1 --target a9
prints err "unknown PTO target 'a9'"
pto 2 check "$iota" --manual
prints err "'--manual' is an option of run"
pto 2 fmt "$iota" --target a5
prints err "fmt has no option '--target'"
pto 2 fmt "$iota" --check -i
prints err 'fmt either compares or writes'
pto 2 fmt -i -
prints err 'the standard input cannot be written back'
pto 2 fmt "$iota" "$iota"
prints err 'one file at a time'
pto 2 fmt --check
prints err 'a file is missing'
pto 0 info tci
prints out 'C and C++ only: tci has no tmp in text'
pto 0 list tci
prints out 'TCI_TMP'
pto 1 list nosuchthing
prints err 'no instruction'
pto 0 info tci
prints out 'pto.ttri'
pto 1 info tcii
prints err 'tci'
pto 1 run "$work/none.pto"
prints err 'none.pto'
pto 1 run "$work"
pto 1 check "$tilewright"

# check and fmt
pto 0 check "$iota" --target all
pto 0 fmt "$iota"
cp "$work/out" "$work/once.pto"
pto 0 fmt "$work/once.pto"
cmp -s "$work/once.pto" "$work/out" || fail 'fmt of fmt differs'
grep -c '//' "$iota" >"$work/comments"
grep -c '//' "$work/out" | cmp -s - "$work/comments" || fail 'fmt lost comments'
pto 0 fmt --check "$work/once.pto"
printf '%%a   = tci 1 : !pto.tile<1x16xi32> // one\n' >"$work/loose.pto"
pto 1 fmt --check "$work/once.pto" "$work/loose.pto"
prints out 'loose.pto is not in its canonical form'
if grep -q once "$work/out"; then fail 'fmt --check named a file that is canonical'; fi
ln -s loose.pto "$work/link.pto"
chmod 600 "$work/loose.pto"
pto 0 fmt --in-place "$work/link.pto" "$work/once.pto"
[ -L "$work/link.pto" ] || fail 'fmt -i replaced a link'
[ "$(stat -c %a "$work/loose.pto")" = 600 ] || fail 'fmt -i changed permissions'
[ "$(cat "$work/loose.pto")" = '%a = tci 1 : !pto.tile<vec, 1x16xi32> // one' ] || fail 'fmt -i wrote something else'
pto 0 fmt --check "$work/loose.pto"
printf 'scf.if %%x {\n' >"$work/broken.pto"
pto 1 fmt -i "$work/broken.pto"
[ "$(cat "$work/broken.pto")" = 'scf.if %x {' ] || fail 'fmt -i changed a program with errors'
# Inputs have an end, outputs never are inputs, devices stay devices, a link stays a link.
pto 1 check /dev/zero
prints err 'larger than the 64 MiB'
pto 0 run "$iota" --arg S=1 --out y="$work/y.npy"
ln -s y.npy "$work/y_link.npy"
printf '%s\n' 'func.func @f(%p: !pto.ptr<i32>) {' 'return' '}' >"$work/keep.pto"
pto 1 run "$work/keep.pto" --arg p=@"$work/y.npy" --out p="$work/y_link.npy"
prints err 'is also an input'
pto 1 run "$work/keep.pto" --arg p=i32[16] --out p="$work/keep.pto"
# Values that are made.
pto 0 run "$work/keep.pto" --arg p=i32[2x2]:ramp --out p="$work/made.npy"
[ "$(tail -c 16 "$work/made.npy" | od -An -v -t d4 | tr -s ' \n' ' ')" = ' 0 1 2 3 ' ] || fail 'i32[2x2]:ramp'
for how in random random:1 normal:1; do
  pto 0 run "$work/keep.pto" --arg "p=i32[64]:$how" --out p="$work/made.npy"
  tail -c 256 "$work/made.npy" | od -An -v -w4 -t d4 >"$work/$how"
done
cmp -s "$work/random" "$work/random:1" || fail 'the default seed is 1'
awk '$1 < 0 || $1 > 99 { bad = 1 } { sum += $1 } END { exit bad || sum < 64 * 35 || sum > 64 * 64 }' "$work/random" || fail 'random'
awk '{ sum += $1; squares += $1 * $1 } END { exit sum < -64 * 8 || sum > 64 * 8 || squares < 64 * 100 || squares > 64 * 500 }' \
  "$work/normal:1" || fail 'normal'
for bad in 'i32[2]:' 'i32[2]:ramp:1' 'i32[2]:random:-1' 'i32[2]:noise' 'i32[2]x'; do
  pto 1 run "$work/keep.pto" --arg "p=$bad"
  prints err 'expected a type and extents, such as f32[16x16], and maybe what is in it: :random, normal or ramp'
done
pto 1 run "$work/keep.pto" --arg p=random:3
prints err '--arg p=random:3: expected a type and extents before it, such as f32[16x16]:random:3'
pto 1 run "$work/keep.pto" --arg p=7
prints err 'not a number; memory is given as f32[16x16], f32[16x16]:ramp or @FILE.npy'
pto 0 run "$work/keep.pto" --arg p=i32[16] --out p=/dev/null
[ -c /dev/null ] || fail 'a device was replaced'
pto 0 run "$work/keep.pto" --arg p=i32[16] --out p="$work/y_link.npy" --profile="$work/keep.json"
[ -L "$work/y_link.npy" ] || fail '--out replaced a link'
pto 0 run "$work/keep.pto" --arg p=i32[16] --timeline "$work/t.json"
grep -q traceEvents "$work/t.json" || fail '--timeline wrote something else'
if [ -c /dev/full ]; then
  "$tilewright" pto list >/dev/full 2>/dev/null && fail 'a full disk went unnoticed'
fi
# Steps end by themselves, and the message says how to allow more.
printf '%s\n' '%c0 = arith.constant 0 : index' '%c1 = arith.constant 1 : index' '%n = arith.constant 9999999999 : index' \
  'scf.for %i = %c0 to %n step %c1 {' '}' >"$work/long.pto"
pto 1 run "$work/long.pto" --max-steps 1000
prints err 'stopped after 1000 steps; more are allowed with --max-steps'
from_stdin 1 '%a = pto.tcii 1 : i32 -> !pto.tile<1x16xi32>\n' check
prints err "<stdin>:1:6: error: unknown operation 'pto.tcii'; did you mean 'pto.tci'?"
prints err '^~~~~~~~'
from_stdin 1 '%a = pto.tci 1 : i8 -> !pto.tile<1x32xi8>\n' check --target=a5
from_stdin 1 'scf.if %x {\n' fmt
prints err "'{' is never closed"
from_stdin 1 'tadd %d, %a, %b : !pto.tile<i8, 1, 32>\n' run
from_stdin 0 '' fmt
from_stdin 1 '' run
prints err 'is empty'
from_stdin 1 'pto.trap\n' run
prints err 'stopped itself'

# arguments
pto 1 run "$iota"
prints err '%S, i32, has no value'
prints err '--arg S=NUMBER'
prints err "$iota:6:10: error: %S"
prints err '^~'
printf 'module attributes {pto.target_arch = "a9"} {\n}\n' >"$work/arch.pto"
pto 1 check "$work/arch.pto"
prints err "arch.pto:1:38: error: unknown PTO target 'a9'"
pto 1 run "$iota" --arg S=ten
prints err "'ten' is not a value of i32"
pto 1 run "$iota" --arg S=5000000000
prints err 'does not fit i32'
pto 1 run "$iota" --arg S=1 --arg T=2
prints err "no argument 'T'"
pto 1 run "$iota" --arg S=f32[4]
prints err 'takes no array'
pto 1 run "$iota" --arg S=@"$work/none.npy"
prints err 'none.npy'
pto 1 run "$iota" --arg S=f32[4x]
prints err 'expected a type and extents'
pto 1 run "$iota" --arg S=q32[4]
pto 1 run "$iota" --arg S=f32[99999999999999999999]
printf 'not an array' >"$work/bad.npy"
pto 1 run "$gemm" --arg a=@"$work/bad.npy" --arg b=f16[64x32] --arg c=f32[32x32]
prints err 'bad.npy'
pto 1 run "$gemm" --arg a=f32[32x64] --arg b=f16[64x32] --arg c=f32[32x32]
prints err "%a is !pto.ptr<f16>, the array's elements are f32"
pto 1 run "$gemm" --target a2a3 --arg a=f16[8] --arg b=f16[64x32] --arg c=f32[32x32]
prints err 'outside'
pto 1 run "$gemm" --function nothing
prints err "no function @nothing"
pto 1 run "$iota" --arg S=1 --out nothing="$work/x.npy"
prints err "the name 'nothing'"
pto 1 run "$iota" --arg S=1 --out y="$work/no/such/folder.npy"
pto 1 run "$iota" --arg S=1 --max-steps 3
prints err 'stopped after 3 steps'

# every element type goes in through an array and comes out of it: y = x + x, or as it is
for type in i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32; do
  case $type in u*) text=ui${type#u} ;; *) text=$type ;; esac
  size=$(printf %s "$type" | tr -dc 0-9)
  [ "$type" = bf16 ] && size=16
  count=$((256 / size * 2))
  cat >"$work/copy.pto" <<END
func.func @copy(%x : !pto.ptr<$text>, %m : memref<1x${count}x$text>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant $count : index
  %v = pto.make_tensor_view %x, shape = [%c1, %n], strides = [%n, %c1] : !pto.tensor_view<1x${count}x$text>
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x${count}x$text>
  pto.tload ins(%v : !pto.tensor_view<1x${count}x$text>) outs(%t : !pto.tile_buf<vec, 1x${count}x$text>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 1x${count}x$text>) outs(%m : memref<1x${count}x$text>)
  return
}
END
  pto 0 run "$work/copy.pto" --target a5 --arg "x=$type[$count]" --arg "m=$type[1x$count]" --out m="$work/zeros.npy"
  # the first byte of the data is changed, then the file goes through the program
  head -c 128 "$work/zeros.npy" >"$work/x.npy"
  printf '\007' >>"$work/x.npy"
  tail -c +130 "$work/zeros.npy" >>"$work/x.npy"
  pto 0 run "$work/copy.pto" --target a5 --arg x=@"$work/x.npy" --arg m="$type[1x$count]" --out m="$work/y.npy"
  cmp -s "$work/x.npy" "$work/y.npy" || fail "$type: what came out differs"
  pto 1 run "$work/copy.pto" --target a5 --arg x=@"$work/x.npy" --arg m="$type[2x$count]"
  prints err 'the array is'
done

# blocks, traces, profiles
cat >"$work/blocks.pto" <<'END'
func.func @blocks(%n : i32) {
  %i = pto.get_block_idx
  %k = pto.get_block_num
  pto.print ins("block %d of %d, n %d", %i, %k, %n : i64, i64, i32)
  return
}
END
pto 0 run "$work/blocks.pto" --arg n=-7 --blocks 3
prints out 'block 0 of 3, n -7'
prints out 'block 2 of 3, n -7'

# devices: each has its own copy of an array, or one of its own; outputs by device
cat >"$work/devices.pto" <<'END'
func.func @neighbour(%x : !pto.ptr<i32>, %y : !pto.ptr<i32>, %n : i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = pto.get_device_idx
  %k = pto.get_device_num
  %me = arith.index_cast %i : i64 to index
  %all = arith.index_cast %k : i64 to index
  %next = arith.addi %me, %c1 : index
  %right = arith.remui %next, %all : index
  %p = pto.remote_ptr %y, %right : !pto.ptr<i32> -> !pto.ptr<i32>
  %v = pto.load_scalar %x[%c1] : !pto.ptr<i32> -> i32
  %w = arith.addi %v, %n : i32
  pto.store_scalar %w, %p[%c0] : !pto.ptr<i32>, i32
  pto.print ins("device %d of %d: %d", %i, %k, %w : i64, i64, i32)
  return
}
END
pto 0 run "$work/devices.pto" --devices 3 --arg x=i32[4] --arg y=i32[1] --arg n=5 --arg n@2=9 --out y@0="$work/y0.npy" --out y@1="$work/y1.npy"
prints out 'device 1 of 3: 5'
prints out 'device 2 of 3: 9'
[ "$(tail -c 4 "$work/y0.npy" | od -An -td4 | tr -d ' ')" = 9 ] || fail "device 2 did not write to device 0"
[ "$(tail -c 4 "$work/y1.npy" | od -An -td4 | tr -d ' ')" = 5 ] || fail "device 0 did not write to device 1"
pto 1 run "$work/devices.pto" --devices 2 --arg x=i32[4] --arg y@1=i32[1] --arg n=5
prints err '%y, !pto.ptr<i32>, has no value'
pto 2 run "$work/devices.pto" --devices 2 --arg x=i32[4] --arg y=i32[1] --arg n@2=5
prints err 'n is for a device that does not exist'
pto 2 run "$work/devices.pto" --devices 65
prints err 'expected a number from 1 to 64'
pto 2 run "$work/devices.pto" --arg n@1=1 --arg n@1=2
prints err 'each name once'
pto 2 run "$work/devices.pto" --arg n@=1
pto 2 run "$work/devices.pto" --vectors 3
prints err 'expected 0, 1 or 2'

# cores: a program with FIFOs between its sections gets a cube core and two vector cores; one core that does both cannot go on
fifo=$source/examples/pto/fifo/fifo.pto
pto 0 run "$fifo" --arg c=f32[4x32x32] --profile
prints out 'block 0, vector core 1: cycles'
pto 1 run "$fifo" --arg c=f32[4x32x32] --vectors 0
prints err '--vectors 2 gives each block a cube core and two vector cores'
# functions by kind: each takes its own arguments, an argument of neither is an error
cat >"$work/kinds.pto" <<'END'
func.func @products(%x : !pto.ptr<i32>) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  %c0 = arith.constant 0 : index
  %v = arith.constant 41 : i32
  pto.store_scalar %v, %x[%c0] : !pto.ptr<i32>, i32
  return
}
func.func @sums(%y : !pto.ptr<i32>, %x : !pto.ptr<i32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  %c0 = arith.constant 0 : index
  %v = pto.load_scalar %x[%c0] : !pto.ptr<i32> -> i32
  pto.store_scalar %v, %y[%c0] : !pto.ptr<i32>, i32
  return
}
END
pto 0 run "$work/kinds.pto" --arg x=i32[1] --arg y=i32[1] --out y="$work/y.npy"
[ "$(tail -c 4 "$work/y.npy" | od -An -td4 | tr -d ' ')" = 41 ] || fail "the vector cores did not see what the cube core stored"
pto 1 run "$work/kinds.pto" --arg x=i32[1] --arg y=i32[1] --arg z=1
prints err "products has no argument 'z'"
pto 1 run "$work/kinds.pto" --arg x=i32[1] --arg y=i32[1] --vectors 0
prints err 'a core that is both takes one of them, by name'
pto 0 run "$work/kinds.pto" --function sums --arg x=i32[1] --arg y=i32[1]
pto 0 run "$iota" --arg S=1 --trace --profile
prints out 'TCI'
prints out 'estimated'
finish

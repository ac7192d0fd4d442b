#!/bin/sh
# SPDX-License-Identifier: MIT
# cslc, csl and cs_python as a user types them: folders, arrays, messages, exit codes, results for any number of threads; host
# scripts where python3 has numpy.
set -u
bin=$2/bin
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
stencil=$1/examples/csl/stencil/layout.csl

fail() { echo "csl_test: $*"; exit 1; }
expect() { # expect STATUS PHRASE command...
  want=$1 phrase=$2
  shift 2
  "$@" >out.txt 2>err.txt
  got=$?
  [ $got -eq "$want" ] || { cat out.txt err.txt; fail "exit status $got, not $want: $*"; }
  [ -z "$phrase" ] || cat out.txt err.txt | grep -q -e "$phrase" || { cat out.txt err.txt; fail "no '$phrase' from $*"; }
}

# Spellings of options that scripts use.
expect 0 '' "$bin/cslc" "$stencil" --arch wse3 --fabric-dims=12,7 --fabric-offsets=4,1 --params=size:5 -o=a --memcpy --channels=1
expect 0 'a: 5 x 5 PEs at 4,1 of 12 x 7' "$bin/cslc" --arch=wse3 "$stencil" --fabric-dims=12,7 --fabric-offsets=4,1 -o a --memcpy \
  --channels 1 --width-west-buf=0 --width-east-buf=0 --max-parallelism=2 --verbose
for file in a/program.twcsl a/out.json a/bin/out_rpc.json; do [ -f $file ] || fail "no $file"; done
grep -q '"name": "run"' a/bin/out_rpc.json || fail 'run is not in out_rpc.json'

# Wrong use is 2, a refused program 1; messages say what would be right.
expect 2 'unknown option .--fabric-dim.; did you mean .--fabric-dims.' "$bin/cslc" "$stencil" --fabric-dim=3,3
expect 2 'wse2 or wse3' "$bin/cslc" "$stencil" --arch=wse4
expect 2 'no file' "$bin/cslc"
expect 1 'offset' "$bin/cslc" "$stencil" --memcpy --fabric-dims=12,7 --fabric-offsets=3,1
expect 1 'at least 12x7' "$bin/cslc" "$stencil" --memcpy --fabric-dims=11,7 --fabric-offsets=4,1
printf 'layout { @set_rectangle(1, 1);\n  @set_tile_cod(0, 0); }\n' >bad.csl
expect 1 'bad.csl:2:3: error' "$bin/cslc" bad.csl
expect 1 '"line": 2' "$bin/tilewright" csl check bad.csl --json
cat >room.csl <<'END'
const memcpy = @import_module("<memcpy/get_params>", .{ .width = 2, .height = 1 });
layout {
  @set_rectangle(2, 1);
  for (@range(u16, 2)) |x| { @set_tile_code(x, 0, "room_pe.csl", .{ .p = memcpy.get_params(x) }); }
  @export_name("v", [*]u16, true);
  @export_name("f", fn (i16, u16) void);
}
END
cat >room_pe.csl <<'END'
param p;
const sys = @import_module("<memcpy/memcpy>", p);
var v = @zeros([3]u16);
var v_ptr: [*]u16 = &v;
fn f(a: i16, b: u16) void { v[0] = @as(u16, a); v[1] = b; sys.unblock_cmd_stream(); }
comptime { @export_symbol(v_ptr, "v"); @export_symbol(f); }
END
npy() { # npy FILE TYPE BYTES SHAPE: zeros
  header="{'descr': '$2', 'fortran_order': False, 'shape': ($4), }"
  { printf '\223NUMPY\001\000\166\000%-117s\n' "$header"; head -c "$3" /dev/zero; } >"$1"
}
npy fits.npy '<u2' 12 '1, 2, 3'
npy flat.npy '<u2' 12 '6,'
npy turned.npy '<u2' 12 '2, 1, 3'
npy long.npy '<u2' 16 '1, 2, 4'
npy wide.npy '<u4' 8 '1, 2, 1'
expect 0 '' "$bin/cslc" room.csl --arch=wse3 -o room
expect 0 '' "$bin/tilewright" csl run room --in v=fits.npy --in v=flat.npy --launch f,-32768,65535 --out v:2=x.npy
expect 1 'has the shape (2, 1, 3); the PEs are 1 high and 2 wide' "$bin/tilewright" csl run room --in v=turned.npy
expect 1 "'v' has 3 elements on a PE, not 4" "$bin/tilewright" csl run room --in v=long.npy
expect 1 "'v' has 3 elements on a PE, not 4" "$bin/tilewright" csl run room --out v:4=x.npy
# Values that are made: the ramp over both PEs; one seed says the same twice, another says something else.
numbers() { tail -c "$2" "$1" | od -An -v -t "$3" | tr -s ' \n' ' '; }
expect 0 '' "$bin/tilewright" csl run room --in v=ramp --out v=x.npy
[ "$(numbers x.npy 12 u2)" = ' 0 1 2 3 4 5 ' ] || { echo "csl_test: ramp: $(numbers x.npy 12 u2)"; exit 1; }
for seed in random:7 random:7 random normal:7; do
  expect 0 '' "$bin/tilewright" csl run room --in v=$seed --out v=x.npy
  echo "$(numbers x.npy 12 d2)"
done >made
[ "$(sort -u made | wc -l)" = 3 ] || { echo 'csl_test: seeds'; cat made; exit 1; }
sed 3q made | tr -s ' ' '\n' | awk 'NF && ($1 < 0 || $1 > 99) { exit 1 }' || { echo 'csl_test: random'; cat made; exit 1; }
expect 1 "v=random:x: there is no such file; did you mean 'random'?" "$bin/tilewright" csl run room --in v=random:x
expect 1 "v=ramdom:7: there is no such file; did you mean 'random'?" "$bin/tilewright" csl run room --in v=ramdom:7
expect 1 "'f' is fn(i16, u16) void, and no values can be made for it" "$bin/tilewright" csl run room --in f=ramp
expect 1 "elements of 4 bytes, 'v' has elements of 2" "$bin/tilewright" csl run room --in v=wide.npy
expect 2 "argument 1 of 'f' must be i16, not '32768'" "$bin/tilewright" csl run room --launch f,32768,0
expect 2 "argument 1 of 'f' must be i16, not '-32769'" "$bin/tilewright" csl run room --launch f,-32769,0
expect 2 "argument 2 of 'f' must be u16, not '-1'" "$bin/tilewright" csl run room --launch f,0,-1
expect 2 "argument 2 of 'f' must be u16, not '65536'" "$bin/tilewright" csl run room --launch f,0,65536
expect 2 "argument 2 of 'f' must be u16, not '1.5'" "$bin/tilewright" csl run room --launch f,0,1.5
printf 'var i: u16 = 0;\ntask t() void { while (true) { i += 1; } }\ncomptime { @bind_local_task(t, @get_local_task_id(8));\n  @activate(@get_local_task_id(8)); }\n' >ever.csl
expect 1 'more than 5000 cycles' "$bin/tilewright" csl run ever.csl --max-cycles=5000
expect 1 "task 8 (.t. at ever.csl:2) runs at ever.csl:2" "$bin/tilewright" csl run ever.csl --max-cycles=5000
expect 0 '' "$bin/cslc" ever.csl -o ever
expect 1 'the run takes longer than 1e-06 seconds' "$bin/tilewright" csl run ever --max-seconds=1e-6
printf 'fn f() u16 { var i: u16 = 0; while (true) { i ^= 1; } return i; }\nconst x = f();\ncomptime { @comptime_print(x); }\n' >ever.csl
expect 1 'more steps than allowed' "$bin/tilewright" csl check ever.csl --max-comptime-steps=1000
expect 1 'longer than 1e-06 seconds' "$bin/tilewright" csl check ever.csl --max-seconds=1e-6
expect 2 "'soon' is not a number of seconds" "$bin/tilewright" csl check ever.csl --max-seconds=soon
expect 2 "'inf' is not a number of seconds" "$bin/cslc" ever.csl --max-seconds=inf
printf 'var x = @zeros([4]u32);\nconst to = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> x[i] });\nconst in = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = @get_color(4), .input_queue = @get_input_queue(2) });\ntask t() void { @mov32(to, in, .{ .async = true }); }\ncomptime { @bind_local_task(t, @get_local_task_id(8));\n  @activate(@get_local_task_id(8)); }\n' >waits.csl
for check in report error strict off; do
  expect 1 'waits for wavelets on color 4' "$bin/tilewright" csl run waits.csl --check=$check
done
printf 'var a = [4]u16{ 1, 2, 3, 4 };\nvar n: u16 = 9;\ntask t() void { n = a[n]; }\ncomptime { @bind_local_task(t, @get_local_task_id(8));\n  @activate(@get_local_task_id(8)); }\n' >index.csl
expect 0 'index.csl:3:23: warning: index 9 is outside the 4 elements' "$bin/tilewright" csl run index.csl
expect 0 '' "$bin/cslc" index.csl -o index # the folder has what the check needs
expect 1 'index.csl:3:23: error: index 9 is outside the 4 elements' "$bin/tilewright" csl run index --check=strict
printf 'const x = @constants([4000000]u32, 1);\nfn f() u32 { var t = x; t[5] = 2; return t[5]; }\nconst y = f();\ncomptime { @comptime_print(y); }\n' >big.csl
expect 1 'max-memory' "$bin/tilewright" csl check big.csl --max-memory=8M
expect 0 'function' "$bin/tilewright" csl list a
expect 0 '4176 of <memcpy>' "$bin/tilewright" csl list "$(dirname "$stencil")/../gemv/layout.csl" --arch=wse3
expect 1 'no folder that cslc wrote' "$bin/tilewright" csl run nowhere
was=$(dd if=a/program.twcsl bs=1 skip=100 count=1 2>/dev/null) now=x
[ "$was" != x ] || now=y # a byte of a path, which may be any letter
printf $now | dd of=a/program.twcsl bs=1 seek=100 conv=notrunc 2>/dev/null
expect 1 'damaged' "$bin/tilewright" csl run a

# A stream to the host has the shape of --out: rows, columns, wavelets of a PE.
ranks=$1/tests/cli/csl/ranks/layout.csl
expect 0 '' "$bin/tilewright" csl run "$ranks" --in v=ramp --out v=in.npy
expect 0 '' "$bin/tilewright" csl run "$ranks" --in v=ramp --launch f --send 1=in.npy --receive 2:2=all.npy
grep -aq "'<u4'.*'shape': (5, 3, 2)" all.npy || fail "--receive: $(head -n 1 all.npy | tr -d '\0')"

# The same bytes for any number of threads, from the folder or the source.
expect 0 '' "$bin/cslc" "$stencil" --arch=wse3 -o b
for threads in 1 2 7; do
  expect 0 '2496 hundredths after 20 steps' "$bin/tilewright" csl run b --launch run,20 --out t=t$threads.npy --threads=$threads \
    --trace trace$threads.json --profile profile$threads.json --stats
done
expect 0 '' "$bin/tilewright" csl run "$stencil" --arch=wse3 --launch run,20 --out t=t0.npy --trace trace0.json --profile profile0.json
grep -q '"program": "stencil/layout"' profile0.json || fail 'a profile says which program ran'
sed 's,"program": "stencil/layout","program": "b",' profile0.json >named && mv named profile0.json
for threads in 0 2 7; do
  for kind in t%s.npy trace%s.json profile%s.json; do
    # shellcheck disable=SC2059  # the format is ours
    cmp "$(printf "$kind" 1)" "$(printf "$kind" $threads)" || fail "$kind differs with $threads threads"
  done
done
expect 0 '@fmovs' "$bin/tilewright" profile profile1.json
# Both traces of a run have one unit, which both name: the last event is at the same time.
expect 0 '' "$bin/tilewright" profile profile1.json --trace of_profile.json
unit() { grep -o '"unit": *"[^"]*"' "$1" | sed 's/": */": /'; }
[ "$(unit trace1.json)" = "$(unit of_profile.json)" ] || fail 'traces differ in their unit'
unit trace1.json | grep -q 'microseconds .* 850 MHz' || fail "traces do not name their unit: $(unit trace1.json)"
last() {
  tr -d ' \n' <"$1" | sed 's/{"ph"/\n&/g' | grep "^{\"ph\":\"$2\"" |
    sed 's/.*"ts":\([^,}]*\),"dur":\([^,}]*\).*/\1 \2/; s/.*"ts":\([^,}]*\).*/\1 0/' |
    awk '{ n = $1 + $2; if (n > most) most = n } END { printf "%.4f", most }'
}
[ "$(last trace1.json E)" = "$(last of_profile.json X)" ] || fail "the last ends at $(last trace1.json E) and $(last of_profile.json X)"

printf 'const out = @import_module("<simprint>");\ntask t() void { out.fmt("{{}} {d} {{d}", .{ @as(i16, -3) }); }\ncomptime { @bind_local_task(t, @get_local_task_id(8));\n  @activate(@get_local_task_id(8)); }\n' >braces.csl
expect 0 '^@[0-9]* {}} -3 {d}$' "$bin/tilewright" csl run braces.csl

# What a run refuses.
expect 1 "did you mean 'run'" "$bin/tilewright" csl run b --launch ruN,1
expect 1 "no 'speed'; it exports t, run" "$bin/tilewright" csl run b --launch speed
expect 1 'takes 1 argument, not 0' "$bin/tilewright" csl run b --launch run
expect 2 "argument 1 of 'run' must be u16, not 'soon'" "$bin/tilewright" csl run b --launch run,soon
expect 1 'neither a layout' "$bin/tilewright" csl run t1.npy --launch run,20
expect 1 'not mutable' "$bin/tilewright" csl run b --in t=t1.npy
expect 1 'not inside the rectangle' "$bin/tilewright" csl run b --out t@4,4,2,1=x.npy
for rectangle in 0,4294967296,1,1 -1,0,1,1 0,0,1 0,0,1,1,1 '0, 0,1,1'; do
  expect 2 "'$rectangle' is no rectangle X,Y,W,H" "$bin/tilewright" csl run b --out "t@$rectangle=x.npy"
done
expect 1 'more than 100 cycles' "$bin/tilewright" csl run b --launch run,2000 --max-cycles=100
printf 'var i: u16 = 0;\ntask t() void { while (i < 50) { i += 1; } }\ncomptime { @bind_local_task(t, @get_local_task_id(8));\n  @activate(@get_local_task_id(8)); }\n' >fifty.csl
expect 1 'more than 20 cycles' "$bin/tilewright" csl run fifty.csl --max-cycles=20 # it runs ahead of the clock
expect 0 '' "$bin/tilewright" csl run fifty.csl --max-cycles=20000
expect 2 "unknown option '--lunch'; did you mean '--launch'" "$bin/tilewright" csl run b --lunch run
expect 2 '--launch needs a value' "$bin/tilewright" csl run b --launch
expect 2 "--max-cycles: 'many' is not a number" "$bin/tilewright" csl run b --max-cycles=many
cat >hang.csl <<'END'
const in = @get_dsd(fabin_dsd, .{ .extent = 2, .fabric_color = @get_color(3), .input_queue = @get_input_queue(2) });
var x = @zeros([2]f32);
const to = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> x[i] });
const sys = @import_module("<memcpy/memcpy>", .{});
fn go() void { @fmovs(to, in, .{ .async = true, .activate = done }); }
task done() void { sys.unblock_cmd_stream(); }
comptime {
  @bind_local_task(done, @get_local_task_id(8));
  @initialize_queue(@get_input_queue(2), .{ .color = @get_color(3) });
  @export_symbol(go);
}
END
printf 'layout { @set_rectangle(1, 1); @set_tile_code(0, 0, "hang.csl", .{});\n @export_name("go", fn () void); }\n' >hung.csl
expect 1 'fmovs at .*hang.csl:5 waits for wavelets on color 3' "$bin/tilewright" csl run hung.csl --arch=wse3 --launch go

# fmt: printed, compared, written back through links; a program with errors stays as it is.
expect 0 '' "$bin/tilewright" csl fmt "$stencil"
cp out.txt once.csl
expect 0 '' "$bin/tilewright" csl fmt --check once.csl
"$bin/tilewright" csl fmt - <once.csl | cmp -s - once.csl || fail 'fmt of the standard input'
printf 'fn f()void{\na();}// one\n' >loose.csl
expect 1 'loose.csl is not in its canonical form' "$bin/tilewright" csl fmt --check once.csl loose.csl
if grep -q once out.txt; then fail 'fmt --check named a file that is canonical'; fi
ln -s loose.csl link.csl
chmod 600 loose.csl
expect 0 '' "$bin/tilewright" csl fmt --in-place link.csl once.csl
[ -L link.csl ] || fail 'fmt -i replaced a link'
[ "$(stat -c %a loose.csl)" = 600 ] || fail 'fmt -i changed permissions'
[ "$(cat loose.csl)" = "$(printf 'fn f() void {\n  a();\n} // one')" ] || fail 'fmt -i wrote something else'
printf 'fn f( {\n' >broken.csl
expect 1 'broken.csl:1:7: error: ' "$bin/tilewright" csl fmt -i broken.csl
[ "$(cat broken.csl)" = 'fn f( {' ] || fail 'fmt -i changed a program with errors'
expect 1 'there is no file\|No such file' "$bin/tilewright" csl fmt none.csl
expect 2 'fmt has no option .--arch' "$bin/tilewright" csl fmt once.csl --arch=wse3
expect 2 'fmt either compares or writes' "$bin/tilewright" csl fmt once.csl --check -i
expect 2 'the standard input cannot be written back' "$bin/tilewright" csl fmt -i -
expect 2 'one file at a time is printed' "$bin/tilewright" csl fmt once.csl once.csl
expect 2 'a file is missing' "$bin/tilewright" csl fmt --check

# Checkpoints.
heat="$1/examples/csl/stencil/layout.csl --arch=wse3 --launch run,9"
expect 0 'cycles on' "$bin/tilewright" csl run $heat --save-at=100,500 --save=kept --out t=whole.npy --stats
expect 0 'cycles on' "$bin/tilewright" csl run $heat --resume=kept.500 --out t=resumed.npy --stats
cmp whole.npy resumed.npy || fail 'a resumed run gives something else'
expect 0 '' "$bin/tilewright" csl run $heat --save-at=100
cmp checkpoint kept.100 || fail 'the same run has another checkpoint'
expect 0 '' "$bin/tilewright" csl run $heat --save-every=200,3 --save=roll
[ "$(ls roll.* | wc -l)" = 3 ] || fail '--save-every keeps another number of files'
expect 1 'the same calls with the same data' "$bin/tilewright" csl run ${heat%9}8 --resume=kept.500
expect 1 'kept.500. was saved from another program' "$bin/tilewright" csl run "$1/examples/csl/fifo/layout.csl" --arch=wse3 --resume=kept.500
expect 1 'saved with --check=report' "$bin/tilewright" csl run $heat --check=strict --resume=kept.500
expect 1 'no checkpoint was written at cycle 90000: the run is over at' "$bin/tilewright" csl run $heat --save-at=90000
expect 1 'kept.500 is also an input' "$bin/tilewright" csl run $heat --resume=kept.500 --save-at=600 --save=kept.500
expect 1 'kept.500 is also an input' "$bin/tilewright" csl run $heat --resume=kept.500 --save-at=500,600 --save=kept
expect 1 'was saved at cycle .*, and the run may not go past 300' "$bin/tilewright" csl run $heat --resume=kept.500 --max-cycles=300
expect 2 'not a standard stream' "$bin/tilewright" csl run $heat --resume=-
expect 2 'not a standard stream' "$bin/tilewright" csl run $heat --save-at=100 --save=-
for file in roll.*; do break; done
expect 0 '' "$bin/tilewright" csl run $1/./${heat#"$1/"} --save-every=200,3 --save=roll --resume=$file
expect 2 "save-at: '0' is not cycles" "$bin/tilewright" csl run $heat --save-at=0
expect 2 "save-every: '5,x' is not" "$bin/tilewright" csl run $heat --save-every=5,x
expect 2 'neither is given' "$bin/tilewright" csl run $heat --save=kept
expect 2 'of one process' "$bin/tilewright" csl run $heat --save-at=100 -n 2

# Host scripts.
case ${CC:-} in *-fsanitize=*) sanitized=1 ;; *) sanitized= ;; esac
if [ -n "$sanitized" ]; then
  echo 'csl_test: a python without sanitizers cannot load a library with them: host scripts are left out'
elif "$bin/cs_python" -c 'import numpy' 2>/dev/null; then
  cp "$1"/tests/cli/csl/csl_host.py .
  expect 0 '' "$bin/cslc" "$1/examples/csl/gemv/layout.csl" --arch=wse2 --params=M:4,N:6 --memcpy --fabric-dims=8,3 \
    --fabric-offsets=4,1 -o gemv
  expect 0 'SUCCESS' "$bin/cs_python" csl_host.py gemv "$1"
  expect 0 '' "$bin/cslc" "$1/examples/csl/stencil/layout.csl" --arch=wse3 --memcpy --fabric-dims=12,7 --fabric-offsets=4,1 -o heat
  expect 0 '' env TILEWRIGHT_CSL_SAVE_AT=900 TILEWRIGHT_CSL_SAVE=script.save TILEWRIGHT_CSL_PROFILE=script.json \
    "$bin/cs_python" "$1/examples/csl/stencil/run.py" --name heat
  expect 0 '' env TILEWRIGHT_CSL_RESUME=script.save TILEWRIGHT_CSL_PROFILE=resumed.json \
    "$bin/cs_python" "$1/examples/csl/stencil/run.py" --name heat
  cmp script.json resumed.json || fail 'the profile of a resumed script differs'
  mkdir client
  cp "$1/tests/cli/csl/csl_client.py" client/
  (cd client && expect 0 'compiled' "$bin/cs_python" csl_client.py compile "$1" &&
    expect 0 'SUCCESS' "$bin/cs_python" csl_client.py run "$1") || exit 1
  # The library lies beside the package, or in its tree or prefix; no other place is looked at.
  mkdir -p far/up/python
  cp -r "$1/python/cerebras" "$1/python/tilewright_library.py" far/up/python/
  for place in . far far/up; do cp "$bin/tilewright" "$place/libtilewright.so"; done
  import='from cerebras.sdk import _native; print(_native.lib._name)'
  expect 1 "there is no libtilewright.so: neither $PWD/far/up/python/libtilewright.so" \
    env -u TILEWRIGHT_LIBRARY LD_LIBRARY_PATH="$PWD" PYTHONPATH="$PWD/far/up/python" python3 -c "$import"
  expect 1 'must be the whole path' env TILEWRIGHT_LIBRARY=libtilewright.so LD_LIBRARY_PATH="$PWD" \
    PYTHONPATH="$PWD/far/up/python" python3 -c "$import"
  cp "$bin/../libtilewright.so" far/up/python/libtilewright.so
  expect 0 "$PWD/far/up/python/libtilewright.so" env -u TILEWRIGHT_LIBRARY PYTHONPATH="$PWD/far/up/python" python3 -c "$import"
else
  echo 'csl_test: python3 has no numpy, host scripts are left out'
fi
echo 'csl_test: good'

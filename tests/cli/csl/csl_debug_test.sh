#!/bin/sh
# SPDX-License-Identifier: MIT
# tilewright csl debug: sessions on a small program whose values are known, and runs with many stops, which have to
# leave the same bytes as runs without.
. "$1/tests/cli/lib.sh"
cd "$work" || exit 1

cat >layout.csl <<'END'
const line = @get_color(3);
const memcpy = @import_module("<memcpy/get_params>", .{ .width = 2, .height = 1 });
layout {
  @set_rectangle(2, 1);
  @set_tile_code(0, 0, "left.csl", .{ .memcpy_params = memcpy.get_params(0), .line = line });
  @set_tile_code(1, 0, "right.csl", .{ .memcpy_params = memcpy.get_params(1), .line = line });
  @set_color_config(0, 0, line, .{ .routes = .{ .rx = .{RAMP}, .tx = .{EAST} } });
  @set_color_config(1, 0, line, .{ .routes = .{ .rx = .{WEST}, .tx = .{RAMP} } });
  @export_name("go", fn (i16) void);
}
END
cat >left.csl <<'END'
param memcpy_params: comptime_struct;
param line: color;
const sys_mod = @import_module("<memcpy/memcpy>", memcpy_params);
const out_queue = @get_output_queue(2);
const to = @get_dsd(fabout_dsd, .{ .extent = 4, .fabric_color = line, .output_queue = out_queue });

var data = [4]f32{ 1.5, 2.0, -3.0, 4.0 };
var table = [2, 3]i16{ 1, 2, 3, 4, 5, -6 };
var turns: u16 = 0;
var ready = false;
var grid = @zeros([4, 4]i16);
const column = @get_dsd(mem4d_dsd, .{ .tensor_access = |i, j|{2, 2} -> grid[2 * j, i] });
var pointer: [*]f32 = &data;
var all = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> data[i] });

fn twice(v: f32) f32 {
  return v + v;
}

fn scale(n: i16) void {
  for (@range(i16, n)) |i| {
    data[i] = twice(data[i]);
    turns += 1;
  }
}

fn go(n: i16) void {
  scale(n);
  table[1, 0] = @as(i16, pointer[1]);
  ready = table[1, 0] == 4;
  @mov16(column, table[0, 1]);
  @fmovs(to, all);
  sys_mod.unblock_cmd_stream();
}

comptime {
  if (@is_arch("wse3")) @initialize_queue(out_queue, .{ .color = line });
  @export_symbol(go);
}
END
cat >right.csl <<'END'
param memcpy_params: comptime_struct;
param line: color;
const sys_mod = @import_module("<memcpy/memcpy>", memcpy_params);
const in_queue = @get_input_queue(2);
const from = @get_dsd(fabin_dsd, .{ .extent = 6, .fabric_color = line, .input_queue = in_queue });
const sum_id = @get_local_task_id(9);

var room = @zeros([8]f32);
const fifo = @allocate_fifo(room);
var got = @zeros([6]f32);
var total: f32 = 1; export var half: f16 = 1;
const got_all = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{6} -> got[i] });
const register = @get_dsr(dsr_dest, 1);

task sum() void {
  total += got[0];
  sys_mod.unblock_cmd_stream();
}

fn go(n: i16) void {
  @fmovs(fifo, got_all);
  @load_to_dsr(register, got_all);
  @fmovs(register, from, .{ .async = true, .activate = sum });
}

comptime {
  @initialize_queue(in_queue, .{ .color = line });
  @bind_local_task(sum, sum_id);
  @export_symbol(go);
}
END

# debug STATUS OPTIONS... <commands: the output is in `out`
debug() {
  wanted=$1
  shift
  "$tilewright" csl debug "$@" >out 2>&1
  got=$?
  [ "$got" -eq "$wanted" ] || { fail "csl debug: status $got, not $wanted"; cat out; }
}
shows() { # each argument, in this order
  at=1
  for text in "$@"; do
    found=$(tail -n +"$at" out | grep -nF -m1 -e "$text" | cut -d: -f1)
    [ -n "$found" ] || { fail "no '$text' from line $at on"; cat out; return; }
    at=$((at + found))
  done
}
lacks() {
  grep -qF -e "$1" out && { fail "'$1' is in the output"; cat out; }
}

# Memory is looked at before any task of a PE has started: it holds what the program says.
debug 0 layout.csl --arch=wse3 --launch go,4 <<'END'
pe 1,0
print total
pe 0,0
print data
quit
END
shows 'total = 1' 'data = {1.5, 2, -3, 4}'

# Lines of the language's libraries are in the program.
debug 0 layout.csl --arch=wse3 -O0 --launch go,4 <<'END'
break sys_mod.unblock_cmd_stream
run
list
quit
END
shows "in 'sys_mod.unblock_cmd_stream' at <memcpy/memcpy>:" 'fn unblock_cmd_stream() void {'
lacks 'that can be read'

# Values that stop a PE when they change, on a wafer that starts again too, and values at each stop; what cannot be
# watched or shown is refused, and the value of another PE says so.
debug 1 layout.csl --arch=wse3 --launch go,4 <<'END'
watch
watch nothing
watch total if 1
display nothing
display/q data
undisplay 3
break twice if
watch data[2] at 0,0
watch turns
display/x turns
display data[1]
info break
run
delete 2
undisplay 1
continue
pe 1,0
display
undisplay
delete
run
continue
END
shows "watch VALUE, such as" "no variable 'nothing'" "A watchpoint has no condition" "no variable 'nothing'" \
  "no format 'q'" "There is no display number 3." "a value is missing" "Watchpoint 1: data[2], PE 0,0" \
  "Watchpoint 2: turns, PE 0,0" "1: turns = 0x0" "2: data[1] = 2" "Watchpoint 1: data[2], PE 0,0" \
  "Watchpoint 2: turns" "Old value = 0" "New value = 1" "PE 0,0: in 'scale'" "1: turns = 0x1" "2: data[1] = 2" \
  "Watchpoint 1: data[2]" "Old value = -3" "New value = -6" "2: data[1] = 4" \
  "2: data[1] = PE 1,0 has no variable 'data'" "Nothing can happen any more"

# A watchpoint sees elements that are not shown, and the variable of its own function where another one has that name, too;
# a change is told at the first stop behind it. What cannot change is refused.
cat >watch.csl <<'END'
param memcpy_params: comptime_struct;
const sys_mod = @import_module("<memcpy/memcpy>", memcpy_params);
var big = @zeros([300]i16);
var out: i16 = 0;
fn inner(n: i16) i16 {
  var x: i16 = n * 2;
  x += 1;
  big[250] = x;
  return x;
}
fn go(n: i16) void {
  for (@range(i16, 240)) |i| {
    big[i] = i;
  }
  var x: i16 = n;
  x += inner(x);
  out = x;
  x += 100;
  sys_mod.unblock_cmd_stream();
}
comptime { @export_symbol(go); }
END
sed 's/left.csl/watch.csl/; s/, .line = line//' layout.csl | grep -v 'right\|color' | sed 's/width = 2/width = 1/; s/(2, 1)/(1, 1)/' >watched.csl
debug 1 watched.csl --arch=wse3 -O0 --launch go,4 <<'END'
watch 1+1
watch nothing
break watch.csl:16
break watch.csl:18
run
watch big
watch x
watch out
continue
continue
print out
continue
continue
run
continue
continue
END
shows "'1+1' cannot change." "no variable 'nothing'" "Breakpoint 1, [cycle" 'Watchpoint 3: big, PE 0,0' \
  "Watchpoint 4: x, PE 0,0, in 'go'" 'Watchpoint 5: out, PE 0,0' 'Watchpoint 3: big' 'It has changed where it is not shown' \
  "in 'inner' at watch.csl:9" 'Watchpoint 4: x' 'Old value = 4' 'New value = 13' "in 'go' at watch.csl:17" 'out = 0' \
  'Watchpoint 5: out' 'Old value = 0' 'New value = 13' "in 'go' at watch.csl:18" 'Old value = 13' \
  'New value = 113' "in 'go' at watch.csl:19" 'Watchpoint 3: big'
[ "$(grep -c '^Breakpoint 2, .cycle' out)" = 1 ] || { fail 'another breakpoint'; cat out; }

# Breakpoints by function (where it went into its caller), by line with a condition, by task and PE; the frames of calls
# that are no more; values of every kind; what a PE waits for, in the words of the report.
for level in -O2 -O0; do
  debug 0 layout.csl --arch=wse3 $level --launch go,4 <<'END'
break twice
break left.csl:23 if turns == 2
break sum at 1,0
info break
run
backtrace
print data
print all
print pointer[1]
print pointer.*
print data@2
print table[0:2, 1]
print/x table
print table[1, 2] * 2 + 1
print (turns == 0 and !ready) or 1 > 2
print ready
delete 1
continue
print turns
continue
print turns
print ready
print table
info routes 1,0
info dsrs 1,0
info fifos 1,0
info operations 1,0
info queues 1,0
info variables
info tasks 1,0
continue
why 1,0
why 0,0
info pes
END
  shows "Breakpoint 1, in 'twice' at left.csl:17" "Breakpoint 2, in 'scale' at left.csl:23 if turns == 2" \
    "Breakpoint 3, in 'sum' at right.csl:16, PE 1,0" "Breakpoint 1, in 'twice'" \
    "PE 0,0: in 'twice' at left.csl:17" "17	  return v + v;" "#0  in 'twice' at left.csl:17" \
    "in 'scale' at left.csl:22" "in 'go' at left.csl:28" "data = {1.5, 2, -3, 4}" \
    " (data), stride 1: [0], [1], [2], [3] = {1.5, 2, -3, 4}" "pointer[1] = 2" \
    "pointer.* = 1.5" "data@2 = {1.5, 2}" "table[0:2, 1] = {2, 5}" "table = {{0x1, 0x2, 0x3}, {0x4, 0x5, 0xfffa}}" \
    "table[1, 2] * 2 + 1 = -11" "> 2 = 1" "ready = false" \
    "PE 0,0: in 'scale' at left.csl:23" "turns = 2" "Nothing can happen any more" "turns = 4" \
    "ready = true" "table = {{1, 2, 3}, {4, 5, -6}}" \
    "color 3: from west to ramp at layout.csl:8" "(got), stride 1: [0], [1], [2], [3], [4], [5] = {3, 4, -6, 8, 0, 0}" \
    "fifo: 6 of 8 element(s): 0x00000000" "@fmovs at right.csl:23, 4 of 6 elements done" \
    "input queue 2: color 3, 0 of 4 wavelet(s), used by microthread" "turns: u16 at left.csl:9" \
    "local    9  sum at right.csl:15" "[the run has failed" \
    "PE 1,0: @fmovs at right.csl:23 waits for wavelets on color 3 (input queue 2); 4 of 6 elements done" \
    "PE 1,0: the host's command has not unblocked the command stream" "PE 0,0: it waits for nothing" \
    "PE 1,0: right.csl, idle, 1 operation(s) in microthreads" "PE 0,0: left.csl, idle"
done
# Values that are set: in memory, in a register, of another PE; the run goes on with them. What is no place, and numbers
# that a type does not have, are refused.
debug 1 layout.csl --arch=wse3 -O0 --launch go,4 <<'END'
tbreak twice
run
set v = 7
print v
set data[3] = 0.5
set var turns = 0xfff0
set table[1, 2] = 0xffff
set $h[&table] = 77
set ready = true
print ready
print table
set pointer = &data + 4
print pointer.*
set $r0 = 0x40000000
print v
set turns = -2
print turns
set turns = 3
up
set data[1] = turns * 2 - 1
pe 1,0
set got[5] = 4
print got
pe 0,0
tbreak left.csl:29
continue
print data
print turns
set data = 1
set all = 1
set ready = 2
set turns = 65536
set turns = -32769
set turns = 1.5
set turns = 99999999999999999999999
set data[0] = 18446744073709551615
print data[0]
set data[0] = -18446744073709551615
print data[0]
set data[0] = 1e39
set data[0] = 1e999
pe 1,0
set half = 65519
print half
set half = 65520
set half = -1e6
pe 0,0
set nothing = 1
set 3 = 4
set $pc = 3
set turns == 1
set turns
set = 1
set turns = data
set turns = 1 2
set data[4] = 1
print turns
END
shows 'v = 7' 'ready = true' 'table = {{77, 2, 3}, {4, 5, -1}}' 'pointer.* = 2' 'v = 2' 'turns = 65534' 'got = {0, 0, 0, 0, 0, 4}' \
  'data = {4, 10, -6, 1}' 'turns = 7' "'data' is an array: numbers" "'all' is mem1d_dsd: numbers" '2 is no bool.' '65536 is no u16.' \
  '-32769 is no u16' '1.5 is no whole number.' "'99999999999999999999999' has more than 64 bits" 'data[0] = 1.8446744e+19' 'data[0] = -1.8446744e+19' '1e+39 is no f32' \
  "'1e999' has more than 64 bits" 'half = 65504' '65520 is no f16' '-1e+06 is no f16' "no variable 'nothing'" "'3' is a value, and no place" "'\$pc' is a value" 'set PLACE = VALUE.' \
  'set PLACE = VALUE.' 'set PLACE = VALUE.' 'this is an array' "'2' stands behind" '4 is outside the 4 elements' 'turns = 7'
printf 'break twice\nrun\nset v = 1\n' >set_lost
debug 1 layout.csl --arch=wse3 --launch go,4 <set_lost
shows "'v' is <optimised out>."

# Ctrl-C just behind a line is for the run that the line starts or goes on with; behind others for nothing.
${CC:-cc} -fno-sanitize=all -shared -fPIC -o late.so "$source/tests/cli/late_interrupt.c" -ldl || fail 'late_interrupt.c'
expect 0 python3 "$source/tests/cli/terminal.py" '(csl) ' 'tbreak twice\nrun\nprint 41 + 1\nc\ncontinue\nquit\n' -- \
  sh -c 'stty -icanon; env LD_PRELOAD=./late.so ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" "$1" csl debug \
    layout.csl --arch=wse3 -O0 --launch go,4 | cat' sh "$tilewright"
shows Interrupted. '= 42' "PE 0,0: in 'twice'" Interrupted.
[ "$(grep -c Interrupted out)" = 2 ] || fail 'a Ctrl-C stops more than one run'

# Inlined frames are shown as such where the optimiser took the call out, and only there.
printf 'break twice\nrun\nbt\n' >bt
debug 0 layout.csl --arch=wse3 --launch go,4 <bt
shows "#0  in 'twice' at left.csl:17 (inlined)" "#1  in 'scale' at left.csl:22 (inlined)" "#2  in 'go' at left.csl:28"
debug 0 layout.csl --arch=wse3 -O0 --launch go,4 <bt
shows "#0  in 'twice' at left.csl:17" "#1  in 'scale' at left.csl:22" "#2  in 'go' at left.csl:28"
lacks inlined

# Steps: over a call stays in the function, into one does not; out of it; by instruction, by cycle, to a cycle.
debug 0 layout.csl --arch=wse3 -O0 --launch go,4 <<'END'
tbreak go at 0,0
run
next
info line
tbreak left.csl:22
run
step
backtrace
finish
stepi
nexti 2
x/2i
cycle
cycle 5
info cycles
continue to 100
END
shows "Temporary breakpoint 1, [cycle" "PE 0,0: in 'go' at left.csl:29" "in 'go' at left.csl:29" \
  "Temporary breakpoint 2, in 'scale' at left.csl:22" "Temporary breakpoint 2, [cycle" \
  "in 'twice' at left.csl:17" "#1  in 'scale' at left.csl:22" "in 'scale' at left.csl:22" "=> " "[cycle 100"

# From another place of the function; types; elements behind a pointer as C writes them.
debug 1 layout.csl --arch=wse3 -O0 --launch go,4 <<'END'
jump left.csl:30
tbreak left.csl:30
run
print ready
print turns
ptype table
ptype table[1, 0:2]
ptype data[1]
ptype pointer
ptype *pointer
ptype &data
ptype &*pointer
ptype &data == 1
ptype &5
ptype to
ptype turns + 1
ptype 1.5
ptype nothing
ptype
print *pointer
print *pointer@3
print *table
print **table
print *turns
set *pointer = 0.25
print data[0]
jump
jump twice
jump nowhere
jump right.csl:21
jump 1
tbreak left.csl:30
jump 28
print turns
print data
info cycles
END
shows "Nothing is running" "ready = false" "turns = 4" 'type = [2, 3]i16' 'type = [2]i16' 'type = f32' 'type = [*]f32' 'type = *[4]f32' 'type = *f32' 'only memory has an address' \
  'type = fabout_dsd' 'type = comptime_int' 'type = comptime_float' "no variable 'nothing'" 'ptype VALUE' '*pointer = 3' \
  '*pointer@3 = {3, 4, -6}' '*table = {1, 2, 3}' '**table = 1' 'u16 is no pointer' 'data[0] = 0.25' 'jump LOCATION' \
  "'twice' is another function than 'go', with other registers." "no function or task 'nowhere'" 'PE 0,0 has no code there.' \
  "Continuing in 'go' at left.csl:28" 'Temporary breakpoint 2, [cycle' 'turns = 8' 'data = {0.5, 8, -12, 16}'

# An @map that has begun is not left behind: it would go on in the next one.
cat >map.csl <<'END'
var a = [4]i16{ 1, 2, 3, 4 };
var b = @zeros([4]i16);
var n: i16 = 0;
const ad = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> a[i] });
const bd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> b[i] });
fn f(v: i16) i16 {
  n += 1;
  return v * 10;
}
task main() void {
  @map(f, ad, bd);
  n = 0;
}
comptime {
  const id = @get_local_task_id(8);
  @bind_local_task(main, id);
  @activate(id);
}
END
cat >map_layout.csl <<'END'
layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "map.csl", .{});
}
END
debug 1 map_layout.csl --arch=wse3 -O0 <<'END'
tbreak f
run
finish
jump map.csl:12
continue
print b
END
shows 'PE 0,0 is in an @map: behind that it may jump.' 'b = {10, 20, 30, 40}'

# A PE alone: where its tasks begin; a condition alone: where it becomes true; until, disable. Scalar code of PE 0,0
# runs before the wafer comes to PE 1,0.
debug 0 layout.csl --arch=wse2 -O0 --launch go,4 <<'END'
break 1,0
break at 0,0 if turns > 2
run
print turns
print data
disable 2
until left.csl:30
list
list 17
continue
enable 2
info break
quit
END
shows "Breakpoint 1, tasks, PE 1,0" "Breakpoint 2, any line, PE 0,0 if turns > 2" "Breakpoint 2, [cycle" "turns = 3" \
  "data = {3, 4, -6, 4}" "Temporary breakpoint 3, [cycle" "30	  ready = table[1, 0] == 4;" \
  "17	  return v + v;" "Breakpoint 1, [cycle 3] PE 1,0: in 'go' at right.csl:21" \
  "Breakpoint 1, tasks, PE 1,0, hit 1 times" "Breakpoint 2, any line, PE 0,0 if turns > 2, hit 1 times"

# Local variables and constants: all of them as the code is written; of optimised code no other value than one that the
# variable has on that line, and not only <optimised out>.
cat >one.csl <<'END'
const memcpy = @import_module("<memcpy/get_params>", .{ .width = 1, .height = 1 });
layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "loops.csl", .{ .memcpy_params = memcpy.get_params(0) });
  @export_name("go", fn (u16) void);
}
END
cat >loops.csl <<'END'
param memcpy_params: comptime_struct;
const sys_mod = @import_module("<memcpy/memcpy>", memcpy_params);
var data = [16]i16{ 3, -1, 4, 1, -5, 9, 2, 6, -5, 3, 5, 8, 9, -7, 9, 3 };
var out = @zeros([16]i16);
var total: i32 = 0;
var p: [*]i16 = &data;
fn clamp(v: i16, low: i16, high: i16) i16 {
  var r = v;
  if (r < low) {
    r = low;
  }
  if (r > high) {
    r = high;
  }
  return r;
}
fn search(key: i16, n: u16) u16 {
  var i: u16 = 0;
  while (i < n) {
    const here = p[i];
    if (here == key) {
      break;
    }
    i += 1;
  }
  return i;
}
fn mix(n: u16, start: i32) i32 {
  var sum: i32 = start;
  var odd: u16 = 0;
  for (@range(u16, n)) |i| {
    const v = p[i];
    var scaled: i32 = @as(i32, v) * 3;
    if (v < 0) {
      odd += 1;
      scaled = -scaled;
      out[i] = clamp(v, -4, 4);
    } else {
      out[i] = clamp(v + 1, 0, 7);
    }
    sum += scaled;
    for (@range(u16, i)) |j| {
      if (p[j] > v) {
        sum += @as(i32, j);
        odd += 2;
      }
      total += 1;
    }
  }
  total += @as(i32, odd);
  return sum;
}
fn go(n: u16) void {
  var local = @zeros([4]i16);
  for (@range(u16, 4)) |k| {
    local[k] = p[k] + 1;
  }
  const found = search(9, n);
  const sum = mix(n, @as(i32, found));
  total += sum + @as(i32, local[2]);
  sys_mod.unblock_cmd_stream();
}
comptime { @export_symbol(go); }
END
debug 0 layout.csl --arch=wse3 -O0 --launch go,4 <<'END'
break left.csl:23 if i == 2
run
info locals
print i * 10 + n
up
info locals
print to
print column
print line
print out_queue
END
shows 'Breakpoint 1, [cycle' 'n = 4' 'i = 2' 'i * 10 + n = 24' 'n = 4' \
  'to = fabout_dsd, 4 elements, color 3, output queue 2' \
  'column = mem4d_dsd {2, 2}, 4 elements from 0x' 'line = 3' 'out_queue = 2'
{
  for line in $(seq 8 64); do echo "break loops.csl:$line"; done
  echo run
  for stop in $(seq 900); do printf 'info locals\ninfo line\ncontinue\n'; done
} >lines
for level in O0 O2; do # LINE NAME VALUE
  "$tilewright" csl debug one.csl --arch=wse3 -$level --launch go,14 <lines 2>err | awk '
    / = / { name[++n] = $1; value[n] = substr($0, index($0, "=") + 2) }
    /^instruction / { sub(/.*:/, ""); for (k = 1; k <= n; k++) print $0, name[k], value[k]; n = 0 }' | sort -u >$level
done
[ "$(wc -l <O0)" -gt 300 ] || fail "$(wc -l <O0) values of local variables at -O0"
grep -q '<optimised out>' O0 && fail 'something is optimised out at -O0'
# Lines 10 and 13 are conditional moves: optimised code comes there whether the condition holds or not.
grep -v '<optimised out>\|^1[03] ' O2 >known
[ "$(wc -l <known)" -gt 100 ] || fail "$(wc -l <known) values of local variables at -O2"
comm -13 O0 known >other
[ -s other ] && { fail 'values at -O2 that the variables do not have:'; cat other; }

# A call at the end of a function takes over its frame: the backtrace says where functions left none; -O0 has them all.
{
  sed '/^fn clamp/,$d' loops.csl
  for f in last:'t' middle:'last(t)' first:'middle(t) + 1'; do # too large to go into a caller
    echo "fn ${f%%:*}(k: i16) i16 { var t = k;"
    for n in 1 2 3 4 5 6 7 8 9; do echo "  t = t * $n + k; out[t & 15] += t;"; done
    echo "  return ${f#*:}; }"
  done
  echo 'fn go(n: u16) void { total = @as(i32, first(1)) + @as(i32, middle(2)) + @as(i32, last(3)) + @as(i32, first(4));'
  echo '  sys_mod.unblock_cmd_stream(); }'
  echo 'comptime { @export_symbol(go); }'
} >tail.csl
sed 's/loops.csl/tail.csl/' one.csl >ends.csl
printf 'break last\nrun\nbacktrace\nquit\n' >commands
debug 0 ends.csl --arch=wse3 --launch go,4 <commands
shows "#0  in 'last' at tail.csl:8 (frames of calls that ended in this one are left out)" "#1  in 'first' at tail.csl:39" \
  "#2  in 'go' at tail.csl:40"
debug 0 ends.csl --arch=wse3 -O0 --launch go,4 <commands
shows "#0  in 'last' at tail.csl:7" "#1  in 'middle' at tail.csl:28" "#2  in 'first' at tail.csl:39" "#3  in 'go' at tail.csl:40"

# Where each of these goes wrong it is told why, and the session fails.
wrong() { # COMMAND MESSAGE
  printf 'tbreak go at 0,0\nrun\n%s\nquit\n' "$1" >commands
  debug 1 layout.csl --arch=wse3 -O0 --launch go,4 <commands
  shows "$2"
}
wrong 'print nix' "has no variable 'nix'"
wrong 'print data[4]' '4 is outside the 4 elements of this dimension'
wrong 'print data[0, 1]' 'more indices than the 1 of the array'
wrong 'print data + 1' 'this is an array, not a number'
wrong 'print turns[0]' 'u16 has no elements'
wrong 'print turns +' "a value is missing behind 'turns +'"
wrong 'print' 'a value is missing.'
wrong 'break twice if' 'a value is missing.'
wrong 'print (turns' "a ')' is missing"
wrong 'print turns turns' "'turns' stands behind the value"
wrong 'print 1 / 0' 'division by zero'
wrong 'print data@20000' '20000 elements from address'
wrong 'print/q turns' "There is no format 'q'"
wrong 'break nix' "there is no function or task 'nix'"
wrong 'break nix.csl:3' "no code comes from a file 'nix.csl'"
wrong 'break left.csl:x' "'left.csl:x' is no line of a file"
wrong 'break left.csl:999' 'no code comes from left.csl:999'
wrong 'break twice at 9,9' 'There is no PE 9,9: the rectangle has 2 x 1 PEs.'
wrong 'break twice at here' "'here' is no PE"
wrong 'break twice if turns >' "a value is missing behind 'turns >'"
wrong 'break if nix > 3' "has no variable 'nix'"
wrong 'break twice at 1,0' 'PE 1,0 has no such code'
wrong 'delete 7' 'There is no breakpoint number 7.'
wrong 'pe 2,0' 'There is no PE 2,0'
wrong 'why 0,x' "'0,x' is no PE"
wrong 'frame 9' "There is no frame '9'"
wrong 'step none' "'none' is no number of steps."
wrong 'continue to 1' 'Cycle 1 is over'
wrong 'finish' 'This is the outermost function.'
wrong 'nonsense' 'Undefined command: "nonsense"'
wrong 'info' 'info pes, tasks, queues, breakpoints,'
printf 'step\n' >commands
debug 1 layout.csl --arch=wse3 --launch go,4 <commands
shows "Nothing is running: 'run' starts."
expect 2 "$tilewright" csl debug layout.csl --nix
expect 1 "$tilewright" csl debug nix.csl

# A fault: the message, the place, and what the PE holds; then again from the start.
sed 's/ready = table/ready = table[1, 0] \/ @as(i16, turns - 4) == 0 and table/' left.csl >fault.csl
sed 's/left.csl/fault.csl/' layout.csl >faulty.csl
debug 0 faulty.csl --arch=wse3 --launch go,4 <<'END'
run
backtrace
print turns
tbreak go at 0,0
run
print turns
quit
END
shows 'error: division by zero (PE 0,0, cycle' 'The program stopped.' "in 'go' at fault.csl:30" 'turns = 4' \
  'Temporary breakpoint 1, [cycle' 'turns = 0'

# Many stops: the same cycles, output, trace, profile and memory as without, for 1 and 2 threads.
{
  printf 'break at 0,0 if $cycle > 50\ntbreak 1,0\nrun\nstep 3\nnext 2\nstepi 40\ncycle 7\ncycle\ndelete\n'
  printf 'info pes\nwhy 0,0\ncycle 11\nstep 5\nnexti 30\ncontinue\n'
} >stops
same() {
  for threads in 1 2; do
    expect 0 "$tilewright" csl run "$@" --threads=$threads --memory=m1 --trace=t1 --profile=p1 --stats
    mv "$work/out" o1
    "$tilewright" csl debug "$@" --threads=$threads --memory=m2 --trace=t2 --profile=p2 --stats <stops >o2 2>err
    grep -q '^[BT].*breakpoint [12], \[cycle\|^\[cycle' o2 || fail "no stop: $*"
    for file in m t p; do cmp ${file}1 ${file}2 || fail "csl debug $*: another $file with $threads threads"; done
    while read -r line; do grep -qxF -e "$line" o2 || fail "csl debug $*: no '$line'"; done <o1
    rm -f m1 m2 t1 t2 p1 p2
  done
}
examples=$source/examples/csl
same "$examples/stencil/layout.csl" --arch=wse3 --params=size:20 --launch run,9
same "$examples/stencil/layout.csl" --arch=wse2 --launch run,9
same "$examples/gemv/layout.csl" --arch=wse3 --launch fill --launch columns --launch rows --launch mapped
same "$examples/fifo/layout.csl" --arch=wse2
same "$examples/all_reduce/layout.csl" --arch=wse3 --launch all_reduce
same "$examples/histogram/layout.csl" --arch=wse3
same "$examples/messages/layout.csl" --arch=wse3 --launch transpose
finish

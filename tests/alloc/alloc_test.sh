# SPDX-License-Identifier: MIT
# A command whose allocations fail, one after the other: SOURCE BUILD ROW LIMIT (sweep.c says the rest).
# Without a row: the names of all.
rows() {
  cat <<'ROWS'
asm|tilewright asm ../dot.s -o dot.o
asm_list|tilewright asm --list ../addend.s
asm_errors|tilewright asm ../wrong.s -o wrong.o
objdump|tilewright objdump -d -h -t -r --stack ../dot.o
link|tilewright link ../dot.o ../addend.o --entry __runCodelet_AmpDot --map -o dot.elf
sim|tilewright sim ../addend.s --entry __runCodelet_AddPlain___false --mem 0x90000=0x91000,4,10.0,20.0;0x91000=1.0,2.0,3.0,4.0 --show 0x91000:4 --cycles --trace
sim_all|tilewright sim ../addend.o --entry __runCodelet_AddPlain___false --mem 0x90000=0x91000,4,10.0,20.0;0x91000=1.0,2.0,3.0,4.0 --all
pto_check|tilewright pto check --target all ../softmax.pto
pto_fmt|tilewright pto fmt ../softmax.pto
pto_run|tilewright pto run ../add.pto --manual --arg x=f32[512] --arg y=f32[512] --arg z=f32[512] --arg fill=true --out z=z.npy --profile --timeline t.json
pto_profile|tilewright pto run ../softmax.pto --target a2a3 --profile p.json --trace
pto_fifo|tilewright pto run ../fifo.pto --vectors 2 --arg c=f32[4x32x32] --out c=c.npy --profile p.json
cslc|tilewright cslc ../layout.csl --arch=wse3 --fabric-dims=12,7 --fabric-offsets=4,1 --memcpy --channels=1 --params=size:3 -o folder
csl_loop|tilewright cslc ../loop.csl --arch=wse3 --fabric-dims=8,3 --fabric-offsets=4,1 -o folder
csl_run|tilewright csl run ../folder --launch run,3 --out t=t.npy --profile p.json --trace t.json --memory m --stats
csl_list|tilewright csl list ../folder
csl_errors|tilewright csl check ../wrong.csl --json
report|tilewright report ../profile.json -o x.html
report_two|tilewright report ../profile.json ../other.json -o x.html
profile|tilewright profile ../profile.json --top --tiles --memory --show-execution-steps --show-optimizations --show-var-storage
profile_trace|tilewright profile ../profile.json --trace x.json
profile_diff|tilewright profile --diff ../profile.json ../other.json --fail-if cycles>+200%
host|../host ../scale.gp
layout|tilewright layout encode --arch mk1 --layout SCALED_PTR64 --type float --address 0x50000 --count 12 --json
layout_vertex|tilewright layout vertex ../scale.gp --arch mk2
popc_merge|tilewright popc ../scale.gp ../other.gp -o both.gp
info|tilewright info options --json
info_insn|tilewright info insn f32add
aie_types|tilewright aie type v16int32 v4cacc48
run|tilewright run ../host.c ../scale.gp
popc|tilewright popc --target ipu2 ../scale.c -o scale.gp
ROWS
}
[ $# -gt 0 ] || { rows | cut -d'|' -f1; exit; }
. "$1/tests/cli/lib.sh"
row=$3 limit=$4
cd "$work" || exit 1
# Threads would ask for memory in another order each time.
PATH=$build/bin:$PATH OMP_NUM_THREADS=1
export PATH OMP_NUM_THREADS
unset POPLAR_ENGINE_OPTIONS MALLOC_PERTURB_

# What the rows read. Assembly goes through the preprocessor here: runs would start one each.
examples=$source/examples
cp "$examples/csl/stencil/layout.csl" "$examples/csl/stencil/cell.csl" "$examples/pto/softmax/softmax.pto" .
cp "$examples/pto/vector_add/vector_add.pto" add.pto
cp "$examples/pto/fifo/fifo.pto" "$examples/poplar/scale/scale.c" "$source/tests/alloc/host.c" .
sed 's/Scale/Other/g' scale.c >other.c
for name in dot addend; do
  cc -E -P -x assembler-with-cpp -I "$source/include" "$examples/poplar/colossus/$name.S" -o $name.s || exit 1
done
cat >wrong.s <<'ASM'
.macro two a, b
  add $m0, $m0, \a
  fnord $m1, \b
.endm
f: two 1, 2
  br $a0
  .word undefined + * 3
ASM
cat >loop.csl <<'CSL'
layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "loop_pe.csl");
}
CSL
cat >loop_pe.csl <<'CSL'
export var n: u16 = 3;
export var a = @zeros([8]u16);
task main() void {
  const b = n * 5;
  const c = n >> 1;
  var i: u16 = 0;
  while (i < n) : (i += 1) {
    if (a[i] > (b & c)) {
      a[i] = (b + c) * (b ^ c);
    } else {
      a[i] += (b - c) / (c | 1);
    }
  }
}
comptime {
  @bind_local_task(main, @get_local_task_id(8));
  @activate(@get_local_task_id(8));
}
CSL
cat >wrong.csl <<'CSL'
param n: u16 = 3;
const a = [2]u16{ 1, 2, 3 };
layout {
  @set_rectangle(n, 1);
  @set_tile_code(0, 0, "nowhere.csl", .{});
  unknown(a);
}
CSL
make() { "$@" >made 2>&1 </dev/null || { cat made; exit 1; }; }
case $row in
  objdump | link | sim_all) for name in dot addend; do make tilewright asm $name.s -o $name.o; done ;;
  csl_run | csl_list | report* | profile*)
    make tilewright cslc layout.csl --arch=wse3 --fabric-dims=12,7 --fabric-offsets=4,1 --memcpy --channels=1 \
      --params=size:3 -o folder ;;
  host | run | layout_vertex | popc_merge)
    for name in scale other; do make tilewright popc --target cpu,ipu2 $name.c -o $name.gp; done ;;
esac
case $row in
  report* | profile*)
    make tilewright csl run folder --launch run,3 --profile profile.json
    make tilewright csl run folder --launch run,4 --profile other.json ;;
  host)
    cp "$build/alloc/alloc_host" host ;;
esac
words=$(rows | sed -n "s/^$row|//p")
[ -n "$words" ] || { echo "there is no row '$row'"; exit 1; }
# shellcheck disable=SC2086  # several words
LD_LIBRARY_PATH=$build/alloc "$build/alloc/alloc_sweep" "$row" "$limit" "$build/alloc/alloc_fail.so" $words

# SPDX-License-Identifier: MIT
# asm, objdump, link and info insn, as a user meets them; the tutorial of docs/colossus.md.
. "$1/tests/cli/lib.sh"
cd "$work" || exit 1

# --- the tutorial's vertex, taken from the page -----------------------------------------------------------------------
sed -n '/^```asm$/,/^```$/p' "$source/docs/colossus.md" | sed '1d;$d' >half.S
[ -s half.S ] || fail 'docs/colossus.md has no example'
"$tilewright" asm half.S || fail 'the tutorial does not assemble'
[ -s half.o ] || fail 'half.o was not written'
"$tilewright" asm half.S --list >list.txt && grep -q '^    1c  43f04000  exitz \$mzero' list.txt || { fail 'the listing is wrong'; cat list.txt; }
"$tilewright" objdump -d half.o >half_again.s && "$tilewright" asm half_again.s -o again.o || fail 'the disassembly does not assemble'
"$tilewright" objdump -d again.o >again.s
cmp -s half_again.s again.s || fail 'the second disassembly differs'
"$tilewright" objdump -h -t -r --stack half.o >tables.txt || fail 'objdump -h -t -r --stack fails'
grep -q '^total  *0  __runCodelet_Half' tables.txt || fail 'the stack note is missing'
"$tilewright" link half.o --entry __runCodelet_Half --map -o half.elf >map.txt || fail 'link fails'
grep -q '^32 bytes of code, 0 bytes of data, starts at 0x4c000' map.txt || { fail 'the map is wrong'; tail -n 1 map.txt; }
"$tilewright" asm --arch mk1 half.S -o one.o && "$tilewright" link one.o --map -o one.elf | grep -q 'starts at 0x40000' || fail 'ipu1 has another region 0'

# --- mistakes: place, caret, status --------------------------------------------------------------------------------------
printf '#define X $m0\n  add X, $m1\n' >bad.S
"$tilewright" asm bad.S 2>err.txt && fail 'a wrong file assembles'
[ $? = 1 ] || fail 'the status of a wrong file is not 1'
grep -q "^bad.S:2:3: error: 'add' takes 3 operands" err.txt || { fail 'the message is wrong'; cat err.txt; }
grep -q '^ *| *^~~' err.txt || fail 'there is no caret'
[ ! -e bad.o ] || fail 'a wrong file left an object'
"$tilewright" asm missing.S 2>/dev/null && fail 'a missing file assembles'
"$tilewright" asm 2>/dev/null; [ $? = 2 ] || fail 'asm without a file is not a usage error'
"$tilewright" asm half.S --arch mk9 2>err.txt; [ $? = 2 ] && grep -q 'mk9' err.txt || fail 'an unknown chip is not a usage error'
"$tilewright" objdump half.o 2>/dev/null; [ $? = 2 ] || fail 'objdump without a part is not a usage error'
"$tilewright" objdump -d half.S 2>err.txt && fail 'objdump reads text'
grep -q 'not an ELF file' err.txt || { fail 'objdump does not say what is wrong'; cat err.txt; }
printf '.globl f\nf: call $lr, nowhere\n' >open.s
"$tilewright" asm open.s && "$tilewright" link open.o -o open.elf 2>err.txt && fail 'an undefined symbol links'
grep -q "'nowhere' is not defined" err.txt || { fail 'link does not name the symbol'; cat err.txt; }
[ ! -e open.elf ] || fail 'a failed link left a file'

# --- info insn ---------------------------------------------------------------------------------------------------------------
"$tilewright" info insn ldst64pace | grep -q '^  encoding  c1010110------------0001--------$' || fail 'info insn shows no encoding'
"$tilewright" info insn add --json | grep -q '"id": "add_s"' || fail 'info insn --json'
"$tilewright" info insn mov | grep -q 'another name: or ' || fail 'info insn of an alias'
"$tilewright" info insn f32v2ad 2>err.txt; grep -q "f32v2add" err.txt || fail 'no nearest instruction'
"$tilewright" info insn --markdown | cmp -s - "$source/docs/colossus-instructions.md" || fail 'docs/colossus-instructions.md is not current'

# --- archives: objdump and sim look inside, popc takes objects -------------------------------------------------------
printf '#include <StackSizeDefs.hpp>\n.globl g\n.section .text.g\n.align 4\nDEF_STACK_USAGE 0 g\ng: setzi $m0, __IPU_ARCH_VERSION__\n  br $lr\n' >g.S
printf '.globl h\n.section .text.h\n.align 4\nh: setzi $m1, 9\n  call $lr, g\n  exitz $mzero\n' >h.S
"$tilewright" asm g.S -o g.o && "$build/bin/popc" g.o h.S -o gh.gp || fail 'popc does not take an object'
"$tilewright" objdump -d gh.gp >gh.txt || fail 'objdump does not read an archive'
grep -q '^// g.o$' gh.txt && grep -q '^// h.S$' gh.txt && grep -q 'setzi $m0, 2' gh.txt ||
  { fail 'objdump does not show the files of an archive'; cat gh.txt; }
"$tilewright" objdump --arch mk1 -d gh.gp >gh1.txt && grep -q 'ipu1, relocatable' gh1.txt || fail 'objdump --arch mk1'
"$tilewright" sim gh.gp --entry h >sim.txt && grep -q '$m0  00000002  $m1  00000009' sim.txt ||
  { fail 'sim does not run an archive'; cat sim.txt; }
"$build/bin/popc" g.S -o g.gp && "$tilewright" sim g.gp --arch ipu1 --call 'g()' | grep -q '$m0  00000001' ||
  fail 'sim --arch does not choose from an archive'
"$tilewright" objdump --arch mk1 -d g.o 2>/dev/null; [ $? = 2 ] || fail 'objdump --arch of an object is not a usage error'
"$build/bin/popc" g.o -o only2.gp
"$tilewright" objdump --arch ipu21 -d only2.gp 2>err.txt && fail 'objdump shows code that is not there'
grep -q 'no code for ipu21, only for ipu2' err.txt || { fail 'objdump does not say which chips there are'; cat err.txt; }

finish

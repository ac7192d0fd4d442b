# SPDX-License-Identifier: MIT
# What all commands share: "--" ends the options, "-" is the standard input or output, no two outputs are one file, names of
# outputs are known before the work; and what strangers wrote reaches no terminal as a command.
. "$1/tests/cli/lib.sh"
cd "$work" || exit 1
PATH=$build/bin:$PATH
export PATH
cp "$source/examples/poplar/scale/scale.c" scale.c && cp scale.c ./-scale.c
cp "$source/examples/poplar/colossus/addend.S" addend.S
cp "$source/examples/pto/softmax/softmax.pto" . && cp "$source/examples/pto/vector_add/vector_add.pto" add.pto
cp "$source/examples/csl/stencil/layout.csl" "$source/examples/csl/stencil/cell.csl" .
cp "$source/examples/aie/graph.cpp" ./-graph.cpp && cp ./-graph.cpp graph.cpp
printf '.section .text\n.globl add\nadd: add $m0, $m0, $m1\n br $lr\n' >add.s
printf '#include <stdio.h>\nint main(int n, char **a) { printf("%%d %%s\\n", n, n > 1 ? a[1] : ""); return 0; }\n' >./-host.c
cp "$source/tests/golden/profile_graph.json" graph.json
expect 0 tilewright asm add.s -o add.o
expect 0 cslc layout.csl --arch=wse3 --fabric-dims=12,7 --fabric-offsets=4,1 --memcpy --channels=1 -o folder
expect 0 tilewright csl run folder --launch run,3 --out t=t.npy --profile csl.json
expect 0 tilewright pto run add.pto --arg 'x=f32[512]' --arg 'y=f32[512]' --arg 'z=f32[512]' --arg fill=true --out z=z.npy
for file in add.s add.o csl.json layout.csl softmax.pto addend.S; do cp $file "./-$file"; done
cp -r folder ./-folder
cp -r "$source/examples/csl/gemv" .
expect 0 tilewright csl run gemv/layout.csl --arch=wse3 --launch fill --out x=x0.npy
has_page=$(grep -c DecompressionStream "$build/generated/report.html" 2>/dev/null)
add='pto run add.pto --arg x=f32[512] --arg y=f32[512] --arg z=f32[512] --arg fill=true'

# --- "--": a row for each verb with words; behind it they may begin with a dash ---------------------------------------
cat >words <<'END'
run -- -host.c -v
popc --target cpu -o x.gp -- -scale.c
profile -- -csl.json
report -o x.html -- -csl.json
compare --on wse3 --small -- axpy
info -- targets
info -- types
info -- options
info -- insn f32v2add
aie -- type v8int16
aie -- types
layout --arch mk1 --layout SCALED_PTR64 --type float --address 0x50000 --count 12 -- encode
layout --arch mk1 --layout SCALED_PTR64 --type float -- decode A000
layout --arch mk2 -- vertex -scale.c
layout -- struct -scale.c
asm --list -- -add.s
objdump -d -- -add.o
link -o x.elf -- -add.o
sim --call add(1,2) -- -add.s
pto run --target a2a3 -- -softmax.pto
pto check -- -softmax.pto
pto fmt -- -softmax.pto
pto info -- TADD
pto list -- TADD
cslc --arch=wse3 -o x -- -layout.csl
csl run --launch run,2 -- -folder
csl check -- -layout.csl
csl list -- -folder
csl fmt -- -layout.csl
help -- popc
END
for command in $(tilewright complete x | grep -v '^-\|^cs_python$\|^lsp$'); do
  grep -q "^$command " words || fail "$command: no row says what -- does"
done
while read -r arguments; do
  case $arguments in report*) [ "$has_page" ] && [ "$has_page" != 0 ] || continue ;; esac
  # shellcheck disable=SC2086  # several words
  expect 0 tilewright $arguments
done <words
expect 0 tilewright run -- -host.c -v
prints out '2 -v'
expect 2 tilewright pto run -- softmax.pto --trace # a word too many, no option
prints err "'--trace': one file at a time"

# --- "-" as input: the same as the file; where a name has to say what it is, a word of that ---------------------------
cat >inputs <<'END'
profile - | csl.json
profile --diff csl.json - | csl.json
objdump -d - | add.o
link - -o x.elf | add.o
asm --list - | add.s
sim - --call add(1,2) | add.o
pto run - --target a2a3 | softmax.pto
pto check - | softmax.pto
pto fmt - | softmax.pto
cslc - --arch=wse3 -o x | layout.csl
csl run - --arch=wse3 --launch run,2 --stats | layout.csl
csl check - --arch=wse3 | layout.csl
csl list - --arch=wse3 | layout.csl
csl fmt - | layout.csl
csl run gemv/layout.csl --arch=wse3 --in x=- --out x=x.npy | x0.npy
pto run add.pto --arg x=@- --arg y=f32[512] --arg z=f32[512] --arg fill=true --out z=x.npy | z.npy
END
same() { sed 's,<stdin>\|the standard input\|[^ ]*\.\(s\|o\|csl\|pto\|npy\|json\)\b,FILE,g; s,\(^\| \)-:,\1FILE:,' "$1"; }
while IFS='|' read -r arguments file; do
  file=$(echo $file)
  # shellcheck disable=SC2086  # several words
  {
    tilewright $arguments <"$file" >got 2>err || { fail "tilewright $arguments <$file"; cat err; }
    named=$(printf '%s' "$arguments" | sed "s,\(^\|[ =@]\)-\( \|\$\),\1$file\2,")
    tilewright $named >wanted 2>err </dev/null || { fail "tilewright $named"; cat err; }
  }
  same got >a && same wanted >b
  cmp -s a b || { fail "- is not the file: tilewright $arguments"; diff a b | head; }
done <inputs
while read -r arguments; do
  # shellcheck disable=SC2086  # several words
  expect 2 tilewright $arguments
  prints err "'-': "
  prints err 'whose name says what it is'
done <<'END'
run -
popc - -o x.gp
aie run -
aie cycles -
layout vertex - --arch mk2
layout struct -
END
expect 2 tilewright asm -
prints err 'say where the object goes'

# --- "-" as output: the same bytes as in a file, and nothing else -----------------------------------------------------
cat >outputs <<END
popc --target cpu scale.c -o OUT
popc -E scale.c -o OUT
popc --target cpu scale.c -o x.gp -MD -MF OUT
profile csl.json --trace OUT
asm add.s -o OUT
link add.o -o OUT
report csl.json -o OUT
compare axpy --small --on wse3 --json OUT
compare axpy --small --on wse3 --report OUT
$add --out z=OUT
$add --timeline OUT
$add --profile=OUT
csl run folder --launch run,2 --out t=OUT
csl run folder --launch run,2 --trace OUT
csl run folder --launch run,2 --profile OUT
csl run folder --launch run,2 --memory OUT
END
while read -r arguments; do
  case $arguments in report*) [ "$has_page" ] && [ "$has_page" != 0 ] || continue ;; esac
  # shellcheck disable=SC2046  # several words
  expect 0 tilewright $(echo "$arguments" | sed 's,OUT,kept,')
  tilewright $(echo "$arguments" | sed 's,OUT,-,') >got 2>err </dev/null || { fail "tilewright $arguments to -"; cat err; }
  cmp -s got kept || fail "- is not what the file has: $arguments"
  [ ! -e ./- ] || { fail "$arguments: a file of the name -"; rm ./-; }
done <outputs
for arguments in 'cslc layout.csl -o -' 'tilewright aie run graph.cpp -o -'; do
  $arguments >out 2>err </dev/null
  [ $? = 2 ] || fail "$arguments: a folder"
  grep -q 'folder' err || { fail "$arguments says nothing of a folder"; cat err; }
done

# --- two outputs are two files ----------------------------------------------------------------------------------------
ln -s elsewhere link
while read -r arguments; do
  rm -f both.x
  # shellcheck disable=SC2086  # several words
  expect 1 tilewright $arguments
  prints err 'two outputs are the same file'
  [ ! -s "$work/out" ] || fail "the work is done before it is refused: $arguments"
  [ ! -e both.x ] || fail "written nevertheless: $arguments"
done <<END
run --report both.x --profile both.x -- -host.c
run --report both.x --profile ./both.x -- -host.c
popc --target cpu scale.c -o both.x -MD -MF both.x
popc --target cpu scale.c -o - -MD -MF -
aie run --profile both.x --report both.x -- -graph.cpp
$add --out z=both.x --out y=both.x
$add --out z=both.x --timeline $work/both.x
$add --profile=both.x --report both.x
$add --out z=link --out y=elsewhere --out x=both.x --timeline both.x
csl run folder --launch run,2 --out t=both.x --trace both.x
csl run folder --launch run,2 --out t=both.x --out t=both.x
csl run folder --launch run,2 --memory - --trace -
compare axpy --small --on wse3 --json both.x --report both.x
END
expect 0 tilewright csl run folder --launch run,2 --memory /dev/null --trace /dev/null

# --- names are known before the work ----------------------------------------------------------------------------------
# shellcheck disable=SC2086  # several words
expect 1 tilewright $add --trace --out zz=x.npy
prints err "--out zz: neither memory nor a tile has the name 'zz'; did you mean 'z'?"
[ ! -s "$work/out" ] || fail 'pto run begins before it knows its outputs'
expect 0 tilewright pto run softmax.pto --target a2a3 --out "$(sed -n 's/^ *%\([a-z]*\) = pto.alloc_tile.*/\1/p' softmax.pto | head -n 1)=x.npy"
for option in --out --in; do
  expect 1 tilewright csl run folder --launch run,2 --stats $option tt=t.npy --trace x.json
  prints err "'tt'"
  prints err "'t'"
  [ ! -s "$work/out" ] && [ ! -e x.json ] || fail "csl run begins before it knows $option"
done
expect 1 tilewright csl run folder --launch run,2 --launch runn --trace x.json
prints err "did you mean 'run'"
[ ! -e x.json ] || fail 'csl run begins before it knows what is launched'

# --- nothing of a file is a command to the terminal -------------------------------------------------------------------
evil=$(printf '\033]0;x\007\302\233\177\b')
escaped='\\u001b]0;x\\u0007\\u009b\\u007f\\b'
sed -E "s/(\"(name|program|label)\": *\")([^\"])/\1$escaped\3/g; s/(\"names\": *\[ *\")/\1$escaped/" csl.json >evil.json
sed -E "s/(\"(name|label)\": *\")([^\"])/\1$escaped\3/g; s/(\"names\": *\[ *\")/\1$escaped/" graph.json >evil_graph.json
cp "$source/tests/golden/profile_execution.json" execution.json
printf '.section .text\n.globl EVILEVILEVIL\nEVILEVILEVIL: add $m0, $m0, $m1\n br $lr\n' >evil.s
expect 0 tilewright asm evil.s -o plain.o
LC_ALL=C sed "s/EVILEVILEVIL/E$(printf '\033')[2J$(printf '\302\233\177')EVIL/" plain.o >evil.o
printf 'func.func @f() {\n  // %s\n  pto.oops%s ins()\n  return\n}\n' "$evil" "$evil" >evil.pto
printf 'func.func @f() {\n  pto.print ins("%s")\n  return\n}\n' "$evil" >print.pto
printf 'const a = "%s";\nlayout { @set_rectangle(1, 1); oops(); /* %s */ }\n' "$evil" "$evil" >evil.csl
printf 'add $m0, %s\n.error "%s"\n' "$evil" "$evil" >wrong.s
printf '#include <poplar/Vertex.hpp>\nclass A : public poplar::Vertex {\npublic:\n  bool compute() { return "%s"; %s }\n};\n' "$evil" "$evil" >evil.cpp
printf 'not json %s' "$evil" >broken.json
shown=0
while read -r arguments; do
  # shellcheck disable=SC2086  # several words
  tilewright $arguments >out 2>&1 </dev/null
  LC_ALL=C grep -qE "$(printf '[\001-\010\013-\037\177]|\302[\200-\237]')" out && { fail "commands for the terminal: $arguments"; cat -v out | head; }
  grep -q '\\x1b' out && shown=$((shown + 1))
done <<'END'
profile evil.json
profile evil.json --top
profile evil.json --tiles
profile evil.json --memory
profile evil.json --show-execution-steps --show-optimizations --show-var-storage --show-per-ipu-memory-usage
profile --graph-profile evil_graph.json --execution-profile execution.json
profile --graph-profile evil_graph.json --show-var-storage --show-optimizations
profile --graph-profile evil_graph.json --execution-profile execution.json --top --memory
profile --diff csl.json evil.json
profile broken.json
objdump -d evil.o
objdump -h evil.o
objdump -t evil.o
objdump -r evil.o
objdump --stack evil.o
link --map evil.o -o x.elf
sim evil.o --entry nothing
asm wrong.s
asm --list wrong.s
pto run evil.pto
pto check evil.pto
pto run print.pto
csl check evil.csl
csl run evil.csl
cslc evil.csl -o x
popc --target cpu evil.cpp -o x.gp
layout vertex evil.cpp --arch mk2
END
[ $shown -ge 20 ] || fail "only $shown commands show what they escape"

# Colours are the user's choice, everywhere.
for arguments in 'profile csl.json --top' 'profile csl.json' 'profile --diff csl.json csl.json' 'pto check evil.pto' 'csl check evil.csl' 'asm wrong.s'; do
  # shellcheck disable=SC2086  # several words
  {
    CLICOLOR_FORCE=1 tilewright $arguments >out 2>&1 </dev/null
    case $arguments in *--diff*) ;; *) grep -q "$(printf '\033\[')" out || fail "no colours by CLICOLOR_FORCE: $arguments" ;; esac
    NO_COLOR=1 tilewright $arguments >out 2>&1 </dev/null
    grep -q "$(printf '\033\[')" out && fail "colours in spite of NO_COLOR: $arguments"
    if command -v script >/dev/null; then # a terminal of its own
      NO_COLOR=1 TERM=xterm script -qec "tilewright $arguments" /dev/null >out 2>&1 </dev/null
      grep -q "$(printf '\033\[')" out && fail "colours on a terminal in spite of NO_COLOR: $arguments"
    fi
  }
done
finish

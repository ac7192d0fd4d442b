#!/bin/sh
# SPDX-License-Identifier: MIT
# `tilewright aie run` builds a graph with its kernels and runs it.
. "$1/tests/cli/lib.sh"

is_json() {
  python3 -m json.tool "$1" >/dev/null || fail "not JSON: $1"
}

mkdir -p "$work/project/kernels" "$work/project/data/sub" "$work/elsewhere"
cd "$work/project" || exit 1
cat >kernels/scale.h <<'EOF'
#pragma once
#include <adf.h>
template <int Factor> void scale(input_stream_int32 *in, output_stream_int32 *out);
void offset(input_window_int32 *in, output_window_int32 *out);
EOF
cat >kernels/scale.cc <<'EOF'
#include "scale.h"
template <int Factor> void scale(input_stream_int32 *in, output_stream_int32 *out)
{
    for (int i = 0; i < 4; i++) writeincr(out, Factor * readincr(in));
}
EOF
cat >kernels/offset.cc <<'EOF'
#include "scale.h"
static int helper(int x) { return x + OFFSET; }
void offset(input_window_int32 *in, output_window_int32 *out)
{
    for (unsigned i = 0; i < window_size(in); i++) window_writeincr(out, helper(window_readincr(in)));
}
EOF
cat >graph.h <<'EOF'
#include "kernels/scale.h"
class scaled : public adf::graph {
  public:
    adf::kernel a, b;
    adf::input_plio in;
    adf::output_plio out;
    scaled()
    {
        a = adf::kernel::create(scale<3>), b = adf::kernel::create(offset);
        adf::source(a) = "kernels/scale.cc"; // adf::source(a) = "nowhere.cc";
        adf::source(b) = "kernels/offset.cc"; /* adf::source(a) = "nowhere either.cc"; */
        adf::runtime<adf::ratio>(a) = adf::runtime<adf::ratio>(b) = 0.5;
        in = adf::input_plio::create("in", adf::plio_32_bits, "sub/in.txt");
        out = adf::output_plio::create("out", adf::plio_32_bits, "sub/out.txt");
        adf::connect<adf::stream>(in.out[0], a.in[0]);
        adf::connect<adf::stream, adf::window<16>>(a.out[0], b.in[0]);
#ifndef OPEN
        adf::connect<adf::window<16>>(b.out[0], out.in[0]);
#endif
    }
};
EOF
cat >graph.cpp <<'EOF'
#include "graph.h"
scaled g;
#if defined(__X86SIM__) || defined(__AIESIM__)
int main(int argc, char **)
{
    g.init();
    g.run(argc > 1 ? 1 : 2);
    g.end();
    return 0;
}
#endif
EOF
printf '1\n2\n3\n4\n5\n6\n7\n8\n9\n' >data/sub/in.txt

expect 0 "$tilewright" aie run graph.cpp -i data -DOFFSET=100 -O0
printf '103\n106\n109\n112\n115\n118\n121\n124\n' >"$work/wanted"
cmp -s x86simulator_output/sub/out.txt "$work/wanted" || fail "the default output folder has other values"
[ -e sub/out.txt ] && fail 'an output beside the inputs'

# What was built is kept: the second run compiles nothing, a changed kernel is compiled alone, a changed header
# compiles what includes it, going back to other flags nothing.
compiled() { # how often the compiler was called, the linker not counted
  "$tilewright" aie run graph.cpp -i data -O0 -v "$@" 2>"$work/calls" || fail "aie run $*"
  grep ' -o /' "$work/calls" | grep -vc ' -o /.*/program'
}
prints_last() {
  last=$(tail -1 x86simulator_output/sub/out.txt)
  [ "$last" = "$1" ] || fail "the last value is $last, not $1"
}
touched() { sleep 0.1; } # the compiler must see files that are older than its start
[ "$(compiled -DOFFSET=100)" -le 2 ] || fail 'two units'
[ "$(compiled -DOFFSET=100)" = 0 ] || fail 'a second run compiles'
touch -d '2 days' kernels/offset.cc && [ "$(compiled -DOFFSET=100)" = 0 ] || fail 'a time is no change'
sed 's/x + OFFSET/x + 2 * OFFSET/' kernels/offset.cc >"$work/changed" && cp "$work/changed" kernels/offset.cc && touched
[ "$(compiled -DOFFSET=100)" = 1 ] || fail 'a changed kernel is one object'
prints_last 224
sed 's/2 \* OFFSET/OFFSET/' "$work/changed" >kernels/offset.cc && touched

# What follows is the same for both compilers. With clang it takes a quarter of the time: a header of <adf.h> is compiled
# once for all programs; a program that sets our headers up, or defines what they declare, does without.
gcc=${CXX:-g++} clang=
case $CC in *-fsanitize*) ;; *) clang=$(command -v clang++-19) ;; esac
if [ "$clang" ]; then
  export CXX=clang++-19
  [ "$(compiled -DOFFSET=100)" = 4 ] || fail 'header, its object, graph and kernel'
  grep -q 'include-pch' "$work/calls" || fail 'no precompiled header'
  prints_last 124
fi
echo '// another' >>kernels/scale.h && touched
[ "$(compiled -DOFFSET=100)" = 2 ] || fail 'a header of both'
prints_last 124
[ "$(compiled -DOFFSET=300)" = 2 ] || fail 'other flags (the header of clang serves all of them)'
prints_last 324
[ "$(compiled -DOFFSET=100)" = 0 ] || fail 'two sets of flags'
prints_last 124
if [ "$clang" ]; then
  { echo '#define TW_AIE_NO_SCALAR_NAMES' && cat graph.cpp; } >own.cpp && touched
  expect 0 "$tilewright" aie run own.cpp -i data -O0 -v -DOFFSET=100
  ! grep -q 'include-pch' "$work/err" || fail 'a precompiled header where macros of ours are set'
  { echo 'namespace adf { int ok = 1; }' && cat graph.cpp; } >before.cpp && touched
  expect 1 "$tilewright" aie run before.cpp -i data -O0 -DOFFSET=100
  prints err 'redefinition of'
  [ "$(grep -c 'before.cpp:1:' "$work/err")" -le 1 ] || fail 'a message comes twice'
fi

# From elsewhere, with a target, arguments of the program, time stamps and a profile.
cd "$work/elsewhere" || exit 1
expect 0 "$tilewright" aie run --target=hw --input-dir="$work/project/data" -o results --timestamps \
    --profile cycles.json -O0 --Xpreproc=-DOFFSET=200 "$work/project/graph.cpp" -- once
grep -v '^T ' results/sub/out.txt | tr '\n' ' ' >"$work/out"
prints out '203 206 209 212 '
[ "$(grep -c '^T [0-9]* ns$' results/sub/out.txt)" = 4 ] || fail 'a line of time in front of each of four lines'
is_json cycles.json
expect 0 "$tilewright" profile cycles.json
prints out offset
# The kernel that stands for the DMA between stream and window is no code, and spoils no other's figures.
if [ "$clang" ] && [ -e "$build/tilewright/ir.so" ]; then prints out 'estimated: ± 16 %'; fi

# A page, with a profile and without, of the program that is there already; a build without the page's script says what is
# missing.
if grep -q 'DecompressionStream' "$build/generated/report.html" 2>/dev/null; then
  expect 0 "$tilewright" aie run --target=hw -i "$work/project/data" -o results --report page.html -O0 -DOFFSET=200 \
    "$work/project/graph.cpp" -- once
  prints out 'report: page.html'
  grep -qF 'AI_ENGINE' page.html && grep -qF 'offset' page.html || fail 'the page of a graph'
  [ ! -e page.2.html ] || fail 'a page of a graph that there is not'
  [ -z "$(find . -name '*profile.json*')" ] || fail 'a profile that nobody asked for'
  expect 0 "$tilewright" aie run --target=hw -i "$work/project/data" -o results --report=both.html --profile both.json \
    -O0 -DOFFSET=200 "$work/project/graph.cpp" -- once
  [ -s both.html ] && is_json both.json
  expect 1 "$tilewright" aie run --target=hw -i "$work/project/data" -o results --report /nowhere/page.html -O0 -DOFFSET=200 \
    "$work/project/graph.cpp" -- once
  prints err /nowhere/page.html
else
  expect 1 "$tilewright" aie run --target=hw -i "$work/project/data" -o results --report page.html -O0 -DOFFSET=200 \
    "$work/project/graph.cpp" -- once
  prints err npm
fi
expect 2 "$tilewright" aie run --report
prints err 'needs a value'

# A kernel that no file has.
sed '/source(/d' "$work/project/graph.h" >graph.h
cp "$work/project/graph.cpp" lost.cpp
expect 1 "$tilewright" aie run lost.cpp -I "$work/project" -DOFFSET=100 -O0
prints err 'the graph names no files with kernels: source(kernel) = "file.cc"'

# A vector of other elements than the port's, such as srs() in place of lsrs() gives, is an error of the compiler.
for wrong in 'window_writeincr(window_out(int32, 0), null_v8int16())' 'writeincr(stream_out(int32, 0), null_v8int16())' \
  'int16 x; window_readincr(window_in(int32, 0), x)'; do
  echo "#include <tilewright/aie.h>
int main() { $wrong; }" >wrong.cpp
  expect 1 "$tilewright" run wrong.cpp
  prints err 'neither an element nor a vector of elements of the window or stream'
done

# A kernel that waits for ever in a graph with memory, which nobody ends or destroys: it is named, the status says it,
# and the output has what came. Reports of loads and stores have lines.
mkdir "$work/starving" && cd "$work/starving" || exit 1
cat >kernel.cc <<'EOF'
#include <adf.h>
void pass(input_stream<int32> *a, input_window<int32> *b, output_stream<int32> *out)
{
    const int32 *block = b->ptr;
    for (int i = 0; i < 3; i++) writeincr(out, readincr(a) + block[i]);
    b->ptr[8] = 1; // behind the end of the window
    writeincr(out, readincr(a));
}
EOF
cat >graph.cpp <<'EOF'
#include <adf.h>
void pass(input_stream<int32> *a, input_window<int32> *b, output_stream<int32> *out);
struct passing : adf::graph {
    adf::kernel k = adf::kernel::create(pass);
    adf::input_gmio a = adf::input_gmio::create("a");
    adf::input_plio b = adf::input_plio::create("b", adf::plio_32_bits, "b.txt");
    adf::output_plio out = adf::output_plio::create("out", adf::plio_32_bits, "out.txt");
    passing()
    {
        adf::source(k) = "kernel.cc";
        adf::connect<adf::stream>(a.out[0], k.in[0]);
        adf::connect<adf::window<16>>(b.out[0], k.in[1]);
        adf::connect<adf::stream>(k.out[0], out.in[0]);
    }
};
int main()
{
    const int32 x[3] = { 1, 2, 3 };
    passing *g = new passing;
    g->init();
    g->a.gm2aie(x, sizeof x);
    g->run(1);
    return 0;
}
EOF
printf '10\n20\n30\n40\n' >b.txt
expect 1 env CXX="$gcc" "$tilewright" aie run graph.cpp -o out --profile profile.json
prints err "kernel 'kernel' on tile (0,0), firing 1, waits to read stream 0 from memory, which is empty"
case $CC in
  *-fsanitize*) ;; # a sanitizer of the build is there in place of our checks
  *) prints err 'kernel.cc:6: store: 4 bytes at byte' ;;
esac
[ "$(tr '\n' ' ' <out/out.txt)" = '11 22 33 ' ] || fail 'the output of a kernel that starves'

# A graph in angle brackets, found in a folder of the command line as the compiler finds it.
cd "$work/elsewhere" || exit 1
sed 's,#include "graph.h",#include <graph.h>,' "$work/project/graph.cpp" >angle.cpp
expect 0 "$tilewright" aie run angle.cpp -i "$work/project/data" -o angle -DOFFSET=300 -O0 -I "$work/project" -- once
[ "$(head -1 angle/sub/out.txt)" = 303 ] || fail 'a graph in angle brackets'

# What is wrong.
cd "$work/project" || exit 1
expect 1 "$tilewright" aie run graph.cpp -i data -DOFFSET=1 -DOPEN -O0
prints err "graph: 'offset'.out[0] is not connected"
expect 1 "$tilewright" aie run graph.cpp -i nowhere -DOFFSET=1 -O0
prints err 'nowhere/sub/in.txt'
expect 1 "$tilewright" aie run graph.cpp -i data -O0
prints err OFFSET
sed 's,kernels/offset.cc",kernels/offsets.cc",' graph.h >other.h
sed 's,graph.h,other.h,' graph.cpp >other.cpp
expect 1 "$tilewright" aie run other.cpp -i data -DOFFSET=1 -O0
prints err 'other.h:11:26: warning:'
prints err 'kernels/offsets.cc'
printf '#include "aie_api/aie.hpp"\n' >layered.cpp
unset TILEWRIGHT_AIE_API
expect 1 "$tilewright" aie run layered.cpp
prints err 'TILEWRIGHT_AIE_API'
expect 1 "$tilewright" aie run missing.cpp
prints err missing.cpp
expect 2 "$tilewright" aie run
expect 2 "$tilewright" aie run graph.cpp other.cpp
expect 2 "$tilewright" aie run graph.cpp --target=vck190
prints err 'x86sim or hw'
expect 2 "$tilewright" aie run graph.cpp --timestamp
prints err "did you mean '--timestamps'"
expect 2 "$tilewright" aie run graph.cpp -i
# A full disk, a folder that cannot be made.
expect 1 "$tilewright" aie run graph.cpp -i data -DOFFSET=1 -O0 -o graph.h/x
printf '1\n2\n3\n4\n' >same.txt
sed 's,sub/in.txt,same.txt,; s,sub/out.txt,same.txt,' graph.h >other.h
expect 1 "$tilewright" aie run other.cpp -DOFFSET=1 -O0 -o . -- once
grep -q '^1$' same.txt || fail 'an input has been overwritten'

# Macros of a program, with names as short as those of samples, leave the headers alone.
printf '#include <adf.h>\nint main(void) { return 0; }\n' >macros.cpp
set --
for name in A B C D E F G I K L M N P Q R S T U V W ROWS COLS COLUMNS SIZE TAPS BLOCK WIDTH HEIGHT LANES DEPTH; do
  set -- "$@" "-D$name=7"
done
for cxx in g++ clang++-19; do
  command -v $cxx >/dev/null || continue
  expect 0 $cxx -std=c++17 -fsyntax-only "$@" -I"$source/include" -I"$source/include/tilewright/compat/aie" \
    -I"$build/include" macros.cpp
done
finish

# SPDX-License-Identifier: MIT
# `tilewright run`: C and C++ programs, arguments, exit status, cache, compiler messages.
. "$1/tests/cli/lib.sh"
cd "$work" || exit 1

cat >prog.c <<'END'
#include "twice.h"
#include <string.h>
#include <tilewright/tilewright.h>
int main(int argc, char **argv)
{
    tw_device *dev = tw_device_ipu_model(TW_MK2, 1);
    printf("%s %d %u\n", argc > 1 ? argv[1] : "none", TWICE(21), tw_target_tiles(tw_device_target(dev)));
    tw_device_free(dev);
    return argc > 2 ? 7 : strcmp(tw_version(), TW_VERSION) != 0;
}
END
echo '#define TWICE(x) (2 * (x))' >twice.h
touch -d '1 hour ago' prog.c twice.h # what is written while the compiler begins is in doubt
expect 0 "$tilewright" run prog.c --an-argument
prints out '--an-argument 42 1472'
expect 7 "$tilewright" run prog.c a b

# Headers that the build makes are found, too.
expect 0 "$tilewright" run "$source/examples/aie/fir_int16.c"
prints out 'as the plain sum gives them'

# The device is the user's choice where the program leaves it to him.
cat >device.c <<'END'
#include <tilewright/tilewright.h>
int main(void)
{
    static const char *const kinds[] = { "cpu", "model", "simulator" };
    tw_device *dev = tw_device_by_name(NULL, 0, 0);
    if (!dev) return puts(tw_error_message()), 1;
    puts(kinds[tw_target_get_kind(tw_device_target(dev))]);
    tw_device_free(dev);
}
END
expect 0 "$tilewright" run device.c
prints out model
expect 0 "$tilewright" run --device ipu-sim device.c
prints out simulator
expect 0 "$tilewright" run --device cpu -O1 device.c
prints out cpu
expect 2 "$tilewright" run --device ipusim device.c
prints err "did you mean 'ipu-sim'"
expect 2 "$tilewright" run --device
expect 2 "$tilewright" run --devcie cpu device.c
prints err "unknown option '--devcie'; did you mean '--device'?"

# What codelets print, and which assertion of theirs fails, is the same as code of the host and of the chip; texts from
# a tile are read no further than its memory goes.
cat >print.cpp <<'END'
#include <cassert>
#include <poplar/Vertex.hpp>
#include <print.h>
class Print : public poplar::Vertex {
public:
    poplar::Input<poplar::Vector<float>> x;
    poplar::Output<int> n;
    int k;
    bool compute()
    {
        printf("%u floats from %g: %s%c|%5d|%-4x|%lld|%% %hhd %hu %.3e %*d|%.2s\n", x.size(), (double)x[0], "wor", 'd', -3, 255u,
               -1ll << 40, 300, 70000, 2.5, 6, 42, "abc");
        printf("%d %f %d %llx %d\n", 1, 0.5, 2, 0x123456789abcdefull, 3);
        printf("a line\n"), putchar('c'), printf("\n");
        int so_far = 0;
        short short_so_far = 0;
        printf("abc%n%hn %d %y %d\n", &so_far, &short_so_far, 1, 2), printf("%d %d\n", so_far, short_so_far);
        char many[5000];
        for (int i = 0; i < 4999; i++) many[i] = 'a' + i % 26;
        many[4999] = 0;
        printf("%d\n", printf("%s\n", many));
        *n = printf("%s", "four");
        assert(k < 5);
        return true;
    }
};
class Each : public poplar::MultiVertex {
public:
    poplar::Output<poplar::Vector<int>> n;
    int k;
    bool compute(unsigned w)
    {
        int first = printf("tile %d ", k);
        n[w] = first + printf("worker %u\n", w);
        return true;
    }
};
END
cat >print.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <tilewright/tilewright.h>
int main(int argc, char **argv)
{
    tw_device *dev = tw_device_by_name(NULL, TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    size_t two = 2;
    float values[] = { 1.5f, 2 };
    int result = 0;
    tw_graph_add_codelets(g, "print.cpp", NULL);
    tw_tensor x = tw_graph_add_constant(g, TW_FLOAT, 1, &two, values, false, "x");
    tw_tensor n = tw_graph_add_variable(g, TW_INT, 0, NULL, "n");
    tw_graph_map(g, x, 0);
    tw_graph_map(g, n, 0);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    tw_vertex v = tw_graph_add_vertex(g, cs, "Print", 0);
    tw_graph_connect(g, v, "x", x);
    tw_graph_connect(g, v, "n", n);
    tw_graph_set_field_int(g, v, "k", argc > 1 ? atoi(argv[1]) : 0);
    for (unsigned i = 0; argc > 2 && i < 32; i++) {
        tw_tensor six = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 6 }, "six");
        tw_graph_map(g, six, i + 1);
        tw_vertex each = tw_graph_add_vertex(g, cs, "Each", i + 1);
        tw_graph_connect(g, each, "n", six);
        tw_graph_set_field_int(g, each, "k", i + 1);
    }
    tw_graph_create_host_read(g, "n", n);
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    if (tw_engine_load(e, dev) != TW_OK || tw_engine_run(e, 0) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    tw_engine_read(e, "n", &result, sizeof result);
    printf("\n%d\n", result);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return 0;
}
END
expect 0 "$tilewright" run --device cpu print.c
cp "$work/out" printed
prints out '2 floats from 1.5: word|   -3|ff  |-1099511627776|% 44 4464 2.500e+00     42|ab'
if [ -e "$build/tilewright/cc.so" ]; then
    expect 0 "$tilewright" run --device ipu-sim print.c
    cmp "$work/out" printed || fail 'printf of a tile is another'
    # So it is where a debugger goes through the vertex, at full speed or step by step, and in `sim`.
    echo continue >commands
    expect 0 sh -c 'exec "$1" run --debug --device ipu-sim print.c <commands' sh "$tilewright"
    sed 1,2d "$work/out" | cmp - printed || fail "printf of a tile is another under the debugger"
    printf 'break print.cpp:14\ncontinue\nnext\nfinish\n' >commands
    expect 0 sh -c 'exec "$1" run --debug --device ipu-sim print.c <commands' sh "$tilewright"
    [ "$(grep -o '^four' "$work/out")" = four ] || fail 'what was printed when the vertex ended is lost'
    printf '#include <stdio.h>\nint f(int n)\n{\n  while (n--) printf("%%d left\\n", n);\n  return putchar(33);\n}\n' >f.c
    expect 0 "$tilewright" popc -c f.c -o f.o
    expect 0 "$tilewright" sim f.o --call 'f(3)'
    [ "$(head -n 3 "$work/out" | tr '\n' ' ')" = '2 left 1 left 0 left ' ] || fail 'sim does not print'
    [ "$(sed -n '4p; 5s/,.*//p' "$work/out" | tr '\n' ' ')" = '! worker 0: status 1 ' ] || fail 'sim goes on in the line of the program'
    # Builtins of the accumulators: 2 * {3, 4} + 1, of the instruction before; an outer product, added twice; 5 * 12.
    cat >acc.c <<'END'
#include <tilewright/codelet.h>
float axpy(float a, float x, float y)
{
    __builtin_ipu_uput(a, CSR_W_TAS__INDEX & 255);
    __builtin_ipu_f32v2axpy((float2){ y, y }, (float2){ x, x + 1 });
    float2 r = __builtin_ipu_f32v2axpy((float2){ y, y }, (float2){ 0, 0 });
    return r[0] * 1000 + r[1];
}
float outer(float a, float b)
{
    float2 x = { a, b }, y = { 10, 100 }, zero = { 0, 0 };
    __builtin_ipu_uput(CSR_W_FP_CLR__ZAACC__MASK << CSR_W_FP_CLR__ZAACC__SHIFT, CSR_W_FP_CLR__INDEX & 255);
    for (int i = 0; i < 2; i++) __builtin_ipu_f32v2aop(x, y, 0);
    float2 first = __builtin_ipu_f32v2gina(zero, 0), second = __builtin_ipu_gina(zero, 0);
    return first[0] + first[1] * 10 + second[0] * 100 + second[1] * 1000;
}
float dot(float a, float b)
{
    __builtin_ipu_uput(CSR_W_FP_CLR__ZAACC__MASK << CSR_W_FP_CLR__ZAACC__SHIFT, CSR_W_FP_CLR__INDEX & 255);
    for (int i = 0; i < 5; i++) __builtin_ipu_f32mac(a, b);
    return __builtin_ipu_f32v2gina((float2){ 0, 0 }, 0)[0];
}
END
    expect 0 "$tilewright" popc -c acc.c -o acc.o
    for row in 'axpy(2.0f, 3.0f, 1.0f) = (7009)' 'outer(1.0f, 2.0f) = (420420)' 'dot(3.0f, 4.0f) = (60)'; do
        expect 0 "$tilewright" sim acc.o --call "${row% = *}"
        grep -qF "${row#* = }  \$a1" "$work/out" || { fail "$row"; cat "$work/out"; }
    done
    # Six workers that wait for the host at once, each served; what a tile prints stays together, in the tiles' order.
    expect 0 env POPLAR_SIMULATOR_OPTIONS='{"breakOnException":"false"}' "$tilewright" run --device ipu-sim print.c 0 each
    [ "$(grep -o 'tile [0-9]*' "$work/out" | uniq | wc -l)" = 32 ] || fail 'tiles print among each other'
    [ "$(grep -o 'worker [0-5]' "$work/out" | sort | uniq -c | tr -s ' \n' ' ')" = \
      ' 32 worker 0 32 worker 1 32 worker 2 32 worker 3 32 worker 4 32 worker 5 ' ] || fail 'a worker does not print'
    expect 1 "$tilewright" run --device ipu-sim print.c 7
    prints out "print.cpp:23: assertion 'k < 5' failed"
    prints err "trap on channel 0"
fi

# Compiled once ...
expect 0 "$tilewright" run -v prog.c again
! grep -q tilewright/tilewright.h "$work/err" && ! grep -q -- -ltilewright "$work/err" || fail 'compiled again for nothing'
# ... and again when a header that it includes changes.
echo '#define TWICE(x) (2 * (x) + 1)' >twice.h
expect 0 "$tilewright" run prog.c again
prints out 'again 43 1472'
# Contents count, not times: a header that is older than the program, of the same size.
echo '#define TWICE(x) (2 * (x) + 2)' >twice.h
touch -d '2001-01-01' twice.h
expect 0 "$tilewright" run prog.c again
prints out 'again 44 1472'
touch twice.h
expect 0 "$tilewright" run -v prog.c again
! grep -q -- -ltilewright "$work/err" || fail 'compiled again for nothing'
# A compilation that is interrupted leaves what was there, and later edits are seen.
echo '#define TWICE(x) (2 * (x) + 3)' >twice.h
touch -d '1 hour ago' twice.h
cat >slow <<'END'
#!/bin/sh
# as a compiler that dies behind its list of files, before its program
for word; do [ "$previous" != -MF ] || echo 'program: prog.c' >"$word"; previous=$word; done
kill -KILL $PPID
END
chmod +x slow
(CC=./slow "$tilewright" run prog.c again) >/dev/null 2>&1
expect 0 "$tilewright" run prog.c again
prints out 'again 45 1472'
# A list that was cut short, or belongs to another program, is not believed.
for list in "$XDG_CACHE_HOME"/tilewright/run/*/prog.made-from; do
  [ -f "$list" ] || fail 'no list of what the program was made from'
  head -c 100 "$list" >list && cat list >"$list"
done
echo '#define TWICE(x) (2 * (x) + 4)' >twice.h
expect 0 "$tilewright" run prog.c again
prints out 'again 46 1472'
# Options before the source are the compiler's, and make another program.
echo '#ifndef TWICE' >twice.h
echo '#define TWICE(x) (2 * (x))' >>twice.h
echo '#endif' >>twice.h
expect 0 "$tilewright" run '-DTWICE(x)=x' -O0 -v prog.c
prints out 'none 21 1472'
prints err -ltilewright

cat >prog.cpp <<'END'
#include <cstdio>
#include <tilewright/tilewright.h>
int main() { std::printf("C++ %zu\n", tw_type_size(TW_HALF)); }
END
expect 0 "$tilewright" run prog.cpp
prints out 'C++ 2'

# Programs of <poplar/...> are linked with its library, others are not; the device is the user's choice here too.
cat >graph.cpp <<'END'
#include <cstdio>
#include <poplar/DeviceManager.hpp>
#include <poplar/Graph.hpp>
int main()
{
    auto devices = poplar::DeviceManager::createDeviceManager().getDevices(poplar::TargetType::IPU, 1);
    if (devices.empty()) return std::puts("no device"), 3;
    poplar::Graph graph(devices[0].getTarget());
    std::printf("%u tiles\n", graph.getTarget().getNumTiles());
}
END
expect 0 "$tilewright" run --device ipu-model -v graph.cpp
prints out '1472 tiles'
prints err '-lpoplar'
prints err '-ltilewright_poplibs'
expect 3 "$tilewright" run graph.cpp
prints out 'no device'

# Checkpoints: what is resumed prints what the whole run prints, of an earlier run of the engine, too.
cat >steps.c <<'END'
#include <tilewright/tilewright.h>
int main(void)
{
    tw_device *dev = tw_device_by_name(NULL, TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor x = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 4 }, "x");
    tw_graph_map(g, x, 0);
    tw_graph_create_host_access(g, "x", x);
    tw_tensor left = tw_tensor_slice(g, x, 0, 0, 3), right = tw_tensor_slice(g, x, 0, 1, 4);
    tw_tensor y = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 3 }, "y");
    tw_graph_map(g, y, 0);
    tw_stream out = tw_graph_add_device_to_host_fifo(g, "out", TW_INT, 4, NULL);
    tw_program round[] = { tw_program_copy(g, left, y), tw_program_copy(g, y, right),
                           tw_program_copy_to_stream(g, x, out) };
    tw_program twice = tw_program_repeat(g, 2, tw_program_sequence_of(g, 3, round));
    tw_engine *e = tw_engine_new(g, twice, NULL);
    int x0[] = { 1, 2, 3, 4 }, got[16] = { 0 };
    if (tw_engine_load(e, dev)) return tw_engine_report_error(stderr, e), 1;
    tw_engine_connect_stream(e, "out", got, sizeof got);
    tw_engine_write(e, "x", x0, sizeof x0);
    for (int run = 0; run < 2; run++) {
        if (tw_engine_run(e, 0)) return tw_engine_report_error(stderr, e), 1;
        tw_engine_read(e, "x", x0, sizeof x0);
        for (int i = 0; i < 4; i++) printf("%d ", x0[i]);
    }
    for (int i = 0; i < 16; i++) printf("%d ", got[i]);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(dev);
}
END
expect 0 "$tilewright" run --save-at 9 --save ck steps.c
whole='1 1 1 2 1 1 1 1 1 1 2 3 1 1 1 2 1 1 1 1 1 1 1 1 '
test "$(cat out)" = "$whole" || fail "a run that is saved: $(cat out)"
expect 0 "$tilewright" run --resume ck steps.c
test "$(cat out)" = "$whole" || fail "a run that goes on: $(cat out)"
expect 0 "$tilewright" run --save-at 99 --save none steps.c
prints err 'no checkpoint: the runs had 12 steps'
test ! -e none || fail "a checkpoint of a step that is not there"
expect 1 "$tilewright" run --resume prog.c steps.c
prints err prog.c
expect 2 "$tilewright" run --save-at x steps.c
prints err "'--save-at' needs a number of steps, not 'x'"
expect 2 "$tilewright" run -n 2 --resume ck steps.c
prints err 'of one process'

# What the compiler has to say arrives as it says it.
printf 'int main(void)\n{\n    return missing;\n}\n' >bad.c
expect 1 "$tilewright" run bad.c
prints err 'bad.c:3:12: error:'
expect 1 "$tilewright" run nowhere.c
prints err 'cannot open nowhere.c'
expect 2 "$tilewright" run prog.txt
prints err "neither C"
expect 2 "$tilewright" run
expect 2 "$tilewright" run -o here prog.c

# An example, in its folder and from elsewhere: its codelets are found beside the source.
expect 0 "$tilewright" run "$source/examples/poplar/adder/adder.c" 20 22
prints out '20 + 22 = 42'
cd "$source/examples/poplar/adder" || exit 1
expect 0 "$tilewright" run adder.c 1 2
prints out '1 + 2 = 3'
finish

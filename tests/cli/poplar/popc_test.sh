# SPDX-License-Identifier: MIT
# Section 2.8.2 of the guide: codelets compiled beforehand, by hand. Options, merging, messages, exit codes.
. "$1/tests/cli/lib.sh"
popc=$build/bin/popc
cd "$work" || exit 1

mkdir inc
echo '#define AMOUNT_FROM_HEADER 2' >inc/amount.h
cat >add.cpp <<'END'
#include <amount.h>
#include <poplar/Vertex.hpp>
using namespace poplar;
class Add : public Vertex {
public:
    InOut<int> value;
    bool compute() { *value += AMOUNT_FROM_HEADER * FACTOR; return true; }
};
END
cat >twice.c <<'END'
#include <tilewright/codelet.h>
TW_VERTEX(Twice) { TW_INOUT(int) value; };
bool Twice_compute(Twice *v) { *v->value *= 2; return true; }
END
# A host program that runs the vertex types it is told to, from one .gp.
cat >host.c <<'END'
#include <tilewright/tilewright.h>
int main(int argc, char **argv)
{
    int32_t value = 1;
    tw_device *dev = tw_device_ipu_model(TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_graph_add_codelets(g, argv[1], NULL);
    tw_tensor t = tw_graph_add_variable(g, TW_INT, 0, NULL, "value");
    tw_graph_map(g, t, 0);
    tw_graph_create_host_access(g, "value", t);
    tw_program all = tw_program_sequence(g, NULL);
    for (int i = 2; i < argc; i++) {
        tw_compute_set cs = tw_graph_add_compute_set(g, argv[i]);
        tw_graph_connect(g, tw_graph_add_vertex(g, cs, argv[i], 0), "value", t);
        tw_program_sequence_add(g, all, tw_program_execute(g, cs));
    }
    tw_engine *e = tw_engine_new(g, all, NULL);
    if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    tw_engine_write(e, "value", &value, sizeof value);
    tw_engine_run(e, 0);
    tw_engine_read(e, "value", &value, sizeof value);
    printf("value %d\n", value);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return 0;
}
END

expect 0 "$popc" --help
for option in -D -I -g -O -o; do prints out "$option"; done
expect 0 "$popc" -DFACTOR=21 -I inc -g -O3 add.cpp -o add.gp
expect 0 "$tilewright" run host.c add.gp Add
prints out 'value 43'
# The other options, each.
for flags in '-D FACTOR=21 -I inc' '-DFACTOR=21 -isystem inc' '-include factor.h -Iinc' '-DFACTOR=1 -UFACTOR -include factor.h -Iinc'; do
  echo '#define FACTOR 21' >factor.h
  # shellcheck disable=SC2086  # several words
  expect 0 "$popc" $flags --target cpu add.cpp -o add.gp
  expect 0 "$tilewright" run host.c add.gp Add
  prints out 'value 43'
done
expect 1 "$popc" -DFACTOR=1 -UFACTOR -I inc --target cpu add.cpp -o none.gp
prints err "undeclared identifier 'FACTOR'"
for level in 0 1 2 3; do expect 0 "$popc" -DFACTOR=1 -I inc -O$level --target=cpu add.cpp -o level.gp; done
expect 1 "$popc" -DFACTOR=1 -I inc -O7q --target cpu add.cpp -o none.gp
expect 1 "$popc" -DFACTOR=x=1 -I inc -std=c++11 --target cpu add.cpp -o none.gp
expect 0 "$popc" '-DFACTOR=([]{ int unused; return 1; }())' -I inc --target cpu add.cpp -o warned.gp
expect 1 "$popc" '-DFACTOR=([]{ int unused; return 1; }())' -I inc -Wall -Werror --target cpu add.cpp -o none.gp
prints err 'unused'
expect 0 "$popc" -DFACTOR=1 -I inc -E add.cpp
prints out 'value += 2 * 1'
expect 0 "$popc" -DFACTOR=1 -I inc -S add.cpp -o add.s
grep -q '\.text' add.s || fail '-S wrote no assembly'
expect 0 "$popc" -v -DFACTOR=1 -I inc --target cpu add.cpp -o add.gp
prints out 'popc: add.cpp'
expect 0 "$popc" --version
prints out 'popc version'
expect 0 "$popc" --list-targets
[ "$(cat out)" = cpu,ipu1,ipu2,ipu21 ] || fail 'the targets are cpu,ipu1,ipu2,ipu21'
for target in cpu ipu1 ipu2 ipu21 cpu,ipu2 '{"name":"ipu2:cpp","arch":"ipu2","compile-flags":["-DFACTOR=1"]}'; do
  expect 0 "$popc" -DFACTOR=1 -I inc --target "$target" add.cpp -o target.gp
done
expect 1 "$popc" -DFACTOR=1 -I inc --target ipu9 add.cpp -o none.gp
prints err "unknown target 'ipu9'"
[ ! -e none.gp ] || fail 'an object of codelets that do not compile'
# What make has to know. A header that is given twice is named once, and names may hold spaces.
mkdir 'my inc' && cp inc/amount.h 'my inc'
expect 0 "$popc" -MD -DFACTOR=1 -I 'my inc' --target cpu,ipu2 add.cpp twice.c -o made.gp
tr -d '\\\n' <made.d >made.rule
[ "$(tr -s ' ' <made.rule)" = 'made.gp: add.cpp my inc/amount.h twice.c' ] || { fail 'the rule of made.gp'; cat made.d; }
grep -q 'my\\ inc' made.d || fail 'a space in a rule'
expect 0 "$popc" -MMD -MF rule -MT object -DFACTOR=1 -I inc --target cpu add.cpp -o other.gp
grep -q '^object:' rule || fail 'the rule has another name'
expect 1 "$popc" -MD -MF add.cpp -DFACTOR=1 -I inc --target cpu add.cpp -o x.gp
[ -s add.cpp ] || fail 'the rule went over the source'
expect 0 "$popc" -MD -MF rule -MT object -DFACTOR=1 -I inc --target cpu made.gp -o again.gp
grep -q '^object:' rule && grep -q made.gp rule || fail 'the rule of a merge'
expect 2 "$popc" add.cpp -o
prints err 'option -o needs a value'
expect 2 "$popc" -DFACTOR=1 --nothing add.cpp -o x.gp

expect 0 "$popc" -DFACTOR=21 -I inc -g -O3 add.cpp -o add.gp
expect 0 "$tilewright" popc twice.c -o twice.gp
expect 0 "$tilewright" run host.c twice.gp Twice Twice
prints out 'value 4'
# Merged, and without the sources.
expect 0 "$popc" -o both.gp add.gp twice.gp
rm -rf add.cpp twice.c inc add.gp twice.gp
expect 0 "$tilewright" run host.c both.gp Add Twice
prints out 'value 86'

# Without clang: the system's compiler links it, once.
mkdir tools
for tool in c++ ld as; do ln -s "$(command -v "$tool")" tools/; done
${CC:-cc} host.c -I "$source/include" -L "$build" -Wl,-rpath,"$build" -ltilewright -o host || fail 'cc host.c'
expect 0 env PATH="$work/tools" XDG_CACHE_HOME="$work/cache-linked" "$work/host" both.gp Add Twice
prints out 'value 86'
expect 0 env PATH=/nowhere XDG_CACHE_HOME="$work/cache-linked" "$work/host" both.gp Add Twice
expect 1 env PATH=/nowhere XDG_CACHE_HOME="$work/cache-none" "$work/host" both.gp Add
prints err 'is linked with clang 19 or'
# A cache that cannot be written says so, and not that the codelets are wrong.
if [ "$(id -u)" -ne 0 ]; then
  mkdir -p cache-closed/tilewright/codelets && chmod 500 cache-closed/tilewright/codelets
  expect 1 env XDG_CACHE_HOME="$work/cache-closed" "$work/host" both.gp Add
  prints err 'XDG_CACHE_HOME names another place'
  chmod 700 cache-closed/tilewright/codelets
fi

# Mistakes: in the user's file, in the command, on the disk.
printf '#include <poplar/Vertex.hpp>\nclass Bad : public poplar::Vertex {\npublic:\n    poplar::Input<int> x;\n    bool compute() { *x = 1; return true; }\n};\n' >bad.cpp
expect 1 "$popc" bad.cpp -o bad.gp
prints err 'bad.cpp:5:'
[ ! -e bad.gp ] || fail 'a .gp of codelets that do not compile'
"$popc" >/dev/null 2>&1 && fail 'no input, no complaint'
"$popc" nowhere.cpp -o x.gp >/dev/null 2>"$work/err" && fail 'no such file, no complaint'
prints err nowhere.cpp
echo 'not an object' >broken.gp
expect 1 "$tilewright" run host.c broken.gp Add
prints err broken.gp
# For a chip alone, options of one word with one dash as makefiles write them: its source runs on the host all the same.
echo '#include <poplar/Vertex.hpp>
class Plus : public poplar::Vertex { public: poplar::InOut<int> value; bool compute() { *value += N; return true; } };' >plus.cpp
expect 0 "$popc" -O2 -DN=9 -target=ipu2 plus.cpp -o plus.gp
expect 0 "$tilewright" run host.c plus.gp Plus
prints out 'value 10'
expect 0 "$popc" -DN=9 -target ipu2 plus.cpp -o plus.gp
expect 0 "$popc" -version
expect 2 "$popc" -targets=ipu2 plus.cpp -o plus.gp
finish

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
finish

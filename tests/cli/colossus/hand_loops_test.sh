#!/bin/sh
# SPDX-License-Identifier: MIT
# Loops of C++ vertices against assembly by hand (hand_loops.s): the same values, and turns per element as the table of
# docs/colossus-compiler.md has them (it is this test's output), within the limits of their class: A 1.5, B 3. The
# figures are those of any compiler that this toolkit is built with, and the code does not depend on what memory holds.
set -eu
source=$1
tilewright=$2/bin/tilewright
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >vertices.cpp <<'END2'
#include <poplar/Vertex.hpp>
using namespace poplar;
#define VERTEX(name, A, C, code)                                                                  \
    class name : public Vertex {                                                                  \
      public:                                                                                     \
        Input<Vector<A, VectorLayout::SPAN, 8>> a, b;                                             \
        InOut<Vector<C, VectorLayout::SPAN, 8>> c;                                                \
        float k;                                                                                  \
        bool compute()                                                                            \
        {                                                                                         \
            unsigned n = c.size();                                                                \
            code;                                                                                 \
            return true;                                                                          \
        }                                                                                         \
    };
VERTEX(AddFloat, float, float, for (unsigned i = 0; i < n; i++) c[i] = a[i] + b[i])
VERTEX(AddHalf, half, half, for (unsigned i = 0; i < n; i++) c[i] = a[i] + b[i])
VERTEX(ScaleFloat, float, float, for (unsigned i = 0; i < n; i++) c[i] *= k)
VERTEX(ScaledAddFloat, float, float, for (unsigned i = 0; i < n; i++) c[i] += k * a[i])
VERTEX(ScaledAddHalf, half, half, half h = (half)k; for (unsigned i = 0; i < n; i++) c[i] += h * a[i])
VERTEX(FillFloat, float, float, for (unsigned i = 0; i < n; i++) c[i] = k)
VERTEX(FillHalf, half, half, half h = (half)k; for (unsigned i = 0; i < n; i++) c[i] = h)
VERTEX(CastUp, half, float, for (unsigned i = 0; i < n; i++) c[i] = a[i])
VERTEX(CastDown, float, half, for (unsigned i = 0; i < n; i++) c[i] = (half)a[i])
VERTEX(SumFloat, float, float, float x = 0; for (unsigned i = 0; i < n; i++) x += a[i]; c[0] = x)
VERTEX(SelectFloat, float, float, for (unsigned i = 0; i < n; i++) c[i] = a[i] > k ? a[i] : b[i])
VERTEX(ClampFloat, float, float, for (unsigned i = 0; i < n; i++) { float x = a[i]; x = x < k ? k : x; c[i] = x > 2 * k ? 2 * k : x; })
END2
"$tilewright" popc -c --target ipu2 vertices.cpp -o compiled.o
XDG_CACHE_HOME=$dir/empty MALLOC_PERTURB_=91 "$tilewright" popc -c --target ipu2 vertices.cpp -o again.o
cmp compiled.o again.o || { echo "compiled once more, it is other code" >&2; exit 1; }
"$tilewright" asm "$source/tests/cli/colossus/hand_loops.s" -o hand.o

# Words of an array of n small whole numbers, as floats or as pairs of halves.
words() { # N FROM float|half
    awk -v n="$1" -v from="$2" -v type="$3" 'function half(x,  s, e) {
        if (!x) return 0
        s = x < 0 ? 32768 : 0; if (x < 0) x = -x
        for (e = 15; x >= 2; e++) x /= 2
        return s + e * 1024 + (x - 1) * 1024
    }
    function value(i) { return (i * 7 + from) % 23 - 9 }
    BEGIN { for (i = 0; i < n; i += type == "half" ? 2 : 1)
        printf "%s%s", i ? "," : "", type == "half" ? half(value(i)) + 65536 * half(value(i + 1)) : value(i) ".0" }'
}

# Turns and the result of one vertex: FILE ENTRY N TYPE-OF-A TYPE-OF-C
measure() {
    state="0x90000=0x91000,$3,0x92800,$3,0x94000,$3,2.0"
    data="0x91000=$(words "$3" 5 "$4");0x92800=$(words "$3" 11 "$4");0x94000=$(words "$3" 2 "$5")"
    "$tilewright" sim "$1" --entry "$2" --set-reg '$mvertex_base=0x90000' --show 0x94000:$(($3 / 2)) \
        --mem "$state;$data" >out 2>&1 || { cat out >&2; exit 1; }
    sed -n 's/^worker 0: status 1, \([0-9]*\) turns$/\1/p' out >turns
    grep '^0x94' out >"$6"
    [ -s turns ] || { echo "$2 has not ended well:" >&2; cat out >&2; exit 1; }
    cat turns
}

while read -r name class from to; do
    for length in 16 272; do
        ours=$(measure compiled.o "__runCodelet_$name" $length "$from" "$to" ours.words)
        hand=$(measure hand.o "hand_$name" $length "$from" "$to" hand.words)
        cmp ours.words hand.words || { echo "$name of $length: other values than by hand" >&2; exit 1; }
        echo "$ours $hand" >turns.$length
    done
    cat turns.16 turns.272 | tr '\n' ' ' | awk -v name="$name" -v class="$class" '{
        ours = ($3 - $1) / 256; hand = ($4 - $2) / 256
        printf "| `%s` | %s | %.2f | %.2f | %.2f | %d |\n", name, class, ours, hand, ours / hand, $1 - $2
    }'
done >table <<'END2'
AddFloat A float float
AddHalf A half half
ScaleFloat A float float
ScaledAddFloat A float float
ScaledAddHalf A half half
FillFloat A float float
FillHalf A half half
CastUp A half float
CastDown A float half
SelectFloat B float float
ClampFloat B float float
SumFloat C float float
END2
sed -n '/^<!-- hand/,/^<!-- end/p' "$source/docs/colossus-compiler.md" | grep '^| `' >documented || true
if ! cmp -s table documented; then
    echo "the table of docs/colossus-compiler.md is not what is measured, which is:"
    cat table
    exit 1
fi

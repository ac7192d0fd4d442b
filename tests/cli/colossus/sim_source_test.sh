#!/bin/sh
# SPDX-License-Identifier: MIT
# tilewright sim --interactive on code from C++ with popc -g: lines, functions, inlined calls and variables; the
# information is sound (llvm-dwarfdump) and costs no code.
set -eu
tilewright=$2/bin/tilewright
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >a.cpp <<'END2'
struct Base { int first; };
struct Point : Base { float y; short s[3]; unsigned low : 3, high : 5; Point *next; };
enum class Colour { red, green = 5 };
namespace deep { volatile int sink; volatile int counts[4] = { 1, 2, 3, 4 }; }
static inline int square(int v)
{
    int w = v * v;
    deep::sink = w;
    return w + 1;
}
extern "C" __attribute__((noinline)) int sum(const Point *p, int n, Colour c)
{
    int total = 0;
    for (int i = 0; i < n; i++) {
        int twice = 2 * i;
        deep::sink = twice;
        total += square(i) + deep::counts[i];
        if (c == Colour::green) total += p->s[i % 3];
        deep::sink = total;
    }
    return total;
}
extern "C" int entry(int a, long long b, float f, double d, char letter, bool yes)
{
    Point other = { { 7 }, 2.5f, { 4, 5, 6 }, 1, 2, nullptr };
    Point p = { { a }, f, { 1, -2, 3 }, 5, 17, &other };
    deep::sink = (int)(b >> 32);
    deep::sink = letter + yes + (int)d;
    int result = sum(&p, a, Colour::green);
    deep::sink = result;
    return result + (int)b + other.first;
}
END2
line() { grep -n -- "$1" a.cpp | head -1 | cut -d: -f1; }

"$tilewright" popc -g -c --target ipu2 a.cpp -o a.o
shows() { # each argument, in this order
    at=1
    for text in "$@"; do
        found=$(tail -n +"$at" out | grep -nF -m1 -- "$text" | cut -d: -f1) || found=
        [ -n "$found" ] || { echo "sim: no '$text' from line $at on in:"; cat out; exit 1; }
        at=$((at + found))
    done
}
debug() { # STATUS <commands: the output is in `out`
    status=0
    "$tilewright" sim a.o --call 'entry(4, 2:3, 1.5f, 0:0x3fd00000, 65, 1)' -i >out 2>&1 || status=$?
    [ "$status" = "$1" ] || { echo "sim: status $status, not $1:"; cat out; exit 1; }
}

# Parameters at the entry of a function, types of all kinds, globals; frames of callers.
debug 0 <<'END2'
p a
p b
p f
break sum
c
bt
info locals
p *p
p p->first
p p->y
p p->s[1]
p p->high
p *p->next
p p->next->s[2]
p (*p).next->low
p c
p counts
p counts[3]
p sink
p n * 2 + counts[0]
p/x n
frame 1
END2
shows 'a = 4' 'b = 12884901890' 'f = 1.5' 'Breakpoint 1, ' "in sum () at $dir/a.cpp:$(line 'int sum')" '#0  ' \
    "in entry () at $dir/a.cpp:$(line 'result = sum'):18" 'p = 0x8' 'n = 4' 'c = green' \
    '*p = {<Base> = {first = 4}, y = 1.5, s = {1, -2, 3}, low = 5, high = 17, next = 0x8' 'p->first = 4' 'p->y = 1.5' \
    'p->s[1] = -2' 'p->high = 17' '*p->next = {<Base> = {first = 7}, y = 2.5, s = {4, 5, 6}, low = 1, high = 2, next = 0x0}' \
    'p->next->s[2] = 6' '(*p).next->low = 1' 'c = green' 'counts = {1, 2, 3, 4}' 'counts[3] = 4' 'sink = 66' \
    'n * 2 + counts[0] = 9' 'n = 0x4' "in entry () at $dir/a.cpp:$(line 'result = sum'):18"

# Types, of variables and by their names.
debug 0 <<'END2'
break sum
c
ptype p
ptype *p
ptype p->s
ptype p->next->s[1]
ptype counts
ptype c
ptype Base
ptype n
END2
shows 'type = const Point *' 'type = struct Point : Base {' '    float y;' '    short s[3];' '    unsigned int low : 3;' \
    '    unsigned int high : 5;' '    Point *next;' '}' 'type = short [3]' 'type = short' 'type = volatile int [4]' \
    'type = enum Colour {red = 0, green = 5}' 'type = struct Base {' '    int first;' '}' 'type = int'
debug 1 <<'END2'
ptype nothing
ptype
END2
shows "nothing" 'ptype VALUE'

# Lines: each round of the loop shows what C says; a function that was inlined has a frame of its own.
debug 0 <<END2
break a.cpp:$(line 'sink = total')
c
p i
p total
c
p i
p total
c
p i
p total
c
p i
p total
delete
break square if v == 2
run
bt
p v
p w
frame 1
p i
p twice
p c
END2
shows 'i = 0' 'total = 3' 'i = 1' 'total = 5' 'i = 2' 'total = 16' 'i = 3' 'total = 31' 'in square ()' \
    ', inlined' "in sum () at $dir/a.cpp:$(line 'total += square'):" 'in entry ()' 'v = 2' 'in sum ()' 'i = 2' 'twice = 4' 'c = green'

# next goes over what was inlined and over calls, step into both.
debug 0 <<END2
break a.cpp:$(line 'sink = twice')
c
delete
next
next
next
next
END2
if grep -q 'in square' out; then cat out; exit 1; fi
debug 0 <<END2
break a.cpp:$(line 'sink = twice')
c
delete
step
step
step
END2
shows 'in square ()'

# jump: a line of code that stands in several functions, as of a template, is taken within the function that runs alone.
cat >many.cpp <<'END2'
namespace deep { volatile int sink; }
template <typename T> __attribute__((noinline)) T twice(T v)
{
    deep::sink = (int)v;
    deep::sink = 2 * (int)v;
    return v + v;
}
extern "C" int entry(int a)
{
    deep::sink = a;
    return twice<int>(a) + (int)twice<float>((float)a);
}
END2
"$tilewright" popc -g -c --target ipu2 many.cpp -o many.o
status=0
"$tilewright" sim many.o --call 'entry(4)' -i >out 2>&1 <<'END2' || status=$?
break many.cpp:10
continue
jump many.cpp:5
info registers $pc
break many.cpp:6
continue
jump many.cpp:4
END2
[ "$status" = 1 ] || { echo "sim: jump: status $status"; cat out; exit 1; }
shows "'many.cpp:5' stands in 2 places, and jump *ADDRESS takes one of them:" \
    '<_Z5twiceIiET_S0_+' '<_Z5twiceIfET_S0_+' \
    'Breakpoint 2, ' 'Breakpoint 3, ' "+0> at $dir/many.cpp:4"

# Fields of a vertex, by their names in compute(): its state lies where $mvertex_base says (guide 3.4, 10.2).
cat >vertex.cpp <<'END2'
#include <poplar/Vertex.hpp>
class Adder : public poplar::Vertex {
  public:
    poplar::Input<poplar::Vector<float>> in;
    poplar::Output<float> out;
    int scale;
    bool compute()
    {
        float total = 0;
        for (unsigned i = 0; i < in.size(); i++) total += in[i];
        *out = total * scale;
        return true;
    }
};
END2
"$tilewright" popc -g -c --target ipu2 vertex.cpp -o vertex.o
"$tilewright" sim vertex.o --entry __runCodelet_Adder --set-reg '$mvertex_base=0x90000' \
    --mem '0x90000=0x98000,3,0x98020,7;0x98000=1.0,2.5,3.0' -i >out 2>&1 <<'END2'
tbreak Adder::compute
p scale
p in[1]
p in[2]
p this->scale
info locals
END2
shows 'Temporary breakpoint 1' 'scale = 7' 'in[1] = 2.5' 'in[2] = 3' 'this->scale = 7' 'this = 0x90000'

# set: a local hides the member of its name also where it cannot be set; a bit-field has no address of its own.
cat >shadow.cpp <<'END2'
#include <poplar/Vertex.hpp>
class Shadow : public poplar::Vertex {
  public:
    poplar::InOut<int> y;
    int x;
    struct { unsigned low : 3, high : 5; } parts;
    bool compute()
    {
        int x = *y * 3;
        for (int i = 0; i < 4; i++)
            x = x * x + i;
        *y = x + this->x + parts.low + parts.high;
        return true;
    }
};
END2
"$tilewright" popc -g -c --target ipu2 shadow.cpp -o shadow.o
status=0
"$tilewright" sim shadow.o --entry __runCodelet_Shadow --set-reg '$mvertex_base=0x90000' \
    --mem '0x90000=0x98000,7,0x1f;0x98000=2' -i >out 2>err <<'END2' || status=$?
break shadow.cpp:11
c
set x = 77
p this->x
set parts.high = 1
p parts
set this->x = 9
p this->x
END2
[ "$status" = 1 ] || { echo "sim: status $status, not 1:"; cat out err; exit 1; }
shows 'this->x = 7' 'parts = {low = 7, high = 3}' 'this->x = 9'
cp err out
shows "'x' cannot be set: it has no address" "'parts.high' cannot be set: it has no address: it is a bit-field"

# Variables of callers: registers that a callee keeps are found where it put them, also through assembly with .cfi_*;
# what came on the stack is there from the entry on. Assembly without .cfi_* says nothing of its callers.
cat >callers.cpp <<'END2'
volatile int sink;
extern "C" int middle(int n);
extern "C" __attribute__((noinline)) int leaf(int a, int b, int c, int d, int e, char f, long long g)
{
    sink = a + b + c + d;
    sink = e + f;
    sink = (int)(g >> 32);
    return (int)g + e;
}
extern "C" int top(int n)
{
    int kept = n * 3, list[2] = { n, kept };
    sink = list[n & 1];
    int r = middle(n);
    return r + kept + list[n & 1];
}
extern "C" int deepest(int n)
{
    int other = n + 100;
    int r = leaf(1, 2, 3, 4, n + 1, 'x', 0x200000003ll);
    return r + other;
}
END2
cat >middle.s <<'END2'
.worker
.text
.globl middle
.type middle, @function
middle:
.cfi_startproc
add $m11, $m11, -8
.cfi_def_cfa_offset 8
st32 $m10, $m11, $m15, 1
.cfi_offset $lr, -4
st32 $m7, $m11, $m15, 0
.cfi_offset $m7, -8
setzi $m7, 77
call $m10, deepest
ld32 $m7, $m11, $m15, 0
ld32 $m10, $m11, $m15, 1
add $m11, $m11, 8
br $m10
.cfi_endproc
.size middle, . - middle
.stack_own middle, 8
END2
callers() { # FILE OF ASSEMBLY, commands: the output is in `out`
    "$tilewright" popc -g -S --target ipu2 callers.cpp -o callers.s
    cat "$1" >>callers.s
    "$tilewright" sim callers.s --call 'top(5)' -i >out 2>&1 || true
}
callers middle.s <<END2
break leaf
c
p e
p f
p g
break callers.cpp:$(grep -n 'g >> 32' callers.cpp | cut -d: -f1)
c
p g
up
p other
p n
up
up
p kept
p list[1]
down 3
p e
up 9
info locals
END2
shows 'e = 6' "f = 120 'x'" 'g = 8589934595' 'g = 8589934595' 'in deepest ()' 'other = 105' 'n = <optimised out>' '#2' \
    'middle' 'in top ()' 'kept = 15' 'list[1] = 15' 'in leaf ()' 'e = 6' "There is no frame '9'"
grep -v cfi_ middle.s >plain.s
callers plain.s <<'END2'
break leaf
c
up
p other
up
up
info locals
END2
shows 'other = 105' 'in top ()' 'Variables of frame 3 are not known'
# Elements of arrays of several dimensions, indices that are calculated, members that are arrays.
cat >elements.c <<'END2'
struct grid { int n; short cell[2][3][4]; struct pair { char a, b; } pairs[3]; const int (*rows)[3]; };
int matrix[4][3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 }, { 10, 11, 12 } };
volatile int sink;
__attribute__((noinline)) int walk(const struct grid *g, int i, int j)
{
    sink = i + j;
    sink = g->cell[i][j][2];
    return g->pairs[i].b + g->rows[j][i] + i + j;
}
int entry(int i, int j)
{
    struct grid g = { 7, { { { 0 } } }, { { 'a', 'b' }, { 'c', 'd' }, { 'e', 'f' } }, matrix };
    for (int k = 0; k < 24; k++) (&g.cell[0][0][0])[k] = (short)(100 + k);
    return walk(&g, i, j);
}
END2
"$tilewright" popc -g -c --target ipu2 elements.c -o elements.o
"$tilewright" sim elements.o --call 'entry(1, 2)' -i >out 2>&1 <<'END2'
break walk
c
p g->cell[i][j][2]
p g->cell[1]
p g->cell[i-1][j - 1]
p g->cell
p g->pairs[i+1].b
p g->pairs[2*i-1]
p g->rows[j][i]
p g->rows[0]
p matrix[2][1]
p matrix[g->n - 2*j][(i + 1) * 1]
p matrix[i]
p &matrix[1][0]
p *g->rows
END2
shows '2] = 122' 'cell[1] = {{112, 113, 114, 115}, {116, 117, 118, 119}, {120, 121, 122, 123}}' \
    'j - 1] = {104, 105, 106, 107}' 'cell = {{{100, 101, 102, 103}, {104, ' "b = 102 'f'" "1] = {a = 99 'c', b = 100 'd'}" \
    '[i] = 8' 'rows[0] = {1, 2, 3}' 'matrix[2][1] = 8' '* 1] = 12' 'matrix[i] = {4, 5, 6}' '0] = 0x' 'rows = {1, 2, 3}'
for wrong in 'p matrix[4]|element 4 is not in the array' 'p matrix[0][3]|element 3 is not in' 'p matrix[-1]|element -1' \
    'p g->cell[0][0][0][0]|no pointer' 'p matrix[1+]|variable is missing' 'p matrix[(1]|) is missing' \
    'p matrix[i j]|] is missing'; do
    printf 'break walk\nc\n%s\n' "${wrong%|*}" | "$tilewright" sim elements.o --call 'entry(1, 2)' -i >out 2>&1 && exit 1
    found=${wrong#*|}
    sed "s/'//g" out >plain && mv plain out
    shows "$found"
done

# Arrays by VALUE@COUNT; elements that are watched, and a local whose function returns.
"$tilewright" sim elements.o --call 'entry(1, 2)' -i >out 2>&1 <<'END2'
break walk
next
watch g.cell[0][0][1]
c
info b
c
p matrix[0][1]@2
p *matrix[2]@3
p g->cell[i][0][j]@2
delete
c
END2
shows 'Watchpoint 2: g.cell[0][0][1] = ' 'Watchpoint 2: g.cell[0][0][1]' 'New value = 101' '2    watch  on  g.cell[0][0][1], hit 1 times' \
    'Breakpoint 1, ' 'matrix[0][1]@2 = {2, 3}' '*matrix[2]@3 = {7, 8, 9}' '[j]@2 = {114, 115}'

# What is wrong is told.
for wrong in 'p nothing|nothing' 'p p->nothing|nothing' 'p n.b|no member' 'p counts[4]|not in the array' 'p *n|no pointer' \
    'p counts[|variable is missing' 'p &n|no address'; do
    printf 'break sum\nc\n%s\n' "${wrong%|*}" >script
    debug 1 <script
    shows "${wrong#*|}"
done

# Faults and --cycles name columns.
"$tilewright" sim a.o --call 'entry(4, 2:3, 1.5f, 0:0x3fd00000, 65, 1)' --cycles >out
grep -qE "^ +4  $dir/a.cpp:$(line 'int w'):15$" out || { cat out; exit 1; }
cat >fault.c <<'END2'
int fault(int *p) { return 1 +
       p[0]; }
END2
"$tilewright" popc -c --target ipu2 fault.c -o fault.o
if "$tilewright" sim fault.o --call 'fault(2)' >out 2>&1; then exit 1; fi
shows 'fault.c:2:8: '

# The information is sound, and costs no code.
"$tilewright" link a.o -o a.elf
if command -v llvm-dwarfdump-19 >/dev/null; then
    llvm-dwarfdump-19 --verify a.elf >out 2>&1 || { cat out; exit 1; }
    llvm-dwarfdump-19 --debug-frame a.elf >out 2>/dev/null
    shows 'CFA=reg11+64: ' 'reg10=[CFA-'
    llvm-dwarfdump-19 --debug-line a.elf 2>/dev/null | grep -qE "4c0.. +$(line 'int w') +15 " || exit 1
fi
for chip in ipu1 ipu21; do
    "$tilewright" popc -g -S --target "$chip" a.cpp -o with.s
    "$tilewright" popc -S --target "$chip" a.cpp -o without.s
    for text in with without; do
        sed '/section .debug_line/,$d' $text.s | grep -vE '^\.L(m|f)|^$|^	\.(loc|file|cfi_)' >$text
    done
    cmp with without
done

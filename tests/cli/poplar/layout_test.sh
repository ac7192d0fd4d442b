# SPDX-License-Identifier: MIT
# `tilewright layout`: known words, limits, both directions, JSON, state maps, structs.
. "$1/tests/cli/lib.sh"
layout() { expect "$1" "$tilewright" layout "$2" "--arch=$3" --layout "$4" --type "$5" "$6" "$7" "$8" "$9"; }

layout 0 encode mk2 SHORT_SPAN float --address 0x4C010 --count 2047
prints out 'FFE4C010'
layout 1 encode mk2 SHORT_SPAN float --address 0x4C010 --count 2048
prints err 'SHORT_SPAN: 2,048 elements, at most 2,047'
layout 0 encode mk1 scaled_ptr64 char --address 0x40000 --count 1
prints out '8000'
layout 1 encode mk2 SCALED_PTR64 char --address 0x4C000 --count 1
prints err 'not available on ipu2'
layout 2 encode mk2 SHORT_SPAM float --address 0x4C010 --count 1
prints err "did you mean 'SHORT_SPAN'?"
expect 0 "$tilewright" layout encode --arch mk1 --layout DELTAN --type char --address 0x40010 --count 4095 --table 0x50000
prints out 'FFF40010 4000'
expect 0 "$tilewright" layout decode --arch mk1 --layout DELTAN --type char FFF40010 4000
prints out 'address 0x40010  count 4095  table 0x50000'
expect 0 "$tilewright" layout encode --arch mk2 --layout COMPACT_DELTAN --type half --rows 0x4C010:8,0x4C040:3 --table 0x60000
prints out '0204C010 00060000 00800000 00300018'
expect 0 "$tilewright" layout decode --arch mk2 --layout DELTANELEMENTS --type half --base 0x4C010 00300018 --json
prints out '"address": "0x4C040"'
expect 0 "$tilewright" layout encode --arch mk1 --layout ONE_PTR --outer SPAN --type half --rows 0x44010:8,0x44040:3 --table 0x60000
prints out '00060000 00000002 00044010 00044040'
expect 2 "$tilewright" layout encode --arch mk2 --layout DELTANELEMENTS --type half --address 0x4C010 --count 1
prints err '--table'
expect 2 "$tilewright" layout decode --arch mk2 --layout SPAN --type half 4C010
prints err 'SPAN has 2 word(s)'
# bits that a 16-bit pointer does not have, and options that mean nothing, are not passed over
expect 2 "$tilewright" layout decode --arch mk1 --layout SCALED_PTR64 --type char 18000
prints err 'SCALED_PTR64: 18000 has more than 16 bits'
expect 2 "$tilewright" layout decode --arch mk1 --layout DELTAN --type char FFF40010 14000
prints err 'DELTAN: 14000 has more than 16 bits'
expect 2 "$tilewright" layout encode --arch mk2 --layout SPAN --type half --address 0x4C010 --count 1 --base 0x4C000
prints err "'--base' means nothing for a Vector"
expect 2 "$tilewright" layout encode --arch mk2 --layout SPAN --type half --rows 0x4C010:1 --table 0x4C000 --count 1
prints err "'--count' means nothing for all rows of a Vector"
expect 2 "$tilewright" layout encode --arch mk2 --layout DELTANELEMENTS --type half --address 0x4C010 --count 1 --table 0x4C000 --outer SPAN
prints err "'--outer' means nothing for a VectorList"
layout 2 encode mk2 SPAN flaot --address 0x4C010 --count 1
prints err "did you mean 'float'?"
expect 2 "$tilewright" layout encode --arch mk2 --layout SPAN --type half --adress 0x4C010 --count 1
prints err "did you mean '--address'?"
expect 2 "$tilewright" layout
expect 0 "$tilewright" layout struct --help
prints out 'usage: tilewright layout'
expect 2 "$tilewright" layout enode
prints err "did you mean 'encode'?"

command -v clang-19 >/dev/null || finish
expect 0 "$tilewright" layout vertex "$source/examples/poplar/guide/guide_codelets.cpp" --arch mk2
prints out 'SPAN: pointer [31:0], count [63:32]'
expect 0 "$tilewright" layout vertex "$source/examples/poplar/adder/adder_codelets.cpp" --arch mk1 --json
prints out '"offset": 0'
printf '#include <poplar/Vertex.hpp>\nusing namespace poplar;\nstruct S { short a; float b; };\n' >"$work/v.cpp"
printf 'class V : public Vertex { public: bool x; S s; bool compute() { return true; } };\n' >>"$work/v.cpp"
expect 0 "$tilewright" layout vertex "$work/v.cpp" --arch mk2
prints out '4     8  s                    S'
printf '#include <poplar/Vertex.hpp>\nusing namespace poplar;\nclass V : public Vertex { public:\n' >"$work/v.cpp"
printf ' Vector<Input<Vector<float, VectorLayout::ONE_PTR>>, VectorLayout::SHORT_SPAN> r;\n bool compute() { return true; } };\n' >>"$work/v.cpp"
expect 0 "$tilewright" layout vertex "$work/v.cpp" --arch mk2
prints out 'SHORT_SPAN of ONE_PTR: pointer [19:0], reserved [20], count [31:21]; row: pointer [31:0]'
sed -i 's/SHORT_SPAN/SCALED_PTR32/' "$work/v.cpp" # a layout that the chip lacks: which, and where in the source
expect 1 "$tilewright" layout vertex "$work/v.cpp" --arch mk2
prints err 'this chip does not have this vector layout'
prints err 'v.cpp:4:'
prints err 'VectorLayout::SCALED_PTR32'
printf 'struct s { char a; int b : 5; enum { P, Q } c : 1; };\n' >"$work/s.c"
expect 0 "$tilewright" layout struct "$work/s.c"
prints out '1.0    5  b                    int : 5, signed'
prints out 'c                    enum (unnamed enum) : 1, unsigned'
expect 0 "$tilewright" layout struct "$work/s.c" --json
prints out '"offsetBits": 8'
printf 'int x;\nstruct s { char a; } __attribute__((aligned(8)));\n' >"$work/s.c"
expect 1 "$tilewright" layout struct "$work/s.c"
prints err 's.c:2: struct s: the ABI has no rule'
printf 'struct s { int a[1000000000];\n int b[1000000000]; };\n' >"$work/s.c"
expect 1 "$tilewright" layout struct "$work/s.c"
prints err 's.c:1: struct s: member 1, b, ends past 2^32 bytes'
printf 'struct s { nothing a; };\n' >"$work/s.c"
expect 1 "$tilewright" layout struct "$work/s.c"
prints err 's.c:1:12: error'
finish

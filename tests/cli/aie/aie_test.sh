#!/bin/sh
# SPDX-License-Identifier: MIT
# `tilewright aie type` and `types` through the built program: every name of the naming convention's document, the lane
# picture, narrower elements, messages of wrong names, JSON, exit status.
. "$1/tests/cli/lib.sh"

# is_json FILE: valid JSON, judged by python3 where there is one, else by its brackets.
is_json() {
  if command -v python3 >/dev/null; then
    python3 -m json.tool "$1" >/dev/null || fail "not JSON: $1"
  else
    awk '{ gsub(/"[^"]*"/, ""); open += gsub(/[[{]/, ""); shut += gsub(/[]}]/, "") } END { exit open != shut || !open }' "$1" ||
      fail "not JSON: $1"
  fi
}

# Names by width, each with lanes, lane width and total width: the element lists of the document.
while read -r name lanes bits total; do
  expect 0 "$tilewright" aie type "$name"
  prints out "  lanes         $lanes"
  prints out "  lane width    $bits bits"
  prints out "  total width   $total bits"
done <<'NAMES'
v16int32 16 32 512
v2cint32 2 64 128
v4int32 4 32 128
v8int16 8 16 128
v16int8 16 8 128
v16uint8 16 8 128
v4cint16 4 32 128
v4float 4 32 128
v2cfloat 2 64 128
v1cint128 1 256 256
v2int128 2 128 256
v2cint64 2 128 256
v4int64 4 64 256
v4cint32 4 64 256
v8int32 8 32 256
v8cint16 8 32 256
v16int16 16 16 256
v32int8 32 8 256
v32uint8 32 8 256
v8float 8 32 256
v4cfloat 4 64 256
v4cint64 4 128 512
v8int64 8 64 512
v8cint32 8 64 512
v16cint16 16 32 512
v32int16 32 16 512
v64int8 64 8 512
v64uint8 64 8 512
v16float 16 32 512
v8cfloat 8 64 512
v16cint32 16 64 1024
v32int32 32 32 1024
v32cint16 32 32 1024
v64int16 64 16 1024
v128int8 128 8 1024
v128uint8 128 8 1024
v32float 32 32 1024
v16cfloat 16 64 1024
v8acc48 8 48 384
v16acc48 16 48 768
v4cacc48 4 96 384
v8cacc48 8 96 768
v4acc80 4 80 320
v8acc80 8 80 640
v2cacc80 2 160 320
v4cacc80 4 160 640
NAMES
prints out 'in a register of 768'

expect 0 "$tilewright" aie type v16int32
prints out '  element       int32'
prints out '  register      X (512 bits)'
prints out '32 lanes of int16'
prints out '64 lanes of int8'
prints out 'lane 15'
prints out '511       479'
prints out 'lane 0'
expect 0 "$tilewright" aie type v4acc80
prints out '320 bits in a register of 384'
prints out 'AM (384 bits)'
for scalar in int8 uint8 int16 uint16 int32 uint32 float cint16; do
  expect 0 "$tilewright" aie type $scalar
  prints out 'scalar'
done
expect 0 "$tilewright" aie type v8accfloat
prints out 'another name of v8float'
expect 0 "$tilewright" aie type v8cint8
prints out 'load, store, cast'

# Wrong names: which field, and what would be right.
while IFS='|' read -r name field phrase; do
  expect 1 "$tilewright" aie type "$name"
  prints err "tilewright aie: $name: $field: "
  prints err "$phrase"
done <<'WRONG'
v3int32|lanes|3 is not 2, 4, 8, 16, 32, 64 or 128
v256int8|lanes|256 is not 2, 4, 8, 16, 32, 64 or 128
v64int32|lanes|64 lanes of int32 would be 2048 bits, and vectors have 128, 256, 512 or 1024: int32 has 4, 8, 16 or 32 lanes
v2int32|lanes|2 lanes of int32 would be 64 bits
v16uint32|u|unsigned only exists for int8 vectors
v8ucint16|kind|
v16int48|size|48 is not 8, 16, 32, 64 or 128 bits
v8acc32|size|48 or 80 bits; v8acc48, v16acc48, v4cacc48, v8cacc48, v4acc80, v8acc80, v2cacc80 and v4cacc80 are the accumulators
v4ccint16|kind|'cint' is not int, float or acc
v4cfloat32|size|write v4cfloat
v8accfloat16|size|write v8accfloat
v4uint8x|size|'8x' is not a number of bits
v2acc48|lanes|an accumulator register holds 384
v16acc80|lanes|v8acc80
v8float32|size|write v8float
v8facc48|kind|floats have no accumulator registers
v16bfloat16|kind|AIE-ML type; this is AIE, the first generation
v16int4|size|AIE-ML
v1int128|lanes|TW_AIE_EXTRA
x16int32|kind|starts with 'v'
v16flaot|kind|did you mean 'float'
WRONG
expect 0 "$tilewright" aie type v1int128 --extra

# Several names: the good ones are told, the bad one decides the status.
expect 1 "$tilewright" aie type v8int16 v9int16
prints out 'v8int16'
prints err 'v9int16'

expect 0 "$tilewright" aie types
prints out 'v16int32        16 int32             32         512           512  X (512 bits)'
prints out 'v4acc80          4 acc80             80         320           384  AM (384 bits)'
cp "$work/out" "$work/table"
expect 0 "$tilewright" aie types --json
is_json "$work/out"
prints out '"name": "v16int32"'
# The two lists name the same types.
sed -n 's/^ *"name": "\(.*\)",*$/\1/p' "$work/out" | sort >"$work/a"
sed 1d "$work/table" | cut -d' ' -f1 | sort >"$work/b"
cmp -s "$work/a" "$work/b" || { fail 'types and types --json differ'; diff "$work/a" "$work/b"; }
# A name of the list is one that `type` takes.
for name in $(cat "$work/b"); do expect 0 "$tilewright" aie type --extra "$name"; done

expect 0 "$tilewright" aie type v4cacc80 --json
is_json "$work/out"
prints out '"lanes": 4'
prints out '"payloadBits": 640'
prints out '"registerBits": 768'
prints out '"complex": true'
expect 1 "$tilewright" aie type v4cacc81 v2int64 --json
is_json "$work/out"
prints err 'v4cacc81: size:'

# Misuse.
expect 2 "$tilewright" aie
prints err "expected 'type NAME', 'types', 'run GRAPH.cpp' or 'cycles GRAPH.cpp'"
expect 2 "$tilewright" aie type
expect 2 "$tilewright" aie typo v16int32
expect 2 "$tilewright" aie types v16int32
expect 2 "$tilewright" aie type v16int32 --jsn
prints err "unknown option '--jsn'"
expect 1 "$tilewright" aie type ''
long=$(printf '%0500d' 7)
expect 1 "$tilewright" aie type "v$long"
expect 0 "$tilewright" aie --help
prints out 'usage: tilewright aie type'
finish

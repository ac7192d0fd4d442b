#!/bin/sh
# SPDX-License-Identifier: MIT
# vendor_api_test.sh SOURCE_DIR LIBRARIES...: operations of the vendor's layered C++ library under aie/vendor.hpp, against
# plain arithmetic. TILEWRIGHT_AIE_API in the environment: a checkout of that library (its folder include/ holds
# aie_api/aie.hpp); without it the test is skipped (exit status 77). TILEWRIGHT_AIE_CXX: another compiler than
# clang++-19, with its flags.
source=$1
shift
if [ -z "$TILEWRIGHT_AIE_API" ]; then
  echo "skipped: TILEWRIGHT_AIE_API does not name a checkout of the vendor's library"
  exit 77
fi
api=$TILEWRIGHT_AIE_API
[ -f "$api/include/tilewright/compat/aie_api/aie.hpp" ] && api=$api/include
[ -f "$api/aie_api/aie.hpp" ] || { echo "vendor_api: no aie_api/aie.hpp below $TILEWRIGHT_AIE_API"; exit 1; }
cxx=${TILEWRIGHT_AIE_CXX:-clang++-19}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
# Inlining everything makes the compilers slow; results are the same without.
build() # NAME SOURCE FLAGS...
{
  name=$1 file=$2
  shift 2
  $cxx -std=c++20 -O0 -ffp-contract=off -w -DAIE_DEBUG_NOINLINE '-DTW__AIE=static inline __attribute__((unused))' \
    -I"$source/include" -I"$source/include/tilewright/compat/aie" -I"$api" "$@" -o "$work/$name" || { echo "vendor_api: $file does not compile"; failed=1; return; }
  echo "== $name"
  (cd "$work" && "./$name") || { echo "vendor_api: wrong results of $name"; failed=1; }
}
for type in int8 uint8 int16 int32 cint16 cint32 float cfloat; do
  build "lanes_$type" lanes -DONLY=$type "$source/tests/aie/vendor_api/lanes.cpp" "$@"
done
for part in 0 1 2; do build "products_$part" mul -DPART=$part "$source/tests/aie/vendor_api/mul.cpp" "$@"; done
for part in 0 1; do build "sliding_$part" slide -DPART=$part "$source/tests/aie/vendor_api/slide.cpp" "$@"; done
build conversions convert "$source/tests/aie/vendor_api/convert.cpp" "$@"
build more more "$source/tests/aie/vendor_api/more.cpp" "$@"
build ports ports "$source/tests/aie/vendor_api/ports.cpp" "$@"
build transforms fft "$source/tests/aie/vendor_api/fft.cpp" "$@"
# What is not modelled says so, wherever the library needs it.
cat >"$work/cfr.cpp" <<'END'
#include <tilewright/aie/vendor.hpp>
v8cacc48 pulses(v16cint16 x, v8cint16 z)
{
    return mul8_cfr(x, 0, 0, z);
}
END
$cxx -std=c++20 -fsyntax-only -w -I"$source/include" -I"$source/include/tilewright/compat/aie" -I"$api" "$work/cfr.cpp" 2>"$work/log"
grep -q "(CFR, DPD) is not modelled by Tilewright" "$work/log" || {
  echo "vendor_api: a product for cancellation pulses does not say that it is not modelled"; head -5 "$work/log"; failed=1; }
exit $failed

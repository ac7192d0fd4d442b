#!/bin/sh
# straight_test.sh SOURCE_DIR: with constant offsets an intrinsic compiles to straight code: no call, no backward branch,
# at -O2, with gcc and clang, with AVX2 and without.
source=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
cat >"$work/kernels.c" <<'END'
#include <tilewright/aie/float.h>
v16acc48 k_mac16(v16acc48 acc, v32int16 x, v16int16 z) { return mac16(acc, x, 0, 0x03020100, 0x07060504, 0x3120, z, 0, 0, 0, 1); }
v16acc48 k_mul16_bytes(v64int8 x, v32int8 z) { return mul16(x, 0, 0x33323130, 32, 0x3120, z, 0, 0, 2, 0x3210); }
v8acc48 k_msc8(v8acc48 acc, v64int16 x, v16int16 z) { return msc8(acc, x, 0, 0x00002400, 4, 0x3210, z, 0, 0, 1); }
v4cacc48 k_mac4(v4cacc48 acc, v16cint16 x, v8cint16 z) { return mac4(acc, x, 0, 0x3210, 1, z, 0, 0, 1); }
v4cacc48 k_mul4_sym(v16cint16 x, v8cint16 z) { return mul4_sym(x, 2, 0x3210, 1, 11, z, 0, 0, 1); }
v8acc48 k_mac8_sym(v8acc48 acc, v32int16 x, v16int16 z) { return mac8_sym(acc, x, 0, 0x3210, 2, 0x3210, 8, 0x3210, z, 0, 0, 1); }
v8cacc48 k_mac8_complex(v8cacc48 acc, v16cint16 x, v8cint16 z) { return mac8(acc, x, 5, 0x76543210, z, 3, 0); }
v4cacc48 k_mac4_sym_ct(v4cacc48 acc, v16cint16 x, v8cint16 z) { return mac4_sym_ct(acc, x, 3, 0x3210, 13, 9, z, 2, 0, 1); }
v8acc48 k_mac8_mixed(v8acc48 acc, v16int32 x, v16int16 z) { return mac8(acc, x, 3, 0x76543210, 1, z, 2, 0, 1); }
v8acc80 k_lmul8(v16int32 x, v8int32 z) { return lmul8(x, 2, 0x76543210, z, 0, 0); }
v32int16 k_shuffle32(v64int16 x) { return shuffle32(x, 0, 0xF3F2F1F0, 0xF7F6F5F4, 0x3120); }
v16int32 k_select16(v16int32 x, v16int32 y) { return select16(0x5555, x, 0, 0x76543210, 0xfedcba98, y, 3, 0x76543210, 0xfedcba98); }
v32int16 k_max32(v32int16 x, v32int16 y) { return max32(x, y); }
unsigned k_lt16(v16int32 x, v16int32 y) { return lt16(x, y); }
v8float k_fpmac(v8float acc, v16float x, v8float z) { return fpmac(acc, x, 0, 0x76543210, z, 3, 0); }
v4cfloat k_fpmac_c(v4cfloat acc, v8cfloat x, v4cfloat z) { return fpmac_nc(acc, x, 0, 0x3210, z, 0, 0); }
END
for compiler in gcc clang-19; do
  command -v $compiler >/dev/null || continue
  for arch in -march=x86-64 -march=x86-64-v3; do
    $compiler -std=gnu17 -O2 -Wno-psabi $arch -fcf-protection=none -I"$source/include" -S "$work/kernels.c" -o "$work/out.s" || exit 1
    count=$(grep -c '^k_[a-z0-9_]*:' "$work/out.s")
    [ "$count" = 16 ] || { echo "straight_test: $count functions found with $compiler"; failed=1; }
    # A backward branch jumps to a label that stands above it.
    awk -v who="$compiler $arch" '
      /^k_[a-z0-9_]*:/ { name = $1 }
      /^\.[A-Za-z0-9_]+:/ { seen[substr($1, 1, length($1) - 1)] = 1 }
      $1 ~ /^call/ { print "straight_test: " who ": " name " calls " $2; bad = 1 }
      $1 ~ /^j/ && $2 in seen { print "straight_test: " who ": " name " branches back to " $2; bad = 1 }
      END { exit bad }' "$work/out.s" || failed=1
  done
done
exit $failed

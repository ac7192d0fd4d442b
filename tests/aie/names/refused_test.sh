#!/bin/sh
# SPDX-License-Identifier: MIT
# refused_test.sh SOURCE_DIR: calls that no overload takes do not compile: operands of the wrong width, pairs of types that the table of the
# multiply family lacks, accumulators of the wrong kind. The compiler names file and line. Beside each stands a call that
# compiles. gcc and clang, C and C++, with checks and without.
source=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
# right|wrong: expressions over the variables below
cat >"$work/calls" <<'END'
mul8(x512, 0, 0, 2, 0, z256, 0, 0, 1)|mul8(x512, 0, 0, 2, 0, x512, 0, 0, 1)
mul8(x1024, 0, 0, 2, 0, z256, 0, 0, 1)|mul8(z256, 0, 0, 2, 0, z256, 0, 0, 1)
mac8(acc, x512, 0, 0, 2, 0, z256, 0, 0, 1)|mac8(wide, x512, 0, 0, 2, 0, z256, 0, 0, 1)
mul8_sym(x512, 0, 0, 2, 0, x512, 0, 0, z256, 0, 0, 1)|mul8_sym(x1024, 0, 0, 2, 0, x1024, 0, 0, z256, 0, 0, 1)
mul8_sym(x1024, 0, 0, 2, 0, 0, 0, z256, 0, 0, 1)|mul8_sym(x1024, 0, 0, 2, 0, x512, 0, 0, z256, 0, 0, 1)
lmul8(w512, 0, 0, w256, 0, 0)|mul8(w512, 0, 0, w256, 0, 0)
mul16(b512, 0, 0, 0, 0, b256, 0, 0, 2, 0)|mul16(b512, 0, 0, 0, 0, z256, 0, 0, 2, 0)
lmac8(wide, w512, 0, 0, w256, 0, 0)|lmac8(acc, w512, 0, 0, w256, 0, 0)
srs(acc, 0)|srs(x512, 0)
ups(z256, 0)|ups(x512, 0)
lups(w256, 0)|lups(z256, 0)
bsrs(both, 0)|bsrs(acc, 0)
pack(x512)|pack(x1024)
upd_w(x512, 0, z256)|upd_w(x512, 0, x512)
ext_w(x512, 0)|ext_x(x512, 0)
shuffle16(w512, 0, 0, 0)|shuffle16(w256, 0, 0, 0)
fpmul(f512, 0, 0, f256, 0, 0)|fpmul(f512, 0, 0, f512, 0, 0)
fpabs_mul(c256, f256)|fpabs_mul(c256, c256)
fpneg_abs_mul(c512, 0, 0, f256, 0, 0)|fpneg_abs_mul(c512, 0, 0, c256, 0, 0)
fpmac_abs(c256, f256, 0, 0, c256, 0, 0)|fpmac_abs(c256, c256, 0, 0, c256, 0, 0)
fpmsc_abs(f256, f512, 0, 0, 0, 0)|fpmsc_abs(c256, c512, 0, 0, 0, 0)
fpmac_abs(c256, c256, f256)|fpmac_abs(c256, c256, c256)
fpneg_abs_mul(f512, 0, 0, 0, 0)|fpneg_abs_mul(c512, 0, 0, 0, 0)
END
program() # CALLS: one a line
{
  cat <<'END'
#include <tilewright/aie.h>
static v64int16 x1024; static v32int16 x512; static v16int16 z256; static v16int32 w512; static v8int32 w256; static v64int8 b512; static v32int8 b256;
static v16float f512; static v8float f256; static v4cfloat c256; static v8cfloat c512; static v8acc48 acc; static v16acc48 both; static v8acc80 wide;
void f(void); void f(void) {
END
  sed 's/.*/(void)(&);/' "$1"
  echo '}'
}
cut -d'|' -f1 "$work/calls" >"$work/right"
cut -d'|' -f2 "$work/calls" >"$work/wrong"
program "$work/right" >"$work/right.c"
program "$work/wrong" >"$work/wrong.c"
for compiler in gcc 'clang-19 -ferror-limit=0 -DTW_AIE_CHECK' 'g++ -x c++ -std=c++17' 'clang++-19 -ferror-limit=0 -x c++ -std=c++17'; do
  command -v ${compiler%% *} >/dev/null || continue
  compile="$compiler -w -fsyntax-only -I$source/include"
  $compile "$work/right.c" || { echo "refused_test: $compiler refuses what is right"; failed=1; }
  $compile "$work/wrong.c" 2>"$work/log" && { echo "refused_test: $compiler takes what is wrong"; failed=1; }
  line=4
  while read -r call; do
    line=$((line + 1))
    grep -q "wrong\.c:$line:[0-9]*: " "$work/log" || { echo "refused_test: $compiler: nothing about $call"; failed=1; }
  done <"$work/wrong"
  case $compiler in
  *++*) ;;
  *) grep -q 'x_has_512_or_1024_bits_z_256_bits_y_stands_beside_x_of_512_bits_and_32_by_32_bits_is_lmul' "$work/log" ||
    { echo "refused_test: $compiler does not tell the rules"; failed=1; }
    # A number of operands that no form has: the message has the intrinsic's name, and none of the header's own.
    printf '%s\n' 'mul16(x512, 0, 0, 0)' 'mac8_sym(acc, x512)' 'lmul4(w512)' 'fpmac(f256, f256)' 'fpmul(f256)' \
      'mul(z256)' 'mac(acc)' 'writeincr(x512)' 'put_ms(1)' 'inv(1, 2)' >"$work/few"
    program "$work/few" >"$work/few.c"
    LC_ALL=C ${compile% -w *} -std=gnu17 -Werror=implicit-function-declaration -fsyntax-only -I"$source/include" "$work/few.c" 2>"$work/log.few" &&
      { echo "refused_test: $compiler takes too few operands"; failed=1; }
    for name in mul16 mac8 lmul4 fpmac fpmul mul mac writeincr put_ms inv; do
      grep "error:.*declar.*'tw_\(.*_\)*$name" "$work/log.few" >"$work/said" ||
        { echo "refused_test: $compiler does not name $name"; cat "$work/log.few" | head -5; failed=1; }
    done
    grep -q 'error:.*tw__' "$work/log.few" && { echo "refused_test: $compiler names what is the header's own"; failed=1; }
    grep -q 'no_absolute_value_of_complex_products' "$work/log" ||
    { echo "refused_test: $compiler does not tell the rule of absolute values"; failed=1; } ;;
  esac
done
exit $failed

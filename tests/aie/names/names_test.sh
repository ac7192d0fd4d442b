#!/bin/sh
# SPDX-License-Identifier: MIT
# names_test.sh SOURCE_DIR LIBRARIES...: every global name that layered C++ libraries take from the vendor's compiler
# (names.txt) can be named as ::name, with g++ and clang++; objects that convert to vectors are taken by the
# overloads; a C++ kernel gives what the sums say.
source=$1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
{
  echo '#include <tilewright/aie.h>'
  echo 'namespace names {'
  sed 's/.*/using ::&;/' "$source/tests/aie/names/names.txt"
  cat <<'END'
}
#include <cstdio>
struct wrapped { /* as vector classes of layered libraries are */
    v32int16 v;
    operator v32int16() const { return v; }
};
static int fails;
#define EXPECT(condition) ((condition) ? (void)0 : (void)(std::printf("line %d\n", __LINE__), fails++))
int main()
{
    v32int16 x;
    v16int16 z;
    for (int i = 0; i < 32; i++) x[i] = static_cast<int16>(3 * i - 40);
    for (int i = 0; i < 16; i++) z[i] = static_cast<int16>(i * i - 20);
    wrapped w = { x };
    v16acc48 a = ::mul16(x, 0, 0x03020100, 0x07060504, 0x2110, z, 0, 0, 0, 1);
    v16acc48 b = ::mac16(a, w, 0, 0x03020100, 0x07060504, 0x2110, z, 0, 0, 0, 1);
    for (int l = 0; l < 16; l++) {
        int sum = x[l] * z[0] + x[l + 1] * z[1];
        EXPECT(a.word[l] == sum);
        EXPECT(b.word[l] == 2 * sum);
    }
    unsigned cmp = 0;
    v32int16 most = ::maxcmp32(x, ::shuffle32(x, 0, 0, 0, 0), cmp);
    EXPECT(cmp == 0 && most[0] == -40 && most[31] == x[31]);
    v8int32 wide = ::lsrs(::ext_lo(a), 0);
    EXPECT(wide[3] == static_cast<int>(a.word[3]));
    v8float f = ::fpmac(::undef_v8float(), ::concat(::fix2float(wide, 0), ::fix2float(wide, 0)), 0, 0x76543210,
                        ::fix2float(wide, 0), 0, 0);
    (void)f;
    v8int16 s = ::shft_elem(::ext_v(z, 0), 7);
    EXPECT(s[0] == 7 && s[1] == z[0]);
    cint16 p = { 3, -4 }, q = { -2, 5 };
    cint16 r = p * q + p;
    EXPECT(r.real == 17 && r.imag == 19 && r != p);
    EXPECT(::as_v16int32(x)[0] == static_cast<int>(static_cast<uint16_t>(x[0]) | static_cast<uint32_t>(x[1]) << 16));
    return fails != 0;
}
END
} >"$work/names.cpp"
for compiler in g++ clang++-19; do
  command -v $compiler >/dev/null || continue
  $compiler -std=c++17 -O1 -Wall -Wextra -Wno-psabi -Wno-unused -ffp-contract=off -I"$source/include" "$work/names.cpp" "$@" -o "$work/names" || {
    echo "names_test: $compiler does not compile it"; failed=1; continue; }
  # With checks the names are templates that know the line of the call.
  $compiler -std=c++17 -w -DTW_AIE_CHECK -I"$source/include" -fsyntax-only "$work/names.cpp" || {
    echo "names_test: $compiler does not compile it with TW_AIE_CHECK"; failed=1; }
  "$work/names" || { echo "names_test: wrong results with $compiler"; failed=1; }
done
exit $failed

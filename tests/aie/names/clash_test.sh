#!/bin/sh
# SPDX-License-Identifier: MIT
# clash_test.sh SOURCE_DIR LIBRARIES...: programs that have names of the scalar unit themselves compile beside <tilewright/aie.h> and keep
# their own meaning; what is not modelled is an error that says so. C and C++, gcc and clang.
source=$1
shift
libraries=$*
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# Every program returns 0. One a paragraph: its first line says the languages. Most take the one header that matters,
# which is quicker.
cat >"$work/programs" <<'END'
c c++ // nothing of their own
#include <tilewright/aie.h>
int main(void) { int a = 7, b = -9; return max(a, b) != 7 || min(a, b) != -9 || abs(b) != 9 || scalar_abs(b) != 9; }

c // macros in front; the C++ library would remove them
#define max(a, b) 100
#define min(a, b) 200
#define nop() 300
#include <tilewright/aie/integer.h>
int main(void) { return max(1, 2) != 100 || min(1, 2) != 200 || nop() != 300; }

c++ // macros in front, behind the C++ library
#include <cmath>
#include <type_traits>
#define max(a, b) 100
#define min(a, b) 200
#define nop() 300
#include <tilewright/aie/integer.h>
int main() { return max(1, 2) != 100 || min(1, 2) != 200 || nop() != 300; }

c c++ // macros behind
#include <tilewright/aie/integer.h>
#define max(a, b) ((a) > (b) ? (a) + 100 : (b) + 100)
#define min(a, b) 200
int main(void) { return max(1, 2) != 102 || min(1, 2) != 200; }

c c++ // static functions
#include <tilewright/aie/integer.h>
static int max(int a, int b) { return a + b; }
static int min(int a, int b) { return a - b; }
int main(void) { return max(1, 2) != 3 || min(1, 2) != -1; }

c c++ // static inline functions, with the C library
#include <stdlib.h>
#include <math.h>
#include <sys/select.h>
#include <unistd.h>
#include <tilewright/aie/integer.h>
static inline int max(int a, int b) { return a + b; }
static inline int min(int a, int b) { return a - b; }
int main(void)
{
    struct timeval none = { 0, 0 };
    return max(1, 2) != 3 || min(1, 2) != -1 || abs(-3) != 3 || select(0, 0, 0, 0, &none) != 0;
}

c c++ // local variables
#include <tilewright/aie/integer.h>
int main(void) { int max = 3, min = 3, nop = 0, select = 0; return max - min + nop + select; }

c c++ // other types and variables: the names are left out
#define TW_AIE_NO_SCALAR_NAMES
#include <tilewright/aie/integer.h>
static float max(float a, float b) { return a < b ? b : a; }
static const int min = 4;
int main(void) { return max(1.5f, 2.5f) != 2.5f || min != 4; }

c++ // std, by name and by directive
#include <algorithm>
#include <cstdlib>
#include <tilewright/aie/integer.h>
int main() { short s = 3; return std::max(1, 2) != 2 || std::min(1, 2) != 1 || std::abs(-2) != 2 || max(s, 5) != 5; }

c++
#include <tilewright/aie.h>
#include <algorithm>
#include <cstdlib>
#include <cmath>
using namespace std;
int main() { short s = 3; return max(1, 2) != 2 || min(1, 2) != 1 || max(s, 5) != 5 || min(1.5f, 2.5f) != 1.5f || abs(-2) != 2; }

c++
#include <algorithm>
#include <tilewright/aie/integer.h>
using std::max;
using std::min;
int main() { return max(1, 2) != 2 || min(1L, 2L) != 1; }

c++ // templates
#include <tilewright/aie/integer.h>
template <class T> T max(T a, T b) { return a + b; }
template <class T, class U> T min(T a, U b) { return a - b; }
static int select(bool c, int a, int b) { return c ? b : a; }
int main() { return max(1, 2) != 3 || min(1, short(2)) != -1 || select(true, 4, 5) != 5; }

c++
#include <tilewright/aie/integer.h>
namespace mine { static int max(int a, int b) { return a + b; } static int f() { return max(1, 2); } }
int main() { return mine::f() != 3 || ::max(1, 2) != 2 || select(false, 4, 5) != 5 || max(2u, 3) != 3; }
END

# Names whose use is an error, as statements: of the last three in both headers.
layered="mul8_cfr(1,2);mac8_cfr(1,2,3);dpd_ipol(1)"
refused="butterfly_dit(1,2);butterfly_dit_minj(1);half_butterfly_dit(1,2,3);fft_data_incr(1);fft_twiddle_incr(1,2);fft_zoffs(1,2)
fft_mod_delay(1);$layered"

compile() # COMPILER NUMBER LANGUAGE FLAGS
{
  compiler=$1 name=$work/program$2.$3
  shift 3
  $compiler "$@" -Wall -Wextra -Werror -Wno-psabi -I"$source/include" "$name" $libraries -o "$work/program" 2>"$work/log" || {
    echo "clash_test: $compiler $*:"; cat "$name"; head -20 "$work/log"; failed=1; return; }
  "$work/program" || { echo "clash_test: $compiler $*: wrong meaning:"; cat "$name"; failed=1; }
}

not_modelled() # COMPILER LANGUAGE STANDARD PREFIX HEADER: each use in one program brings its own message
{
  { echo "#include <tilewright/$5>"
    echo 'void f(void) {'
    echo "$refused" | tr ';' '\n' | sed "s/.*/    (void)$4&;/"
    echo '}'; } >"$work/refused.$2"
  $1 $3 -w -fsyntax-only -I"$source/include" "$work/refused.$2" 2>"$work/log" && {
    echo "clash_test: $1 accepts what is not modelled ($5)"; failed=1; }
  for use in $(echo "$refused" | tr ';' '\n'); do
    grep -q "${use%%(*} (\(FFT, \)\?CFR, DPD) is not modelled by Tilewright" "$work/log" || {
      echo "clash_test: $1 does not say that $use is not modelled ($5)"; failed=1; }
  done
}

awk -v RS= -v dir="$work" '
  { head = substr($0, 1, index($0, "\n") - 1); body = substr($0, index($0, "\n") + 1) "\n"; n++
    if (head ~ /^c /) printf "%s", body > (dir "/program" n ".c")
    if (head ~ /c\+\+/) printf "%s", body > (dir "/program" n ".cpp")
  }' "$work/programs"
[ -f "$work/program13.cpp" ] || { echo "clash_test: not 13 programs"; failed=1; }
for compiler in gcc clang-19; do
  command -v $compiler >/dev/null || continue
  for file in "$work"/program*.c; do
    number=${file##*program}
    compile $compiler "${number%.c}" c -std=gnu17 -O0
  done
  not_modelled $compiler c -std=gnu17 "" aie.h
done
for compiler in g++ clang++-19; do
  command -v $compiler >/dev/null || continue
  case $compiler in g++) standard=c++11 ;; *) standard=c++20 ;; esac
  for file in "$work"/program*.cpp; do
    number=${file##*program}
    compile $compiler "${number%.cpp}" cpp -std=$standard -O0
  done
  not_modelled $compiler cpp -std=c++17 :: aie.h
  (refused=$layered; not_modelled $compiler cpp -std=c++17 :: aie/vendor.hpp; exit $failed) || failed=1
done
exit $failed

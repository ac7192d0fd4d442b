#!/bin/sh
# SPDX-License-Identifier: MIT
# vendor_test.sh SOURCE_DIR LIBRARIES...: aie/vendor.hpp with g++ and clang++: the global names of layered C++ libraries
# (names.txt) can be named as ::name, what is not modelled says so, its order is checked, vendor_layers.cpp gives
# what it should.
source=$1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
{
  echo '#include <tilewright/aie/vendor.hpp>'
  echo 'namespace names {'
  sed 's/.*/using ::&;/' "$source/tests/aie/names/names.txt"
  echo '}'
} >"$work/names.cpp"
[ "$(grep -c 'using ::' "$work/names.cpp")" = 562 ] || { echo "vendor_test: not 562 names"; failed=1; }
printf '#include <tilewright/aie.h>\n#include <tilewright/aie/vendor.hpp>\n' >"$work/order.cpp"
printf '#include <tilewright/aie/vendor.hpp>\nint f(v8cint16 *p) { return ::dpd_ipol(p, 1); }\n' >"$work/dpd.cpp"
printf '#include <adf.h>\nclass empty : public adf::graph {};\nempty g;\n' >"$work/adf.cpp"
printf '#define __AIE_ARCH__ 20\n#include <tilewright/aie/vendor.hpp>\n' >"$work/arch.cpp"
refused() # COMPILER FILE TEXT FLAG
{
  if $1 -std=c++20 -I"$source/include" $4 "$work/$2.cpp" >"$work/out" 2>"$work/log"; then
    echo "vendor_test: $1 accepts $2.cpp"; failed=1
  else
    grep -q "$3" "$work/log" || { echo "vendor_test: $1 does not say '$3':"; cat "$work/log"; failed=1; }
  fi
}
for compiler in g++ clang++-19; do
  command -v $compiler >/dev/null || continue
  case $compiler in # each header takes a second: standards and modes are shared out
  g++) standard=c++14 mode=TW_AIE_PROFILE ;;
  *) standard=c++20 mode=TW_AIE_CHECK ;;
  esac
  $compiler -std=$standard -Wall -Wextra -Werror -I"$source/include" -fsyntax-only "$work/names.cpp" || {
    echo "vendor_test: $compiler -std=$standard does not know all names"; failed=1; }
  $compiler -std=c++17 -Wall -Wextra -Werror -I"$source/include" -I"$source/include/tilewright/compat/aie" -fsyntax-only "$work/adf.cpp" || {
    echo "vendor_test: $compiler -std=c++17 does not compile <adf.h>"; failed=1; }
  refused $compiler order "before <tilewright/aie.h>" -E
  refused $compiler arch "__AIE_ARCH__ has to be 10" -E
  refused $compiler dpd "dpd_ipol .*not modelled" -fsyntax-only
  $compiler -std=c++17 -Wall -Wextra -Werror -D$mode -I"$source/include" -fsyntax-only \
    "$source/tests/aie/names/vendor_layers.cpp" || { echo "vendor_test: $compiler does not compile it with $mode"; failed=1; }
  # Functions instead of inlining: the same results, and the compilers are done sooner.
  $compiler -std=c++17 -O0 -Wall -Wextra -Werror -ffp-contract=off '-DTW__AIE=static inline __attribute__((unused))' \
    -I"$source/include" "$source/tests/aie/names/vendor_layers.cpp" "$@" -o "$work/layers" || { echo "vendor_test: $compiler does not compile vendor_layers.cpp"; failed=1; continue; }
  "$work/layers" || { echo "vendor_test: wrong results with $compiler"; failed=1; }
done
exit $failed

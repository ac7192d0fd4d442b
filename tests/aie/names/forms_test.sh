#!/bin/sh
# SPDX-License-Identifier: MIT
# forms_test.sh SOURCE_DIR LIBRARIES...: the names and forms of forms.inc as C++ and with other compilers than the build's.
# Functions instead of inlining, which compilers take minutes for; g++ then passes vectors of template arguments at
# other places than it looks for them, so it only compiles.
source=$1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
try() # NAME COMPILER FLAGS SOURCE
{
  command -v "$2" >/dev/null || return 0
  name=$1
  shift
  "$@" -O0 -Wall -Wextra -Werror -Wno-psabi -ffp-contract=off '-DTW__AIE=static inline __attribute__((unused))' \
    -I"$source/include" $libraries -o "$work/$name" || { echo "forms_test: $* does not compile"; failed=1; return; }
  [ -z "$libraries" ] || "$work/$name" || { echo "forms_test: $*: wrong results"; failed=1; }
}
libraries=
try syntax g++ -std=c++11 -fsyntax-only "$source/tests/aie/names/forms_cxx.cpp"
libraries="$* -lm"
try clang_cxx clang++-19 -std=c++17 "$source/tests/aie/names/forms_cxx.cpp"
try clang_c clang-19 -std=gnu17 "$source/tests/aie/names/forms_c.c"
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# Every public header compiles alone, without a warning, as C17 and (but for the one that is
# for C codelets) as C++11, with gcc and with clang. Headers below poplar/ are for C++ codelets: C++17. gcc's note that
# vectors as arguments depend on the instruction set (psabi) does not matter for functions that are static inline.
include=$1/include
export CPATH="$2/include${CPATH:+:$CPATH}" # headers that the build makes
failed=0
checked=0
compile() { # compile COMPILER LANGUAGE STANDARD HEADER
  checked=$((checked + 1))
  printf '#include <%s>\nint something;\n' "$4" |
    "$1" -x "$2" "-std=$3" -pedantic -Wall -Wextra -Werror -Wno-psabi -I"$include" -fsyntax-only - || {
    echo "header_test: <$4> does not compile alone as $3 with $1"
    failed=1
  }
}
cd "$include" || exit 1
for header in tilewright/*.h tilewright/poplar/*.h tilewright/tile/*.h; do
  for compiler in gcc clang-19; do
    command -v $compiler >/dev/null || { echo "header_test: no $compiler"; exit 1; }
    case $header in
      tilewright/codelet.h) compile $compiler c gnu17 "$header" ;;
      *)
        compile $compiler c c17 "$header"
        compile $compiler c++ c++11 "$header"
        ;;
    esac
  done
done
for header in poplar/*.hpp; do
  [ -e "$header" ] || continue
  compile clang-19 c++ gnu++17 "$header"
done
echo "$checked compilations"
exit $failed

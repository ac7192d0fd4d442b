#!/bin/sh
# SPDX-License-Identifier: MIT
# Every public header compiles alone, without a warning, with gcc and with clang: below tilewright/ as C11 and C++11 (one
# that refuses C++ by an #error only as C, a .hpp only as C++17; those of the AI Engine, whose vector types and statement
# expressions are GNU's, as gnu11 and gnu++17; parts of <tilewright/aie.h> by gcc as C and by clang as C++, since with it
# they are compiled in all four ways), those of poplar/ and of the libraries as C++17 by clang (by gcc: poplar.cxx_standards,
# and the programs of libs.cxx_*; each takes a second). Headers in detail/ are parts of others. gcc's note that vectors as
# arguments depend on the instruction set (psabi) does not matter for functions that are static inline. The
# comment at the head of each says what threads may do with it ("Threads:").
include=$1/include
export CPATH="$2/include${CPATH:+:$CPATH}" # headers that the build makes
failed=0
checked=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings='-Wall -Wextra -Werror -Wno-psabi'
compile() { # compile COMPILER LANGUAGE STANDARD HEADER [FLAG...]
  checked=$((checked + 1))
  compiler=$1 language=$2 standard=$3 header=$4
  shift 4
  case $standard in gnu*) pedantic= ;; *) pedantic=-pedantic ;; esac
  # shellcheck disable=SC2086  # a word each
  printf '#include <%s>\nint something;\n' "$header" |
    "$compiler" -x "$language" "-std=$standard" $pedantic $warnings -I"$include" "$@" -fsyntax-only - || {
    echo "header_test: <$header> does not compile alone as $standard with $compiler"
    failed=1
  }
}
# Whether a header of graph programs for C++ reads <poplar/Graph.hpp> before anything but the standard library's headers:
# then that header compiled in advance changes nothing but the time that it takes.
begins_with_graph() { # begins_with_graph HEADER
  [ "$1" != poplar/Graph.hpp ] || return 0
  set -- "$(awk '/^#include <[a-z_]*>/ { next } /^#include </ { gsub(/[<>]/, "", $2); print $2; exit }' "$1")"
  [ -n "$1" ] && begins_with_graph "$1"
}
compile_cxx() { # compile_cxx HEADER
  if begins_with_graph "$1"; then set -- "$1" -include-pch "$work/Graph.pch"; fi
  compile clang-19 c++ c++17 "$@"
}
cd "$include" || exit 1
# shellcheck disable=SC2086
clang-19 -x c++-header -std=c++17 -pedantic $warnings -I. poplar/Graph.hpp -o "$work/Graph.pch" || failed=1
headers=$(find tilewright poplar poputil popops poplin popnn poprand popsparse gcl gccs -name '*.h' -o -name '*.hpp' | grep -v '/detail/\|/compat/\|^poplar/.*/' | sort)
for compiler in gcc clang-19; do
  command -v $compiler >/dev/null || { echo "header_test: no $compiler"; exit 1; }
  for header in $headers; do
    case $header in
      poplar/*.h) ;; # parts of codelets
      poplar/Vertex.hpp | poplar/VectorTypes.hpp | poplar/InOutTypes.hpp) compile $compiler c++ gnu++17 "$header" ;; # of codelets
      poplar/*.hpp | pop*/*.hpp | gcl/*.hpp | gccs/*.hpp) [ $compiler = gcc ] || compile_cxx "$header" ;;
      *.hpp) compile $compiler c++ gnu++17 "$header" ;;
      tilewright/aie/array.h | tilewright/aie/cost.h | tilewright/aie/type_names.h | tilewright/aie.h)
        compile $compiler c gnu11 "$header"
        compile $compiler c++ gnu++17 "$header"
        ;;
      tilewright/aie/*)
        case $compiler in
          gcc) compile gcc c gnu11 "$header" ;;
          *) compile $compiler c++ gnu++17 "$header" ;;
        esac
        ;;
      *)
        if grep -A1 '^#ifdef __cplusplus' "$header" | grep -q '^#error'; then
          compile $compiler c gnu11 "$header"
        else
          compile $compiler c c11 "$header"
          compile $compiler c++ c++11 "$header"
        fi
        ;;
    esac
  done
done
for header in $headers; do
  case $header in
    poplar/* | pop*/* | gcl/* | gccs/*) continue ;; # spelled like the vendor's
  esac
  awk '/Threads:/ { found = 1 } /\*\/$/ && NR > 1 { exit } END { exit !found }' "$header" || {
    echo "header_test: the first comment of <$header> does not say what threads may do (Threads: ...)"
    failed=1
  }
done
[ "$checked" -gt 200 ] || { echo "header_test: $checked compilations: headers were not found"; failed=1; }
echo "$checked compilations"
exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
# reported_test.sh SOURCE_DIR BUILD_DIR pointers|zstart|examples: programs compiled for checks with the flags that pkg-config gives, with
# gcc and clang, C and C++, optimised and not: what is reported is what the comments in NAME.inc say, line by line. The
# examples are silent.
source=$1
build=$2
what=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
grep -qw avx /proc/cpuinfo || exit 77
flags_of() # COMPILER
{
  case $1 in clang*) variable=aie_check_clang ;; *) variable=aie_check_gcc ;; esac
  PKG_CONFIG_PATH="$build/pkgconfig" pkg-config --variable=$variable tilewright
}
[ -n "$(flags_of gcc)" ] || { echo "reported_test: no flags for checks in $build/pkgconfig"; exit 1; }
build() # COMPILER FLAGS SOURCE PROGRAM
{
  $1 $(flags_of "$1") $2 -Wall -Wextra -Werror -ffp-contract=off -I"$source/include" -I"$source/include/tilewright/compat/aie" "$3" -o "$4" \
    -L"$build" -ltilewright_aie_check -ltilewright -lm -Wl,-rpath,"$build" || { echo "reported_test: $1 $2 fails: $3"; failed=1; return 1; }
}
# "LINE TEXT" of each comment that holds for the compiler; ~ in TEXT is anything.
wanted() # COMPILER
{
  case $1 in clang*) name=clang ;; *) name=gcc ;; esac
  sed -n "s,^.*/\* reported\( by $name\)\{0\,1\}: \(.*\) \*/\$,\2,;t found
b
:found
=;p" "$source/tests/aie/$what.inc" | paste -d' ' - -
}
compare() # COMPILER OUTPUT
{
  wanted "$1" >"$work/wanted"
  [ "$(wc -l <"$work/wanted")" -ge 4 ] || { echo 'reported_test: no comments found'; failed=1; }
  while read -r line text; do
    pattern=$(printf '%s' "$text" | sed 's/[][\.*^$]/\\&/g; s/~/.*/g')
    grep -q "$what\.inc:$line: .*$pattern" "$2" || { echo "reported_test: $1: not reported: $line: $text"; failed=1; }
  done <"$work/wanted"
  sed -n "s/^.*$what\.inc:\([0-9]*\): .*/\1/p" "$2" | sort -n >"$work/lines"
  cut -d' ' -f1 "$work/wanted" | sort -n | cmp -s - "$work/lines" || { echo "reported_test: $1: other lines are reported:"; cat "$2"; failed=1; }
  [ "$(wc -l <"$2")" = "$(wc -l <"$work/lines")" ] || { echo "reported_test: $1: other output:"; cat "$2"; failed=1; }
}
# LEVELS for C, for C++: each reports what the comments say.
lines()
{
  for compiler in gcc g++ clang-19 clang++-19; do
    command -v $compiler >/dev/null || continue
    case $compiler in
    *++*) suffix=cpp flags='-std=gnu++17' levels=$2 ;;
    *) suffix=c flags='-std=gnu17' levels=$1 ;;
    esac
    for level in $levels; do
      build $compiler "$flags $level" "$source/tests/aie/$what.$suffix" "$work/program" || continue
      "$work/program" >"$work/out" 2>&1 || { echo "reported_test: $compiler $level: exit status $?"; cat "$work/out"; failed=1; }
      compare "$compiler" "$work/out"
    done
  done
}
# The cycles of kernels that load and store through pointers, plain and with checks.
pointer_cycles()
{
  for compiler in gcc clang-19; do
    command -v $compiler >/dev/null || continue
    for level in -O1 -O2; do
      build $compiler "-std=gnu17 $level -DTW_AIE_PROFILE" "$source/tests/aie/pointer_cycles.c" "$work/program" || continue
      "$work/program" || { echo "reported_test: $compiler $level: other cycles"; failed=1; }
    done
  done
}
zstart()
{
  lines '-O1 -O2' '-O1 -O2'
  for flags in -O0 '-O2 -DTW_AIE_CHECK_ZSTART=0'; do # not known; not wanted
    build gcc "$flags" "$source/tests/aie/zstart.c" "$work/program" && "$work/program" >"$work/out" 2>&1
    [ -s "$work/out" ] && { echo "reported_test: zstart with $flags:"; cat "$work/out"; failed=1; }
  done
}
pointers()
{
  lines '-O0 -O2 -march=x86-64-v3' '-O0 -O2'
  # Without debug information, or without anything that reads it: the program and an offset.
  build gcc -g0 "$source/tests/aie/pointers.c" "$work/program" && "$work/program" >"$work/out" 2>&1
  grep -q "program+0x[0-9a-f]*: load: 32 bytes at byte 0x0940 of tile (3,1)" "$work/out" || { echo 'reported_test: no place without -g:'; cat "$work/out"; failed=1; }
  PATH=/nowhere "$work/program" >"$work/out" 2>&1
  grep -q "program+0x[0-9a-f]*: load: " "$work/out" || { echo 'reported_test: no place without addr2line:'; cat "$work/out"; failed=1; }
}
examples()
{
  for example in fir_int16.c fir_cint16.c matmul_int8.c conv2d.c halfband.c cascade.c gemv_float.c graph.cpp; do
    for compiler in gcc clang-19; do
      level=-O1
      case $example$compiler in
      *.cppgcc) compiler=g++ level=-O0 ;; # clang++ takes a quarter of a minute
      *.cpp*) continue ;;
      esac
      command -v $compiler >/dev/null || continue
      build $compiler "$level" "$source/examples/aie/$example" "$work/example" || continue
      (cd "$work" && ./example) >"$work/out" 2>"$work/err" || { echo "reported_test: $compiler: $example fails"; failed=1; }
      [ -s "$work/err" ] && { echo "reported_test: $compiler: $example is reported:"; cat "$work/err"; failed=1; }
    done
  done
}
$what
exit $failed

# SPDX-License-Identifier: MIT
# What does not compile in the vendor's C++ spelling: TCI of other element types, of a scalar of another type, of one
# column, alike without tmp and with it. Argument: source folder.
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

compile() # TYPE OF THE TILE, COLUMNS, TYPE OF THE SCALAR, WITH TMP
{
  case $4 in tmp) arguments="Row, Scratch, $3, 0" scratch=', scratch' ;; *) arguments="Row, $3, 0" scratch= ;; esac
  cat >"$work/one.cpp" <<END
#include <pto/pto-inst.hpp>
using namespace pto;
void one()
{
    using Row = Tile<TileType::Vec, $1, $(($2 == 1 ? 16 : 1)), $2$([ "$2" = 1 ] && echo ', BLayout::ColMajor')>;
    using Scratch = Tile<TileType::Vec, int32_t, 2, 256>;
    Row to;
    Scratch scratch;
    (void)scratch;
    TCI<$arguments>(to, $3(0)$scratch);
}
END
  $compiler -std=c++17 -fsyntax-only -I"$source/include" -I"$source/include/tilewright/compat/ascend" \
    "$work/one.cpp" 2>"$work/err"
}
refused() # MESSAGE, ARGUMENTS OF compile
{
  message=$1
  shift
  compile "$@" && { echo "$compiler: TCI $* compiles"; failed=1; return; }
  grep -qF "$message" "$work/err" || { echo "$compiler: TCI $*: another message:"; head -3 "$work/err"; failed=1; }
}

for compiler in g++ clang++-19; do
  command -v $compiler >/dev/null || continue
  for tmp in none tmp; do
    for type in uint32_t int16_t; do
      compile $type 32 $type $tmp || { echo "$compiler: TCI $type $tmp does not compile:"; cat "$work/err"; failed=1; }
    done
    for type in float int8_t; do refused 'TCI takes 16 and 32-bit integers' $type 32 $type $tmp; done
    refused "the scalar has the tile's element type" int32_t 32 int16_t $tmp
    refused 'TCI needs Cols != 1' int32_t 1 int32_t $tmp
  done
done
exit $failed

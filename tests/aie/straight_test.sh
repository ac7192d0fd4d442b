#!/bin/sh
# SPDX-License-Identifier: MIT
# straight_test.sh SOURCE_DIR COMPILER ARCHITECTURE: with constant offsets an intrinsic compiles to straight code: no call,
# no backward branch, at -O2. The calls are those of straight.c.
source=$1 compiler=$2 arch=$3
command -v "$compiler" >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$compiler" -std=gnu17 -O2 -Wno-psabi -march="$arch" -fcf-protection=none -I"$source/include" -S "$source/tests/aie/straight.c" \
  -o "$work/out.s" || exit 1
wanted=$(grep -c '^K(' "$source/tests/aie/straight.c") found=$(grep -c '^k_[a-z0-9_]*:' "$work/out.s")
[ "$found" = "$wanted" ] || { echo "straight_test: $found functions of $wanted found"; exit 1; }
# A backward branch jumps to a label that stands above it.
awk '
  /^k_[a-z0-9_]*:/ { name = $1 }
  /^\.[A-Za-z0-9_]+:/ { seen[substr($1, 1, length($1) - 1)] = 1 }
  $1 ~ /^call/ { print "straight_test: " name " calls " $2; bad = 1 }
  $1 ~ /^j/ && $2 in seen { print "straight_test: " name " branches back to " $2; bad = 1 }
  END { exit bad }' "$work/out.s"

# SPDX-License-Identifier: MIT
# Cycles of our programs against published ones stay as near as they are: the error of each group of tests/csl/cycles.
. "$1/tests/cli/lib.sh"
BOUNDS='operations 1.045 chain 1.02 loops 1.04'
export BOUNDS
expect 0 sh "$source/tests/csl/cycles.sh" "$build/bin"
for group in operations chain loops; do prints out "$group: "; done
BOUNDS='operations 1.001' expect 1 sh "$source/tests/csl/cycles.sh" "$build/bin"
prints out 'MORE THAN 1.001'
finish

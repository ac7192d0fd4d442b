# SPDX-License-Identifier: MIT
# Cycles of our programs against published ones stay as near as they are: the error of each group of tests/csl/cycles.
. "$1/tests/cli/lib.sh"
BOUNDS='operations 1.045 chain 1.02 loops 1.04'
export BOUNDS
expect 0 sh "$source/tests/csl/cycles.sh" "$build/bin"
for group in operations chain loops; do prints out "$group: "; done
# What is said of all figures of the machine (tw_band) is not better than what these rows, the most of its, give.
figures=$(sed -n 's/together: \([0-9]*\) rows, error \([0-9.]*\), worst \([0-9.]*\)$/\1 \2 \3/p' "$work/out")
"$tilewright" info targets --json | tr -d ' \n' | grep -o '{[^{}]*"compared":"singleoperations[^{}]*}' >"$work/band"
member() { grep -o "\"$1\":[0-9.]*" "$work/band" | head -n 1 | cut -d: -f2; }
echo "$figures $(member programs) $(member error) $(member worst)" >"$work/both"
awk '{ exit !(NF == 6 && $1 >= 25 && $1 <= $4 && $2 <= $5 + 0.0005 && $3 <= $6 + 0.0005) }' "$work/both" ||
  fail "rows, error and worst of here and of the table: $(cat "$work/both")"
BOUNDS='operations 1.001' expect 1 sh "$source/tests/csl/cycles.sh" "$build/bin"
prints out 'MORE THAN 1.001'
finish

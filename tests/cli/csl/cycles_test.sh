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
# Wherever cycles are shown stands how near they are.
loops=$source/tests/csl/cycles/loops.csl
"$tilewright" info targets --json | tr -d '\n' | grep -o '"band": *"[^"]*"[^{}]*"compared": *"single operations' >"$work/row"
near=$(sed 's/"band": *"\([^"]*\)".*/\1/' "$work/row")
[ -n "$near" ] || fail 'no band of wse3'
expect 0 "$tilewright" csl list "$loops" --arch=wse3
prints out "each with its number and cycles ($near)"
expect 0 "$tilewright" csl run "$loops" --arch=wse3 --stats --trace "$work/t.json" --profile "$work/p.json"
prints out "(estimated: $near)"
grep -q "\"cycleBand\":\"$near\"" "$work/t.json" || fail 'no band in the trace'
expect 0 "$tilewright" profile "$work/p.json" --trace "$work/q.json"
grep -q "\"cycleBand\": *\"$near\"" "$work/q.json" || fail 'no band in the trace of a profile'
for table in top tiles lines; do
  expect 0 "$tilewright" profile "$work/p.json" --$table
  grep 'cycles' "$work/out" | head -n 3 | grep -q "($near)" || fail "no band: profile --$table"
done
expect 0 "$tilewright" profile --diff "$work/p.json" "$work/p.json"
for one in A B; do prints out "Cycles of $one are estimated: $near"; done
BOUNDS='operations 1.001' expect 1 sh "$source/tests/csl/cycles.sh" "$build/bin"
prints out 'MORE THAN 1.001'
# Without the programs of others it is said which are missing.
expect 1 sh "$source/tests/cycles/ipu.sh" "$build" "$work"
prints err 'there is no tutorials/poplar/tut6_matrix_vector_opt/tut6.cpp in'
finish

# SPDX-License-Identifier: MIT
# `tilewright profile` and poplar_profile_summary: options, parts, mistakes, exit status, the trace as an output file.
. "$1/tests/cli/lib.sh"
graph=$source/tests/golden/profile_graph.json
execution=$source/tests/golden/profile_execution.json
summary=$build/bin/poplar_profile_summary
prints_not() { ! grep -qF -e "$2" "$work/$1" || fail "'$2' is in std$1"; }

expect 0 "$summary" --version
prints out 'poplar_profile_summary '
expect 2 "$summary"
prints err 'poplar_profile_summary: --graph-profile is needed'
prints err 'usage: poplar_profile_summary --graph-profile FILE'
expect 2 "$summary" --graph-profile
prints err '--graph-profile needs a value: FILE'
expect 2 "$summary" --grph-profile x
prints err "unknown option '--grph-profile'; did you mean '--graph-profile'?"
expect 2 "$summary" --show-var-storage=yes
prints err 'takes no value'
expect 2 "$summary" "$graph" "$graph"
prints err 'one file with both parts at a time'
expect 2 "$tilewright" profile "$graph" --graph-profile "$graph"
prints err "tilewright profile: either '$graph' or --graph-profile"
expect 1 "$summary" --graph-profile /nowhere
prints err /nowhere
expect 1 "$summary" --graph-profile "$execution"
prints err 'no target'
expect 1 "$summary" "$execution"
prints err 'there is no target'

expect 0 "$summary" --graph-profile "$graph"
prints out 'Memory on all IPUs:'
prints_not out 'Execution:'
expect 0 "$summary" "--graph-profile=$graph" --execution-profile "$execution"
prints out 'Total cycles: 54,202'
prints_not out Steps
expect 0 "$summary" --graph-profile "$graph" --execution-profile "$execution" --show-execution-steps
prints out Steps
prints_not out Liveness
expect 0 "$summary" --graph-profile "$graph" --show-var-storage
prints out 'Variable Storage Liveness'
expect 0 "$summary" --graph-profile "$graph" --show-per-ipu-memory-usage
prints out 'Memory on IPU 0:'
prints_not out Optimizations
expect 0 "$summary" --graph-profile "$graph" --show-optimizations
prints out 'Optimizations:'

expect 0 "$tilewright" profile --graph-profile "$graph" --execution-profile "$execution" --trace "$work/trace.json"
[ ! -s "$work/out" ] || fail 'a trace goes to its file only'
grep -q traceEvents "$work/trace.json" || fail 'no trace'
cp "$graph" "$work/graph.json"
expect 1 "$tilewright" profile "$work/graph.json" --trace "$work/graph.json"
prints err 'is also an input'
cmp -s "$graph" "$work/graph.json" || fail 'the input was overwritten'
finish

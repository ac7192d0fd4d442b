# SPDX-License-Identifier: MIT
# Chapters 8.1.1, 8.2.2 and 9 of the guide: what the environment changes, and the summary from files.
. "$1/tests/cli/lib.sh"
cd "$source/examples/poplar/guide" || exit 1
program=$build/examples/guide_profile

# 8.1.1, 9.3: POPLAR_ENGINE_OPTIONS overrides what the program says.
expect 0 env POPLAR_ENGINE_OPTIONS='{ "debug.instrument": "true", "debug.computeInstrumentationLevel": "vertex" }' \
  "$program" "$work/graph_profile.json" "$work/execution_profile.json"
prints out 'debug.computeInstrumentationLevel is vertex'
expect 1 env POPLAR_ENGINE_OPTIONS='{ "debug.instrumemt": "true" }' "$program"
prints err 'debug.instrument'

# 8.2.2: the summary from the files, whole or in part.
summary=$build/bin/poplar_profile_summary
expect 0 "$summary" --graph-profile "$work/graph_profile.json"
prints out 'Number of vertices:'
expect 0 "$summary" --graph-profile "$work/graph_profile.json" --execution-profile "$work/execution_profile.json" \
  --show-execution-steps --show-var-storage --show-optimizations --show-per-ipu-memory-usage
prints out 'Total cycles:'
prints out 'Always-live bytes:'
prints out 'OnTileExecute'

# Alone, the execution profile does not know how many instances of a type there are, and does not say 0.
expect 0 "$summary" --execution-profile "$work/execution_profile.json"
prints out 'Cycles by vertex type:'
! grep -q '(0 instances)' "$work/out" || fail 'an execution profile alone counts 0 instances'
expect 0 "$summary" --help
prints out 'usage: poplar_profile_summary --graph-profile'
expect 1 "$tilewright" profile --graph-profile "$work/nothing.json"
prints err 'tilewright profile: '

# 9.2: both files without a line of code.
expect 0 env POPLAR_ENGINE_OPTIONS="{\"autoReport.all\": \"true\", \"autoReport.directory\": \"$work/report\"}" "$program"
[ -s "$work/report/graph_profile.json" ] && [ -s "$work/report/execution_profile.json" ] || fail 'autoReport.all wrote nothing'
expect 0 "$summary" --graph-profile "$work/report/graph_profile.json"

# 9.1: levels by module, destination, prefix.
expect 0 "$program"
[ ! -s "$work/err" ] || { fail 'logging is not off by default'; cat "$work/err"; }
expect 0 env POPLAR_LOG_LEVEL=INFO POPLAR_ENGINE_LOG_LEVEL=TRACE "$program"
prints err 'PO'
prints err 'ENGINE'
expect 0 env POPLAR_LOG_LEVEL=DEBUG POPLAR_LOG_DEST="$work/log" "$program"
grep -q PO "$work/log" || fail 'POPLAR_LOG_DEST is not used'
expect 0 env POPLAR_LOG_LEVEL=DEBUG POPLAR_LOG_DEST=stdout "$program"
grep -q '^.*PO' "$work/out" || fail 'POPLAR_LOG_DEST=stdout is not used'

# Every module has something to say at DEBUG, per graph, and more at TRACE, per tile.
for module in CODELETS ENGINE GRAPH PROFILER PROGRAM TARGET TENSOR; do
  expect 0 env "POPLAR_${module}_LOG_LEVEL=DEBUG" "$program"
  debug=$(grep -c "PO:$module .* D: " "$work/err")
  [ "$debug" -gt 0 ] || fail "$module logs nothing at DEBUG"
  ! grep -v "PO:$module " "$work/err" | grep -q 'PO:' || fail "$module is not alone"
  expect 0 env "POPLAR_${module}_LOG_LEVEL=TRACE" "$program"
  [ "$(grep -c "PO:$module .* T: " "$work/err")" -gt 0 ] || fail "$module logs nothing at TRACE"
done
expect 0 env POPLAR_TENSOR_LOG_LEVEL=TRACE "$program"
prints err 'on tile '
expect 0 env POPLAR_LOG_LEVEL=INFO POPLAR_LOG_DEST="$work/nowhere/log" "$program"
prints err "cannot open the log file '$work/nowhere/log': No such file"

# 8.2.3: colour.
escape=$(printf '\033')
expect 0 "$program"
! grep -q "$escape" "$work/out" || fail 'colour without a terminal'
expect 0 env CLICOLOR_FORCE=1 "$program"
prints out "$escape"
finish

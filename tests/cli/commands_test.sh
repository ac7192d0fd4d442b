# Dispatch, help, exit codes, `info`.
. "$1/tests/cli/lib.sh"

expect 2 "$tilewright"
prints err 'usage: tilewright COMMAND'
expect 0 "$tilewright" --help
for command in run popc profile info; do prints out "  $command "; done
expect 0 "$tilewright" --version
prints out 'tilewright 0.1.0'
for command in run popc profile info help; do
  expect 0 "$tilewright" "$command" --help
  grep -qi usage "$work/out" || fail "$command --help shows no usage"
  expect 0 "$tilewright" help "$command"
done
expect 2 "$tilewright" porfile
prints err "did you mean 'profile'?"
expect 2 "$tilewright" xyzzy-nothing-like-it
prints err "there is no command 'xyzzy-nothing-like-it'"
! grep -q 'did you mean' "$work/err" || fail 'a guess about a name that is near nothing'

expect 0 "$tilewright" info targets
prints out 'region 0     0x4C000 to 0x7FFFF    212992 B, 13 banks of 16384 B, 13 elements of 16384 B, code' # guide 7.2.3
prints out 'region 1     0x60000 to 0x7FFFF    131072 B, 8 banks of 16384 B, 4 elements of 32768 B, interleaved' # 7.2.2
prints out 'Mk2'
prints out '638976'
prints out 'wse2'
expect 0 "$tilewright" info types
prints out 'half'
prints out 'cfloat'
expect 0 "$tilewright" info options
prints out 'exchange.enablePrefetch'
prints out 'debug.computeInstrumentationLevel'
for subject in targets types options; do
  expect 0 "$tilewright" info $subject --json
  head -c1 "$work/out" | grep -q '[[{]' || fail "info $subject --json does not print JSON"
done
expect 2 "$tilewright" info target
prints err "did you mean 'targets'?"
expect 2 "$tilewright" info
expect 2 "$tilewright" info types extra

# The same program under the names of the tools it stands for.
expect 0 "$build/bin/popc" --help
prints out popc
expect 0 "$build/bin/poplar_profile_summary" --help
prints out --graph-profile
finish

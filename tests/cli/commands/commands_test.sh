# SPDX-License-Identifier: MIT
# Dispatch, help, exit codes, `info`.
. "$1/tests/cli/lib.sh"

prints_in_usage() { "$tilewright" --help | grep -q "^  $1 " || fail "--help does not list $1"; }

expect 2 "$tilewright"
prints err 'usage: tilewright COMMAND'
expect 0 "$tilewright" --help
for command in run popc profile info; do prints out "  $command "; done
expect 0 "$tilewright" --version
# The version of the header, which CMake's project has too, and the commit of a clone.
version=$(sed -n 's/^#define TW_VERSION_[A-Z]*  *//p' "$source/include/tilewright/base.h" | paste -sd.)
commit=$(git -C "$source" rev-parse --short=12 HEAD 2>/dev/null)
[ -z "$commit" ] || [ "$(git -C "$source" rev-parse --show-toplevel)" = "$(realpath "$source")" ] || commit=
grep -Eqx "tilewright $version${commit:+ \\($commit(, changed)?\\)}" "$work/out" || { fail 'the version is not told'; cat "$work/out"; }
for program in cslc popc; do # under the names their users type
  expect 0 "$build/bin/$program" --version
  grep -q "$version" "$work/out" || { fail "$program does not tell its version"; cat "$work/out"; }
done
grep -qx "CMAKE_PROJECT_VERSION:STATIC=$version" "$build/CMakeCache.txt" || fail "the build's version is not $version"
# Every command tells its usage and an example, in both ways, in columns that fit.
"$tilewright" complete x >"$work/commands"
for command in $(grep -v '^-' "$work/commands"); do
  expect 0 "$tilewright" "$command" --help
  prints out "usage: tilewright $command"
  prints out 'example:'
  awk 'length > 118' "$work/out" | grep . && fail "$command --help has lines of more than 118 columns"
  cp "$work/out" "$work/first"
  expect 0 "$tilewright" help "$command"
  cmp -s "$work/out" "$work/first" || fail "help $command and $command --help differ"
  [ "$command" = help ] || prints_in_usage "$command"
done
for command in popc profile info aie layout; do
  expect 2 "$tilewright" $command --hlep
  prints err "unknown option '--hlep'"
  prints err "Try \`tilewright $command --help\`"
done
expect 2 "$tilewright" info types --jsn
prints err "did you mean '--json'?"
expect 2 "$tilewright" layout encode --arhc mk1
prints err "did you mean '--arch'?"
expect 2 "$tilewright" layout encode --arch
prints err '--arch needs a value: CHIP'
expect 2 "$tilewright" layout encode --json=yes
prints err 'takes no value'
expect 2 "$tilewright" popc --list-target
prints err "did you mean '--list-targets'?"
expect 2 "$tilewright" aie tpye v8int16
prints err "did you mean 'type'?"
expect 2 "$tilewright" porfile
prints err "did you mean 'profile'?"
expect 2 "$tilewright" xyzzy-nothing-like-it
prints err "there is no command 'xyzzy-nothing-like-it'"
! grep -q 'did you mean' "$work/err" || fail 'a guess about a name that is near nothing'
# An option is what its row says: no other that begins so, and none behind --.
expect 2 "$tilewright" run --reports x.html "$source/examples/poplar/scale/scale_host.c"
prints err "unknown option '--reports'; did you mean '--report'?"
expect 2 "$tilewright" profile -- --fail-if x
prints err "'x': one file with both parts at a time"
grep -rnE '(cmp|prefix)\((argv|arg|word|\*at)\b[^;]*"--?[A-Za-z]' "$source/src/cli" --include='*.c' | grep -vE '/(main|options)\.c:' &&
  fail 'a command reads options itself: they are rows of tables (tw__cli_option)'

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
# Behind words, too, but for those of a script.
for words in "csl run layout.csl --arch=wse3" "csl check layout.csl" "csl list out" "csl fmt layout.csl" "pto run a.pto" "compare axpy"; do
  # shellcheck disable=SC2086  # several words
  expect 0 "$tilewright" $words --help
  prints out "usage: tilewright ${words%% *} "
done
expect 0 "$build/bin/popc" --help
prints out popc
expect 0 "$build/bin/poplar_profile_summary" --help
prints out --graph-profile

# What newcomers do first: a file where a verb or another command is meant, a folder, code of a tile, a compiler that is missing.
cd "$work" || exit 1
cp "$source/examples/csl/stencil/layout.csl" "$source/examples/csl/stencil/cell.csl" "$source/examples/pto/softmax/softmax.pto" .
cp "$source/examples/aie/graph.cpp" "$source/examples/poplar/scale/scale.c" .
meant() { # meant STATUS TEXT COMMAND...
  status=$1 text=$2
  shift 2
  expect "$status" "$tilewright" "$@"
  prints err "$text"
}
meant 2 "there is no command 'layout.csl'; did you mean 'tilewright csl run layout.csl'?" layout.csl
meant 2 "unknown verb 'layout.csl'; did you mean 'tilewright csl run layout.csl'?" csl layout.csl
meant 2 "unknown command 'softmax.pto'; did you mean 'tilewright pto run softmax.pto'?" pto softmax.pto
meant 2 "'graph.cpp' is a file; did you mean 'tilewright aie run graph.cpp'?" aie graph.cpp
meant 2 "'softmax.pto' is neither C nor C++; did you mean 'tilewright pto run softmax.pto'?" run softmax.pto
meant 2 "'$source' is a folder: a program" run "$source"
meant 1 "graph.cpp includes <adf.h>; did you mean 'tilewright aie run graph.cpp'?" run graph.cpp
meant 1 "there is a layout in it; did you mean './layout.csl'?" csl run .
meant 0 'nothing ran; --launch run,ARGUMENTS calls a function of the program' csl run layout.csl --arch=wse3
meant 2 '--graph-profile is needed, or one FILE that --profile of a run wrote' profile
meant 2 "there is no command 'foo'" foo
! grep -q 'did you mean' err || fail "a guess about 'foo'"
CXX=nowhere++ meant 1 "there is no compiler 'nowhere++' here: install one" run "$source/examples/poplar/cxx/adder.cpp"
meant 1 'scale.c has no main(): it is no host program' run scale.c
finish

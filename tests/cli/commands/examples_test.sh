# SPDX-License-Identifier: MIT
# The examples that `tilewright COMMAND --help` prints: each verb has one, and all of them work, line by line as they
# are printed, in a folder that holds nothing but examples/.
. "$1/tests/cli/lib.sh"
PATH=$build/bin:$PATH
export PATH
has_page=$(grep -c DecompressionStream "$build/generated/report.html" 2>/dev/null)
# Host scripts need numpy, and a library without sanitizers, which a python without them cannot load.
has_numpy=
case ${CC:-} in
  *-fsanitize=*) ;;
  *)
    for python in ${TILEWRIGHT_PYTHON:-python3 /usr/bin/python3}; do # those that cs_python tries
      "$python" -c 'import numpy' 2>/dev/null && has_numpy=1
    done
    ;;
esac

commands=$("$tilewright" complete x | grep -v '^-')
for command in $commands; do
  "$tilewright" "$command" --help | sed '1,/^example:$/d; s/^  //' >"$work/examples.sh"
  [ -s "$work/examples.sh" ] || fail "$command --help prints no example"
  for verb in $("$tilewright" complete "$command" x | grep -v '^[-*]'); do
    case $command in asm | compare | help) continue ;; esac # names of chips, kernels, commands
    grep -q "^[^#]*tilewright $command $verb" "$work/examples.sh" || fail "$command --help has no example of '$verb'"
    # The help of a verb is that of the command.
    expect 0 "$tilewright" "$command" "$verb" --help
    prints out "usage: tilewright $command"
  done

  mkdir "$work/$command" && cd "$work/$command" || exit 1
  ln -s "$source/examples" examples
  # A line that ends in a backslash goes on with the next one.
  sed -e ':again' -e '/\\$/{N; s/\\\n */ /; b again' -e '}' "$work/examples.sh" >lines
  while read -r line; do
    case $line in
      *"tilewright report"*) [ "$has_page" ] && [ "$has_page" != 0 ] || continue ;;
      *cs_python* | *"csl python"*) [ "$has_numpy" ] || continue ;;
    esac
    printf '%s\n' "$line" >line
    sh -e ./line >printed 2>err </dev/null || { fail "status $?: $line"; tail -n 20 printed err; }
    # What an example names as its output is there afterwards, and holds something.
    for word in $(sed -n 's/.* -o \([a-z./]*\).*/\1/p; s/.*--profile \([a-z]*\.json\).*/\1/p' line); do
      [ -s "$word" ] || fail "$word is missing after: $line"
    done
    grep -q ' -o \| --check\|fail-if\|csl check\|pto check\|cslc\|report\|printf\|--profile' line || [ -s printed ] ||
      fail "prints nothing: $line"
  done <lines
done
finish

# SPDX-License-Identifier: MIT
# Bash completion offers commands, options and files of the right kind.
. "$1/tests/cli/lib.sh"
command -v bash >/dev/null || exit 77
cd "$work" || exit 1
touch prog.c other.txt two.cpp

# complete WORD...: what bash would offer for the last word, on one line.
complete_words() {
  bash -c 'PATH="$1:$PATH"; source "$2"; shift 2
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tilewright; echo "${COMPREPLY[*]}"' \
    - "$build/bin" "$source/completions/tilewright.bash" "$@"
}
offers() {
  wanted=$1
  shift
  got=$(complete_words "$@" | tr -s ' ' | sed 's/ $//')
  [ "$got" = "$wanted" ] || fail "completion of '$*' offers '$got' instead of '$wanted'"
}
offers 'profile' tilewright prof
offers 'popc' tilewright po
offers 'options' tilewright info o
offers 'prog.c' tilewright run pr
offers 'two.cpp' tilewright run -O2 tw
offers '--graph-profile' tilewright profile --gr
offers '--devices' tilewright pto run --de
offers '--vectors' tilewright pto run --ve
finish

# SPDX-License-Identifier: MIT
# Bash completion offers commands, options and files of the right kind; fish's and zsh's, where they are installed, too.
. "$1/tests/cli/lib.sh"
command -v bash >/dev/null || exit 77
cd "$work" || exit 1
touch prog.c other.txt two.cpp three.csl four.py

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
offers 'histogram' tilewright compare his
# By the names that commands are installed as: words, options and files are theirs.
offers '--fabric-dims' cslc --fabric-d
offers '--list-targets' popc --li
offers '--hosts' cs_python --ho
offers 'four.py' cs_python f
offers 'three.csl' "$build/bin/cslc" --arch=wse3 th
offers '--graph-profile' poplar_profile_summary --gr
names=$(sed -n 's/^set(TW_CLI_NAMES \(.*\))$/\1/p' "$source/cmake/cli.cmake")
kernels=$("$tilewright" compare --list | sed '1d; /^machines/,$d; s/^ *//; s/ .*//')
[ -n "$names" ] || fail 'no names of commands in cmake/cli.cmake'
[ -n "$kernels" ] || fail 'compare lists no kernels'
for name in $names; do
  bash -c 'source "$1"; complete -p "$2"' - "$source/completions/tilewright.bash" "$name" >/dev/null ||
    fail "bash completes no $name"
  sed -n 1p "$source/completions/_tilewright" | grep -qw "$name" || fail "zsh completes no $name"
  grep -qw "for name in .*$name" "$source/completions/tilewright.fish" || fail "fish completes no $name"
done
for kernel in $kernels; do
  "$tilewright" complete compare '' | grep -qx "$kernel" || fail "compare offers no $kernel"
done
if command -v fish >/dev/null; then
  fish_offers() {
    got=$(PATH="$build/bin:$PATH" HOME=$work fish --no-config -c "source '$source/completions/tilewright.fish'; complete -C '$2'")
    [ "$got" = "$1" ] || fail "fish's completion of '$2' offers '$got' instead of '$1'"
  }
  fish_offers profile 'tilewright prof'
  fish_offers two.cpp 'tilewright run -O2 tw'
  fish_offers --devices 'tilewright pto run --de'
  fish_offers --fabric-dims 'cslc --fabric-d'
  fish_offers four.py 'cs_python fo'
fi
if command -v zsh >/dev/null; then # its functions, with those of its editor replaced that take what is offered
  zsh_offers() {
    wanted=$1
    shift
    got=$(PATH="$build/bin:$PATH" zsh -f -c 'compadd() { print -l -- ${(P)2} }; _files() { print -l -- ${~2}(N) }
      completion=$1; shift; words=("$@"); CURRENT=$#; eval "$(cat $completion)"' - "$source/completions/_tilewright" "$@" |
      grep -e "^$wanted\$")
    [ "$got" = "$wanted" ] || fail "zsh's completion of '$*' does not offer '$wanted'"
  }
  zsh_offers profile tilewright prof
  zsh_offers prog.c tilewright run pr
  zsh_offers --devices tilewright pto run --de
  zsh_offers --fabric-dims cslc --fabric-d
  zsh_offers four.py cs_python fo
fi
finish

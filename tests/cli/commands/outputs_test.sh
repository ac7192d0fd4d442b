# SPDX-License-Identifier: MIT
# What is written: a full disk is an error of every command, outputs replace nothing but regular files, links stay links,
# inputs are never overwritten, an input has a largest size.
. "$1/tests/cli/lib.sh"
cd "$work" || exit 1
graph=$source/tests/golden/profile_graph.json
execution=$source/tests/golden/profile_execution.json
softmax=$source/examples/pto/softmax/softmax.pto
printf '#include <poplar/Vertex.hpp>\nclass A : public poplar::Vertex {\npublic:\n    poplar::Input<int> x;\n    bool compute() { return true; }\n};\n' >a.cpp
printf 'typedef struct s { int a; } s;\n' >s.c

# --- the standard output: every command, and every verb, that prints -------------------------------------------------
if [ -c /dev/full ]; then
  while read -r arguments; do
    # shellcheck disable=SC2086  # several words
    "$tilewright" $arguments >/dev/full 2>err </dev/null
    status=$?
    [ $status = 1 ] || fail "tilewright $arguments on a full disk: exit status $status"
    grep -q 'cannot write.* space' err || { fail "tilewright $arguments says nothing of the full disk"; cat err; }
  done <<END
--help
--version
help
help run
complete
run --help
popc --help
popc --version
popc --list-targets
popc -E a.cpp
popc -S a.cpp
popc -v --target cpu a.cpp -o a.gp
profile --help
profile --version
profile $graph
info --help
info targets
info targets --json
info types
info types --json
info options
info options --json
aie --help
aie types
aie types --json
aie type v8int16
aie type v8int16 --json
layout --help
layout encode --arch mk1 --layout SCALED_PTR64 --type float --address 0x50000 --count 12
layout encode --arch mk1 --layout SCALED_PTR64 --type float --address 0x50000 --count 12 --json
layout vertex a.cpp --arch mk2
layout vertex a.cpp --arch mk2 --json
layout struct s.c
layout struct s.c --json
pto --help
pto list
pto info TADD
pto fmt $softmax
csl fmt $source/examples/csl/stencil/layout.csl
pto run $softmax --target a2a3 --trace
pto run $softmax --target a2a3 --profile
END
  for command in $("$tilewright" --help | sed -n '/^$/q; p; /^  --/q' | sed 1,2d) $("$tilewright" complete); do
    case $command in --*) continue ;; esac
    "$tilewright" "$command" --help >/dev/full 2>/dev/null
    [ $? = 1 ] || fail "tilewright $command --help on a full disk"
  done
fi

# Files on a full disk: one that takes a block. (No device is written to by name here: a mistake would replace it.)
(
  trap '' XFSZ
  ulimit -f 1
  "$tilewright" profile --graph-profile "$graph" --execution-profile "$execution" --trace full.json 2>full.err
  echo $? >full.status 2>/dev/null || :
)
grep -q 'cannot write full.json: File too large' full.err || { fail 'no word of the full disk'; cat full.err; }
[ ! -e full.json ] || fail 'a part of a file stays'

# --- what stands at an output's place ------------------------------------------------------------------------------
expect 0 "$build/bin/popc" --target cpu a.cpp -o plain.gp
mkfifo pipe
cat pipe >through &
expect 0 "$build/bin/popc" --target cpu a.cpp -o pipe
wait
[ -p pipe ] || fail 'a FIFO was replaced by a file'
cmp -s through plain.gp || fail 'another object came through the FIFO'
mkdir folder
expect 1 "$build/bin/popc" --target cpu a.cpp -o folder
prints err 'cannot write folder: it is a folder'
: >target && chmod 640 target && ln -s target link
expect 0 "$build/bin/popc" --target cpu a.cpp -o link
[ -L link ] && cmp -s target plain.gp || fail 'a link was replaced, or its target was not written'
[ "$(stat -c %a target)" = 640 ] || fail 'permissions changed'
ln -s later dangling
expect 0 "$build/bin/popc" --target cpu a.cpp -o dangling
[ -L dangling ] && cmp -s later plain.gp || fail 'a link to nothing did not make its target'
ln target other
expect 0 "$build/bin/popc" -O1 --target cpu a.cpp -o target
cmp -s target other || fail 'a second name shows another file'

# --- inputs ----------------------------------------------------------------------------------------------------------
cp a.cpp before
for name in a.cpp ./a.cpp "$work/a.cpp" alias; do
  ln -sf a.cpp alias
  expect 1 "$build/bin/popc" --target cpu a.cpp -o "$name"
  prints err 'is also an input'
  expect 1 "$build/bin/popc" -E a.cpp -o "$name"
  cmp -s a.cpp before || fail "-o $name overwrote the source"
done
sed s/A/B/ a.cpp >b.cpp
expect 0 "$build/bin/popc" --target cpu b.cpp -o later.gp
expect 1 "$build/bin/popc" plain.gp later.gp -o later.gp
prints err 'later.gp is also an input'
expect 1 "$build/bin/popc" --target cpu missing.cpp -o plain.gp # a failure leaves what was there
cmp -s through plain.gp || fail 'a failed run changed its output'

# Nothing ends when everything has been read; so nothing reads everything.
limited() { # limited COMMAND...: in 1 GiB
  (ulimit -v 4194304 && ulimit -t 120 && "$@") >out 2>err </dev/null
  got=$?
  [ $got = 1 ] || { fail "exit status $got: $*"; cat err; }
  grep -q 'larger than' err || { fail "no word of the size: $*"; cat err; }
}
ls -A | grep '\.tw-' && fail 'temporary files stay'
case $(nm "$tilewright" "$build/libtilewright.so" 2>/dev/null | grep -c __asan_init) in
  0)
    ln -s /dev/zero zero.cpp && ln -s /dev/zero zero.gp && ln -s /dev/zero zero.json && ln -s /dev/zero zero.pto
    limited "$build/bin/popc" --target cpu zero.cpp -o z.gp
    limited "$build/bin/popc" zero.gp -o z.gp
    limited "$tilewright" profile zero.json
    limited "$tilewright" profile --graph-profile zero.json
    limited "$tilewright" layout vertex zero.cpp --arch mk2
    ;;
esac
finish

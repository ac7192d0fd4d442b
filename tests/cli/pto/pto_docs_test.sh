# SPDX-License-Identifier: MIT
# What the pages and the first lines of the examples of PTO say: the reference is the table's, the tutorial's program runs on
# every target, each example's command runs as it is printed, and the examples fit the targets that the page names.
. "$1/tests/cli/lib.sh"
pto() { wanted_status=$1; shift; expect "$wanted_status" "$tilewright" pto "$@"; }

pto 0 reference
cmp -s "$work/out" "$source/docs/pto_instructions.md" ||
  fail 'docs/pto_instructions.md is old: tilewright pto reference >docs/pto_instructions.md'

# array NAME TYPE EXTENTS: zeros in $work/NAME.npy
array() {
  printf 'func.func @f(%%p: !pto.ptr<%s>) {\nreturn\n}\n' "$2" >"$work/array.pto"
  pto 0 run "$work/array.pto" --arg "p=$2[$3]" --out "p=$work/$1.npy"
}
array x f32 256
array one f32 4x64
array q f16 16x32
array kt f16 32x128
array v f16 128x32
array a f16 32x64
array b f16 64x32

awk '/^```$/ { inside = !inside; next } inside && /^func/ { found = 1 } inside && found { print } !inside && found { exit }' \
  "$source/docs/pto.md" >"$work/sum.pto"
cd "$work" || exit 1
for target in cpu a2a3 a5; do
  pto 0 run sum.pto --target $target --arg x=@x.npy --arg 'y=f32[256]' --out y=y.npy
done
[ -s y.npy ] || fail 'the tutorial wrote nothing'

# A command goes on in the next line of the comment when that is indented further.
for file in "$source"/examples/pto/*/*.pto; do
  cp "$file" .
  line=$(awk '/^\/\/   tilewright pto run/ { sub(/^\/\/ */, ""); printf "%s", $0; more = 1; next }
              more && /^\/\/     / { sub(/^\/\/ */, " "); printf "%s", $0; next } { more = 0 }' "$file")
  [ -n "$line" ] || { fail "$file does not say how it is run"; continue; }
  # shellcheck disable=SC2086  # the command's words are its arguments
  set -f; pto 0 ${line#tilewright pto }; set +f
done

fits() { # fits TARGETS EXAMPLE...: it is taken for these targets and refused for others
  targets=$1
  shift
  for example in "$@"; do
    for target in cpu a2a3 a5; do
      case " $targets " in *" $target "*) status=0 ;; *) status=1 ;; esac
      pto $status check "$source/examples/pto/$example/$example.pto" --target $target
    done
  done
}
fits 'cpu a2a3 a5' iota vector_add softmax topk all_reduce
fits 'cpu a2a3' gemm convolution fifo
fits 'cpu a5' flash_attention
finish

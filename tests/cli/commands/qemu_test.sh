# SPDX-License-Identifier: MIT
# A smoke test on a CPU without AVX, as qemu-x86_64 shows one: each system runs something small, and what it prints is what
# this machine prints. Skipped where qemu-user is not installed, on other architectures, and in sanitizer builds.
. "$1/tests/cli/lib.sh"
[ "$(uname -m)" = x86_64 ] || exit 77
command -v qemu-x86_64 >/dev/null || { echo 'skipped: no qemu-x86_64 (Debian package qemu-user)'; exit 77; }
[ "$(nm "$tilewright" "$build/libtilewright.so" 2>/dev/null | grep -cE ' [TWw]* *__(asan_init|tsan_init|ubsan_handle_[a-z_]*)$')" = 0 ] || exit 77
cpu=Nehalem

# same COMMAND...: exits with 0 there, and prints the same.
same() {
  expect 0 "$@"
  cp "$work/out" "$work/here"
  expect 0 qemu-x86_64 -cpu $cpu "$@"
  cmp -s "$work/here" "$work/out" || { fail "prints something else on $cpu: $*"; diff "$work/here" "$work/out" | head; }
}
cd "$source/examples/poplar/adder" || exit 1
same "$build/examples/adder" 2 3
prints out '2 + 3 = 5'
cd "$work" || exit 1
same "$tilewright" pto run "$source/examples/pto/softmax/softmax.pto" --target a2a3 --profile
same "$tilewright" pto run "$source/examples/pto/gemm/gemm.pto" --target a2a3 --arg 'a=f16[32x64]' --arg 'b=f16[64x32]' \
  --arg 'c=f32[32x32]'
same "$tilewright" aie type v16int32
same "$build/examples/aie/gemv_float"
same "$tilewright" csl run "$source/examples/csl/gemv/layout.csl" --arch=wse3 --launch fill --launch rows
finish

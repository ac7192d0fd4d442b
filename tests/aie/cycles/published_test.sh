# SPDX-License-Identifier: MIT
# Published cycles against kernels of our own with the same shapes: the error of the group, and of each, stays where it is;
# what the kernels compute is compared with sums of awk. 77: no clang 19, or no module with LLVM.
. "$1/tests/cli/lib.sh"
command -v clang++-19 >/dev/null && [ -e "$build/tilewright/ir.so" ] || exit 77
export CXX=clang++-19
cp "$source/tests/aie/cycles/published.cpp" "$work/" && cd "$work" || exit 1
seq 1 600 | awk '{ print $1 % 7 }' >words.txt
seq 1 300 | awk '{ print $1 % 5, $1 % 3 }' >halves.txt
seq 1 60 | awk '{ print 1, 0, 2, $1 % 3 }' >bytes.txt
expect 0 "$tilewright" aie run published.cpp -i . -o into --profile cycles.json
awk '{ v[NR - 1] = $1 } END { for (l = 0; l < 16; l++) { y = 0
    for (c = 0; c < 16; c++) y += v[16 * c + l] * v[c]
    print y } }' words.txt | cmp -s - into/out0.txt || fail 'gemv32: other values'
awk '{ v[n++] = $1; v[n++] = $2 } END { for (l = 0; l < 16; l++) { y = 0
    for (c = 0; c < 16; c++) y += v[32 * int(c / 2) + 2 * l + c % 2] * v[c]
    printf l % 2 ? "%d\n" : "%d ", y } }' halves.txt | cmp -s - into/out1.txt || fail 'gemv16: other values'
awk '{ v[NR - 1] = $1 } END { for (n = 0; n < 16; n++) for (l = 0; l < 16; l++) { y = 0
    for (k = 0; k < 32; k++) y += v[16 * k + l] * v[32 * n + k]
    print y } }' words.txt | cmp -s - into/out2.txt || fail 'gemm32: other values'
"$tilewright" profile cycles.json | sed -n '/Cycles by kernel/,$p' >cycles.txt
awk -v bound="${BOUND:-1.13}" -v most="${MOST:-1.27}" '
  BEGIN { published["gemv32"] = 79; published["gemv16"] = 42; published["gemm32"] = 1071; published["gemm8"] = 34 }
  $1 in published { gsub(",", "", $NF); ratio = $NF / published[$1]; off = ratio > 1 ? ratio : 1 / ratio
    printf "%-8s %6d %6d %6.3f\n", $1, published[$1], $NF, ratio; sum += log(off); n++; if (off > worst) worst = off }
  END { printf "%d rows, error %.3f, worst %.3f\n", n, exp(sum / n), worst
        exit !(n == 4 && exp(sum / n) <= bound && worst <= most) }' cycles.txt || fail 'the error has grown'
finish

# SPDX-License-Identifier: MIT
# `tilewright compare`: every kernel on every machine gives the right result and a figure; a wrong program does not.
. "$1/tests/cli/lib.sh"
cd "$work" || exit 1
machines=$("$tilewright" compare --list | sed '1,/^machines/d; s/^ *//; s/ .*//')
kernels=$("$tilewright" compare --list | sed '1d; /^machines/,$d; s/^ *//; s/ .*//')
[ "$(echo $kernels)" ] && [ "$(echo $machines)" ] || fail 'compare --list is empty'
# One machine of each kind; with TW_NIGHTLY all of them. Under sanitizers some kernels: the others run the same code.
[ -n "${TW_NIGHTLY:-}" ] || machines='ipu-mk2 wse3 aie a2a3'
case ${CC:-} in
*-fsanitize=*) kernels='axpy stencil topk' ;;
*) unset CC CXX ;; # the compiler that users get when they name none
esac
# What runs AI Engine graphs may be missing: a compiler for them.
command -v clang++-19 >/dev/null || machines=$(echo $machines | sed 's/ *\baie\b//')
on=$(echo $machines | tr ' ' ,)
# shellcheck disable=SC2086  # several words
expect 0 "$tilewright" compare $kernels --small --on "$on" --json figures.json --report page.html
# Kernels lie in folders of their own, and most of what a graph takes to compile is one header for all of them.
headers=$(find "$XDG_CACHE_HOME" -name adf.pch | wc -l)
[ "$headers" -le 1 ] || fail "the header of graphs was compiled $headers times"
python3 - figures.json "$on" "$(echo $kernels)" <<'END' || fail 'the figures'
import json, sys
rows = json.load(open(sys.argv[1]))
machines, kernels = sys.argv[2].split(','), sys.argv[3].split()
assert [(r['kernel'], r['machine']) for r in rows] == [(k, m) for k in kernels for m in machines], 'rows'
for r in rows:
    at = (r['kernel'], r['machine'])
    assert 'problem' not in r, (at, r['problem'])
    assert r['cycles'] > 0 and r['seconds'] > 0 and 0 < r['coresUsed'] <= r['cores'], at
    assert 0 <= r['shareOfArithmetic'] <= 1 and 0 <= r['shareOfMemory'] <= 1, (at, r)
    assert r['bytesMoved'] >= 0 and 0 < r['shareComputing'] <= 1 and 0 <= r['shareExchanging'] < 1, (at, r)
    assert r['shareComputing'] + r['shareExchanging'] <= 1.000001, (at, r)
    assert r['fidelity'] in ('exact', 'modelled', 'estimated') and r['band'], at
for r in rows: # cores of PTO load all inputs and store all outputs; a cascade of eight tiles hands on 48 bytes seven times a block
    if r['machine'] in ('a2a3', 'a5'): assert r['bytesMoved'] >= r['bytes'], r
    if r['machine'] == 'aie' and r['kernel'] == 'dot': assert r['bytesMoved'] == 48 * 7 * (r['n'] // 2048), r
axpy = [r for r in rows if r['kernel'] == 'axpy'][0]
assert axpy['operations'] == 2 * axpy['n'] and axpy['bytes'] == 12 * axpy['n']
END
grep -q 'the fullest holds [0-9.]* [KMG]*i*B</span>' page.html || fail 'memory is not on the page'
# The axis of shares goes down to the decade below the least of them, and no further.
python3 - figures.json page.html <<'END' || fail 'the decades of the rooflines'
import json, re, sys
least = min(r['shareOfArithmetic'] for r in json.load(open(sys.argv[1])) if r['shareOfArithmetic'])
page = open(sys.argv[2]).read()
labels = re.findall(r'<text x="(\d+)" y="[0-9.]+" text-anchor=end>([0-9.e-]+) %<', page)
marks = [float(text) / 100 for _, text in labels]
# Each is to the right of the picture's edge: digits are 7.6 wide, a point and a space 3.9, the sign 11.4.
for x, text in labels:
    assert sum(3.9 if c == '.' else 7.6 for c in text) + 3.9 + 11.4 <= int(x), (x, text)
assert max(marks) == 1 and min(marks) <= least < max(10 * min(marks), 0.1), (least, marks)
END
for kernel in $kernels; do grep -q "<h2>$kernel, n = " page.html || fail "$kernel is not on the page"; done

# How near cycles are is of the way they were obtained: without clang, or with sanitizers, by issue slots.
if [ -z "${CC:-}" ] && command -v clang++-19 >/dev/null && command -v g++ >/dev/null; then
  expect 0 "$tilewright" compare histogram --small --on aie
  prints out 'estimated, ± '
  expect 0 env CXX=g++ "$tilewright" compare histogram --small --on aie
  prints out 'estimated, a factor of'
fi

# More elements take longer, on each machine that has them.
expect 0 "$tilewright" compare axpy --size 4096 --size 65536 --on ipu-mk2,wse3,a2a3 --json sizes.json
python3 - sizes.json <<'END' || fail 'sizes'
import json, sys
rows = json.load(open(sys.argv[1]))
assert [r['n'] for r in rows] == 3 * [4096] + 3 * [65536]
assert all(a['cycles'] <= b['cycles'] for a, b in zip(rows[:3], rows[3:])) and rows[1]['cycles'] < rows[4]['cycles']
END

# Sizes that do not divide evenly among all cores: the least ones, and odd multiples of those.
expect 0 "$tilewright" compare axpy dot --size 2048 --size 51200 --on wse3,a2a3,a5
for kernel in histogram softmax; do
  unit=$("$tilewright" compare --list | sed -n "s/^ *$kernel .*a multiple of \([0-9]*\).*/\1/p")
  expect 0 "$tilewright" compare $kernel --size $((5 * unit)) --on a5
done

# The source that is shown is the one that runs; a wrong one is found out.
expect 0 "$tilewright" compare axpy --show wse3
cmp -s out "$source/examples/compare/axpy/wse.csl" || fail '--show wse3 is not wse.csl'
cp -r "$source/examples/compare" own
sed -i 's/x_all, 2.5/x_all, 2.25/' own/axpy/wse_pe.csl
expect 1 "$tilewright" compare axpy --small --on wse3 --sources own
prints out 'wrong result: element 0 is'
sed -i 's/@fmacs/@fmax/' own/axpy/wse_pe.csl
expect 1 "$tilewright" compare axpy --small --on wse3 --sources own
prints out 'the program failed:'
# What it says of a program that is none is one line: the first error, or what is missing to link it.
lines=$(wc -l <out)
sed -i 's/tw_graph_add_codelets/tw_graph_add_nothing/' own/axpy/ipu.c
expect 1 "$tilewright" compare axpy --small --on ipu-mk2 --sources own
prints out "the program failed: it does not link: 'tw_graph_add_nothing' is defined nowhere"
[ "$(wc -l <out)" = "$lines" ] || { fail 'a reason of several lines'; cat out; }
expect 1 env CXX=false "$tilewright" compare axpy --small --on aie
prints out 'the program failed: it ends with status 1 and says nothing'
sed -i '2i// cannot: no such unit' own/axpy/wse.csl
expect 0 "$tilewright" compare axpy --small --on wse3,wse2 --sources own
prints out 'no such unit'
rm own/axpy/wse.csl
expect 0 "$tilewright" compare axpy --small --on wse3 --sources own
prints out 'there is no program for it'
printf '// SPDX-License-Identifier: MIT\n// run: tilewright csl run wse.csl {z:n} {out:n}\n' >own/axpy/wse.csl
expect 0 "$tilewright" compare axpy --small --on wse3 --sources own
prints out "asks for '{z:n}', which there is not"

# Profiles of one's own, of different machines, side by side: the figures that `profile` tells of them.
cp -r "$source/examples/csl/all_reduce" "$source/examples/pto/softmax" .
expect 0 "$tilewright" csl run all_reduce/layout.csl --arch=wse3 --launch all_reduce --profile a.json
expect 0 "$tilewright" pto run softmax/softmax.pto --target a2a3 --profile b.json
expect 0 "$tilewright" compare a.json b.json --json own.json --report own.html
prints out 'a.json (wse3)'
prints out 'b.json (a2a3)'
for name in a b; do
  expect 0 "$tilewright" profile $name.json
  cycles=$(sed -n 's/.*Total cycles: *\([0-9,]*\).*/\1/p' out | tr -d ,)
  python3 -c "import json; assert [r['cycles'] for r in json.load(open('own.json')) if r['profile'] == '$name.json'] == [$cycles]" ||
    fail "the cycles of $name.json"
done
grep -q 'a.json' own.html || fail 'profiles are not on the page'
grep -q '<h1>Programs on several machines' own.html || fail 'the page of profiles is about a kernel'
expect 1 "$tilewright" compare a.json none.json
prints out 'cannot open none.json'
expect 1 "$tilewright" compare a.json own.json figures.json
for name in own figures; do
  prints out "$name.json has figures that 'compare --json' wrote; compared are profiles, which a run writes with '--profile FILE.json'"
done
expect 2 "$tilewright" compare a.json axpy
prints err 'is no profile'
expect 2 "$tilewright" compare a.json --small
prints err 'profiles have no sizes'
expect 2 "$tilewright" compare a.json --on wse3
prints err 'name their machines'
expect 1 "$tilewright" compare a.json --json a.json
prints err 'is also an input'

expect 2 "$tilewright" compare
prints err 'no kernel is named'
expect 2 "$tilewright" compare axpi
prints err "did you mean 'axpy'?"
expect 2 "$tilewright" compare axpy --on wse4
prints err "machine 'wse4'; did you mean 'wse"
expect 2 "$tilewright" compare axpy --on quantum
prints err "no machine 'quantum': there are ipu-mk1, ipu-mk2, wse2, wse3, aie, a2a3, a5"
expect 2 "$tilewright" compare axpy --on wse3,
prints err "no machine '': there are ipu-mk1"
expect 2 "$tilewright" compare quantum
prints err "no kernel 'quantum': there are axpy, dot"
expect 2 "$tilewright" compare axpy a.json
prints err "'a.json' is no kernel; profiles stand with profiles only"
expect 1 "$tilewright" compare axpy --sources none --on wse3
prints err "--sources: there is no folder 'none'"
expect 2 "$tilewright" compare axpy --on ''
prints err '--on names no machine'
for size in 0 7 1024 -4096 4096x 99999999999999; do
  expect 2 "$tilewright" compare axpy --size $size --on wse3
  prints err 'takes multiples of 2048'
done
expect 2 "$tilewright" compare gemv --size 65536 --on wse3
prints err 'up to 8192'
expect 2 "$tilewright" compare axpy --small --size 4096 --on wse3
prints err '--small is a size of its own: it does not go with --size'
finish

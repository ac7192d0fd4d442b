# SPDX-License-Identifier: MIT
# The documentation names tests and files that exist.
. "$1/tests/cli/lib.sh"
cd "$source" || exit 1
ctest --test-dir "$build" -N | sed -n 's/^ *Test *#[0-9]*: \([^ ]*\).*/\1/p' | sort >"$work/tests"

# Names of tests: `examples.adder`, `graph.test_graph_tensor`. `vec.h` is a file, `pto.tassign` an operation.
boxes='base|vec|tile|profile|codelet|graph|engine|cli|examples|fuzz|aie'
for page in README.md CONTRIBUTING.md SECURITY.md examples/README.md docs/*.md; do
  grep -oE "\`(($boxes)\.[a-z0-9_]+|(type|pto|colossus|csl|wse)\.test_[a-z0-9_]+)\`" "$page" | tr -d '\`' | grep -vE '\.(h|hpp|c|cpp|pop)$' | sort -u |
    while read -r name; do grep -qx "$name" "$work/tests" || echo "$page: there is no test $name"; done
done >"$work/wrong"

# Links between pages.
for page in README.md CONTRIBUTING.md SECURITY.md examples/README.md docs/*.md; do
  grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -v '^[a-z]*:' |
    while read -r link; do [ -e "$(dirname "$page")/$link" ] || echo "$page: $link does not exist"; done
done >>"$work/wrong"

# The index knows every page.
for page in docs/*.md; do
  [ "$page" = docs/README.md ] || grep -qF "]($(basename "$page"))" docs/README.md || echo "docs/README.md: $page is missing"
done >>"$work/wrong"
[ ! -s "$work/wrong" ] || { fail 'wrong names:'; cat "$work/wrong"; }
finish

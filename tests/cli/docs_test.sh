# The documentation names tests and files that exist.
. "$1/tests/cli/lib.sh"
cd "$source" || exit 1
ctest --test-dir "$build" -N | sed -n 's/^ *Test *#[0-9]*: //p' | sort >"$work/tests"

# Coverage table: `examples.adder`, `graph.test_graph_tensor`.
grep -oE '`(base|type|vec|tile|profile|codelet|graph|engine|cli|examples)\.[a-z0-9_]+`' docs/poplar.md | tr -d '`' | sort -u |
  while read -r name; do grep -qx "$name" "$work/tests" || echo "docs/poplar.md: there is no test $name"; done >"$work/wrong"

# Links between pages.
for page in README.md CONTRIBUTING.md examples/README.md docs/*.md; do
  grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -v '^[a-z]*:' |
    while read -r link; do [ -e "$(dirname "$page")/$link" ] || echo "$page: $link does not exist"; done
done >>"$work/wrong"
[ ! -s "$work/wrong" ] || { fail 'wrong names:'; cat "$work/wrong"; }
finish

# SPDX-License-Identifier: MIT
# The programs of the README compile and run as printed there.
. "$1/tests/cli/lib.sh"
cd "$work" || exit 1
export ASAN_OPTIONS=detect_leaks=0 # as printed, the programs leave freeing to their end

# block LANGUAGE N: the N-th block of a language.
block() {
  awk -v start="\`\`\`$1" -v wanted="$2" \
    '$0 == start { n++; on = 1; next } /^```$/ { on = 0 } on && n == wanted' "$source/README.md"
}
block csl 1 >layout.csl
block csl 2 >axpy.csl
block mlir 1 >axpy.pto
block c 1 >axpy.c
block c 2 >prog.c
block c 3 >scale.c
for arch in wse2 wse3; do
  expect 0 "$tilewright" csl run layout.csl --arch=$arch --check=error
  prints out '2.500000 4.500000 6.500000 8.500000'
done
for target in cpu a2a3 a5; do
  expect 0 "$tilewright" pto run axpy.pto --target $target --profile
  prints out '2.5 4.5 6.5 8.5 10.5 12.5 14.5 16.5'
  prints out 'cycles (estimated)'
done
expect 0 "$tilewright" run axpy.c
prints out '2.5 4.5 6.5 8.5 10.5 12.5 14.5 16.5'
expect 0 "$tilewright" run prog.c
prints out 'Cycles by vertex type:'
prints out 'Scale'

# The commands of its table and of its section on profiles, from the root of the tree.
cp -r "$source/examples" .
sed -n 's/^| \*\*.*| `\(tilewright [^`]*\)` |$/\1/p' "$source/README.md" >commands
[ "$(wc -l <commands)" = 4 ] || fail 'the table of systems has not four commands'
sed -n '/^## One profile/,/^## /{ s/^    //p; }' "$source/README.md" >>commands
sed 's/^tilewright /"$tilewright" /' commands >commands.sh
whole=
while IFS= read -r line; do
  case $line in *'\') whole="$whole ${line%?}"; continue ;; esac
  whole="${whole:-} $line"
  # shellcheck disable=SC2154
  expect 0 sh -c "tilewright=$tilewright; $whole"
  whole=
done <commands.sh
finish

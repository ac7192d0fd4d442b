# SPDX-License-Identifier: MIT
# The rules of the C API (docs/errors.md, docs/hacking.md), read off the public headers: what makes an object returns it,
# tw_x_free() is the end of each, and every enumerator has a value of its own, the one that tests/golden/enumerators.txt
# has: programs that were compiled before carry these numbers.
. "$1/tests/cli/lib.sh"
cc=clang-19
command -v $cc >/dev/null || exit 77
export CPATH="$build/include"

cd "$source/include" || exit 1
find tilewright -name '*.h' | grep -v '/detail/\|/compat/\|/codelet.h$' | sort | sed 's/.*/#include <&>/' >"$work/all.c"
[ "$(wc -l <"$work/all.c")" -gt 40 ] || fail 'the headers were not found'
# What the headers declare, without comments and macros, of this project's headers only.
$cc -std=gnu11 -E -DTW_NO_CALL_SITES -I. "$work/all.c" |
  awk '/^# [0-9]+ "/ { ours = $3 ~ /tilewright\//; next } ours' >"$work/text" || exit 1

# --- functions: "result name(parameters)", one a line
awk 'BEGIN { RS = ";" } /__attribute__\(\(visibility\("default"\)\)\)/ {
  sub(/.*__attribute__\(\(visibility\("default"\)\)\)[ \n]*/, ""); gsub(/[ \n]+/, " "); print }' "$work/text" >"$work/functions"
[ "$(wc -l <"$work/functions")" -gt 700 ] || fail "$(wc -l <"$work/functions") functions were found"
awk 'BEGIN { RS = ";" } { gsub(/[ \n]+/, " ") } /typedef struct tw_[a-z_0-9]+ tw_[a-z_0-9]+ ?$/ { print $NF }' "$work/text" |
  sort -u | while read -r type; do grep -q "struct $type {" "$work/text" || echo "$type"; done >"$work/opaque"
[ "$(wc -l <"$work/opaque")" -gt 15 ] || fail 'the opaque types were not found'

grep -E '[(,] ?(tw|char|void|uint8_t|unsigned|size_t)[a-z_0-9 ]*\*\*' "$work/functions" >"$work/bad" &&
  { fail 'an object, a text or bytes in an out-parameter: return it'; cat "$work/bad"; }
grep -E '^[^(*]* tw_[a-z_0-9]*_new(_[a-z_0-9]*)?\(' "$work/functions" >"$work/bad" &&
  { fail 'tw_x_new() returns the pointer'; cat "$work/bad"; }
grep -oE ' \*?tw_[a-z_0-9]+_(unref|release|close|delete|destroy|dispose|drop)\(' "$work/functions" | tr -d ' *(' | while read -r name; do
  # a lock that is acquired is released: no end of an object
  case $name in *_release) grep -q "[ *]${name%release}acquire(" "$work/functions" && continue ;; esac
  echo "$name"
done >"$work/bad"
[ ! -s "$work/bad" ] || { fail 'the end of an object is called tw_x_free()'; cat "$work/bad"; }
grep -E '[ *]tw_[a-z_0-9]+_free\(' "$work/functions" | grep -v '^void ' >"$work/bad" &&
  { fail 'tw_x_free() returns nothing'; cat "$work/bad"; }
while read -r type; do # whatever is handed out to be kept can be freed
  grep -qE "^$type \*" "$work/functions" || continue
  grep -qE "[ *]${type}_free\(" "$work/functions" || fail "$type can be made, but there is no ${type}_free()"
done <"$work/opaque"

# --- enumerators: "name value" of each, and the enum that it is in
awk 'BEGIN { RS = "}" } match($0, /enum[ \n]*[a-z_0-9]*[ \n]*\{[^{]*$/) {
  body = substr($0, RSTART); name = body; sub(/\{.*/, "", name); sub(/^enum/, "", name); gsub(/[ \n]/, "", name)
  sub(/^[^{]*\{/, "", body)
  n = split(body, part, ",")
  for (i = 1; i <= n; i++) { gsub(/[ \n]+/, " ", part[i]); sub(/^ /, "", part[i]); sub(/ $/, "", part[i]); if (part[i] != "") print name ":" part[i] }
}' "$work/text" >"$work/enumerators"
[ "$(wc -l <"$work/enumerators")" -gt 500 ] || fail "$(wc -l <"$work/enumerators") enumerators were found"
grep -v ' = ' "$work/enumerators" >"$work/bad" && { fail 'enumerators without a value of their own:'; cat "$work/bad"; }
# Two rows of one table with one number; constants without an enum's name may be alike.
grep -E '^[a-z_0-9]+:[A-Za-z_0-9]+ = -?[0-9]+$' "$work/enumerators" | sed 's/:[A-Za-z_0-9]* = / /' | sort | uniq -d >"$work/bad"
[ ! -s "$work/bad" ] || { fail 'two enumerators have one value (enum, value):'; cat "$work/bad"; }
# Values of attributes are found by their place in the text of a row.
sed -n 's/^\(tw_pto_[a-z_]*_attr\):\([A-Z_0-9]*\) = /\1 \2 /p' "$work/enumerators" | awk '$1 != before { next_value = 0; before = $1 }
  $3 != next_value++ { print }' >"$work/bad"
[ ! -s "$work/bad" ] || { fail 'values of an attribute are not counted in order:'; cat "$work/bad"; }

{
  cat "$work/all.c"
  echo '#include <stdio.h>'
  echo 'int main(void) {'
  sed 's/^[^:]*:\([A-Za-z_0-9]*\).*/printf("\1 %lld\\n", (long long)\1);/' "$work/enumerators"
  echo 'return 0; }'
} >"$work/print.c"
$cc -std=gnu11 -DTW_NO_CALL_SITES -I. "$work/print.c" -o "$work/print" && "$work/print" | LC_ALL=C sort >"$work/values" ||
  fail 'the list of values was not made'
golden=$source/tests/golden/enumerators.txt
if ! diff "$golden" "$work/values" >"$work/changed"; then
  if [ -n "${TW_GOLDEN-}" ]; then
    cp "$work/values" "$golden"
  else
    fail 'values of enumerators: a line with < that is gone or has another value breaks programs that were compiled before;'
    echo 'one with > alone is new and its line belongs into tests/golden/enumerators.txt (./dev golden):'
    cat "$work/changed"
  fi
fi
finish

# SPDX-License-Identifier: MIT
# Names: no two boxes define the same one (their objects make one library), the library exports tw_ names only, declared in
# public headers, each with its version, and no entry of a program.
. "$1/tests/cli/lib.sh"
cd "$build" || exit 1
command -v nm >/dev/null || exit 77

for archive in libtw_*.a; do
  case $archive in libtw_reference_* | libtw_test_*) continue ;; esac
  nm -g --defined-only "$archive" 2>/dev/null | awk -v box="$archive" 'NF == 3 && $2 ~ /[TDBR]/ { print $3, box }' | sort -u
done >"$work/names"
[ "$(wc -l <"$work/names")" -gt 1000 ] || fail 'no names were read'
cut -d' ' -f1 "$work/names" | sort | uniq -d >"$work/twice"
while read -r name; do fail "$name is defined in $(grep "^$name " "$work/names" | cut -d' ' -f2 | tr '\n' ' ')"; done <"$work/twice"

nm -D --defined-only libtilewright.so | awk '$2 ~ /[TDBR]/ { print $3 }' >"$work/versioned"
for node in "$(sed -n 's/^\(TILEWRIGHT_[0-9.]*\) {/\1/p' "$source/src/tilewright.map" | tail -1) tw_[a-z]" 'TILEWRIGHT_PRIVATE tw__'; do
  [ "$(grep -c "^${node#* }.*@@${node% *}\$" "$work/versioned")" -gt 10 ] || fail "no names ${node#* } have the version ${node% *}"
  grep "^${node#* }" "$work/versioned" | grep -v "@@${node% *}\$" >"$work/bare" && { fail "without ${node% *}:"; cat "$work/bare"; }
done
# What a program carries that was linked with the library.
nm -D bin/tilewright | awk '$1 == "U" && $2 ~ /^tw_/ { print $2 }' | grep -v '@TILEWRIGHT_[0-9.P]' >"$work/bare" &&
  { fail 'the program needs names without a version:'; cat "$work/bare"; }
readelf -d libtilewright.so | grep -q 'SONAME.*\[libtilewright.so.0\]' || fail 'the library is not libtilewright.so.0'
sed 's/@.*//' "$work/versioned" | grep -v '^__\(a\|t\|ub\)san\|^_\(init\|fini\|edata\|end\|_bss_start\)$' |
  sort >"$work/exported"
[ "$(wc -l <"$work/exported")" -gt 200 ] || fail 'no exported names were read'
grep -v '^tw_' "$work/exported" | while read -r name; do echo "$name"; done >"$work/foreign"
[ ! -s "$work/foreign" ] || { fail 'exported, without tw_ in front:'; cat "$work/foreign"; }
! grep '_main$' "$work/exported" || fail 'the library exports the entry of a program'
cat "$source"/include/tilewright/*.h "$source"/include/tilewright/*/*.h "$source"/include/tilewright/*/*/*.h 2>/dev/null |
  grep -oE '\btw_[a-z0-9_]+' | sort -u >"$work/declared"
comm -23 "$work/exported" "$work/declared" >"$work/secret"
grep -v '^tw__' "$work/secret" >"$work/undeclared"
[ ! -s "$work/undeclared" ] || { fail 'exported, but in no public header:'; cat "$work/undeclared"; }
finish
